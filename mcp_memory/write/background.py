"""What all that an owner's talks hold has in common, so that likeness can be told from it."""

from bisect import bisect_right
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mcp_memory.store.corpus import Corpus
    from mcp_memory.store.shelf import Vector, Vectors


class Background:
    """The mean vector of all quotes up to a moment.  Asked in time order it adds each quote once."""

    def __init__(self, corpus: "Corpus") -> None:
        self._corpus = corpus
        self._sum: NDArray[np.float64] | float = 0.0
        self._count = 0

    @cached_property
    def _quotes(self) -> "tuple[list[datetime], Vectors, NDArray[np.int64]]":
        """Moments in order, all vectors, and the row of each moment's quote."""
        with self._corpus.lock:
            shelf = self._corpus.shelf
            rows = shelf.rows("quote", shelf.embedded)
            moments = [shelf.units[shelf.ids[row]].start for row in rows]
            order = sorted(range(len(rows)), key=lambda place: (moments[place], shelf.ids[rows[place]]))
            # rows are only ever added: the view stays right while others go on
            return [moments[place] for place in order], shelf.vectors, rows[order]

    def until(self, moment: datetime) -> "Vector":
        """The mean up to and with `moment`, or the latest moment asked for; shape (dimension,)."""
        moments, vectors, rows = self._quotes
        count = bisect_right(moments, moment, lo=self._count)
        self._sum = self._sum + vectors[rows[self._count : count]].sum(axis=0, dtype=np.float64)
        self._count = count
        return np.asarray(self._sum / max(1, count), dtype=np.float32)
