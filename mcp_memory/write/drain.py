"""`drain`: from the journal into the tables, and from turns to everything derived.

One process at a time, under the write lock; what a killed process left half done is done again, and
doing it again changes nothing, because ids follow from content.
"""

import logging
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from mcp_memory.errors import EmbedError, StoreBusyError
from mcp_memory.model.turn import Turn, exchanges
from mcp_memory.model.unit import Unit
from mcp_memory.model.window import day_key
from mcp_memory.ports import Clock, Embedder
from mcp_memory.store.rows import turn_from_row, turn_to_row, unit_to_row
from mcp_memory.store.store import Store
from mcp_memory.text.leaves import index_text, leaf_units
from mcp_memory.write.consolidate import Consolidator
from mcp_memory.write.ledger import Ledger
from mcp_memory.write.notebook import Notebook

if TYPE_CHECKING:
    from mcp_memory.store.corpus import Corpus

logger = logging.getLogger(__name__)

BATCH: Final = 256  # turns per commit
DAYS: Final = 32  # days derived per commit
Progress = Callable[[int], object]


@dataclass(frozen=True, slots=True)
class Drained:
    """What one drain did, what is left, and who is at it when somebody else is."""

    turns: int = 0
    left: int = 0
    busy: str = ""


class Drain:
    """The write side of one process; `corpus_of` gives an owner's memory, `embedder_of` what is loaded."""

    def __init__(
        self,
        store: Store,
        zone: ZoneInfo,
        clock: Clock,
        corpus_of: "Callable[[str], Corpus]",
        embedder_of: Callable[[], Embedder | None],
    ) -> None:
        self.store, self.zone, self.clock = store, zone, clock
        self._corpus_of, self._embedder_of = corpus_of, embedder_of
        self._consolidators: dict[str, tuple[Consolidator, Notebook]] = {}

    # ------------------------------------------------------------------ index

    def index(self, seconds: float, wait: float = 0.0, progress: Progress = lambda _: None) -> Drained:
        """Moves journal turns into LanceDB, a batch a commit, until none is left or `seconds` have passed.

        Another process at work is no fault: it does the same; `busy` names it when `wait` seconds were
        not enough.  Raises StoreError.
        """
        began, done = time.monotonic(), 0
        journal = self.store.journal
        if not journal.counter("seeded"):
            self._seed()
        while journal.pending_count():
            try:
                with self.store.lock.held("indexing", wait):
                    done += self._index_batch(progress)
            except StoreBusyError as error:
                return Drained(done, journal.pending_count(), str(error))
            if time.monotonic() - began > seconds:
                break
        return Drained(done, journal.pending_count())

    def _seed(self) -> None:
        """A new or replaced journal learns which turns the tables hold already."""
        held = self.store.turns.read(None, ["id"]).column("id").to_pylist()
        self.store.journal.seed(held)

    def _index_batch(self, progress: Progress) -> int:
        # read under the lock: another process may have moved some while we waited for it
        waiting = self.store.journal.pending(limit=BATCH)
        units = [unit for one in self._whole_exchanges(waiting) for unit in leaf_units(one, self.zone)]
        vectors = self._embedded(units)
        self._adopt()
        rev = self.store.next_rev()
        self.store.turns.upsert([turn_to_row(turn, rev) for turn in waiting])
        self.store.units.upsert([unit_to_row(unit, rev, emb) for unit, emb in zip(units, vectors, strict=True)])
        self.store.journal.published(())
        self.store.journal.settle([t.id for t in waiting], {(t.owner, day_key(t.at, self.zone)) for t in waiting})
        self.store.upkeep()
        progress(len(waiting))
        return len(waiting)

    def _whole_exchanges(self, waiting: Sequence[Turn]) -> list[list[Turn]]:
        """The exchanges of these turns, with the first turn where that is in the table already."""
        here = {turn.id: turn for turn in waiting}
        heads = [turn.exchange for turn in waiting if turn.exchange not in here]
        for row in self.store.turns.read_ids(heads).to_pylist() if heads else ():
            here[row["id"]] = turn_from_row(row)
        return exchanges(here.values())

    # ------------------------------------------------------------------ consolidate

    def consolidate(self, wait: float = 0.0, progress: Progress = lambda _: None) -> str:
        """Derives what days, weeks and months have become; returns who is at it when somebody else is.

        A day stays marked until it is over, so that its end is noticed.  Raises StoreError.
        """
        try:
            self.derive_dirty(wait, progress)
        except StoreBusyError as error:
            return str(error)
        return ""

    def derive_dirty(self, wait: float, progress: Progress = lambda _: None) -> None:
        """Derives every marked day, some days a commit, each under the write lock.  Raises StoreBusyError."""
        by_owner: dict[str, list[str]] = {}
        for owner, day in self.store.journal.dirty():
            by_owner.setdefault(owner, []).append(day)
        for owner, days in by_owner.items():
            for chunk in _chunks(days, DAYS):
                with self.store.lock.held("consolidating", wait):
                    self._consolidate_days(owner, chunk)
                progress(len(chunk))

    def _consolidate_days(self, owner: str, days: Sequence[str]) -> None:
        now = self.clock.now()
        consolidator, notebook = self.consolidator(owner)
        notebook.refresh()
        self._corpus_of(owner).refresh()
        self.commit(owner, consolidator.run(days, now))
        today = day_key(now, self.zone)
        self.store.journal.clean(owner, [day for day in days if day < today])

    def consolidator(self, owner: str) -> tuple[Consolidator, Notebook]:
        """The owner's consolidator and notebook of this process."""
        if owner not in self._consolidators:
            notebook = Notebook(self.store, owner)
            self._consolidators[owner] = (Consolidator(self._corpus_of(owner), notebook, self.zone), notebook)
        return self._consolidators[owner]

    def commit(self, owner: str, ledger: Ledger) -> None:
        """One atomic commit of what a derivation changed; under the write lock."""
        if not ledger.upserts and not ledger.removed:
            return
        corpus, units = self._corpus_of(owner), ledger.upserts
        rev = self.store.next_rev()
        rows = [unit_to_row(unit, rev, emb) for unit, emb in zip(units, self._embedded(units, corpus), strict=True)]
        self.store.units.upsert(rows, ledger.removed)
        self.store.journal.published(ledger.removed)
        corpus.refresh()
        self.store.upkeep()

    # ------------------------------------------------------------------ vectors

    def _adopt(self) -> None:
        """The first embedder whose vectors are stored becomes the store's."""
        embedder = self._embedder_of()
        if embedder is not None and not self.store.card.embedder and embedder.dimension == self.store.card.dimension:
            self.store.update_card(embedder=embedder.id)

    def backfill(self, wait: float = 0.0) -> int:
        """Gives a batch of stored units their missing vectors; returns how many are left without one."""
        left = 0
        for owner in self._owners():
            corpus, embedder = self._corpus_of(owner), self._embedder_of()
            corpus.refresh()
            missing = corpus.without_vector()
            left += len(missing)
            if embedder is None or not missing:
                continue
            batch = missing[:BATCH]
            with self.store.lock.held("embedding", wait):
                self._adopt()
                rev = self.store.next_rev()
                rows = [unit_to_row(one, rev, emb) for one, emb in zip(batch, self._embedded(batch), strict=True)]
                self.store.units.upsert(rows)
                self.store.journal.published(())
            left -= len(batch)
        return left

    def _owners(self) -> list[str]:
        return sorted(set(self.store.turns.read(None, ["owner"]).column("owner").to_pylist()))

    def _embedded(self, units: Sequence[Unit], corpus: "Corpus | None" = None) -> list[object]:
        """A vector or None for every unit; known ones are used again, and None stays when no model is there."""
        vectors: list[object] = [self._known(unit, corpus) for unit in units]
        missing = [number for number, vector in enumerate(vectors) if vector is None]
        embedder = self._embedder_of()
        if embedder is None or not missing:
            return vectors
        try:
            made = embedder.embed([index_text(units[number]) for number in missing])
        except EmbedError as error:
            logger.warning("stored without vectors for now: %s", error)
            return vectors
        for number, vector in zip(missing, made, strict=True):
            vectors[number] = vector
        return vectors

    def _known(self, unit: Unit, corpus: "Corpus | None") -> object:
        return (corpus or self._corpus_of(unit.owner)).vector(unit)


def _chunks(values: Sequence[str], size: int) -> Iterable[Sequence[str]]:
    return [values[first : first + size] for first in range(0, len(values), size)]
