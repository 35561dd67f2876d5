"""Asking a scribe about what the rules have only covered: batches, sessions, days, weeks, profiles.

Never on the path of a tool call.  A question is leased, asked outside any lock, its answer committed as a
reply, and the window derived again; an answer that never comes leaves the rules' words in place.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from mcp_memory.errors import ChatDeniedError, ChatPausedError, ChatTooLargeError
from mcp_memory.model.notes import Grain, Period, PeriodNotes
from mcp_memory.model.reply import Spent
from mcp_memory.model.unit import Unit
from mcp_memory.model.window import month_key, week_key, window_of
from mcp_memory.ports import Scribe
from mcp_memory.scribe.clamp import clamp_period
from mcp_memory.store.corpus import Corpus
from mcp_memory.store.work import LEASE_SECONDS, grain_of
from mcp_memory.write import persona, tree
from mcp_memory.write.asking import Desk, Question
from mcp_memory.write.batches import Batches
from mcp_memory.write.consolidate import Consolidator
from mcp_memory.write.drain import Drain
from mcp_memory.write.notebook import Notebook
from mcp_memory.write.rebuild import rescribed

HISTORY: Final = 3
AGAIN: Final = timedelta(minutes=5)  # how soon is looked again although nothing was said
# fewer are told by their scenes, promoted or joined: two short days need no model to be told one after the other
LEAST_CHILDREN: Final[Mapping[Grain, int]] = {"session": 4, "day": 2, "week": 3}


@dataclass(frozen=True, slots=True)
class Asked:
    """What one round did: calls made, and why it stopped early ("" when nothing was left)."""

    calls: int = 0
    stopped: str = ""


class Calls:
    """Asks one scribe on behalf of every owner of a store."""

    def __init__(
        self,
        drain: Drain,
        scribe: Scribe,
        corpus_of: Callable[[str], Corpus],
        meter: Callable[[], Spent] = Spent,
        lease: float = LEASE_SECONDS,
    ) -> None:
        self._drain, self._work, self._scribe, self._corpus_of = drain, drain.work, scribe, corpus_of
        self._meter, self._lease = meter, lease
        self._quiet: tuple[object, datetime] | None = None
        self._desk = Desk(drain, drain.work, meter, lease)

    def round(self, go_on: Callable[[], bool] = lambda: True) -> Asked:
        """Asks everything that is due, oldest first, while `go_on()`.  Raises StoreError."""
        if self._nothing_new():
            return Asked()
        self._desk = Desk(self._drain, self._work, self._meter, self._lease)
        try:
            for owner in self._work.owners():
                if self._desk.open(owner):
                    try:
                        self._ask_owner(owner, go_on)
                    finally:
                        self._desk.close(owner)
        except (ChatDeniedError, ChatPausedError) as error:
            return self._end(str(error))
        if not go_on():
            return Asked(self._desk.calls, "paused")
        rescribed(self._drain)
        return self._end("")

    def _end(self, stopped: str) -> Asked:
        self._quiet = (self._state(), self._desk.now)
        return Asked(self._desk.calls, stopped)

    def _nothing_new(self) -> bool:
        """Whether a moment ago was found, from the same, that nobody is to be asked."""
        if self._quiet is None:
            return False
        state, moment = self._quiet
        return state == self._state() and timedelta() <= self._desk.now - moment < AGAIN

    def _state(self) -> object:
        counters = [self._drain.store.journal.counter(name) for name in ("rev", "replies", "epoch")]
        due = self._work.due(self._desk.now.timestamp())
        return (*counters, due, [self._work.windows(owner) for owner in self._work.owners()])

    # ------------------------------------------------------------------ windows

    def _ask_owner(self, owner: str, go_on: Callable[[], bool]) -> None:
        consolidator, notebook = self._fresh(owner)
        corpus = self._corpus_of(owner)
        days = [window for window in self._work.windows(owner) if grain_of(window) == 0]
        batches = Batches(self._desk, self._drain, self._work, self._scribe, corpus, notebook)
        waiting = batches.ask(consolidator.session_turns(days), go_on)
        for window in self._work.windows(owner):
            if not go_on():
                return
            if self._window(owner, window, waiting):
                self._work.done(owner, window)

    def _window(self, owner: str, window: str, waiting: set[str]) -> bool:
        """Asks what is due in a window; True when nothing more will come of it.

        `waiting` are days with a batch that is not due yet or failed for now: their summaries would be of
        words that are still to change.
        """
        match grain_of(window):
            case 0:
                return window not in waiting and self._day(owner, window)
            case 1:
                return self._over(window) and not self._below(owner, window, week_key, 0) and self._week(owner, window)
        return self._over(window) and not self._below(owner, window, month_key, 1) and self._month(owner, window)

    def _day(self, owner: str, day: str) -> bool:
        _, notebook = self._fresh(owner)
        complete = self._ask_nodes(owner, notebook, "session", day, [day])
        complete = complete and self._ask_nodes(owner, notebook, "day", day, [day])
        return complete and self._over(day)

    def _week(self, owner: str, week: str) -> bool:
        _, notebook = self._fresh(owner)
        days = [one.window for one in self._units(owner, "day") if week_key(one.window) == week]
        return not days or self._ask_nodes(owner, notebook, "week", week, days[:1])

    def _month(self, owner: str, month: str) -> bool:
        _, notebook = self._fresh(owner)
        weeks = [one for one in self._units(owner, "week") if month_key(one.window) == month]
        sessions = [one for one in self._units(owner, "session") if month_key(week_key(one.window)) == month]
        of = persona.fingerprint(weeks, sessions)
        if not persona.speakers(sessions) or notebook.answer("profile", month, of):
            return True
        known = persona.known_of(self._units(owner, "session"), persona.to_portray(sessions), weeks[-1].end)
        history = self._history(owner, "profile", weeks[0])
        question = Question(
            owner,
            "profile",
            month,
            weeks[0].start,
            weeks[-1].end,
            tuple(dict.fromkeys(turn for one in known for turn in one.evidence)),
            of,
            [*weeks, *history],
        )
        period = persona.question(month, weeks, history, known)
        answered = self._ask_period(question, self._scribe.close_period, period, notebook)
        if answered:
            self._drain.derive(owner, [sessions[0].window])
        return answered or self._desk.settled(question)

    def _over(self, window: str) -> bool:
        return window_of(window, self._drain.zone).end <= self._desk.now

    def _below(self, owner: str, window: str, above: Callable[[str], str], grain: int) -> bool:
        """Whether a window of the grain below this one is still to be written."""
        return any(grain_of(one) == grain and above(one) == window for one in self._work.windows(owner))

    # ------------------------------------------------------------------ nodes

    def _ask_nodes(self, owner: str, notebook: Notebook, kind: Grain, window: str, days: Sequence[str]) -> bool:
        """Asks about a window's tree nodes of a kind that need it; True when all have their answer or never will.

        `days` are derived first, and again after every answer.
        """
        complete = True
        nodes = self._drain.derive(owner, days)
        for node in [one for one in nodes if one.kind == kind and one.window == window]:
            if len(node.children) < LEAST_CHILDREN[kind] or notebook.answer(kind, node.key, node.fingerprint):
                continue
            history = self._history(owner, kind, node.children[0])
            call = self._scribe.close_session if kind in ("session", "day") else self._scribe.close_period
            question = _question(owner, node, history)
            if self._ask_period(question, call, node.period(history), notebook):
                self._drain.derive(owner, days)
            else:
                complete &= self._desk.settled(question)
        return complete

    def _ask_period(
        self, question: Question, call: Callable[[Period], PeriodNotes], period: Period, notebook: Notebook
    ) -> bool:
        try:
            return self._desk.ask(question, lambda: clamp_period(call(period), period), notebook)
        except ChatTooLargeError as error:
            self._desk.give_up(question, str(error))
            return False

    def _history(self, owner: str, kind: str, first: Unit) -> list[Unit]:
        """Up to three earlier nodes of a level that ended before this one starts."""
        return [one for one in self._units(owner, kind) if one.end < first.start][-HISTORY:]

    def _units(self, owner: str, kind: str) -> list[Unit]:
        corpus = self._corpus_of(owner)
        with corpus.lock:
            return sorted((one for one in corpus.units.values() if one.kind == kind), key=lambda one: one.start)

    def _fresh(self, owner: str) -> tuple[Consolidator, Notebook]:
        consolidator, notebook = self._drain.consolidator(owner)
        notebook.refresh()
        self._corpus_of(owner).refresh()
        return consolidator, notebook


def _question(owner: str, node: tree.Node, history: Sequence[Unit]) -> Question:
    return Question(
        owner,
        node.kind,
        node.key,
        min(child.start for child in node.children),
        max(child.end for child in node.children),
        tuple(turn.id for turn in node.turns),
        node.fingerprint,
        [*node.children, *history],
    )
