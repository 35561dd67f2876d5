"""Terms for lexical search: the same function makes them for what is stored and for what is asked.

English words are stemmed (Porter2) behind a stop list; scripts without spaces become character bigrams;
accents are folded; numbers, dates and emoji are terms of their own.
"""

import re
import threading
import unicodedata
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache, lru_cache
from typing import Final

from mcp_memory.text.words import STOPS

_UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\ua9e0-\ua9ff\uaa60-\uaa7f\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
)
_EMOJI: Final = (  # without flags, which are pairs, and skin tones, which are no terms
    "\u203c\u2049\u2139\u231a-\u23ff\u25aa-\u27bf\u2b00-\u2bff\u3030"
    "\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001faff"
)
_GROUPED: Final = re.compile(r"\d{1,3}(?:,\d{3})+")
_POSSESSIVE: Final = re.compile("(?i)['’]s$")
_ACCENT: Final = re.compile("(?<=[a-z])[\u0300-\u036f]+")
_LETTERS: Final = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "æ": "ae", "œ": "oe", "ı": "i", "þ": "th"})
_MOST_MARKS: Final = 8  # in a row: canonical ordering is quadratic in the length of such a run
_LOOKED_AT: Final = 1_000  # characters that tell a text's script
_local: Final = threading.local()


def analyze(text: str) -> list[str]:
    """The terms of `text`, in order, with repetitions.  Text of nothing but stop words has none."""
    terms: list[str] = []
    for kind, word in _words(text):
        terms += _TERMS[kind](word)
    return terms


def has_words(text: str) -> bool:
    """Whether a text has anything that could be looked for: letters, digits or emoji, stop words included."""
    return any(True for _ in _words(text))


def is_latin(text: str) -> bool:
    """Whether the letters of a text, if it has any, are mostly Latin."""
    letters = [one for one in text[:_LOOKED_AT] if one.isalpha()]
    return 2 * sum(one < "\u0250" or "\u1e00" <= one <= "\u1eff" for one in letters) >= len(letters)


def all_words(text: str) -> frozenset[str]:
    """Every word of a text as it stands but for case, each once: whether two texts say the same hangs on "not" too."""
    return frozenset(word.casefold().replace("’", "'") for _, word in _words(text))


@lru_cache(maxsize=4_096)
def term_set(text: str) -> frozenset[str]:
    """The index terms of a text, each once; remembered, because the same texts are compared again and again."""
    return frozenset(analyze(text))


def keywords(text: str, drop: Collection[str] = ()) -> list[str]:
    """The words of a query as written, each once, without stop words and the names in `drop`."""
    dropped = {word.casefold().replace("’", "'") for name in drop for _, word in _words(name)}
    found: dict[str, str] = {}
    for _, word in _words(text):
        folded = word.casefold().replace("’", "'")
        if folded not in dropped and folded not in STOPS:
            found.setdefault(folded, word)
    return list(found.values())


def _words(text: str) -> Iterator[tuple[str, str]]:
    """(kind, surface) of each word; kinds are the named groups of the pattern.  Possessive 's is gone."""
    for match in _pattern().finditer(_normal(text)):
        kind, word = match.lastgroup or "word", match.group()
        yield kind, _POSSESSIVE.sub("", word) if word[-1:] in "sS" else word


def _normal(text: str) -> str:
    """NFKC, safe against long runs of combining marks."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", _mark_runs().sub(r"\1", text))


@cache
def _marks() -> str:
    """All combining marks, as the inside of a character class."""
    marks = [code for code in range(0x300, 0x1F000) if unicodedata.category(chr(code))[0] == "M"]
    return "".join(map(chr, marks))


@cache
def _mark_runs() -> re.Pattern[str]:
    mark = f"[{_marks()}\uff9e\uff9f]"
    return re.compile(f"({mark}{{{_MOST_MARKS}}}){mark}+")


@cache
def _pattern() -> re.Pattern[str]:
    letter = rf"[^\W\d_{_UNSPACED}]"
    sign = rf"[^\W_{_UNSPACED}]"
    stem = rf"{sign}++(?:[{_marks()}]+{sign}*+)*+"
    return re.compile(
        rf"(?P<date>(?<!\d)\d{{4}}-\d{{2}}-\d{{2}}(?!\d))"
        rf"|(?P<number>\d++(?:[.,:]\d++){{0,4}}+(?!{letter}))"
        rf"|(?P<word>{stem}(?:['’]{stem}){{0,3}})"
        rf"|(?P<unspaced>[{_UNSPACED}]++)"
        rf"|(?P<emoji>[\U0001f1e6-\U0001f1ff]{{2}}|[{_EMOJI}])"
    )


@lru_cache(maxsize=32_768)
def _word_terms(word: str) -> tuple[str, ...]:
    """No term for a stop word; remembered, because a memory is read whole when it is opened."""
    folded = word.casefold().replace("’", "'")
    if folded in STOPS:
        return ()
    term = _unaccented(folded.replace("'", ""))
    return (_stemmer()(term) if term.isascii() and term.isalpha() else term,)


def _unaccented(word: str) -> str:
    if word.isascii():
        return word
    bare = _ACCENT.sub("", unicodedata.normalize("NFD", word.translate(_LETTERS)))
    return unicodedata.normalize("NFC", bare)


def _date_terms(date: str) -> list[str]:
    """A date is found by itself, by its month and by its year."""
    return [date, date[:7], date[:4]]


def _number_terms(number: str) -> list[str]:
    return [number.replace(",", "") if _GROUPED.fullmatch(number) else number]


def _unspaced_terms(run: str) -> list[str]:
    return [run[start : start + 2] for start in range(len(run) - 1)] or [run]


_TERMS: Final[dict[str, Callable[[str], Sequence[str]]]] = {
    "date": _date_terms,
    "number": _number_terms,
    "word": _word_terms,
    "unspaced": _unspaced_terms,
    "emoji": lambda emoji: [emoji],
}


def _stemmer() -> Callable[[str], str]:
    """This thread's stemmer: Snowball's keep state and must not be shared."""
    if not hasattr(_local, "stem"):
        from Stemmer import Stemmer

        _local.stem = Stemmer("english").stemWord
    stem: Callable[[str], str] = _local.stem
    return stem
