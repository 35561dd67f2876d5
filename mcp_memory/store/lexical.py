"""BM25 over rows that only ever grow: bm25s for the bulk, a small inverted index for what came since.

bm25s computes an index in one go; building it anew for every turn would cost seconds, so newer rows are
scored with the same formula (Lucene's idf, k1 = .9, b = .4: measured best on LoCoMo) until enough have
gathered to be worth a rebuild.  Old and new rows share one idf, that of now, and one mean length, that of
the last rebuild, so that neither has an advantage.
"""

import logging
import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any, Final

import bm25s
import numpy as np
from numpy.typing import NDArray

K1: Final = 0.9
B: Final = 0.4
_MOST_LATER: Final = 2_000

# bm25s sets its own logger to DEBUG at import; nobody asked for its chatter
logging.getLogger("bm25s").setLevel(logging.WARNING)


class LexicalIndex:
    """Scores rows 0..n-1 in the order they were added."""

    def __init__(self) -> None:
        self._terms: dict[str, int] = {}
        self._documents: list[NDArray[np.int32]] = []
        self._length = 0
        self._mean = 0.0  # length of a document at the last rebuild
        self._bulk: Any = None
        self._bulk_rows = 0
        self._bulk_idf: list[float] = []
        self._frequency: Counter[int] = Counter()
        self._later: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self._weights: dict[str, float] = {}  # what was asked for since the last row came

    def __len__(self) -> int:
        return len(self._documents)

    def add(self, documents: Sequence[Sequence[str]]) -> None:
        """Appends analysed documents as the next rows."""
        self._weights.clear()
        for terms in documents:
            row = len(self._documents)
            numbers = [self._terms.setdefault(term, len(self._terms)) for term in terms]
            self._documents.append(np.array(numbers, dtype=np.int32))
            self._length += len(numbers)
            for number, count in Counter(numbers).items():
                self._frequency[number] += 1
                self._later[number].append((row, count))
        if len(self) - self._bulk_rows > max(_MOST_LATER, self._bulk_rows // 2):
            self.rebuild()

    def rebuild(self) -> None:
        """Hands all rows to bm25s (about .5 CPU seconds per 10,000 rows)."""
        if not self._length:
            return
        bulk = bm25s.BM25(k1=K1, b=B, method="lucene")
        bulk.index((self._documents, self._terms), show_progress=False, create_empty_token=False)
        self._bulk, self._bulk_rows = bulk, len(self)
        self._bulk_idf = [self._idf(number) for number in range(len(self._terms))]
        self._mean = self._length / len(self)
        self._later = defaultdict(list)

    def scores(self, terms: Sequence[str]) -> NDArray[np.float32]:
        """BM25 of every row; 0 where no term occurs."""
        known = sorted({self._terms[term] for term in terms if term in self._terms})
        found = np.zeros(len(self), dtype=np.float32)
        if not known:
            return found
        mean = self._mean or self._length / len(self)
        for number in known:
            idf = self._idf(number)
            if number < len(self._bulk_idf):
                share = self._bulk.get_scores_from_ids([number])
                found[: self._bulk_rows] += share * np.float32(idf / self._bulk_idf[number])
            for row, count in self._later.get(number, ()):
                length = len(self._documents[row])
                found[row] += idf * count / (count + K1 * (1 - B + B * length / mean))
        return found

    def weight(self, term: str) -> float:
        """The idf of a term; 0 for one that never occurred."""
        if term not in self._weights:
            number = self._terms.get(term)
            self._weights[term] = self._idf(number) if number is not None else 0.0
        return self._weights[term]

    def _idf(self, number: int) -> float:
        frequency = self._frequency[number]
        return math.log(1 + (len(self) - frequency + 0.5) / (frequency + 0.5))
