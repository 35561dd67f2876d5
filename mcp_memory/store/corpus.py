"""One owner's memory as recall sees it: everything live in LanceDB plus what the journal still holds.

Kept in memory and brought up to date by revision, so that a recall costs no table scan, and one process
sees what another acknowledged.  Vectors are one matrix: a product with 100,000 rows takes less time than
opening an index.
"""

import threading
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
from lancedb.expr import col, lit
from numpy.typing import NDArray

from mcp_memory.model.turn import Turn, exchanges
from mcp_memory.model.unit import Unit
from mcp_memory.store.lance import all_of, equals
from mcp_memory.store.lexical import LexicalIndex
from mcp_memory.store.rows import turn_from_row, unit_from_row
from mcp_memory.store.store import Store
from mcp_memory.store.supersede import replaced_by
from mcp_memory.text.leaves import index_text, leaf_units, quote_id
from mcp_memory.text.lexical import analyze

Vectors = NDArray[np.float32]
Vector = NDArray[np.float32]
_GROWTH: Final = 2
_COMPACT_SHARE: Final = 0.3


class Corpus:
    """Units, turns and the arrays over them; row i of every array is one version of one unit.

    `lock` guards it: hold it while using the arrays together.
    """

    def __init__(self, store: Store, owner: str, zone: ZoneInfo, dimension: int) -> None:
        self.lock = threading.RLock()
        self.owner = owner
        self._store, self._zone, self._dimension = store, zone, dimension
        self._seen = (-1, -1, -1)
        self._clear()

    def _clear(self) -> None:
        self.units: dict[str, Unit] = {}
        self.turns: dict[str, Turn] = {}
        self.row_of: dict[str, int] = {}
        self.ids: list[str] = []
        self.lexical = LexicalIndex()
        self._alive = np.zeros(0, dtype=bool)
        self._embedded = np.zeros(0, dtype=bool)
        self._vectors = np.zeros((0, self._dimension), dtype=np.float32)
        self._waiting: set[str] = set()  # turns that only the journal holds
        self._replacing: dict[str, set[str]] = {}
        self.superseded: dict[str, str] = {}  # old item -> the item that replaces it
        self._rev = 0

    # ------------------------------------------------------------------ arrays

    @property
    def alive(self) -> NDArray[np.bool_]:
        """Which rows count, shape (n,)."""
        return self._alive[: len(self.ids)]

    @property
    def embedded(self) -> NDArray[np.bool_]:
        """Which rows have a vector, shape (n,)."""
        return self._embedded[: len(self.ids)]

    @property
    def vectors(self) -> Vectors:
        """Unit rows, zero where there is no vector, shape (n, dimension)."""
        return self._vectors[: len(self.ids)]

    # ------------------------------------------------------------------ keeping up

    def refresh(self) -> None:
        """Takes in what any process has committed or acknowledged since the last time."""
        with self.lock:
            journal = self._store.journal
            seen = (journal.counter("rev"), journal.counter("pending"), journal.counter("epoch"))
            if seen == self._seen:
                return
            if seen[2] != self._seen[2]:
                self._start_over()
            if seen[0] != self._seen[0]:
                self._take_committed(seen[0])
            self._take_waiting()
            self._supersede()
            self._seen = seen
            if len(self.ids) > 1_000 and np.count_nonzero(~self.alive) > _COMPACT_SHARE * len(self.ids):
                self._compact()

    def _start_over(self) -> None:
        """The units were made anew from nothing, perhaps with vectors of another length."""
        self._store.reread_card()
        self._dimension = self._store.card.dimension
        self._clear()

    def _take_committed(self, rev: int) -> None:
        self._drop(self._store.journal.removed_since(self._rev))
        newer = all_of([equals(owner=self.owner), col("rev") > lit(self._rev)])
        for row in self._store.turns.read(newer).to_pylist():
            self.turns[row["id"]] = turn_from_row(row)
        table = self._store.units.read(newer)
        units = [unit_from_row(row) for row in table.drop_columns(["emb"]).to_pylist()]
        self.put(units, *_vectors_of(table, self._dimension))
        self._rev = rev

    def _take_waiting(self) -> None:
        waiting = self._store.journal.pending(self.owner)
        settled = self._waiting - {turn.id for turn in waiting}
        self._waiting = {turn.id for turn in waiting}
        lost = [one for one in settled if one not in self.turns]
        self._drop(lost)
        fresh = [turn for turn in waiting if turn.id not in self.turns]
        touched = {turn.exchange for turn in fresh}
        for turn in fresh:
            self.turns[turn.id] = turn
        known = [turn for turn in self.turns.values() if turn.exchange in touched] if touched else []
        for exchange in exchanges(known):
            self.put(leaf_units(exchange, self._zone))

    def _supersede(self) -> None:
        """Finds what newer facts replace; each is looked for once, and again while nothing fits."""
        items = [one for one in self.units.values() if one.kind == "item" and one.detail.get("replaces")]
        for unit in items:
            if not self._replacing.get(unit.id):
                self._replacing[unit.id] = replaced_by(unit, self.units, self.ids, self.lexical)
        self.superseded = {
            old: unit.id for unit in items for old in self._replacing[unit.id] if old in self.units and old != unit.id
        }

    def _drop(self, ids: Sequence[str]) -> None:
        for one in ids:
            self.turns.pop(one, None)
            self.units.pop(one, None)
            self._replacing.pop(one, None)
            row = self.row_of.pop(one, None)
            if row is not None:
                self._alive[row] = False

    # ------------------------------------------------------------------ rows

    def put(
        self, units: Sequence[Unit], vectors: Vectors | None = None, embedded: NDArray[np.bool_] | None = None
    ) -> None:
        """Adds units or replaces what has their ids; an unchanged text keeps its vector."""
        fresh: list[Unit] = []
        for number, unit in enumerate(units):
            has = vectors is not None and embedded is not None and bool(embedded[number])
            row = self.row_of.get(unit.id)
            if row is not None and index_text(self.units[unit.id]) == index_text(unit):
                self.units[unit.id] = unit
                if has and vectors is not None:
                    self._vectors[row], self._embedded[row] = vectors[number], True
                continue
            if row is not None:
                self._alive[row] = False
            row = self._append(unit)
            if has and vectors is not None:
                self._vectors[row], self._embedded[row] = vectors[number], True
            fresh.append(unit)
        self.lexical.add([analyze(index_text(unit)) for unit in fresh])

    def _append(self, unit: Unit) -> int:
        row = len(self.ids)
        if row == len(self._alive):
            room = max(256, row * _GROWTH)
            self._alive = _grown(self._alive, room)
            self._embedded = _grown(self._embedded, room)
            self._vectors = _grown(self._vectors, room)
        self.ids.append(unit.id)
        self.units[unit.id], self.row_of[unit.id] = unit, row
        self._alive[row] = True
        return row

    def _compact(self) -> None:
        """Builds all arrays anew without dead rows."""
        rows = [self.row_of[one] for one in self.units]
        units, turns, waiting, rev = list(self.units.values()), self.turns, self._waiting, self._rev
        vectors, embedded = self._vectors[rows], self._embedded[rows]
        self._clear()
        self.turns, self._waiting, self._rev = turns, waiting, rev
        self.put(units, vectors, embedded)

    def embed_missing(self, embed: Callable[[Sequence[str]], Vectors], most: int) -> int:
        """Gives up to `most` rows without a vector one; returns how many rows are still without."""
        with self.lock:
            rows = np.flatnonzero(self.alive & ~self.embedded)
            missing = [(self.ids[row], index_text(self.units[self.ids[row]])) for row in rows[:most]]
        if missing:
            vectors = embed([text for _, text in missing])
            with self.lock:
                for (one, text), vector in zip(missing, vectors, strict=True):
                    row = self.row_of.get(one)
                    if row is not None and index_text(self.units[one]) == text:
                        self._vectors[row], self._embedded[row] = vector, True
        return len(rows) - len(missing)

    def without_vector(self) -> list[Unit]:
        """Stored units that still wait for their vector."""
        with self.lock:
            rows = np.flatnonzero(self.alive & ~self.embedded)
            units = [self.units[self.ids[row]] for row in rows]
            return [unit for unit in units if not self._waiting.intersection(unit.turns)]

    def mean_vector(self, turns: Sequence[str]) -> Vector | None:
        """The normalised mean of the quotes of these turns; None when none has a vector."""
        with self.lock:
            rows = [self.row_of.get(quote_id(self.owner, turn), -1) for turn in turns]
            found = [row for row in rows if row >= 0 and self._embedded[row]]
            if not found:
                return None
            centre = self._vectors[found].mean(axis=0)
            normed: Vector = centre / max(float(np.linalg.norm(centre)), 1e-9)
            return normed

    def vector(self, unit: Unit) -> Vector | None:
        """The vector of a unit's present text, if there is one."""
        with self.lock:
            row = self.row_of.get(unit.id)
            if row is None or not self._embedded[row] or index_text(self.units[unit.id]) != index_text(unit):
                return None
            found: Vectors = self._vectors[row].copy()
            return found

    def between(self, since: datetime | None, until: datetime | None) -> NDArray[np.bool_]:
        """Live rows whose time meets [since, until), shape (n,); all live rows when both are open."""
        mask = self.alive.copy()
        if since is None and until is None:
            return mask
        for row in np.flatnonzero(mask):
            unit = self.units[self.ids[row]]
            mask[row] = (until is None or unit.start < until) and (since is None or unit.end >= since)
        return mask


def _grown(array: NDArray[Any], room: int) -> NDArray[Any]:
    grown = np.zeros((room, *array.shape[1:]), dtype=array.dtype)
    grown[: len(array)] = array
    return grown


def _vectors_of(table: pa.Table, dimension: int) -> tuple[Vectors, NDArray[np.bool_]]:
    """The emb column as a matrix, and which rows have one."""
    column = table.column("emb").combine_chunks()
    has = np.asarray(column.is_valid())
    vectors = np.zeros((len(column), dimension), dtype=np.float32)
    if has.any():
        vectors[has] = column.drop_null().flatten().to_numpy(zero_copy_only=False).reshape(-1, dimension)
    return vectors, has
