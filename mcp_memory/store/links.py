"""Which quote stands before and after which: the neighbours that a message borrows meaning from."""

from collections import defaultdict
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcp_memory.model.turn import Turn
from mcp_memory.model.window import SESSION_GAP

Rows = NDArray[np.int64]


class Links:
    """Neighbours by row number, within one session (the same name, no silence longer than the gap).

    `before` and `after` are -1 where there is none.  Turns may come in any order; those that follow the
    last one of their session, as nearly all do, cost nothing but two numbers.
    """

    def __init__(self) -> None:
        self._before = np.full(0, -1, dtype=np.int64)
        self._after = np.full(0, -1, dtype=np.int64)
        self._said: dict[str, list[tuple[Any, int]]] = defaultdict(list)
        self._unsorted: set[str] = set()

    def add(self, row: int, turn: Turn) -> None:
        """A quote of `turn` is at `row` from now on."""
        if row >= len(self._before):
            room = max(256, 2 * row + 2)
            self._before, self._after = _grown(self._before, room), _grown(self._after, room)
        entries = self._said[turn.session]
        entry = ((turn.at, turn.position, turn.id), row)
        if entries and entry < entries[-1]:
            self._unsorted.add(turn.session)
        elif entries:
            self._join(entries[-1], entry)
        entries.append(entry)

    def around(self, rows: int) -> tuple[Rows, Rows]:
        """(before, after) for the first `rows` rows, shape (rows,) each."""
        for session in self._unsorted:
            self._relink(self._said[session])
        self._unsorted.clear()
        if rows > len(self._before):
            self._before, self._after = _grown(self._before, rows), _grown(self._after, rows)
        return self._before[:rows], self._after[:rows]

    def _relink(self, entries: list[tuple[Any, int]]) -> None:
        entries.sort()
        rows = [row for _, row in entries]
        self._before[rows] = -1
        self._after[rows] = -1
        for one, two in pairwise(entries):
            self._join(one, two)

    def _join(self, one: tuple[Any, int], two: tuple[Any, int]) -> None:
        if two[0][0] - one[0][0] <= SESSION_GAP:
            self._after[one[1]], self._before[two[1]] = two[1], one[1]


def borrow(values: NDArray[np.float64], before: Rows, after: Rows, near: float) -> NDArray[np.float64]:
    """Each value plus `near` of its neighbours' and near² of theirs in turn."""
    padded = np.append(values, 0.0)  # index -1 is nobody
    further_before = np.where(before >= 0, before[before], -1)
    further_after = np.where(after >= 0, after[after], -1)
    lent: NDArray[np.float64] = near * (padded[before] + padded[after])
    found: NDArray[np.float64] = values + lent + near**2 * (padded[further_before] + padded[further_after])
    return found


def _grown(array: Rows, room: int) -> Rows:
    grown = np.full(room, -1, dtype=np.int64)
    grown[: len(array)] = array
    return grown
