"""`drain`: from the journal into the tables, and from turns to everything derived.

One process at a time, under the write lock; what a killed process left half done is done again, and
doing it again changes nothing, because ids follow from content.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from mcp_memory.errors import StoreBusyError, StoreDamagedError
from mcp_memory.model.turn import Turn, exchanges
from mcp_memory.model.window import day_key, month_key, week_key, window_of
from mcp_memory.ports import Clock, Embedder
from mcp_memory.store.rows import turn_from_row, turn_to_row, unit_to_row
from mcp_memory.store.store import Store
from mcp_memory.store.work import Work
from mcp_memory.text.leaves import leaf_units
from mcp_memory.write.consolidate import Consolidator
from mcp_memory.write.ledger import Ledger
from mcp_memory.write.notebook import Notebook
from mcp_memory.write.tree import Node
from mcp_memory.write.vectors import Vectorizer

if TYPE_CHECKING:
    from mcp_memory.store.corpus import Corpus

BATCH: Final = 256  # turns per commit
DAYS: Final = 32  # days derived per commit
_AS_LONG_AS_IT_TAKES: Final = 24 * 3600.0
AGAIN: Final = timedelta(minutes=5)  # how soon an open day is looked at again although nothing was said
Progress = Callable[[int], object]


@dataclass(frozen=True, slots=True)
class Drained:
    """What one drain did, what is left, and who is at it when somebody else is."""

    turns: int = 0
    left: int = 0
    busy: str = ""


class Drain:
    """The write side of one process; `corpus_of` gives an owner's memory, `loaded` the embedder that is there."""

    def __init__(
        self,
        store: Store,
        zone: ZoneInfo,
        clock: Clock,
        corpus_of: "Callable[[str], Corpus]",
        loaded: Callable[[], Embedder | None],
        scribed: Callable[[], bool] = lambda: False,
    ) -> None:
        """`scribed` says whether there is a scribe to ask about what is indexed from now on."""
        self.store, self.zone, self.clock = store, zone, clock
        self.scribed = scribed
        self._corpus_of = corpus_of
        self._vectors = Vectorizer(store, corpus_of, loaded)
        self.work = Work(store.journal)
        self._consolidators: dict[str, tuple[Consolidator, Notebook]] = {}
        self._derived: dict[str, tuple[object, datetime]] = {}

    @contextmanager
    def writing(self, purpose: str, wait: float) -> Iterator[None]:
        """Holds the write lock, with what store.json says now.  Raises StoreBusyError, StoreError."""
        with self.store.lock.held(purpose, wait):
            self.store.reread_card()
            self._vectors.fit()
            yield

    # ------------------------------------------------------------------ index

    def index(self, seconds: float, wait: float = 0.0, progress: Progress = lambda _: None) -> Drained:
        """Moves journal turns into LanceDB, a batch a commit, until none is left or `seconds` have passed.

        Another process at work is no fault: it does the same; `busy` names it when `wait` seconds were
        not enough.  Raises StoreError.
        """
        began, done = time.monotonic(), 0
        journal = self.store.journal
        try:
            if not journal.counter("seeded"):
                self._seed(wait)
            while journal.pending_count():
                with self.writing("indexing", wait):
                    done += self._index_batch(progress)
                if time.monotonic() - began > seconds:
                    break
        except StoreBusyError as error:
            return Drained(done, journal.pending_count(), str(error))
        return Drained(done, journal.pending_count())

    def _seed(self, wait: float) -> None:
        """A new or replaced journal learns what the tables hold already."""
        with self.store.lock.held("reading what is stored", wait):
            held = self.store.turns.read(None, ["id", "owner", "at", "rev"]).to_pylist()
            units = self.store.units.read(None, ["rev"]).column("rev").to_pylist()
            rev = max([*units, *(row["rev"] for row in held)], default=0)
            days = {(row["owner"], day_key(row["at"], self.zone)) for row in held}
            self.store.journal.seed([row["id"] for row in held], rev, days)

    def _index_batch(self, progress: Progress) -> int:
        # read under the lock: another process may have moved some while we waited for it
        waiting = self.store.journal.pending(limit=BATCH)
        if not waiting:
            return 0
        units = [unit for one in self._whole_exchanges(waiting) for unit in leaf_units(one, self.zone)]
        vectors = self._vectors.of(units)
        rev = self.store.next_rev()
        self.store.turns.upsert([turn_to_row(turn, rev) for turn in waiting])
        self.store.units.upsert([unit_to_row(unit, rev, emb) for unit, emb in zip(units, vectors, strict=True)])
        self.store.journal.published(())
        self.open(windows_of(waiting, self.zone))
        self.store.journal.settle([t.id for t in waiting], {(t.owner, day_key(t.at, self.zone)) for t in waiting})
        if self.store.upkeep_due():
            self.store.upkeep()
        progress(len(waiting))
        return len(waiting)

    def open(self, windows: set[tuple[str, str]]) -> None:
        """Notes (owner, window)s in which something changed, for a scribe to write.

        Without one only windows that are not over are kept: a scribe that comes later is asked about what
        comes with it, and about the past when somebody wants that (`rebuild --rescribe`).
        """
        self.work.open(windows)
        if not self.scribed():
            self.work.let_go(lambda window: window_of(window, self.zone).end <= self.clock.now())

    def _whole_exchanges(self, waiting: Sequence[Turn]) -> list[list[Turn]]:
        """The exchanges of these turns, with what of them is in the table already."""
        here = {turn.id: turn for turn in waiting}
        started = sorted({turn.exchange for turn in waiting})
        for row in self.store.turns.read_where("exchange", started).to_pylist():
            here.setdefault(row["id"], turn_from_row(row))
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
        for owner in self._consolidators:
            by_owner.setdefault(owner, [])  # a week or month may have ended since the last word
        for owner, days in by_owner.items():
            if self._unchanged(owner, days) or not (days or self.consolidator(owner)[0].overdue(self.clock.now())):
                continue
            for chunk in chunks(days, DAYS) if days else ((),):
                with self.writing("consolidating", wait):
                    self._consolidate_days(owner, chunk)
                progress(len(chunk))
            self._derived[owner] = (self._state(days), self.clock.now())

    def _unchanged(self, owner: str, days: Sequence[str]) -> bool:
        """Whether these days were derived a moment ago from the same, as an open day is again and again."""
        state, moment = self._derived.get(owner, (None, self.clock.now()))
        return state == self._state(days) and timedelta() <= self.clock.now() - moment < AGAIN

    def _state(self, days: Sequence[str]) -> object:
        journal = self.store.journal
        counters = [journal.counter(name) for name in ("rev", "pending", "replies", "epoch")]
        return (*counters, day_key(self.clock.now(), self.zone), *days)

    def derive(self, owner: str, days: Sequence[str]) -> list[Node]:
        """Derives these days and what stands above them, for who asks a scribe; the closed nodes looked at.

        Raises StoreError.
        """
        with self.store.lock.held("consolidating", self.store.lock_timeout):
            self._consolidate_days(owner, days)
            return list(self.consolidator(owner)[0].nodes.values())

    def _consolidate_days(self, owner: str, days: Sequence[str]) -> None:
        now = self.clock.now()
        consolidator, notebook = self.consolidator(owner)
        notebook.refresh()
        self._corpus_of(owner).refresh()
        if damage := self.store.unreadable():  # what cannot be read now must not be taken for gone
            raise StoreDamagedError(damage)
        self.commit(owner, consolidator.run(days, now))
        today = day_key(now, self.zone)
        self.store.journal.clean(owner, [day for day in days if day < today])

    def heal(self, corpus: "Corpus") -> None:
        """Puts right what a table has lost: turns known from their quotes are stored again, days derived again."""
        if self.store.unreadable():
            return
        with corpus.lock:
            lost, corpus.recovered = list(corpus.recovered.values()), {}
            bare = [corpus.turns[one] for one in corpus.bare if one in corpus.turns]
            corpus.bare = set()
        if lost:
            self.store.journal.restore(lost)
        if bare:
            self.store.journal.mark_dirty({(corpus.owner, day_key(turn.at, self.zone)) for turn in bare})

    def recover(self) -> None:
        """Stores again all turns that only quotes tell of, whoever's they are, before the quotes are let go of."""
        from mcp_memory.store.health import unquoted
        from mcp_memory.store.lance import equals

        try:
            if not unquoted(self.store):
                return
            owners = set(self.store.units.read(equals(view="quote"), ["owner"]).column("owner").to_pylist())
        except StoreDamagedError:
            return
        for owner in owners:
            self._corpus_of(owner).refresh()
            self.heal(self._corpus_of(owner))
        self.index(_AS_LONG_AS_IT_TAKES, self.store.lock_timeout)

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
        units = ledger.upserts
        vectors = self._vectors.of(units)
        rev = self.store.next_rev()
        rows = [unit_to_row(unit, rev, emb) for unit, emb in zip(units, vectors, strict=True)]
        self.store.units.upsert(rows, ledger.removed)
        self.store.journal.published(ledger.removed)
        self._corpus_of(owner).refresh()
        if self.store.upkeep_due():
            self.store.upkeep()

    def tidy(self, wait: float = 0.0) -> None:
        """Upkeep when nothing waits any more.  Raises StoreBusyError, StoreError."""
        if self.store.upkeep_due(idle=True) and not self.store.journal.pending_count():
            with self.writing("tidying", wait):
                self.store.upkeep()

    def backfill(self, owner: str, seconds: float, wait: float = 0.0) -> int:
        """Gives stored units of an owner their missing vectors, as far as `seconds` reach; how many are left.

        Raises StoreBusyError, StoreError.
        """
        began, corpus = time.monotonic(), self._corpus_of(owner)
        corpus.refresh()
        missing = corpus.without_vector()
        while missing and self._vectors.ready() and time.monotonic() - began < seconds:
            with self.writing("embedding", wait):
                batch = missing[:BATCH]
                vectors = self._vectors.of(batch)
                rev = self.store.next_rev()
                rows = [unit_to_row(unit, rev, emb) for unit, emb in zip(batch, vectors, strict=True)]
                self.store.units.upsert(rows)
                self.store.journal.published(())
            corpus.refresh()
            left = corpus.without_vector()
            if len(left) >= len(missing):
                break
            missing = left
        return len(missing)


def chunks(values: Sequence[str], size: int) -> Iterable[Sequence[str]]:
    """Runs of up to `size` values."""
    return [values[first : first + size] for first in range(0, len(values), size)]


def windows_of(turns: Iterable[Turn], zone: ZoneInfo) -> set[tuple[str, str]]:
    """The (owner, window)s of turns: day, week and month."""
    days = {(turn.owner, day_key(turn.at, zone)) for turn in turns}
    weeks = {(owner, week_key(day)) for owner, day in days}
    return days | weeks | {(owner, month_key(week)) for owner, week in weeks}
