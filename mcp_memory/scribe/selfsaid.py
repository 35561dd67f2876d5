"""What people say of themselves, found by turns of phrase: few and sure rather than many.

Only plain first-person statements count.  What is asked, quoted, or said to and about the listener ("I hope
you're okay", "I love that") tells nothing of the speaker.
"""

import re
from typing import Final

from mcp_memory.model.turn import Turn
from mcp_memory.scribe.hearsay import of_others, own_sentences
from mcp_memory.scribe.noted import as_first_person
from mcp_memory.scribe.slots import AGE
from mcp_memory.text.clean import plain
from mcp_memory.text.tokens import cut_tokens

LONGEST: Final = 60  # tokens of a quote
_MUCH: Final = r"(?:(?:really|just|absolutely|also|always|still|truly|totally|especially|do|simply) )*"
_LATELY: Final = r"(?:(?:just|finally|recently|actually|also|even|already|then) )*"
_VAGUE: Final = r"(?:the|that|it|its|this|those|these|them|their|how|when|what|where|seeing|hearing|to (?:see|hear))\b"
_KIN: Final = (
    r"(?:wife|husband|partner|girlfriend|boyfriend|fianc[eé]e?|mom|mum|mother|dad|father|parents|sisters?|brothers?"
    r"|sons?|daughters?|grandma|grandmother|grandpa|grandfather|aunt|uncle|cousin|niece|nephew|best friend|roommate"
    r"|boss|manager|colleague|coworker|neighbou?r|mentor|teacher|coach|doctor|physician|gp|dentist|therapist|lawyer"
    r"|landlord|dogs?|cats?|pets?|puppy|kitten)"
)

