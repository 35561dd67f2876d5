"""What of a self-statement can be true of only one thing at a time: where somebody lives, works, how old they are,
whether they are married; and which earlier statement a later one ends.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from mcp_memory.scribe.noted import as_first_person
from mcp_memory.text.words import word_set

Slot = Literal["residence", "job", "marital", "spouse", "partner", "age", "study", "pregnancy", "said"]
Kind = Literal["state", "event", "end"]

_TENS: Final = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80}
_ONES: Final = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS: Final = (
    "ten",
    "eleven",
    "twelve",
    *(f"{one}teen" for one in ("thir", "four", "fif", "six", "seven", "eigh", "nine")),
)
_NUMBER: Final = rf"(?:1?\d\d|(?:{'|'.join(_TENS)})(?:[- ](?:{'|'.join(_ONES)}))?|{'|'.join(_TEENS)}|ninety)"
_WE: Final = r"(?<!\w)(?:i|we|my (?:husband|wife|partner) and i)(?:'ve| have|'re| are|'m| am)?"
_LATELY: Final = (
    r"(?:(?:just|finally|recently|actually|also|now|already|then|currently|still|happily|newly|officially) )*"
)
AGE: Final = (
    rf"i(?:'m| am) (?:now |already |just |currently )*{_NUMBER}"
    r"(?: years? old| years? of age| now\b| today\b| already\b"
    r"|(?=\s*(?:[.!;)…]|$|,(?! ?(?:\d|or\b|maybe\b|perhaps\b|about\b))| (?:and (?!a half|\d)|but ))))"
    rf"|i(?:'m| am) an? (?:\w+ )?{_NUMBER}[- ]years?[- ]old"
    rf"|i (?:just |recently |have |finally )*turned {_NUMBER}"
    r"(?=\s*(?:[.!;,)…]|$|yesterday|today|last |this |on |and |two |three |a |recently|in (?!(?:19|20)\d\d)"
    r"|\w+ (?:days?|weeks?|months?) ago))"
)
_AGE: Final = re.compile(AGE, re.IGNORECASE)
_NUMBER_IN: Final = re.compile(_NUMBER, re.IGNORECASE)
_LONG_AGO: Final = re.compile(r"\b(?:years ago|when i|back (?:in|when)|in (?:19|20)\d\d)\b", re.IGNORECASE)

_STOP: Final = (  # where a name ends
    r"(?=[.;!?()…:]|,(?! (?-i:[A-Z]))|$| (?:with|and|but|because|since|for|where|when|while|until|till|near|next|last"
    r"|this|now|right|so|on|after|before|again|during|from|any ?more|these days|at the moment"
    r"|in (?:\d|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)))"
)
_I: Final = rf"(?<!\w)i(?:'ve| have)? {_LATELY}"
_LIVES: Final = re.compile(
    rf"(?<!\w)(?:i|we)(?:'m| am|'ve|'re| are| have)? {_LATELY}(?:live|living|reside|based) (?:in|at|near)"
    rf" (?P<what>[^\n]{{1,80}}?){_STOP}",
    re.IGNORECASE,
)
_MOVED: Final = re.compile(
    rf"(?<!\w)(?:i|we)(?:'ve| have)? {_LATELY}(?:moved|relocated)(?: back| over| away| house)?"
    rf"(?: from [\w .'-]{{1,40}}?)? to (?P<what>[^\n]{{1,80}}?){_STOP}",
    re.IGNORECASE,
)
_WORKS: Final = re.compile(
    rf"(?<!\w)i(?:'m| am)? {_LATELY}(?:work|working)"
    rf"(?: {_LATELY}as (?:an? |the )?(?P<role>[^\n]{{1,60}}?)(?= at | for | with | in |{_STOP}))?"
    rf"(?: (?:at|for|with) (?P<what>[^\n]{{1,80}}?)(?= as | in (?-i:[A-Z])|{_STOP}))?(?P<field> in \w)?",
    re.IGNORECASE,
)
_AS: Final = re.compile(rf" as (?:an? |the )?(?P<role>[^\n]{{1,60}}?)(?= at | for | in |{_STOP})", re.IGNORECASE)
_NEW_JOB: Final = re.compile(
    rf"{_I}(?:(?:started|began)(?: work| working| (?:a|my) (?:new )?(?:job|position|role))?"
    rf" (?:at|with|for) (?P<at>(?-i:[A-Z])[^\n]{{0,80}}?|an? [^\n]{{1,60}}?){_STOP}"
    r"|(?:started|began) (?:working )?as an? \w"
    r"|(?:started|began|got|found|landed|took|accepted) (?:an?|my|the) (?:new |\w+ )?(?:job|position)\b"
    rf"(?! (?:offers?|interview|to do|done))(?:[^\n]{{0,30}}? (?:at|with) (?P<by>[^\n]{{1,60}}?){_STOP})?"
    r"|(?:switched|changed) (?:jobs|employers?|careers?)|(?:was |got )hired)"
    rf"|\bmy new (?:job|position|employer)\b(?: (?:is )?(?:at|with) (?P<new>[^\n]{{1,60}}?)(?= is | was |{_STOP}))?",
    re.IGNORECASE,
)
_JOB_OVER: Final = re.compile(
    rf"{_I}(?:(?:was |been |got |were )*(?:laid off|made redundant|fired(?! up)|sacked|let go)\b|lost my job\b"
    r"|(?:left|quit) (?:my|the) (?:\w+ )?(?:job|position|company|firm|work)\b"
    r"|quit(?=[.!]|$| (?:last|yesterday|today|on|in)\b)|resigned\b|retired\b(?! (?:early|to|for|into)\b))"
    r"|(?<!\w)i(?:'m| am) (?:now |currently )*(?:unemployed|retired|out of work|between jobs)\b",
    re.IGNORECASE,
)
_LEFT: Final = re.compile(
    rf"{_I}(?:left|quit)(?: my (?:old )?job)? (?:at )?(?P<what>(?-i:[A-Z])[^\n]{{0,60}}?){_STOP}", re.IGNORECASE
)
_NO_LONGER: Final = re.compile(
    r"(?<!\w)i (?:no longer|don't|do not) (?P<verb>live|work) (?:in|at|for|as|with)(?: an?| the)?"
    rf" (?P<what>[^\n]{{1,60}}?){_STOP}",
    re.IGNORECASE,
)
_IS_AT: Final = re.compile(
    rf"(?<!\w)i(?:'m| am) {_LATELY}an? (?:[\w-]+ ){{1,4}}(?:at|for|with) (?P<what>(?-i:[A-Z])[^\n]{{0,60}}?){_STOP}",
    re.IGNORECASE,
)
_SPANS: Final[dict[Slot, tuple[re.Pattern[str], re.Pattern[str]]]] = {
    "study": (
        re.compile(
            r"(?<!\w)i(?:(?: currently| now)? study\b|'m studying| am studying"
            r"|(?:'m| am) an? (?:[\w-]+ ){0,4}student\b)",
            re.IGNORECASE,
        ),
        re.compile(
            rf"{_I}(?:graduated|dropped out|finished (?:my|the) (?:\w+ )?(?:studies|degree|phd|thesis))", re.IGNORECASE
        ),
    ),
    "pregnancy": (
        re.compile(rf"(?<!\w)i(?:'m| am) {_LATELY}(?:\w+ (?:weeks|months) )?(?:pregnant|expecting)", re.IGNORECASE),
        re.compile(
            rf"(?<!\w)(?:(?:i|we)(?:'ve| have)? {_LATELY}(?:gave birth|had (?:a|the|my|our) (?:baby|miscarriage)"
            r"|lost (?:the|my|our) baby)|(?:my|our) (?:baby|son|daughter|twins) (?:was|were) born)",
            re.IGNORECASE,
        ),
    ),
}
_CLAUSE: Final = re.compile(
    r"(?<!\w)i(?P<not>(?:'m| am) (?:no longer|not)| no longer| don't| do not)?(?:'m| am|'ve| have)?"
    r" (?P<what>[^.!?;,\n]{1,120}?)(?P<more> any ?(?:more|longer))?(?=[.!?;,\n]| (?:and|but|because|since) |$)",
    re.IGNORECASE,
)
_LIKING: Final = word_set("love like enjoy adore prefer")
_STATUS: Final[dict[str, str]] = {
    "married": rf"{_WE} {_LATELY}(?:(?:got |been )?married(?! off)|tied the knot)",
    "divorced": rf"{_WE} {_LATELY}(?:(?:got |been |getting )?divorced|signed the divorce)|\bmy divorce (?:is|was|went)",
    "separated": rf"{_WE} {_LATELY}(?:(?:got )?separated(?! the)|(?:split|broke) up(?! (?:the|an?|my|our|this|it"
    rf"|into)\b)|parted ways)"
    r"|\bi (?:just |recently )?(?:broke up|split up) with|\bi(?:'m| am) (?:no longer|not) married",
    "engaged": rf"{_WE} {_LATELY}(?:got )?engaged(?= to (?-i:[A-Z]|be|my)|\W*$|[.!,]| (?:last|yesterday|now)\b)",
    "single": rf"(?<!\w)i(?:'m| am) {_LATELY}(?:single(?![\w-])|no longer engaged)",
    "widowed": rf"(?<!\w)i(?:'m| am|'ve been| was) {_LATELY}(?:widowed|an? widow(?:er)?\b)"
    r"|\bmy (?:husband|wife) (?:just |recently )?(?:died|passed away)",
}
_MARITAL: Final = {status: re.compile(pattern, re.IGNORECASE) for status, pattern in _STATUS.items()}
_NOW: Final = re.compile(r"\b(?:i'm|i am|we're|we are)\b", re.IGNORECASE)
_TO: Final = re.compile(r" to (?P<what>(?-i:[A-Z])[\w'-]+)", re.IGNORECASE)
_SPOUSE: Final = re.compile(r"\bmy (?!ex\b|late\b|former\b|future\b)(?:\w+ )?(?P<kin>husband|wife)\b", re.IGNORECASE)
_PARTNER: Final = re.compile(
    r"\bmy (?!ex\b|late\b|former\b|future\b)(?:\w+ )?(?P<kin>girlfriend|boyfriend|fianc[eé]e?|partner)\b", re.IGNORECASE
)
_ENDS_MARRIAGE: Final = frozenset({"divorced", "separated", "single", "widowed"})
_ENDS_LOVE: Final = frozenset({"separated", "single"})
_WORD: Final = re.compile(r"[^\W_][\w'&-]*")
_SMALL: Final = word_set(
    "a an the my our this that of in at to new old big small same i flat apartment house place city town"
)


@dataclass(frozen=True, slots=True)
class Claim:
    """That something holds of a slot: `what` names it, `how` tells more (a role, a status).

    A `state` is said to hold now, an `event` began it, an `end` ended what it names, or all of the slot.
    """

    slot: Slot
    kind: Kind
    what: frozenset[str] = frozenset()
    how: frozenset[str] = frozenset()


def ends(later: Claim, earlier: Claim) -> bool:
    """Whether what was claimed earlier no longer holds once the later claim does."""
    if earlier.slot in ("spouse", "partner"):
        over = _ENDS_MARRIAGE if earlier.slot == "spouse" else _ENDS_LOVE
        return later.slot == "marital" and not later.how.isdisjoint(over)
    if later.slot == "said" == earlier.slot:
        negated, other = (later, earlier) if later.kind == "end" else (earlier, later)
        return later.kind != earlier.kind and negated.kind == "end" and negated.what <= other.what
    if later.slot != earlier.slot or earlier.kind == "end":
        return later.slot == earlier.slot and later.kind != "end"
    if later.kind == "end":
        return not later.what or not later.what.isdisjoint(earlier.what | earlier.how)
    new_job = later.slot == "job" and later.kind == "event"
    if new_job and not (later.what and earlier.what):
        return True
    return _differ(later.what, earlier.what) or _differ(later.how, earlier.how)


def _differ(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(one and other) and not (one <= other or other <= one)


@lru_cache(maxsize=16_384)
def claims(value: str, speaker: str) -> tuple[Claim, ...]:
    """What a statement, or a note about its speaker, claims of these slots."""
    said = next(iter(as_first_person(value, speaker, user=True)), value).replace("’", "'")[:600]
    return tuple(dict.fromkeys((*_home(said), *_job(said), *_love(said), *_age(said), *_spans(said), *_said(said))))


def _home(said: str) -> Iterator[Claim]:
    told: list[tuple[Kind, re.Pattern[str]]] = [("state", _LIVES), ("event", _MOVED)]
    for kind, pattern in told:
        for found in pattern.finditer(said):
            if place := _named(found["what"], said):
                yield Claim("residence", kind, place)
    for found in _NO_LONGER.finditer(said):
        if found["verb"].lower() == "live" and (place := _words(found["what"])):
            yield Claim("residence", "end", place)


def _job(said: str) -> Iterator[Claim]:
    for found in _WORKS.finditer(said):
        role = found["role"] or ((after := _AS.match(said, found.end())) and after["role"]) or ""
        if found["what"] or role or found["field"]:
            yield Claim("job", "state", _words(found["what"] or ""), _words(role))
    for found in _IS_AT.finditer(said):
        yield Claim("job", "state", _words(found["what"]))
    for found in _NEW_JOB.finditer(said):
        yield Claim("job", "event", _words(found["at"] or found["by"] or found["new"] or ""))
    if _JOB_OVER.search(said):
        yield Claim("job", "end")
    for found in _LEFT.finditer(said):
        yield Claim("job", "end", _words(found["what"]))
    for found in _NO_LONGER.finditer(said):
        if found["verb"].lower() == "work" and (what := _words(found["what"])):
            yield Claim("job", "end", what)


def _love(said: str) -> Iterator[Claim]:
    over = False
    for status, pattern in _MARITAL.items():
        if found := pattern.search(said):
            whom = _TO.match(said, found.end())
            kind: Kind = "state" if _NOW.search(found.group()) else "event"
            over = over or status in _ENDS_MARRIAGE
            yield Claim("marital", kind, _words(whom["what"] if whom else ""), frozenset({status}))
    if _SPOUSE.search(said) and not over:
        yield Claim("spouse", "state")
    if _PARTNER.search(said) and not over:
        yield Claim("partner", "state")


def _age(said: str) -> Iterator[Claim]:
    found = _AGE.search(said)
    if found and not _LONG_AGO.search(said) and (number := _NUMBER_IN.search(found.group())):
        yield Claim("age", "state", frozenset({str(_counted(number.group().lower()))}))


def _spans(said: str) -> Iterator[Claim]:
    for slot, (holds, over) in _SPANS.items():
        if over.search(said):
            yield Claim(slot, "end")
        elif holds.search(said):
            yield Claim(slot, "state")


def _said(said: str) -> Iterator[Claim]:
    """That, in their words, which "no longer" or "not any more" takes back."""
    for found in _CLAUSE.finditer(said):
        negated, no_longer = found["not"], "no longer" in (found["not"] or "").lower()
        words = frozenset("like" if word in _LIKING else word for word in _words(found["what"]))
        if words and (no_longer or found["more"] or not negated):
            yield Claim("said", "end" if negated else "state", words)


def _counted(number: str) -> int:
    if number.isdigit():
        return int(number)
    if number in _TEENS:
        return 10 + _TEENS.index(number)
    tens, _, ones = number.replace(" ", "-").partition("-")
    return _TENS.get(tens, 90) + (1 + _ONES.index(ones) if ones else 0)


def _named(what: str, said: str) -> frozenset[str]:
    """The words of a place's name; in a text all in small letters, its first word that may be one."""
    capitals = frozenset(word.lower() for word in _WORD.findall(what) if word[0].isupper() and word != "I")
    if capitals or said[1:] != said[1:].lower():
        return capitals
    return frozenset([word for word in _WORD.findall(what.lower()) if word not in _SMALL][:1])


def _words(what: str) -> frozenset[str]:
    return frozenset(word for word in _WORD.findall(what.lower()) if word not in _SMALL)
