"""Memory: the one place that composes store, scribes, embedder and recall."""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final
from zoneinfo import ZoneInfo

from mcp_memory import status
from mcp_memory.embedding import Embedding
from mcp_memory.errors import MemoryFault, SettingsError, StoreError
from mcp_memory.heap import give_back
from mcp_memory.model.persona import PersonaView
from mcp_memory.model.query import Answer, Query
from mcp_memory.models import Models
from mcp_memory.ports import Chat, Clock, Embedder, Reranker, Scribe, SystemClock
from mcp_memory.settings import Settings
from mcp_memory.store.store import DEFAULT_DIMENSION, Store
from mcp_memory.text.tokens import count_tokens
from mcp_memory.write.remember import MOST_AHEAD, Remembered, Said, remember

if TYPE_CHECKING:
    from mcp_memory.recall.listen import Tools
    from mcp_memory.store.corpus import Corpus
    from mcp_memory.write.calls import Asked, Calls
    from mcp_memory.write.drain import Drain, Progress
    from mcp_memory.write.forget import Doomed

logger = logging.getLogger(__name__)

DRAIN_EVERY: Final = 64  # waiting turns that make a commit worth while
DRAIN_AFTER: Final = 20.0  # seconds that turns may wait for one
TRACES: Final = 20
CENTRE_SECONDS: Final = 2.0  # what finding the memory's centre may take
EMBED_AT_ONCE: Final = 32  # turns that a recall embeds itself; more are left to the background


