"""Units in memory as recall searches them: row i of every array is one state of one unit.

Rows are only ever added; a changed or dropped unit leaves a dead row until `compact`.  Units that are not
searched (raw segments, the tree above them) are kept without a row.
"""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mcp_memory.model.turn import Turn
from mcp_memory.model.unit import HORIZON_VIEWS, SCENE_VIEWS, Unit
from mcp_memory.store.lexical import LexicalIndex
from mcp_memory.store.links import Links
from mcp_memory.text.leaves import meaning, wording
from mcp_memory.text.lexical import analyze
from mcp_memory.text.spans import bounds

Vectors = NDArray[np.float32]
Vector = NDArray[np.float32]
Mask = NDArray[np.bool_]
Scores = NDArray[np.float64]

_GROWTH: Final = 1.25
WORDED: Final = ("quote", "item", "scene", "topic")  # views that are searched by words, each in an index of its own
VIEWS: Final = (*WORDED, "entity", "bridge", *SCENE_VIEWS, *HORIZON_VIEWS)
CODES: Final = {view: number for number, view in enumerate(VIEWS)}


def view_of(unit: Unit) -> str:
    """The view of `VIEWS` under which a unit is searched."""
    if unit.kind == "item":
        return "quote" if unit.view == "quote" else "item"
    if unit.kind == "cue":
        return unit.family if unit.family in ("entity", "bridge") else unit.view
    return unit.kind


