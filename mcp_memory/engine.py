"""Memory: the one place that composes store, scribes, embedder and recall."""

import logging
import threading
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from mcp_memory.embed.loading import Lazy
from mcp_memory.errors import MemoryFault, StoreError
from mcp_memory.model.query import Answer, Query
from mcp_memory.ports import Clock, Embedder, SystemClock
from mcp_memory.settings import Settings
from mcp_memory.store.store import DEFAULT_DIMENSION, Store
from mcp_memory.write.remember import Remembered, Said, remember

if TYPE_CHECKING:
    from mcp_memory.store.corpus import Corpus
    from mcp_memory.write.drain import Drain

logger = logging.getLogger(__name__)

DRAIN_EVERY: Final = 64  # waiting turns that make a commit worth while
DRAIN_AFTER: Final = 20.0  # seconds that turns may wait for one


@dataclass(frozen=True, slots=True)
class Health:
    """What a reader must know: `notices` are whole sentences."""

    notices: tuple[str, ...]
    waiting: int


class Memory:
    """One owner's memory in one data folder.  Thread-safe; cheap to construct."""

    def __init__(self, settings: Settings, *, clock: Clock | None = None, embedder: Embedder | None = None) -> None:
        """`embedder` overrides what the settings name.  Raises StoreTooNewError."""
        self.settings, self.clock = settings, clock or SystemClock()
        self.store = Store(
            settings.data_dir, settings.store.uri, settings.store.lock_timeout, settings.time_zone or _local_zone()
        )
        self.zone = ZoneInfo(settings.time_zone or self.store.card.time_zone or "UTC")
        self.owner = settings.owner
        self._loading = _lazy(settings, embedder)
        self._guard = threading.RLock()
        self._corpora: dict[str, Corpus] = {}
        self._wake, self._stop = threading.Event(), threading.Event()
        self._worker: threading.Thread | None = None

    # ------------------------------------------------------------------ life

    def start(self) -> None:
        """Begins loading and draining in the background; nothing waits for it."""
        if self._worker is None:
            if self._loading:
                self._loading.start()
            self._worker = threading.Thread(target=self._work, name="drain", daemon=True)
            self._worker.start()

    def close(self) -> None:
        """Stops the background work; what was acknowledged is on the disk already."""
        self._stop.set()
        self._wake.set()
        if self._worker:
            self._worker.join(timeout=5)

    def _work(self) -> None:
        while not self._stop.is_set():
            try:
                self._background_round()
            except MemoryFault as fault:
                logger.warning("background work: %s", fault)
            except Exception as error:  # noqa: BLE001 - the worker must outlive one bad round
                logger.warning("background work failed: %s", type(error).__name__)
            self._wake.wait(DRAIN_AFTER)
            self._wake.clear()

    def _background_round(self) -> None:
        if self._loading:
            self._loading.wait(60)
        self.drain(seconds=5)

    # ------------------------------------------------------------------ the tools

    def remember(self, said: Said) -> Remembered:
        """Stores an exchange; see `write.remember`.  Raises InputError, StoreError."""
        if self.store.problem:
            raise StoreError(self.store.problem)
        remembered = remember(self.store.journal, said, self.owner, self.clock.now(), secrets_out=self.settings.redact)
        if self.store.journal.pending_count() >= DRAIN_EVERY:
            self._wake.set()
        return remembered

    def recall(self, query: Query) -> Answer:
        """Finds what answers or is evoked by a query."""
        from mcp_memory.recall.pipeline import recall

        self.corpus.refresh()
        embedder = self._embedder()
        vector = None
        if embedder is not None:
            self.corpus.embed_missing(embedder.embed, 64)
            vector = embedder.embed([query.text])[0]
        return recall(self.corpus, query, self.zone, embedder.weight if embedder else 0.0, vector)

    def drain(self, seconds: float = 60.0, wait: float = 0.0) -> None:
        """Indexes what waits, as far as `seconds` reach, and derives what follows from it."""
        self._drain.index(seconds, wait)
        self._drain.consolidate(wait)
        self.corpus.refresh()

    # ------------------------------------------------------------------ inside

    @property
    def corpus(self) -> "Corpus":
        """What recall searches: this owner's memory."""
        return self._corpus_of(self.owner)

    def _corpus_of(self, owner: str) -> "Corpus":
        from mcp_memory.store.corpus import Corpus

        with self._guard:
            if owner not in self._corpora:
                dimension = self.store.card.dimension or DEFAULT_DIMENSION
                self._corpora[owner] = Corpus(self.store, owner, self.zone, dimension)
            return self._corpora[owner]

    @cached_property
    def _drain(self) -> "Drain":
        from mcp_memory.write.drain import Drain

        return Drain(self.store, self.zone, self.clock, self._corpus_of, self._embedder)

    def _embedder(self) -> Embedder | None:
        return self._loading.get() if self._loading else None

    def now(self) -> datetime:
        """The present moment by this memory's clock."""
        return self.clock.now()


def _lazy(settings: Settings, embedder: Embedder | None) -> Lazy | None:
    if embedder is not None:
        given = embedder
        return Lazy(lambda: given)
    if settings.embed.provider == "none":
        return None

    def build() -> Embedder:
        from mcp_memory.embed.factory import make_embedder

        made = make_embedder(settings)
        assert made is not None
        return made

    return Lazy(build)


def _local_zone() -> str:
    import tzlocal

    return tzlocal.get_localzone_name() or "UTC"
