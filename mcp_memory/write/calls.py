"""Asking a scribe about what the rules have only covered: batches, sessions, days, weeks, portraits.

Never on the path of a tool call.  A question is leased, asked outside any lock, its answer committed as a
reply, and the window derived again; an answer that never comes leaves the rules' words in place.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from mcp_memory.errors import ChatDeniedError, ChatError, ChatTooLargeError
from mcp_memory.model.notes import Batch, BatchNotes, Grain, ItemHint, Period, PeriodNotes, TopicHint
from mcp_memory.model.reply import Reply, ReplyKind, notes_body, reply_id
from mcp_memory.model.turn import Turn, exchanges
from mcp_memory.model.unit import Unit
from mcp_memory.model.window import day_window, month_key, month_window, week_key, week_window
from mcp_memory.ports import Scribe
from mcp_memory.scribe.clamp import clamp_batch, clamp_period
from mcp_memory.store.corpus import Corpus
from mcp_memory.store.work import Work, grain_of
from mcp_memory.text.lexical import analyze
from mcp_memory.text.tokens import count_tokens
from mcp_memory.write import persona, tree
from mcp_memory.write.consolidate import Consolidator, said_fingerprint
from mcp_memory.write.drain import Drain
from mcp_memory.write.notebook import Notebook
from mcp_memory.write.scenes import Covered, winners

BATCH_EXCHANGES: Final = 12
BATCH_TOKENS: Final = 3_000
CARRIED_EXCHANGES: Final = 16
SHORTLIST: Final = 12
HISTORY: Final = 3
LEASE_SECONDS: Final = 600.0
# fewer are promoted or joined without a call: two short days need no model to be told one after the other
LEAST_CHILDREN: Final[Mapping[Grain, int]] = {"session": 2, "day": 2, "week": 3, "profile": 1}

Notes = TypeVar("Notes", BatchNotes, PeriodNotes)

Meter = Callable[[], tuple[str, int, int]]
"""(model, input tokens, output tokens) of the last call."""


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
        work: Work,
        scribe: Scribe,
        corpus_of: Callable[[str], Corpus],
        meter: Meter = lambda: ("", 0, 0),
    ) -> None:
        self._drain, self._work, self._scribe, self._corpus_of, self._meter = drain, work, scribe, corpus_of, meter
        self._calls = 0

    def round(self, go_on: Callable[[], bool] = lambda: True) -> Asked:
        """Asks everything that is due, oldest first, while `go_on()`.  Raises StoreError."""
        self._calls = 0
        try:
            for owner in self._work.owners():
                waiting = self._batches(owner, go_on)
                for window in self._work.windows(owner):
                    if not go_on():
                        return Asked(self._calls, "paused")
                    if self._window(owner, window, waiting):
                        self._work.done(owner, window)
        except ChatDeniedError as error:
            return Asked(self._calls, str(error))
        return Asked(self._calls)

    # ------------------------------------------------------------------ windows

    def _window(self, owner: str, window: str, waiting: set[str]) -> bool:
        """Asks what is due in a window; True when nothing more will come of it.

        `waiting` are days with a batch that is not due yet or failed for now: their summaries would be of
        words that are still to change.
        """
        match grain_of(window):
            case 0:
                return window not in waiting and self._day(owner, window)
            case 1:
                return self._week(owner, window)
        return self._month(owner, window)

    def _day(self, owner: str, day: str) -> bool:
        consolidator, notebook = self._fresh(owner)
        self._derive(owner, day)
        complete = self._ask_nodes(owner, notebook, self._closed(consolidator, "session", day))
        complete &= self._ask_nodes(owner, notebook, self._closed(consolidator, "day", day))
        return complete and day_window(day, self._drain.zone).end <= self._drain.clock.now()

    def _week(self, owner: str, week: str) -> bool:
        if week_window(week, self._drain.zone).end > self._drain.clock.now() or self._below(owner, week, 0):
            return False
        consolidator, notebook = self._fresh(owner)
        days = [one.window for one in self._units(owner, "day") if week_key(one.window) == week]
        if not days:
            return True
        self._derive(owner, days[0])
        return self._ask_nodes(owner, notebook, self._closed(consolidator, "week", week))

    def _month(self, owner: str, month: str) -> bool:
        if month_window(month, self._drain.zone).end > self._drain.clock.now() or self._below(owner, month, 1):
            return False
        _, notebook = self._fresh(owner)
        weeks = [one for one in self._units(owner, "week") if month_key(one.window) == month]
        sessions = [one for one in self._units(owner, "session") if month_key(week_key(one.window)) == month]
        complete = True
        for speaker in persona.speakers(sessions):
            complete &= self._ask_portrait(owner, month, speaker, weeks, sessions, notebook)
        if sessions:
            self._derive(owner, sessions[0].window)
        return complete

    def _below(self, owner: str, window: str, grain: int) -> bool:
        """Whether a window below this one is still to be written."""
        above = week_key if grain == 0 else month_key
        return any(grain_of(one) == grain and above(one) == window for one in self._work.windows(owner))

    def _closed(self, consolidator: Consolidator, kind: str, window: str) -> list[tree.Node]:
        return [node for node in consolidator.nodes.values() if node.kind == kind and node.window == window]

    def _units(self, owner: str, kind: str) -> list[Unit]:
        corpus = self._corpus_of(owner)
        with corpus.lock:
            return sorted((one for one in corpus.units.values() if one.kind == kind), key=lambda one: one.start)

    def _fresh(self, owner: str) -> tuple[Consolidator, Notebook]:
        consolidator, notebook = self._drain.consolidator(owner)
        notebook.refresh()
        self._corpus_of(owner).refresh()
        return consolidator, notebook

    def _derive(self, owner: str, day: str) -> None:
        self._drain.derive(owner, [day])

    # ------------------------------------------------------------------ batches

    def _batches(self, owner: str, go_on: Callable[[], bool]) -> set[str]:
        """Asks about every batch that is due; returns the days whose batches are not all answered.

        Sessions that are over go together into one batch while they fit, so that a history of short chats
        does not cost a call each; a long session is cut, its open scene carried on.
        """
        consolidator, notebook = self._fresh(owner)
        days = [window for window in self._work.windows(owner) if grain_of(window) == 0]
        waiting: set[str] = set()
        group: list[tuple[str, list[Turn]]] = []
        for day, turns in consolidator.session_turns(days):
            if not go_on():
                return {*waiting, *days}
            rest = self._uncovered(owner, turns, notebook)
            closed = tree.session_closed(turns, day, self._drain.zone, self._drain.clock.now())
            whole = len(rest) == len(turns)
            if group and not (whole and closed and _fits([*(one for _, more in group for one in more), *rest])):
                waiting |= self._ask_group(owner, group, notebook)
                group = []
            if whole and closed and _fits(rest):
                group.append((day, rest))
            elif rest and not self._ask_session(owner, turns, notebook, closed):
                waiting.add(day)
        return waiting | self._ask_group(owner, group, notebook)

    def _ask_group(self, owner: str, group: Sequence[tuple[str, list[Turn]]], notebook: Notebook) -> set[str]:
        """One batch of whole sessions; the days that still wait for it."""
        turns = [turn for _, session in group for turn in session]
        if not turns or self._ask_batch(owner, self._batch(owner, (), turns), notebook):
            return set()
        return {day for day, _ in group}

    def _ask_session(self, owner: str, turns: Sequence[Turn], notebook: Notebook, closed: bool) -> bool:
        """Batches of one session: full ones, and the rest once it is over; True when all of it is covered."""
        while rest := self._uncovered(owner, turns, notebook):
            batch, full = _cut(exchanges(rest))
            if not (full or closed):
                return False
            covered = notebook.covering(turns)
            carried = _carried(turns, covered, winners(covered), batch[0])
            if not self._ask_batch(owner, self._batch(owner, carried, batch), notebook):
                return False  # what follows waits, so that scenes are carried in order
        return closed

    def _uncovered(self, owner: str, turns: Sequence[Turn], notebook: Notebook) -> list[Turn]:
        """Turns of exchanges that no reply covers and nobody gave up on."""
        owned = winners(notebook.covering(turns))
        rest = [one for one in exchanges(turns) if any(turn.id not in owned for turn in one)]
        kept = [one for one in rest if not self._work.given_up(reply_id(owner, "batch", one[0].id))]
        return [turn for one in kept for turn in one]

    def _batch(self, owner: str, carried: Sequence[Turn], turns: Sequence[Turn]) -> Batch:
        corpus = self._corpus_of(owner)
        shown = (*carried, *turns)
        with corpus.lock:
            terms = [term for turn in shown for term in analyze(turn.text)]
            topics = _best(corpus, "topic", terms)
            items = [one for one in _best(corpus, "item", terms) if one.id not in corpus.superseded]
        scenes = [one for one in self._units(owner, "scene") if one.end < shown[0].at]
        before = tuple(str(one.detail.get("summary", "")) for one in scenes[-HISTORY:])
        hints = tuple(TopicHint(one.id, one.title, tuple(one.detail.get("keywords", ()))[:8]) for one in topics)
        return Batch(shown, len(carried), before, hints, tuple(ItemHint(one.id, one.text) for one in items))

    def _ask_batch(self, owner: str, batch: Batch, notebook: Notebook) -> bool:
        new = batch.turns[batch.carried :]
        key = reply_id(owner, "batch", new[0].id)

        def ask() -> BatchNotes:
            earlier = {turn.id: turn.speaker for turn in self._corpus_of(owner).turns.values()}
            return clamp_batch(self._scribe.close_batch(batch), batch, earlier)

        try:
            notes = self._ask(key, owner, "batch", ask)
        except ChatTooLargeError:
            return self._ask_halves(owner, batch, notebook)
        if notes is None:
            return self._work.given_up(key)
        self._keep(owner, "batch", new[0].id, "", batch.turns, notes, notebook)
        return True

    def _ask_halves(self, owner: str, batch: Batch, notebook: Notebook) -> bool:
        """A batch that is too large for the model is asked about in two parts."""
        parts = exchanges(batch.turns[batch.carried :])
        if len(parts) < 2:
            return True
        half = len(parts) // 2
        done = True
        for group in (parts[:half], parts[half:]):
            turns = [turn for one in group for turn in one]
            done &= self._ask_batch(owner, self._batch(owner, (), turns), notebook)
        return done

    # ------------------------------------------------------------------ periods

    def _ask_nodes(self, owner: str, notebook: Notebook, nodes: Sequence[tree.Node]) -> bool:
        """Asks about tree nodes that need it; True when all have their answer or never will."""
        complete = True
        for node in nodes:
            if len(node.children) < LEAST_CHILDREN[node.kind] or notebook.answer(node.kind, node.key, node.fingerprint):
                continue
            period = node.period(self._history(owner, node.kind, node.children[0]))
            call = self._scribe.close_session if node.kind in ("session", "day") else self._scribe.close_period
            key = reply_id(owner, node.kind, node.key)
            notes = self._ask(key, owner, node.kind, _clamped(call, period))
            if notes is not None:
                turns = node.turns
                self._keep(owner, node.kind, node.key, node.fingerprint, turns, notes, notebook, node.children)
                self._derive(owner, node.children[0].window)
            complete &= notes is not None or self._work.given_up(key)
        return complete

    def _ask_portrait(
        self,
        owner: str,
        month: str,
        speaker: str,
        weeks: Sequence[Unit],
        sessions: Sequence[Unit],
        notebook: Notebook,
    ) -> bool:
        key, of = f"{month}/{speaker}", said_fingerprint(sessions, speaker)
        if notebook.answer("profile", key, of):
            return True
        known = persona.merge(persona.patches_of(self._units(owner, "session"), speaker), speaker, weeks[-1].end)
        entries = {name: [str(one["value"]) for one in group] for name, group in known.entries.items()}
        earlier = [one for one in self._units(owner, "persona") if one.speaker == speaker and one.end < weeks[0].start]
        history = tuple((one.title, one.text) for one in earlier[-HISTORY:])
        children = tuple((one.title, one.text) for one in weeks)
        period = Period("profile", month, children, history, (), speaker, entries)
        notes = self._ask(
            reply_id(owner, "profile", key), owner, "profile", _clamped(self._scribe.close_period, period)
        )
        if notes is None:
            return self._work.given_up(reply_id(owner, "profile", key))
        self._keep(owner, "profile", key, of, (), notes, notebook, weeks)
        return True

    def _history(self, owner: str, kind: str, first: Unit) -> tuple[tuple[str, str], ...]:
        """Up to three earlier nodes of a level that ended before this one starts."""
        earlier = [one for one in self._units(owner, kind) if one.end < first.start]
        return tuple((one.title, one.text) for one in earlier[-HISTORY:])

    # ------------------------------------------------------------------ asking

    def _ask(self, key: str, owner: str, kind: str, ask: Callable[[], Notes]) -> Notes | None:
        """The answer, or None when it is not ours to ask now or failed; raises ChatDeniedError, ChatTooLargeError."""
        now = self._drain.clock.now().timestamp()
        if not self._work.take(key, owner, kind, now, LEASE_SECONDS):
            return None
        self._calls += 1
        try:
            notes = ask()
        except (ChatDeniedError, ChatTooLargeError):
            self._work.answered(key)
            raise
        except ChatError as error:
            self._work.failed(key, now, str(error))
            return None
        self._work.answered(key)
        return notes

    def _keep(
        self,
        owner: str,
        kind: ReplyKind,
        key: str,
        of: str,
        turns: Sequence[Turn],
        notes: BatchNotes | PeriodNotes,
        notebook: Notebook,
        children: Sequence[Unit] = (),
    ) -> None:
        model, input_tokens, output_tokens = self._meter()
        moments = [turn.at for turn in turns] or [one.start for one in children] + [one.end for one in children]
        reply = Reply(
            id=reply_id(owner, kind, key),
            owner=owner,
            kind=kind,
            key=key,
            start=min(moments),
            end=max(moments),
            turns=tuple(turn.id for turn in turns),
            of=of,
            body=notes_body(notes),
            model=model,
            input_tokens=input_tokens,
            output_tokens=output_tokens,
        )
        with self._drain.store.lock.held("keeping a scribe's answer", self._drain.store.lock_timeout):
            notebook.add([reply])


def _clamped(call: Callable[[Period], PeriodNotes], period: Period) -> Callable[[], PeriodNotes]:
    return lambda: clamp_period(call(period), period)


def _cut(rest: Sequence[Sequence[Turn]]) -> tuple[list[Turn], bool]:
    """The first batch of uncovered exchanges, and whether it is full: size, tokens or a change of topic."""
    batch: list[Turn] = []
    count, size, topic = 0, 0, ""
    for exchange in rest:
        tokens = sum(count_tokens(turn.text) for turn in exchange)
        label = exchange[0].topic.casefold()
        if batch and (count >= BATCH_EXCHANGES or size + tokens > BATCH_TOKENS or (label and topic and label != topic)):
            return batch, True
        batch += exchange
        count, size, topic = count + 1, size + tokens, label or topic
    return batch, count >= BATCH_EXCHANGES


def _fits(turns: Sequence[Turn]) -> bool:
    """Whether turns make one batch."""
    return len(exchanges(turns)) <= BATCH_EXCHANGES and sum(count_tokens(turn.text) for turn in turns) <= BATCH_TOKENS


def _carried(turns: Sequence[Turn], covered: Sequence[Covered], owned: Mapping[str, int], first: Turn) -> list[Turn]:
    """The turns of the scene that the last reply before `first` left open, if it is not too long to go on."""
    before = [turn for turn in turns if turn.id in owned and (turn.at, turn.position) < (first.at, first.position)]
    if not before:
        return []
    reply = covered[owned[before[-1].id]]
    last = next((one for one in reversed(reply.notes.scenes) if before[-1].id in one.turns), None)
    if last is None or last.finished:
        return []
    carried = [turn for turn in before if turn.id in last.turns and owned[turn.id] == owned[before[-1].id]]
    fits = len(exchanges(carried)) <= CARRIED_EXCHANGES and sum(count_tokens(t.text) for t in carried) <= BATCH_TOKENS
    return carried if fits else []


def _best(corpus: Corpus, view: str, terms: Sequence[str]) -> list[Unit]:
    """The units of a view that share most with what is said."""
    scores = corpus.shelf.words(view, terms)
    ranked = sorted((row for row in range(len(scores)) if scores[row] > 0), key=lambda row: -scores[row])
    found = [corpus.units[corpus.shelf.ids[row]] for row in ranked[:SHORTLIST] if corpus.shelf.alive[row]]
    return [one for one in found if one.kind == view]