class Shelf:
    """Units by id with their rows; `themes` counts changes to anything but quotes and the tree."""

    def __init__(self, dimension: int) -> None:
        self.units: dict[str, Unit] = {}
        self.row_of: dict[str, int] = {}
        self.ids: list[str] = []
        self.links = Links()
        self.speakers: dict[str, int] = {}
        self.personas: set[str] = set()
        self._events: list[tuple[int, date, date]] = []  # row, first and last day of what it tells of
        self.themes = 0
        self._lexical = {view: (LexicalIndex(), list[int]()) for view in WORDED}
        self._alive = np.zeros(0, dtype=bool)
        self._embedded = np.zeros(0, dtype=bool)
        self._vectors = np.zeros((0, dimension), dtype=np.float32)
        self._codes = np.zeros(0, dtype=np.int8)
        self._spans = np.zeros((0, 2), dtype=np.float64)
        self._speaker = np.zeros(0, dtype=np.int32)
        self._assistant = np.zeros(0, dtype=bool)

    def __len__(self) -> int:
        return len(self.ids)

    # ------------------------------------------------------------------ arrays

    @property
    def alive(self) -> Mask:
        """Which rows count, shape (n,)."""
        return self._alive[: len(self)]

    @property
    def embedded(self) -> Mask:
        """Which rows have a vector, shape (n,)."""
        return self._embedded[: len(self)]

    @property
    def vectors(self) -> Vectors:
        """Unit vectors, zero where there is none, shape (n, dimension)."""
        return self._vectors[: len(self)]

    @property
    def speaker(self) -> NDArray[np.int32]:
        """Numbers of `speakers`, shape (n,)."""
        return self._speaker[: len(self)]

    @property
    def assistant(self) -> Mask:
        """Rows that quote an assistant, shape (n,)."""
        return self._assistant[: len(self)]

    def rows(self, view: str, among: Mask | None = None) -> NDArray[np.int64]:
        """Live rows of a view, among those of a mask."""
        found = self.alive & (self._codes[: len(self)] == CODES[view])
        return np.flatnonzero(found if among is None else found & among)

    def between(self, since: datetime | None, until: datetime | None, at: datetime) -> Mask:
        """Rows that meet [since, until) and sum up nothing from after `at`, shape (n,); None is open."""
        spans = self._spans[: len(self)]
        found = spans[:, 1] <= at.timestamp()
        if since is not None:
            found &= spans[:, 1] >= since.timestamp()
        if until is not None:
            found &= spans[:, 1] < until.timestamp()
        return found

    def telling_of(self, first: date, last: date) -> list[int]:
        """Rows that tell of something between these days, whenever they were said; dead ones too."""
        return [row for row, begins, ends in self._events if first <= begins and ends <= last]

    def words(self, view: str, terms: Sequence[str]) -> Scores:
        """BM25 within a view, shape (n,); 0 elsewhere."""
        index, rows = self._lexical[view]
        found = np.zeros(len(self))
        found[rows] = index.scores(terms)
        return found

    def weight(self, term: str) -> float:
        """The idf of a term among quotes."""
        return self._lexical["quote"][0].weight(term)

    # ------------------------------------------------------------------ changing

    def put(self, units: Sequence[Unit], turns: Mapping[str, Turn], vectors: Vectors, embedded: Mask) -> None:
        """Adds units or replaces what has their ids; an unchanged text keeps its row and vector."""
        fresh: dict[str, list[tuple[int, str]]] = {view: [] for view in WORDED}
        for number, unit in enumerate(units):
            old = self.units.get(unit.id)
            row = self.row_of.get(unit.id)
            self.units[unit.id] = unit
            if unit.kind == "persona":
                self.personas.add(unit.id)
            if row is None or old is None or not _reads_alike(old, unit):
                row = self._replace(unit, turns)
                if row is not None and view_of(unit) in fresh:
                    fresh[view_of(unit)].append((row, wording(unit)))
            elif old != unit:
                self._note(row, unit)
            if row is not None and embedded[number]:
                self._vectors[row], self._embedded[row] = vectors[number], True
        for view, added in fresh.items():
            index, rows = self._lexical[view]
            rows += [row for row, _ in added]
            index.add([analyze(text) for _, text in added])

    def _replace(self, unit: Unit, turns: Mapping[str, Turn]) -> int | None:
        self._bury(unit.id)
        if not meaning(unit):
            return None
        row = len(self.ids)
        if row == len(self._alive):
            self._grow(max(256, int(row * _GROWTH)))
        self.ids.append(unit.id)
        self.row_of[unit.id] = row
        self._alive[row] = True
        self._codes[row] = CODES[view_of(unit)]
        self._speaker[row] = self.speakers.setdefault(unit.speaker, len(self.speakers))
        self._note(row, unit)
        self._events += [(row, *bounds(value)) for value in _days(unit)]
        if view_of(unit) == "quote" and (turn := turns.get(unit.turns[0])):
            self._assistant[row] = turn.role == "assistant"
            self.links.add(row, turn)
        return row

    def _note(self, row: int, unit: Unit) -> None:
        self._spans[row] = unit.start.timestamp(), unit.end.timestamp()
        if view_of(unit) != "quote":
            self.themes += 1

    def _grow(self, room: int) -> None:
        for name in ("_alive", "_embedded", "_vectors", "_codes", "_spans", "_speaker", "_assistant"):
            setattr(self, name, _grown(getattr(self, name), room))

    def drop(self, ids: Sequence[str]) -> None:
        """Takes units away."""
        for one in ids:
            if self.units.pop(one, None):
                self.personas.discard(one)
                self._bury(one)
                self.themes += 1

    def _bury(self, identifier: str) -> None:
        row = self.row_of.pop(identifier, None)
        if row is not None:
            self._alive[row] = False

    def set_vector(self, unit: Unit, vector: Vector) -> None:
        """Gives a unit its vector, unless it changed since it was asked for."""
        row = self.row_of.get(unit.id)
        fits = len(vector) == self._vectors.shape[1]  # the store may have taken on another embedder meanwhile
        if row is not None and fits and _reads_alike(self.units[unit.id], unit):
            self._vectors[row], self._embedded[row] = vector, True

    def vector(self, unit: Unit) -> Vector | None:
        """The vector of a unit's present text, if there is one."""
        row = self.row_of.get(unit.id)
        if row is None or not self._embedded[row] or not _reads_alike(self.units[unit.id], unit):
            return None
        found: Vector = self._vectors[row].copy()
        return found

    def without_vector(self) -> list[Unit]:
        """Searched units that still wait for their vector."""
        return [self.units[self.ids[row]] for row in np.flatnonzero(self.alive & ~self.embedded)]

    def compacted(self, turns: Mapping[str, Turn]) -> "Shelf":
        """The same without dead rows."""
        fresh = Shelf(self._vectors.shape[1])
        units = list(self.units.values())
        rows = np.array([self.row_of.get(unit.id, -1) for unit in units], dtype=np.int64)
        held = rows >= 0
        vectors = np.zeros((len(units), self._vectors.shape[1]), dtype=np.float32)
        vectors[held] = self._vectors[rows[held]]
        embedded = np.zeros(len(units), dtype=bool)
        embedded[held] = self._embedded[rows[held]]
        fresh.put(units, turns, vectors, embedded)
        return fresh


def _days(unit: Unit) -> list[str]:
    when = str(unit.detail.get("when", ""))
    return [when] if when else list(unit.detail.get("days", ()))


def _reads_alike(one: Unit, other: Unit) -> bool:
    return meaning(one) == meaning(other) and wording(one) == wording(other)


def _grown(array: NDArray[Any], room: int) -> NDArray[Any]:
    grown = np.zeros((room, *array.shape[1:]), dtype=array.dtype)
    grown[: len(array)] = array
    return grown
