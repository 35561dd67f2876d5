"""Splitting into sentences, and telling which of them say something.

Salience needs no model: what people later ask about was said in the first person, with a name, a number
or a date, at some length, and not as a question or a back-channel.
"""

import re
from collections.abc import Iterator
from typing import Final

from mcp_memory.text.words import word_set

_FENCE: Final = re.compile(r"\s*(?:```|~~~)")
_OWN_LINE: Final = re.compile(r"\s*(?:#{1,6}\s|[-*+•·]\s|\d{1,3}[.)]\s|>|\||[-*_=]{3,}\s*$)")
_MARKER: Final = re.compile(r"\s*(?:[-*+•·>]\s+|\d{1,3}[.)]\s+|#{1,6}\s+)*")
_TABLE: Final = re.compile(r"\s*\|")
_END: Final = re.compile(r"(?<![.!?…؟।۔])[.!?…؟।۔]++[\"'”’)\]»*_]*+(?=\s)|(?<![。！？｡])[。！？｡]++[」』”’）》】]*+")
_WORD_BEFORE: Final = re.compile(r"(?:^|[\s(\[\"'“‘*_])([^\s(\[\"'“‘*_]{1,12})$")
_NEVER_LAST: Final = word_set(
    "mr mrs ms dr prof sr st mt gen sen rep gov lt col sgt capt rev hon vs cf e.g i.e eg ie approx dept fig"
)
_LAST_BEFORE_CAPITAL: Final = word_set(
    "etc inc ltd co corp jr a.m p.m u.s u.k e.u ph.d jan feb mar apr jun jul aug sep sept oct nov dec est"
)
_BEFORE_NUMBER: Final = word_set("no nos vol p pp art ch sec nr")


def sentences(text: str) -> list[str]:
    """The sentences of `text` in order, trimmed; nothing but whitespace is lost.

    List items, headings and table rows are never joined with their neighbours; lines of fenced code and
    table rows are never split.  A line that goes on in lower case continues the one before it.
    """
    return [piece for block in _blocks(text) for piece in block]


def _blocks(text: str) -> Iterator[list[str]]:
    """Sentences, block by block."""
    paragraph: list[str] = []
    fenced = False
    for line in text.splitlines():
        fence = _FENCE.match(line) is not None
        alone = fenced or fence or _TABLE.match(line) is not None
        joins = paragraph and not alone and not _OWN_LINE.match(line) and line.lstrip()[:1].islower()
        if not joins and paragraph:
            yield _split(" ".join(paragraph))
            paragraph = []
        if alone and line.strip():
            yield [line.strip()]
        elif line.strip():
            paragraph.append(line.strip())
        fenced ^= fence
    yield _split(" ".join(paragraph))


def _split(block: str) -> list[str]:
    """Sentences of one block of running text."""
    marker = _MARKER.match(block)
    start, pieces = 0, []
    for match in _END.finditer(block, marker.end() if marker else 0):
        if _ends(block, match.start(), match.end()):
            pieces.append(block[start : match.end()].strip())
            start = match.end()
    pieces.append(block[start:].strip())
    return [piece for piece in pieces if piece]


def _ends(block: str, mark: int, after: int) -> bool:
    """Whether the punctuation at `mark` ends a sentence; `after` is where what follows it begins."""
    following = block[after : after + 40].lstrip()
    if block[mark : mark + 3] in {"...", "…"} or block[mark] == "…":
        return not following[:1].islower()
    if block[mark] != "." or block[mark : mark + 2] in {".!", ".?"}:
        return True
    before = _WORD_BEFORE.search(block, max(0, mark - 14), mark)
    word = before.group(1) if before else ""
    if len(word) == 1 and word.isupper() and word != "I":
        return False
    word = word.lower()
    if word in _LAST_BEFORE_CAPITAL:
        return not following[:1].islower() and not following[:1].isdigit()
    return word not in _NEVER_LAST and not (word in _BEFORE_NUMBER and following[:1].isdigit())


_FIRST_PERSON: Final = re.compile(
    r"(?i)\b(?:i|i['’](?:m|ve|d|ll)|im|ive|me|my|mine|myself|we|we['’](?:re|ve|d|ll)|us|our|ours)\b"
)
_CAPITAL: Final = re.compile(r"(?<=[^\s.!?:…\"“])\s+(?!I\b)[\"“(*]*[A-ZÀ-ÖØ-ÞΑ-ΩА-Я][\w'’-]*")
_NUMBER: Final = re.compile(
    r"(?i)\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|dozen|hundred|thousand|first|second|third|once|twice|"
    r"yesterday|today|tonight|tomorrow|ago|last|next|week(?:end)?|month|year|monday|tuesday|wednesday|thursday|friday|"
    r"saturday|sunday|summer|winter|spring|autumn|fall)\b"
)
_QUESTION: Final = re.compile(r"\?[\"'”’)\]*_\s]*$|？")
_SIGNS: Final = (_FIRST_PERSON, _CAPITAL, _NUMBER)
_WORD: Final = re.compile(
    "[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]{1,2}|[^\\W\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]+"
)
# In words; chosen on LoCoMo's development conversations.
_FEWEST: Final = 4
_CHATTER_ENDS: Final = 6
_ENOUGH: Final = 9
_FULL: Final = 20
_CHATTER: Final = re.compile(
    r"(?i)\W*(?:wow|hey|hi|hello|thanks|thank you|yeah|yep|yes|no|nope|ok|okay|sure|cool|great|awesome|nice|absolutely|"
    r"definitely|totally|exactly|congrats|congratulations|bye|take care|sounds|glad|happy|so (?:cool|glad|happy)|"
    r"good luck|you['’]re welcome|no problem|that['’]s|it['’]s|what a)\b"
)


def is_salient(sentence: str) -> bool:
    """Whether a sentence is worth keeping as a fact."""
    words = len(_WORD.findall(sentence))
    if words < _FEWEST or _QUESTION.search(sentence) or (words < _CHATTER_ENDS and _CHATTER.match(sentence)):
        return False
    return words >= _ENOUGH or any(sign.search(sentence) for sign in _SIGNS)


def salient(text: str) -> list[str]:
    """The sentences of `text` that are worth keeping, in order."""
    return [sentence for sentence in sentences(text) if is_salient(sentence)]


def salience(sentence: str) -> float:
    """How much a sentence says, 0 to 1: for ranking."""
    length = min(len(_WORD.findall(sentence)), _FULL) / _FULL
    signs = sum(sign.search(sentence) is not None for sign in _SIGNS) / len(_SIGNS)
    return (length + signs) / 2 * (1.0 if is_salient(sentence) else 0.3)
