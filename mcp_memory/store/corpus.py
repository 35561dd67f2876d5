"""One owner's memory as recall sees it: everything live in LanceDB plus what the journal still holds.

Kept in memory and brought up to date by revision, so that a recall costs no table scan, and one process
sees what another acknowledged.  Vectors are one matrix: a product with 100,000 rows takes less time than
opening an index.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
from lancedb.expr import col, lit

from mcp_memory.model.turn import Turn, exchanges, in_order
from mcp_memory.model.unit import Unit
from mcp_memory.store.health import note_missing, readable
from mcp_memory.store.lance import all_of, equals
from mcp_memory.store.rows import turn_from_quote, turn_from_row, unit_from_row
from mcp_memory.store.shelf import Mask, Shelf, Vector, Vectors
from mcp_memory.store.store import Store
from mcp_memory.store.supersede import replaced_by
from mcp_memory.text.leaves import leaf_units, meaning, quote_id

_COMPACT_SHARE: Final = 0.3
_CENTRE_SAMPLE: Final = 256
_LEAST_TO_CENTRE: Final = 20
_WORTH_COMPACTING: Final = 1_000
_EVER: Final = datetime.min.replace(tzinfo=UTC)
_NEVER: Final = datetime.max.replace(tzinfo=UTC)


class Corpus:
    """Turns and units of one owner.  `lock` guards it: hold it while using several of its parts together."""

    def __init__(self, store: Store, owner: str, zone: ZoneInfo, dimension: int) -> None:
        self.lock = threading.RLock()
        self.owner = owner
        self._store, self._zone = store, zone
        self._seen = (-1, -1, -1)
        self._clear(dimension)

    def _clear(self, dimension: int) -> None:
        self._dimension = dimension
        self.shelf = Shelf(dimension)
        self.turns: dict[str, Turn] = {}
        self.bare: set[str] = set()  # turns whose derived records are missing from the tables
        self.recovered: dict[str, Turn] = {}  # turns that only their quotes told of
        self.superseded: dict[str, str] = {}  # old item -> the item that replaces it
        self._replacing: dict[str, set[str]] = {}
        self._corrections: dict[str, Unit] = {}  # items that say what they replace
        self._earliest = _NEVER  # start of the earliest item that came in since corrections were looked at
        self._waiting: set[str] = set()  # turns that only the journal holds
        self._floating: set[str] = set()  # units that no table holds
        self._members: dict[str, list[str]] = {}  # exchange -> its turns
        self._rev, self._arrived = -1, 0
        self.latest = _EVER  # when the last of the turns was said
        self.centre: Vector | None = None  # what the memory is mostly about
        self._centred_on = 0

    @property
    def units(self) -> dict[str, Unit]:
        """All live units by id."""
        return self.shelf.units

    def stored(self) -> dict[str, Unit]:
        """The units that the tables hold, as they are now."""
        with self.lock:
            return {one: unit for one, unit in self.units.items() if one not in self._floating}

    def whole_exchanges(self, ids: Iterable[str]) -> list[Turn]:
        """These turns with all others of their exchanges."""
        with self.lock:
            touched = {self.turns[one].exchange for one in ids if one in self.turns}
            return [self.turns[one] for exchange in sorted(touched) for one in self._members[exchange]]

    # ------------------------------------------------------------------ keeping up

    def refresh(self) -> None:
        """Takes in what any process has committed or acknowledged since the last time."""
        with self.lock:
            journal = self._store.journal
            seen = (journal.counter("rev"), journal.counter("pending"), journal.counter("epoch"))
            if seen == self._seen:
                return
            if seen[0] != self._rev:
                self._store.reread_card()  # another process may have chosen an embedder
            if seen[2] != self._seen[2] or self._store.card.dimension != self._dimension:
                # the units were made anew from nothing, perhaps with vectors of another length
                self._clear(self._store.card.dimension)
            if seen[0] != self._rev:
                self._take_committed(seen[0])
            self._take_waiting()
            self._let_go(journal.erasing())
            self._supersede()
            self._seen = seen
            dead = len(self.shelf) - np.count_nonzero(self.shelf.alive)
            if len(self.shelf) > _WORTH_COMPACTING and dead > _COMPACT_SHARE * len(self.shelf):
                self.shelf = self.shelf.compacted(self.turns)

    def _take_committed(self, rev: int) -> None:
        first = self._rev < 0
        if not first:
            removed = self._store.journal.removed_since(self._rev)
            self._let_go([one for one in removed if one in self.turns])
            self._drop(removed)
        newer = all_of([equals(owner=self.owner), col("rev") > lit(self._rev)])
        for row in _rows(readable(self._store, "turns", newer)):
            self._add_turn(turn_from_row(row))
        table = readable(self._store, "units", newer)
        units = [unit_from_row(row) for row in _rows(table.drop_columns(["emb"]))]
        self._put(units, *_vectors_of(table, self._dimension))
        self._floating.difference_update(unit.id for unit in units)
        if first:
            self._complete()
        self._rev = rev

    def _complete(self) -> None:
        """Makes up for rows that a table has lost: turns from their quotes, leaves from their turns."""
        quotes = {unit.turns[0]: unit for unit in self.units.values() if unit.view == "quote"}
        heads = {turn: unit.turns[0] for unit in self.units.values() if unit.kind == "segment" for turn in unit.turns}
        forgotten = self._store.journal.forgotten()
        for one in quotes.keys() - self.turns.keys() - forgotten:
            self.recovered[one] = turn_from_quote(quotes[one], heads.get(one, one))
            self._add_turn(self.recovered[one])
        self.bare = self.turns.keys() - quotes.keys()
        self._put_leaves({self.turns[one].exchange for one in self.bare})
        note_missing(self._store, len(self.recovered))

    def _take_waiting(self) -> None:
        arrived, self._arrived = self._store.journal.arrived(self.owner, self._arrived)
        self._waiting = self._store.journal.pending_ids(self.owner)
        fresh = [turn for turn in arrived if turn.id not in self.turns]
        for turn in fresh:
            self._add_turn(turn)
        self._put_leaves({turn.exchange for turn in fresh})

    def _put_leaves(self, touched: Iterable[str]) -> None:
        """Derives in memory what the tables do not hold of these exchanges."""
        known = [self.turns[one] for exchange in touched for one in self._members[exchange]]
        units = [unit for exchange in exchanges(known) for unit in leaf_units(exchange, self._zone)]
        nothing = np.zeros((len(units), self._dimension), dtype=np.float32)
        self._floating.update(unit.id for unit in units if unit.id not in self.units)
        self._put(units, nothing, np.zeros(len(units), dtype=bool))

    def _put(self, units: Sequence[Unit], vectors: Vectors, embedded: Mask) -> None:
        self.shelf.put(units, self.turns, vectors, embedded)
        for unit in units:
            if unit.kind == "item":
                self._earliest = min(self._earliest, unit.start)
                if unit.detail.get("replaces"):
                    self._corrections[unit.id] = unit

    def _add_turn(self, turn: Turn) -> None:
        if turn.id not in self.turns:
            self._members.setdefault(turn.exchange, []).append(turn.id)
        self.turns[turn.id] = turn
        self.latest = max(self.latest, turn.at)

    def _let_go(self, ids: Iterable[str]) -> None:
        """Turns that were forgotten go at once with all that stands on them or sums them up."""
        gone = [self.turns[one] for one in ids if one in self.turns]
        if not gone:
            return
        names, moments = {turn.id for turn in gone}, [turn.at for turn in gone]
        self._drop(
            [
                unit.id
                for unit in self.units.values()
                if not names.isdisjoint(unit.turns)
                or (not unit.turns and any(unit.start <= moment <= unit.end for moment in moments))
            ]
        )
        for turn in gone:
            del self.turns[turn.id]
            self._members[turn.exchange].remove(turn.id)
        self._put_leaves({turn.exchange for turn in gone})

    def _drop(self, ids: Sequence[str]) -> None:
        for one in ids:
            self._replacing.pop(one, None)
            self._corrections.pop(one, None)
        self._floating.difference_update(ids)
        self.shelf.drop(ids)

    def _supersede(self) -> None:
        """Finds what newer facts replace: each is looked for once, and again when something older comes in."""
        for unit in self._corrections.values():
            if unit.id not in self._replacing or unit.start >= self._earliest:
                self._replacing[unit.id] = replaced_by(unit, self.shelf, self._zone)
        self._earliest = _NEVER
        self.superseded = {
            old: unit.id for unit in self._corrections.values() for old in self._replacing[unit.id] if old in self.units
        }

    def outdated(self, moment: datetime) -> list[Unit]:
        """Items that were no longer true at a moment: what a fact said by then replaces."""
        with self.lock:
            pairs = [(self.units.get(old), self.units.get(new)) for old, new in self.superseded.items()]
        return [old for old, new in pairs if old and new and new.start <= moment]

    def corrections(self, turn: str) -> list[str]:
        """Ids of a turn's items that say they replace something."""
        with self.lock:
            return [one.id for one in self._corrections.values() if turn in one.turns]

    def unmatched(self) -> list[str]:
        """Ids of items that say they replace something that is not there."""
        with self.lock:
            return [one for one in self._corrections if not self._replacing.get(one)]

    # ------------------------------------------------------------------ vectors

    def embed_missing(self, embed: Callable[[Sequence[str]], Vectors], most: int) -> int:
        """Gives up to `most` units without a vector one; returns how many are still without."""
        with self.lock:
            missing = self.shelf.without_vector()
        batch = missing[:most]
        vectors = embed([meaning(one) for one in batch]) if batch else ()
        with self.lock:
            for unit, vector in zip(batch, vectors, strict=True):
                self.shelf.set_vector(unit, vector)
        return len(missing) - len(batch)

    def recentre(self, embed: Callable[[Sequence[str]], Vectors]) -> None:
        """Finds what this memory is mostly about: the mean vector of a sample of what was said, without names.

        Names would pull it towards the speakers, of whom a remark does not speak.  Made again when the memory
        has doubled; about a second of work, so for the background.
        """
        with self.lock:
            said = [turn.text for turn in in_order(self.turns.values())]
            if len(said) < 2 * self._centred_on or len(said) < _LEAST_TO_CENTRE:
                return
            self._centred_on = len(said)
        sample = said[:: max(1, len(said) // _CENTRE_SAMPLE)][:_CENTRE_SAMPLE]
        self.centre = embed(sample).mean(axis=0)

    def without_vector(self) -> list[Unit]:
        """Stored units that still wait for their vector."""
        with self.lock:
            return [one for one in self.shelf.without_vector() if not self._waiting.intersection(one.turns)]

    def mean_vector(self, turns: Sequence[str]) -> Vector | None:
        """The normalised mean of the quotes of these turns; None when none has a vector."""
        with self.lock:
            quotes = [self.units.get(quote_id(self.owner, turn)) for turn in turns]
            vectors = [vector for one in quotes if one and (vector := self.shelf.vector(one)) is not None]
        if not vectors:
            return None
        centre = np.mean(vectors, axis=0)
        normed: Vector = centre / max(float(np.linalg.norm(centre)), 1e-9)
        return normed

    def vector(self, unit: Unit) -> Vector | None:
        """The vector of a unit's present text, if there is one."""
        with self.lock:
            return self.shelf.vector(unit)


def _rows(table: pa.Table) -> Iterator[dict[str, Any]]:
    """Rows a thousand at a time: all of them as dictionaries at once would take ten times the table."""
    for batch in table.to_batches(max_chunksize=1_024):
        yield from batch.to_pylist()


def _vectors_of(table: pa.Table, dimension: int) -> tuple[Vectors, Mask]:
    """The emb column as a matrix, and which rows have one."""
    column = table.column("emb").combine_chunks()
    if column.type.list_size != dimension:  # written by a process that knew another embedder: words only
        return np.zeros((len(column), dimension), dtype=np.float32), np.zeros(len(column), dtype=bool)
    has = np.asarray(column.is_valid())
    vectors = np.zeros((len(column), dimension), dtype=np.float32)
    if has.any():
        vectors[has] = column.drop_null().flatten().to_numpy(zero_copy_only=False).reshape(-1, dimension)
    return vectors, has