class Memory:
    """One owner's memory in one data folder.  Thread-safe; cheap to construct."""

    def __init__(
        self,
        settings: Settings,
        *,
        clock: Clock | None = None,
        embedder: Embedder | None = None,
        chat: Chat | None = None,
        scribe: Scribe | None = None,
        reranker: Reranker | None = None,
    ) -> None:
        """`embedder`, `chat`, `scribe` and `reranker` override what the settings name.  Raises StoreTooNewError."""
        self.settings, self.clock = settings, clock or SystemClock()
        self.store = Store(settings.data_dir, settings.store.uri, settings.store.lock_timeout, settings.zone_name())
        self.zone = ZoneInfo(settings.time_zone or self.store.card.time_zone or "UTC")
        self.owner = settings.owner
        self.embedding = Embedding(settings, embedder)
        self.models = Models(settings, self.clock, self.zone, lambda: self._drain.work, chat, scribe, reranker)
        self._guard = threading.RLock()
        self._traces: deque[dict[str, Any]] = deque(maxlen=TRACES)
        self._corpora: dict[str, Corpus] = {}
        self._atlases: dict[int, Any] = {}
        self._wake, self._stop = threading.Event(), threading.Event()
        self._threads: list[threading.Thread] = []

    # ------------------------------------------------------------------ life

    def start(self, after: float = 0.0) -> None:
        """Begins loading and draining in the background, `after` some seconds; nothing waits for it."""
        if not self._threads:
            rounds = {"drain": self._drain_round, "scribe": self._scribe_round}
            self._threads = [
                threading.Thread(target=self._work, args=(one, after), name=name, daemon=True)
                for name, one in rounds.items()
            ]
            for thread in self._threads:
                thread.start()

    def load(self, seconds: float = 30.0) -> None:
        """Waits until the embedder is there, for callers that run once and can wait."""
        self.embedding.start()
        self.embedding.wait(seconds)

    def close(self) -> None:
        """Stops the background work; what was acknowledged is on the disk already."""
        self._stop.set()
        self._wake.set()
        for thread in self._threads:
            thread.join(timeout=5)
        self.models.close()

    def _work(self, one_round: Callable[[], object], after: float) -> None:
        self._stop.wait(after)
        while not self._stop.is_set():
            try:
                one_round()
            except MemoryFault as fault:
                logger.log(fault.level, "background work: %s", fault)
            except Exception as error:  # noqa: BLE001 - the worker must outlive one bad round
                logger.warning("background work failed: %s", type(error).__name__)
            self._wake.wait(DRAIN_AFTER)
            self._wake.clear()

    def _drain_round(self) -> None:
        self.embedding.start()
        self.embedding.wait(60)
        self.drain(seconds=5)

    def _scribe_round(self) -> None:
        if not self.store.problem and self.models.scribe is not None:
            self.ask_scribe(lambda: not self._stop.is_set())

    # ------------------------------------------------------------------ the tools

    def remember(self, said: Said) -> Remembered:
        """Stores an exchange; see `write.remember`.  Raises InputError, StoreError."""
        self._writable()
        remembered = remember(self.store.journal, said, self.owner, self.clock.now(), secrets_out=self.settings.redact)
        if self.store.journal.pending_count() >= DRAIN_EVERY:
            self._wake.set()
        return remembered

    def recall(self, query: Query, without: frozenset[str] = frozenset()) -> Answer:
        """Finds what answers or is evoked by a query; `without` are components left out, for ablations."""
        from mcp_memory.recall.pipeline import recall

        tools, notices, room = self.tools(query.text, without), list[str](), query.max_tokens
        for notice in self.notices():  # in a very small answer memories count more than what is said about them
            if room - (size := count_tokens(notice)) >= query.max_tokens // 2:
                notices.append(notice)
                room -= size
        answer, trace = recall(self.corpus, replace(query, max_tokens=room), tools)
        self._traces.append(trace)
        return replace(answer, notices=tuple(notices))

    def tools(self, text: str, without: frozenset[str] = frozenset()) -> "Tools":
        """What a recall of `text` works with; what was said meanwhile is taken in first."""
        from mcp_memory.recall.listen import Tools, in_first_person

        self.corpus.refresh()
        embedder, vector = self._embedder(), None
        if embedder is not None:
            self.corpus.embed_missing(embedder.embed, EMBED_AT_ONCE)
            vector = embedder.embed([in_first_person(text, self.owner)])[0]
        planner, judge = self.models.planner(), self.models.judge(text)
        weight = embedder.weight(text) if embedder else 0.0
        return Tools(self.zone, weight, self.settings.recall.reserved, vector, planner, judge, without, self._atlases)

    def persona(self, speaker: str = "", at: datetime | None = None) -> PersonaView:
        """What is known of a speaker (the owner by default) at a moment.  Raises InputError."""
        from mcp_memory.write.persona import view

        self._catch_up()
        with self.corpus.lock:
            units = list(self.corpus.units.values())
        moment, who = at or self.present(), speaker.strip()
        return view(units, who or self.owner, moment, bool(who), self.notices(), self.corpus.outdated(moment))

    def inspect(
        self, view: str, name: str, since: datetime | None, until: datetime | None, limit: int
    ) -> dict[str, Any]:
        """One view of the memory itself.  Raises InputError for an id that is not there."""
        from mcp_memory.recall import inspect
        from mcp_memory.write.forget import resolve

        if view == "trace":
            return {"recalls": [dict(one) for one in list(self._traces)[-limit:]]}
        self._catch_up()
        match view:
            case "timeline":
                return inspect.timeline(self.corpus, self.zone, since, until, limit)
            case "node":
                return inspect.node(self.corpus, self.zone, resolve(self.corpus, name), limit)
            case "topics":
                return inspect.topics(self.corpus, self.zone, limit)
            case "pending":
                return status.pending(self._drain, self.corpus, self.models, limit)
            case _:
                return inspect.counts(self.corpus) | status.state(
                    self._drain, self.owner, self._embedder(), self.models
                )

    def forget(self, names: Sequence[str], *, confirm: bool = False) -> "Doomed":
        """What would go with these ids, and with `confirm` has gone.  Raises InputError, StoreError."""
        from mcp_memory.write.forget import doomed, forget

        self.corpus.refresh()
        target = doomed(self.corpus, names)
        if confirm:
            self._writable()
            forget(self._drain, self.corpus, target, self.settings.store.lock_timeout)
            self.corpus.refresh()
            self._traces.clear()
        return target

    def drain(self, seconds: float = 60.0, wait: float = 0.0, *progress: "Progress") -> None:
        """Indexes what waits, as far as `seconds` reach, and derives what follows from it.

        The first of `progress` is told how many turns each commit indexed, the second how many days it derived.
        """
        from mcp_memory.write.round import drain_round

        if self.store.problem:
            return
        began = time.monotonic()
        drain_round(self._drain, self.corpus, seconds, wait, *progress)
        if (embedder := self._embedder()) and time.monotonic() - began < seconds - CENTRE_SECONDS:
            self.corpus.recentre(embedder.embed)
        give_back()

    def ask_scribe(self, go_on: Callable[[], bool] = lambda: True) -> "Asked":
        """Asks the configured scribe about all that only the rules have covered.  Raises StoreError."""
        from mcp_memory.write.calls import Asked

        return self._calls.round(go_on) if self._calls else Asked()

    def rebuild(self, *, rescribe: bool = False) -> int:
        """Makes everything derived anew from turns and replies; returns how many days.

        `rescribe` lets go of the replies, for `ask_scribe` to ask again about everything.  Raises SettingsError
        where nobody is there to be asked, StoreError.
        """
        from mcp_memory.write.rebuild import start_over

        self._writable()
        if rescribe and not self.models.scribing:
            raise SettingsError("there is no language model to ask again: set llm.provider, see config.example.toml")
        embedder = self.embedding.wait(300)
        return start_over(self._drain, embedder, self.settings.store.lock_timeout, rescribe=rescribe)

    # ------------------------------------------------------------------ state

    def waiting(self) -> int:
        """Turns not yet indexed."""
        return self.store.journal.pending_count(self.owner)

    def notices(self) -> tuple[str, ...]:
        """What a person should be told now, in whole sentences."""
        embedding = self.embedding.notices(self.store.card, bool(self._threads))
        return *self.store.notices(), *embedding, *status.strange(self.store, self.corpus)

    def _catch_up(self) -> None:
        """A bounded drain, so that what was just said is in the tree; recall does not need it."""
        if not self.store.problem:
            try:
                self.drain(seconds=1.0, wait=0.5)
            except StoreError as fault:
                logger.log(fault.level, "reading what there is: %s", fault)
        self.corpus.refresh()

    def _writable(self) -> None:
        self.store.retry()
        if self.store.problem:
            raise StoreError(self.store.problem)

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

        return Drain(
            self.store, self.zone, self.clock, self._corpus_of, self.embedding.loaded, lambda: self.models.scribing
        )

    @cached_property
    def _calls(self) -> "Calls | None":
        from mcp_memory.write.calls import Calls

        if self.models.scribe is None:
            return None
        return Calls(self._drain, self.models.scribe, self._corpus_of, self.models.meter, self.models.lease)

    def _embedder(self) -> Embedder | None:
        return self.embedding.usable(self.store.card)

    def now(self) -> datetime:
        """The present moment by this memory's clock."""
        return self.clock.now()

    def present(self) -> datetime:
        """That, or the moment of the latest turn where it is dated ahead as far as clocks may differ."""
        self.corpus.refresh()
        return max(self.now(), min(self.corpus.latest, self.now() + timedelta(seconds=MOST_AHEAD)))
