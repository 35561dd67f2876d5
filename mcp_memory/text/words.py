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

# Words that are in no name for anything: what stands on either side of them is apart.
BREAKS: Final = word_set(
    """
    afternoon ago another anybody anymore anyone anything anyway anywhere besides daily day days doin early eight else
    evening everybody everyone everything everywhere five four friday goin gonna gotta hour hours how're last lately
    later let's maybe minute minutes monday month monthly months morning next night nine nobody nothing often others
    otherwise perhaps saturday seven since six somebody someday someone something sometime sometimes somewhere sunday
    ten there's thinkin though three thursday till today tomorrow tonight tuesday two wanna wednesday week weekend
    weekends weekly weeks where's without ya yeah year yearly years yesterday
    """
)

# Words that may stand inside a name for something but say nothing at its edges.
FILLERS: Final = word_set(
    """
    able absolutely accept actually add adding again agree alright already although always amazing appreciate around
    away awesome back bad beautiful became become becoming began begin best better big bit blast bring bringing brought
    btw bunch busy bye came cant catch caught check cherish chilling chat chatted come comes coming congrats
    congratulations consider continue cool crazy could cozy create creating cute cuz day days deal definitely different
    done dont e easy else enjoy enjoyed ensure even ever every everyone everything exactly excited exciting exist
    express expressing fave favorite favourite fam fantastic far feel feeling feels felt final find finding fine first
    follow found friend full fun g gave get gets getting give given gives giving glad go goes going gone gonna good got
    gotta great guess guy guys haha happen happened happy hard hear heard hello help helped helping helps hey hi high
    higher hope hoping hows huge idea image images important including incredible interesting keep keeping kind kinda
    kinds know known large larger last lately later learn learned learning least let lets life like liked likely likes
    list little long look looked looking looks lot lots love loved lovely loves loving low lower lucky made main major
    make makes making many matter may maybe mean means meet met might mind minute moment moments month months much nah
    name need needed needs never new next nice nope nothing number oh ok okay old omg one ones option other part
    particular pass people perfect photo photography photos pic pics picture piece place plan planning please possible
    posted pretty probably proud provide put putting quick quite ready real realize realized really recent remind
    reminds reminder recently remember right rock said saw say saying says see seeing seem seemed seems seen set share
    shared shares sharing shot show showing similar small soon sorry sort sound sounds special specific start started
    starting stay still stuff success suggest super sure sweet swamped stoked surround surrounded surrounding take taken
    takes taking talk talked talking tell thank thankful thanks thing things think thinking thought thoughts time times
    together told took total totally tough tried true try trying type unique use used useful using various via wait
    wanna want wanted wants watching way ways week weekend weeks well went whole wild wish wonderful word work worked
    working worry worth wow write writing yay yeah year years yep yes yesterday yet yup
    """
)