# The first key whose pattern fits takes the sentence; the order goes from the surest to the widest.
_SAID: Final[dict[str, re.Pattern[str]]] = {
    key: re.compile(rf"\b(?:{'|'.join(patterns)})", re.IGNORECASE)
    for key, patterns in {
        "identity": (
            r"my name(?:'s| is) \w",
            r"i(?:'m| am) from (?!a\b|the (?:start|beginning))\w",
            r"i(?:'m| am) an? (?!bit\b|little\b|big\b|huge\b|lot\b|few\b|real\b|mess\b|fan\b|firm believer)"
            r"(?:[\w-]+ ){0,3}(?:\w+(?:er|or|ist|ian|ant|ent|eur)|mom|mum|dad|nurse|chef|cook|coach|judge|vegan"
            r"|vegetarian|artist|intern|ceo)\b",
            r"i (?:currently |now )?(?:live|work|study|teach) (?:in|at|as|for|with) \w",
            r"we (?:currently |now )?live in (?-i:[A-Z])\w",
            r"i (?:grew up|was born|was raised) (?:in|on|near|with|by) \w",
            r"i(?:'m| am) (?:now |happily |recently |newly |severely |also )*(?:allergic|vegan|vegetarian|diabetic"
            r"|retired"
            r"|married|divorced|widowed|separated from my|single|pregnant|(?:[\w-]+[ -])?intolerant|coeliac|celiac"
            r"|asthmatic|colou?r-?blind|dyslexic|left-handed|unemployed)\b(?!-)",
            r"i(?:'m| am) (?:now )?engaged(?: to (?:be married|my|(?-i:[A-Z]))|\W*$| now\b)",
            AGE,
            r"i (?:no longer|don't|do not) (?:live|work|study) (?:in|at|for|as|with) \w",
            r"i(?:'m| am) (?:no longer|not) (?:married|engaged|single)\b(?! (?:any|to be))",
            r"i(?:'m| am) no longer (?:an?|the|at|with|vegan|vegetarian|allergic|pregnant|diabetic|working|living"
            r"|studying|using|playing|teaching)\b",
            r"i (?:no longer|(?:don't|do not)(?=[^.!?]{1,60}\bany ?(?:more|longer)\b)) (?:eat|drink|smoke|drive"
            r"|play|own|use|wear|like|love|enjoy|teach|run|ride|swim"
            r"|sing|speak|have an?)\b",
            r"i(?:'m| am) (?:now |currently )?(?:living|based) in (?-i:[A-Z])\w",
            r"i(?:'m| am) (?:now |currently )?working (?:as an?|(?:at|for) (?-i:[A-Z])) ?\w",
            r"i reside in \w",
            r"i work from home\b",
            r"i(?:'ve| have) been (?:vegan|vegetarian|diabetic|married|divorced|widowed|retired) (?:for|since)\b",
            r"i (?:drive|own) (?:an?|two) (?!hard\b|lot\b|bit\b)\w",
            r"my new (?:job|position|employer|role|home|flat|apartment|house|address)(?:'s| is| at| as| in)\b",
            r"(?<!ing )my (?:job|profession|occupation|employer|birthday|home ?town|home country|nationality|address"
            r"|time ?zone|diet|allergy|major|pronouns|mother tongue|(?:native|first|preferred) language)"
            r"(?:'s| is| are| was)\b",
            r"i speak (?:[a-z]+ and )?[a-z]+(?:ish|ese|an|ic|ch)\b",
            r"i(?:'ve| have|'ve got) (?:an?|one|two|three|four|five|\d+) (?:\w+ )?"
            r"(?:kids?|children|sons?|daughters?|dogs?|cats?|pets?)\b",
        ),
        "preferences": (
            rf"i {_MUCH}(?:love|like|enjoy|prefer|adore|hate|dislike|can't stand|don't like) (?!{_VAGUE}|to\W*$)[\w\"]",
            r"my (?:all-time |absolute )?favou?rite [\w' -]{2,40}? (?:is|are|was|has to be)\b",
            r"i(?:'m| am) (?:a (?:big|huge|massive) (?:fan|lover) of|(?:really |totally )?into|fond of|obsessed with) "
            rf"(?!{_VAGUE})\w",
        ),
        "relations": (
            rf"my (?:\w+ )?{_KIN},? (?-i:[A-Z])\w+(?![\w'])",
            rf"my (?:\w+ )?{_KIN}(?:'s| is| are) (?:name|named|called|an? |the |from|\d|(?-i:[A-Z])[\w.])",
            rf"my (?:\w+ )?{_KIN} (?:works|lives|studies|loves|likes|hates|plays|teaches|passed away|died|turned)",
        ),
        "traits": (
            r"i (?:always|never|usually|tend to|rarely) (?!really|even|thought|knew|expected|imagined|realized|noticed"
            r"|forget|remember|have|had|will|want)[a-z]",
            r"i (?:strongly |firmly |truly |really )?(?:believe in|value) (?!that|this|it)\w",
            r"i(?:'m| am) (?:a )?firm believer in",
            r"i(?:'m| am) (?:really |so |super |very |pretty |a bit )?(?:afraid|scared|terrified) of \w",
            r"i(?:'m| am) (?:really |super |very |pretty |not )?(?:bad|good|terrible|great|hopeless) at \w",
            r"i(?:'m| am) (?:really |so |super |very )?passionate about (?!it|this|that)\w",
            r"my (?:\w+ )?(?:goal|dream|ambition|habit|fear)s? (?:is|are|has)\b",
            r"i(?:'ve always| have always)? (?:want|wanted|dream|dreamed|hope|plan) (?:to|of) (?:one day |someday )?"
            r"(?:be|become|becoming|own|owning|open|opening|build|building|start|starting|adopt|write|learn|travel)\b",
        ),
        "timeline": (
            rf"(?<!since )(?<!after )(?<!when )i {_LATELY}(?:got (?:married|engaged|divorced|promoted|fired|hired"
            r"|accepted|an? (?!chance|bit|lot|surprise)|my|new)|lost my|quit|retired|graduated|adopted"
            r"|moved (?:to|in|out|from|here)|joined|signed up|passed (?:the|my)|won|launched|bought|opened|applied"
            r"|finished|enrolled|ran (?:a|the|my)"
            r"|started(?! to\b| feeling| thinking| caring| looking)|broke (?:my|up))(?![\w'])",
            rf"(?<!since )(?<!after )(?<!when )(?<!before )(?:i|we)(?:'ve| have)? {_LATELY}(?:(?:moved|relocated)"
            r" (?:back )?(?:to|from) (?-i:[A-Z])|got (?:married|divorced|engaged)|(?:split|broke) up"
            r"|(?:was |got |been )(?:laid off|fired(?! up)|sacked|made redundant)|left (?:my job|(?-i:[A-Z])\w)"
            r"|quit my job|resigned|(?:got|found|landed|took) a (?:\w+ )?job|started (?:at|as) )",
            rf"i {_LATELY}(?:went|visited|attended|met|took|made|had|saw|began|completed|participated|volunteered)"
            r" [^.!?]{0,80}\b(?:yesterday|today|tonight|last|ago|this (?:morning|week|weekend|month)"
            r"|on (?:mon|tues|wednes|thurs|fri|satur|sun)day)\b",
        ),
    }.items()
}
_QUOTED: Final = re.compile(r"[\"“„«][^\"“”„«»]*[\"”“»]|\[[^\]]*\]|\*[^*]*\*")
_ASKED: Final = re.compile(r"\?[\"'”’)\]*_\s]*$|？")
_TO_LISTENER: Final = re.compile(r"\b(?:you|your|yours|you're|you've|you'd|you'll|ya|u)\b", re.IGNORECASE)
_SUPPOSED: Final = re.compile(
    r"\b(?:if|wish|imagine|suppose|pretend|assume|say|says|dream(?:ed|t)?|though|as if|unless|whether|would|could"
    r"|should|might)(?: that)? (?:\w+ and )?(?:i|we)\b|\bi (?:wish|wonder)\b|\b(?:hypothetically|pretending)\b",
    re.IGNORECASE,
)
_AND_I: Final = re.compile(r",? (?:and|but) (?=I\b|my\b)")

