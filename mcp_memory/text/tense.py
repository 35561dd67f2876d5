"""Whether talk of a date is of what was or of what will be.

The verb that the date belongs to decides: the last one before it in the sentence, or the first one after it where
the date opens its clause.  After verbs of arranging the words before the date decide: what is moved *to* a day or
agreed *for* it lies ahead, however past the verb.  Without a clue nothing is known.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final, Literal

from mcp_memory.text import verbs

Side = Literal["behind", "ahead", ""]
# arranged: ahead with "for" or "to" anywhere after, else open; asked: ahead with an infinitive, else behind;
# shifted: ahead with "to" or "for" right before the date, else behind; present: ahead unless loosened by what came
# between; weak: ahead where nothing else is said
Kind = Literal["past", "ahead", "present", "arranged", "asked", "shifted", "open", "loose", "weak", ""]

_REACH: Final = 140  # characters
_FAINT: Final = ("", "weak", "loose")
_LONGEST_CLUE: Final = 8  # words
_LONGEST_OBJECT: Final = 4  # words between "got" and "tickets"
_END: Final = re.compile(r"(?<![MD]r)(?<!Mrs)(?<!St)(?<![ap]\.m)[.!?](?=[\s\"'”’)]|$)|\n")
_WORD: Final = re.compile(r"[^\W_]+?(?=n['’]t\b)|n['’]t\b|(?:(?<=['’])|\b)[^\W_]+")
_POINTING: Final = re.compile(r"\b(?:for|to|until|till|by|as of)\b", re.IGNORECASE)
_CLOSE: Final = re.compile(
    r"\b(?P<word>for|to|until|till|by|as\s+of|from|since|before|starting|beginning)\s+(?:the\s+)?(?:\w+day,?\s+(?:the\s+)?)?"
    r"(?:\d[\d:.]*\s*(?:[ap]\.?m\.?|o['’]clock)?\s+on\s+(?:the\s+)?)?$",
    re.IGNORECASE,
)
_INFINITIVE: Final = re.compile(r"\bto\s+(?!(?:a|an|the|my|our|your|his|her|their|me|you|him|us|them|it)\b)[a-z]+\s")
_LED_IN: Final = re.compile(r"(?:in|since|until|till|by|of|on|before|after|during)\s", re.IGNORECASE)
_OPENS: Final = re.compile(
    r"(?:^|[,;:–—]|\b(?:and|but|then|so|because|that|when|why|where|while|if|maybe|perhaps|next time)\b)"
    r"(?:\W|\b(?:on|in|the|as|of|by|until|till|from|since|for)\b)*$",
    re.IGNORECASE,
)
_GOES_ON: Final = re.compile(r",?\s+(?!(?:and|or|but|to)\b)\w", re.IGNORECASE)


def before(match: re.Match[str]) -> str:
    """What was said just before, in the same sentence."""
    return _END.split(match.string[max(0, match.start() - _REACH) : match.start()])[-1]


def is_ahead(match: re.Match[str]) -> bool:
    """Whether the talk is of the future; not where there is no clue."""
    return side(match) == "ahead"


def is_behind(match: re.Match[str]) -> bool:
    """Whether the talk is of the past; not where there is no clue."""
    return side(match) == "behind"


def side(match: re.Match[str]) -> Side:
    """The side of the present on which the words of `match` lie, "" where the talk does not tell."""
    led_in = _LED_IN.match(match.group())
    lead = before(match) + (led_in.group() if led_in else "")
    rest = _END.split(match.string[match.end() : match.end() + _REACH])[0]
    goes_on = _begun(rest) if _GOES_ON.match(rest) else ""
    if goes_on and _OPENS.search(lead):
        return goes_on
    if lead.rstrip().endswith(":"):
        return ""
    if goes_on == "behind" and verbs.is_past(_WORD.findall(rest)[0].lower()):
        return "behind"  # the date is of the subject: "what we paid in May was"
    kind, end = _last(lead)
    close = _CLOSE.search(lead, end)
    word = " ".join(close["word"].lower().split()) if close else ""
    if kind in ("", "weak"):
        return _unsaid(word) or goes_on or ("ahead" if kind else "")
    return _governed(kind, word, lead[end:])


def has_lasted(match: re.Match[str]) -> bool:
    """Whether the talk is of what began then and holds still: "I have had them", "she's lived here"."""
    words = [word.lower() for word in _WORD.findall(before(match))]
    for at, word in enumerate(words):
        there = _past_adverbs(words, at + 1, verbs.ADVERBS | verbs.PRONOUNS)
        if word not in verbs.HAVING | {"s"} or not verbs.lasts(*_pair(words, there), short=word == "s"):
            continue
        tail = words[there + 1 + (words[there] == "been") :]
        if not any(kind not in _FAINT for kind, _ in _clues(tail)):
            return True
    return False


def _governed(kind: Kind, close: str, between: str) -> Side:
    """What a verb makes of the date, by the preposition right before it and by what stands between the two."""
    if close == "since" or kind == "open" or close in ("starting", "beginning"):
        return "behind" if close == "since" else ""
    if kind in ("ahead", "present") or close == "as of":
        return "ahead"
    if kind == "arranged":
        return "ahead" if _POINTING.search(between) else ""
    if kind != "past" and (close in ("for", "to", "until", "till", "by") or _asked(kind, between)):
        return "ahead"
    return "" if close in ("for", "before") or (kind == "shifted" and close == "from") else "behind"


def _asked(kind: Kind, between: str) -> bool:
    return kind == "asked" and bool(_INFINITIVE.search(between))


def _unsaid(close: str) -> Side:
    """What a preposition says by itself."""
    if close in ("until", "till", "by", "as of"):
        return "ahead"
    return "behind" if close == "since" else ""


def _last(text: str) -> tuple[Kind, int]:
    """The last clue in a text and where it ends; a weak one only where there is no other."""
    places = list(_WORD.finditer(text))
    found: tuple[Kind, int] = ("", 0)
    for kind, last in _clues([place.group() for place in places]):
        if found[0] == "present" and kind in ("loose", "weak"):
            found = ("open", places[last].end())
        elif kind not in _FAINT or (kind == "weak" and not found[0]):
            found = (kind, places[last].end())
    return found


def _begun(text: str) -> Side:
    """What the first clue in a text says of a date before it."""
    for kind, _ in _clues(_WORD.findall(text)):
        if kind not in _FAINT:
            return "ahead" if kind in ("ahead", "present") else "" if kind == "open" else "behind"
    return ""


def _clues(words: Sequence[str]) -> Iterator[tuple[Kind, int]]:
    """Each clue and the index of its last word."""
    words, at = [word.lower() for word in words], 0
    while at < len(words):
        kind, width = _read(words[at : at + _LONGEST_CLUE], words[at - 1] if at else "")
        at = min(at + width, len(words))
        yield kind, at - 1


def _read(words: Sequence[str], prior: str) -> tuple[Kind, int]:
    """The clue at the head of `words`, "" for none, and the number of its words."""
    word, there = words[0], _past_adverbs(words, 1, verbs.ADVERBS)
    following, after = _pair(words, there)
    passive = following in ("be", "get") and verbs.is_past(after)
    if word == "to":
        return "", 1 if following in verbs.ARTICLES else there + 1 + passive
    if word in verbs.MODALS or (word == "let" and following in ("s", "us")):
        return "ahead", there + 1 + passive
    if word in ("was", "were") and after == "to" and following in ("going", "supposed", "meant", "about"):
        return "open", there + 3
    if word == "did":
        return "past", there + 1 + (following in verbs.PRONOUNS)
    if word == "could":
        return ("past" if "n't" in words[1:there] else "open"), there + 1
    if word in verbs.BEING and (kind := _been(following)):
        return kind, there + 1 + (following in ("being", "getting") and verbs.is_past(after))
    return _present(words, prior, there) or _past(words, prior) or ("", 1)


def _present(words: Sequence[str], prior: str, there: int) -> tuple[Kind, int] | None:
    word, (following, after) = words[0], _pair(words, there)
    if word in verbs.HAVING and verbs.is_past(following):
        return ("ahead", there + 1) if following == "got" and not verbs.is_past(after) else ("", 1)
    if word in verbs.STRONG and not (word == "next" and following == "to"):
        return "ahead", 1
    if word in verbs.WEAK and word != "get":
        return "present", 1
    if word == "s" and prior in ("it", "that", "there", "he", "she") and not verbs.is_past(following):
        return "present", 1
    if prior in verbs.ARTICLES:
        return None
    several = len(prior) > 3 and prior.endswith("s")
    if verbs.is_third_person(word) or (verbs.is_base(word) and (not prior or prior in verbs.SUBJECTS or several)):
        return "ahead", 1
    if (verbs.is_likely_gerund(word) and prior not in verbs.BEFORE_GERUNDS) or word == "meeting":
        return "weak", 1
    return ("loose", 1) if verbs.is_gerund(word) or word == "after" else None


def _been(following: str) -> Kind:
    """is moved, are leaving, is from, is born."""
    if following in ("born", "dated", "from"):
        return "past"
    if verbs.is_past(following):
        return "ahead"
    return "ahead" if verbs.is_likely_gerund(following) else "present" if verbs.is_gerund(following) else ""


def _past(words: Sequence[str], prior: str) -> tuple[Kind, int] | None:
    """What was done, asked, arranged or shifted; "an organized tour" is nothing of it."""
    word = words[0]
    if word in verbs.GETTING and (thing := _thing(words)):
        return thing
    if prior in verbs.ARTICLES:
        return None
    if word in ("wanted", "hoped", "meant") and words[1:2] == ["to"]:
        return "open", 3
    if word in verbs.ARRANGED or (word == "signed" and words[1:2] == ["up"]):
        return "arranged", 1
    if word in verbs.ASKED:
        return "asked", 1
    if word in verbs.SHIFTED:
        return "shifted", 1
    return ("past", 1) if verbs.is_past(word) else None


def _thing(words: Sequence[str]) -> tuple[Kind, int] | None:
    """got tickets, received a letter: news of what is for a day is an arrangement, else it came then."""
    for place, word in enumerate(words[1 : _LONGEST_OBJECT + 2], 1):
        if word in verbs.HELD:
            return "arranged", place + 1
        if word in verbs.NEWS and words[0] in ("got", "received", "given"):
            return ("arranged" if words[place + 1 : place + 2] in (["for"], ["to"]) else "asked"), place + 1
    return None


def _past_adverbs(words: Sequence[str], start: int, skipped: frozenset[str]) -> int:
    """The index of the first word from `start` on that is no adverb."""
    return next((n for n in range(start, len(words)) if words[n] not in skipped and words[n][-2:] != "ly"), len(words))


def _pair(words: Sequence[str], at: int) -> tuple[str, str]:
    one, two = [*words[at : at + 2], "", ""][:2]
    return one, two
