"""Names and extracts of a text without a model: key phrases, a title, an extractive summary."""

import re
from collections import Counter
from collections.abc import Sequence
from math import log
from typing import Final

from mcp_memory.text.clean import plain
from mcp_memory.text.lexical import analyze
from mcp_memory.text.sentences import salience
from mcp_memory.text.tokens import count_tokens
from mcp_memory.text.words import STOPS

_LONGEST_TITLE: Final = 60
_LONGEST_PHRASE: Final = 3  # words
_WORD: Final = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_PHRASE_BREAK: Final = re.compile(r"[^\w\s'’-]|\n")
_ALIKE: Final = 0.6  # Jaccard of terms from which two sentences say the same


def keyphrases(texts: Sequence[str], most: int = 6) -> list[str]:
    """The content phrases that `texts` return to, best first, in the form they were first written."""
    counts: Counter[tuple[str, ...]] = Counter()
    surface: dict[tuple[str, ...], str] = {}
    for text in texts:
        for phrase in _phrases(plain(text)):
            key = tuple(analyze(phrase))
            if key:
                counts[key] += 1
                surface.setdefault(key, phrase)
    ranked = sorted(counts, key=lambda key: (-counts[key] * (1 + log(len(key))), surface[key]))
    return [surface[key] for key in ranked[:most]]


def title_of(texts: Sequence[str]) -> str:
    """A title of at most 60 characters, "" when nothing can be named."""
    title = ""
    for phrase in keyphrases(texts, 3):
        longer = f"{title}, {phrase}" if title else phrase
        if len(longer) <= _LONGEST_TITLE:
            title = longer
    return title[:1].upper() + title[1:]


def extract(texts: Sequence[str], limit: int) -> list[int]:
    """Indices, in order, of the sentences that sum up `texts` best within `limit` tokens."""
    terms = [frozenset(analyze(text)) for text in texts]
    spread = Counter(term for bag in terms for term in bag)
    ranked = sorted(range(len(texts)), key=lambda index: (-_worth(texts[index], terms[index], spread), index))
    chosen: list[int] = []
    for index in ranked:
        cost = count_tokens(texts[index])
        if cost <= limit and not any(_alike(terms[index], terms[other]) for other in chosen):
            chosen.append(index)
            limit -= cost
    return sorted(chosen)


def _phrases(text: str) -> list[str]:
    """Runs of words without stop words, cut to the longest phrase."""
    found: list[str] = []
    for part in _PHRASE_BREAK.split(text):
        run: list[str] = []
        for word in [*_WORD.findall(part), "the"]:
            if word.casefold() in STOPS:
                if run:
                    found.append(" ".join(run[-_LONGEST_PHRASE:]))
                run = []
            else:
                run.append(word)
    return found


def _worth(text: str, terms: frozenset[str], spread: Counter[str]) -> float:
    central = sum(log(1 + spread[term]) for term in terms) / (1 + len(terms))
    return salience(text) + central


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) > _ALIKE * len(one | other)
