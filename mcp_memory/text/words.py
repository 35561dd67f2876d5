"""English words that carry no meaning of their own in a search."""

from typing import Final


def word_set(text: str) -> frozenset[str]:
    """A set written down as running text."""
    return frozenset(text.split())


STOPS: Final = word_set(
    """
    a about above after again against ain all also am an and any are aren as at be because been before being below
    between both but by can cannot could couldn d did didn do does doesn doing don down during each few for from further
    had hadn has hasn have haven having he her here hers herself him himself his how i if in into is isn it its itself
    just ll m ma me mightn more most mustn my myself needn no nor not now o of off on once only or other our ours
    ourselves out over own re s same shan she should shouldn so some such t than that the their theirs them themselves
    then there these they this those through to too under until up upon us ve very was wasn we were weren what whatever
    when where which while who whom whose why will with won would wouldn y you your yours yourself yourselves
    ain't aren't can't couldn't didn't doesn't don't hadn't hasn't haven't he'd he'll i'd i'll i'm i've isn't it'd it'll
    mightn't mustn't needn't shan't she'd she'll should've could've would've shouldn't that'd that'll there'll they'd
    they'll they're they've wasn't we'd we'll we're we've weren't what're what'll who'd who'll won't wouldn't y'all
    you'd you'll you're you've arent cant couldnt didnt doesnt dont hadnt hasnt havent im isnt ive shouldnt theyre
    theyve thats wasnt werent whats wont wouldnt youre youve
    """
)
