"""Names and extracts of a text without a model: key phrases, a title, an extractive summary."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, islice
from math import log, sqrt
from typing import Final

from mcp_memory.text.lexical import analyze, term_set
from mcp_memory.text.sentences import is_salient, salience
from mcp_memory.text.tokens import count_tokens
from mcp_memory.text.words import BREAKS, FILLERS, STOPS

_LONGEST_TITLE: Final = 60
_LONGEST_PHRASE: Final = 3  # words
_WORD: Final = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_PHRASE_BREAK: Final = re.compile(r"[^\w\s'’-]|\s-|\n")
_MOST_PHRASES: Final = 5000  # of a text: more would not change its name
_POSSESSIVE: Final = re.compile("['’][sS]$")
_ALIKE: Final = 0.7  # share of the shorter one's terms from which two sentences say the same
_LATE: Final = 0.1
_SMOOTH: Final = 5  # terms: a short sentence of frequent words is not the most central


def keyphrases(texts: Sequence[str], most: int = 6) -> list[str]:
    """The things `texts` return to, best first, in the form they were first written; no word twice.

    Candidates are runs of content words (as in RAKE: Rose et al. 2010), scored by how often their words are
    named; √ of the length keeps a long run of words that are named once from winning.
    """
    named: Counter[str] = Counter()
    surface: dict[tuple[str, ...], str] = {}
    for phrase in islice((phrase for text in texts for phrase in _phrases(text)), _MOST_PHRASES):
        key = tuple(analyze(phrase))
        named.update(key)
        surface.setdefault(key, phrase)
    worth = {key: sum(named[term] for term in key) / sqrt(max(1, len(key))) for key in surface}
    chosen: list[tuple[str, ...]] = []
    for key in sorted(surface, key=lambda key: -worth[key]):  # stable: first named first
        if len(chosen) < most and key and not any(set(key) & set(other) for other in chosen):
            chosen.append(key)
    return [surface[key] for key in chosen]


def title_of(texts: Sequence[str]) -> str:
    """A title of at most 60 characters, "" when nothing can be named."""
    title = ""
    for phrase in keyphrases(texts, 3):
        longer = f"{title}, {phrase}" if title else phrase
        if len(longer) <= _LONGEST_TITLE:
            title = longer
    return title[:1].upper() + title[1:]


def extract(texts: Sequence[str], limit: int) -> list[int]:
    """Indices, in order, of the sentences that sum up `texts` best within `limit` tokens.

    Worth is salience, nearness to what the others say (overlap of terms) and, a little, coming early; of two
    sentences that say the same only the better one is taken.
    """
    pool = [index for index, text in enumerate(texts) if is_salient(text)] or range(len(texts))
    terms = {index: term_set(texts[index]) for index in pool}
    spread = Counter(term for bag in terms.values() for term in bag)
    worth = {index: _worth(texts[index], terms[index], spread) - _LATE * index / len(texts) for index in pool}
    chosen: list[int] = []
    for index in sorted(pool, key=lambda index: (-worth[index], index)):
        cost = count_tokens(texts[index])
        if cost <= limit and not any(_alike(terms[index], terms[other]) for other in chosen):
            chosen.append(index)
            limit -= cost
    return sorted(chosen)


def _phrases(text: str) -> Iterator[str]:
    """Runs of content words, without fillers at their ends and cut to the longest phrase; no vocatives."""
    for part in _PHRASE_BREAK.split(text):
        words = _WORD.findall(part)
        content = [word for word in words if not _is_filler(word)]
        if len(content) == 1 and content[0][0].isupper() and len(words) <= 2:
            continue
        for parts, run in groupby(words, key=_parts_phrases):
            if not parts and (phrase := _trimmed(list(run))):
                yield " ".join(phrase)


def _trimmed(run: list[str]) -> list[str]:
    while run and _is_filler(run[-1]):
        run.pop()
    run = run[-_LONGEST_PHRASE:]
    while run and _is_filler(run[0]):
        run.pop(0)
    return run


def _parts_phrases(word: str) -> bool:
    folded = _folded(word)
    return folded in STOPS or folded in BREAKS


def _is_filler(word: str) -> bool:
    folded = _folded(word)
    return folded in FILLERS or _parts_phrases(word) or not any(map(str.isalpha, folded))


def _folded(word: str) -> str:
    return _POSSESSIVE.sub("", word).casefold().replace("’", "'")


def _worth(text: str, terms: frozenset[str], spread: Counter[str]) -> float:
    central = sum(log(spread[term]) for term in terms) / (_SMOOTH + len(terms))
    return salience(text) + central


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) > _ALIKE * min(len(one), len(other))
