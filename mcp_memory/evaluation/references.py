"""Reference systems: the bars, the floor and the ceiling that every figure is printed beside."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

import numpy as np

from mcp_memory.evaluation.cases import Case, Line, Talk
from mcp_memory.evaluation.run import Build, Recall
from mcp_memory.evaluation.scoring import Item, content_words
from mcp_memory.ports import Embedder

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Scores = NDArray[np.float64]

K1: Final = 1.2
B: Final = 0.75
RETURNED: Final = 80  # lines; more than fill the largest budget


class Bm25:
    """BM25 over the lines of a talk, "Speaker: text", with the scorer's own words.

    Written out rather than taken from a library: its order has to be the yardstick's to the last tie.
    """

    def __init__(self, talk: Talk) -> None:
        documents = [Counter(content_words(f"{line.speaker} {line.text}")) for line in talk.lines]
        lengths = np.array([document.total() for document in documents], dtype=float)
        self._size = len(documents)
        mean = lengths.sum() / max(1, self._size) or 1.0
        self._norm = K1 * (1 - B + B * lengths / mean)
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for number, document in enumerate(documents):
            for word, count in document.items():
                self._postings[word].append((number, count))

    def scores(self, query: str) -> "Scores":
        """One score per line; 0 where no word is shared."""
        scores = np.zeros(self._size)
        for word in set(content_words(query)):
            found = self._postings.get(word, [])
            idf = math.log(1 + (self._size - len(found) + 0.5) / (len(found) + 0.5))
            for number, count in found:
                scores[number] += idf * count * (K1 + 1) / (count + self._norm[number])
        return scores


def bm25(talk: Talk) -> Recall:
    """Single lines by BM25: the bar any memory must clear."""
    index = Bm25(talk)

    def recall(query: str, _when: datetime, _tokens: int) -> list[Item]:
        scores = index.scores(query)
        return [as_item(talk.lines[number]) for number in _best(scores) if scores[number] > 0]

    return recall


def fusion(embedder: Embedder, weight: float = 0.5) -> Build:
    """Single lines by λ · meaning + (1 − λ) · words, each channel min-max normalised over the talk."""

    def build(talk: Talk) -> Recall:
        index = Bm25(talk)
        vectors = embedder.embed([f"{line.speaker}: {line.text}" for line in talk.lines])

        def recall(query: str, _when: datetime, _tokens: int) -> list[Item]:
            meaning = _unit_range((vectors @ embedder.embed([query])[0]).astype(float))
            scores = weight * meaning + (1 - weight) * _unit_range(index.scores(query))
            return [as_item(talk.lines[number]) for number in _best(scores)]

        return recall

    return build


def recent(talk: Talk) -> Recall:
    """The last lines, newest first: what a client without memory still has."""
    items = [as_item(line) for line in reversed(talk.lines[-RETURNED:])]
    return lambda _query, _when, _tokens: items


def shuffled(talk: Talk) -> Recall:
    """Lines in random order (always the same): the floor."""
    order = np.random.default_rng(0).permutation(len(talk.lines))[:RETURNED]
    items = [as_item(talk.lines[number]) for number in order]
    return lambda _query, _when, _tokens: items


def oracle(cases: Iterable[Case]) -> Build:
    """The gold lines themselves: the ceiling at each budget."""
    gold = {(case.talk.id, question.text): question.gold for case in cases for question in case.questions}

    def build(talk: Talk) -> Recall:
        by_id = {line.id: line for line in talk.lines}
        return lambda query, _when, _tokens: [as_item(by_id[name]) for name in gold[talk.id, query]]

    return build


def as_item(line: Line) -> Item:
    """A line as it is shown: dated and named."""
    return (line.id,), f"[{line.at:%Y-%m-%d}] {line.speaker}: {line.text}"


def _best(scores: "Scores") -> Sequence[int]:
    order: Sequence[int] = np.argsort(-scores, kind="stable")[:RETURNED].tolist()
    return order


def _unit_range(scores: "Scores") -> "Scores":
    low, high = scores.min(), scores.max()
    spread: Scores = (scores - low) / (high - low) if high > low else np.zeros_like(scores)
    return spread