NOTED_KEY: Final = "timeline"


def key_of(sentence: str) -> str:
    """The persona key under which a sentence says something of its speaker, or ""."""
    bare = _QUOTED.sub(" ", sentence.replace("’", "'"))
    if _ASKED.search(sentence) or _SUPPOSED.search(bare) or to_listener(bare):
        return ""
    found = ((key, pattern.search(bare)) for key, pattern in _SAID.items())
    return next((key for key, match in found if match and not of_others(bare, match.start())), "")


def to_listener(sentence: str) -> bool:
    """Whether a sentence speaks to or of the listener."""
    return _TO_LISTENER.search(sentence) is not None


def said_of_self(turn: Turn) -> list[tuple[str, str, str]]:
    """(speaker, key, quote) of each sentence in which a person says something of themselves, and of each note.

    An assistant is nobody; what it notes of its user is kept as what the user would say.
    """
    words = own_sentences(turn.text, turn.speaker) if turn.role != "assistant" else []
    found = [(turn.speaker, key, clause) for sentence in words for key, clause in _clauses(sentence)]
    noted = [(*_noted(turn, note.fact), note.fact) for note in turn.notes]
    return [(who, key, cut_tokens(plain(quote), LONGEST)) for who, key, quote in [*found, *noted] if who]


def _clauses(sentence: str) -> list[tuple[str, str]]:
    """The statements of a sentence with their keys, where one may cease to hold without the others."""
    key = key_of(sentence)
    parts = [(key_of(part), part) for part in _AND_I.split(sentence)] if key else []
    return parts if all(one for one, _ in parts) else [(key, sentence)]


def _noted(turn: Turn, fact: str) -> tuple[str, str]:
    """Whom a note is about ("" for nobody who is known) and its key."""
    speaker = "" if turn.role == "assistant" else turn.speaker
    for who in dict.fromkeys((turn.owner, speaker)):
        readings = as_first_person(fact, who, user=who == turn.owner) if who else ()
        if readings:
            return who, next(filter(None, map(key_of, readings)), NOTED_KEY)
    return speaker, NOTED_KEY
