"""Batches: which uncovered exchanges are asked about together (call A), and what they are shown.

Sessions that are over go together while they fit, so that a history of short chats does not cost a call each;
a long session is cut, its open scene carried on.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby
from typing import Final

from mcp_memory.errors import ChatTooLargeError
from mcp_memory.model.notes import Batch, BatchNotes, ItemHint, TopicHint
from mcp_memory.model.reply import reply_id
from mcp_memory.model.turn import Turn, exchanges
from mcp_memory.model.unit import Unit
from mcp_memory.model.window import day_key, day_window
from mcp_memory.ports import Scribe
from mcp_memory.scribe.clamp import clamp_batch
from mcp_memory.store.corpus import Corpus
from mcp_memory.store.work import Work
from mcp_memory.text.lexical import analyze
from mcp_memory.text.tokens import count_tokens
from mcp_memory.write import tree
from mcp_memory.write.asking import Desk, Question
from mcp_memory.write.drain import Drain
from mcp_memory.write.notebook import Notebook
from mcp_memory.write.scenes import winners

MOST_EXCHANGES: Final = 12
MOST_TOKENS: Final = 3_000
LEAST_EXCHANGES: Final = 4  # worth a call before the day is over, or before a change of topic
CARRIED_EXCHANGES: Final = 16
SHORTLIST: Final = 12
BEFORE: Final = 3

Sessions = Sequence[tuple[str, Sequence[Turn]]]
"""(day, turns) of sessions."""


class Batches:
    """Asks about one owner's exchanges."""

    def __init__(self, desk: Desk, drain: Drain, work: Work, scribe: Scribe, corpus: Corpus, book: Notebook) -> None:
        self._desk, self._drain, self._work, self._scribe = desk, drain, work, scribe
        self._corpus, self._book = corpus, book

    def ask(self, sessions: Sessions, go_on: Callable[[], bool]) -> set[str]:
        """Asks about all that is due in these sessions; returns the days that are not all answered."""
        waiting: set[str] = set()
        group: list[tuple[str, Sequence[Turn]]] = []
        for number, (day, turns) in enumerate(sessions):
            if not go_on():
                return {*waiting, *(day for day, _ in group), *(day for day, _ in sessions[number:])}
            rest = self._uncovered(turns)
            closed = tree.session_closed(turns, day, self._drain.zone, self._desk.now)
            whole = closed and len(rest) == len(turns) and _fits(rest)
            if group and not (whole and _fits([*(turn for _, one in group for turn in one), *rest])):
                waiting |= self._ask_group(group)
                group = []
            if whole:
                group.append((day, rest))
            elif rest and not self._ask_session(turns, closed):
                waiting.add(day)
        if group and not self._worth_while(group):
            return waiting | {day for day, _ in group}
        return waiting | self._ask_group(group)

    def _worth_while(self, group: Sessions) -> bool:
        """A few exchanges wait for the day's others: they are shown together, for the price of one call."""
        over = day_window(group[-1][0], self._drain.zone).end <= self._desk.now
        return over or sum(len(exchanges(turns)) for _, turns in group) >= LEAST_EXCHANGES

    def _ask_group(self, group: Sessions) -> set[str]:
        """One batch of whole sessions; the days that still wait for it."""
        if not group or self._ask_batch(_together([turns for _, turns in group], ended=True)):
            return set()
        return {day for day, _ in group}

    def _ask_session(self, turns: Sequence[Turn], closed: bool) -> bool:
        """Batches of one session: full ones, and the rest once it is over; True when all of it is covered."""
        while rest := self._uncovered(turns):
            batch, full = cut(exchanges(rest))
            if not (full or closed):
                return False
            carried = self._carried(turns, batch[0])
            ended = closed and len(batch) == len(rest)
            if not self._ask_batch(Batch((*carried, *batch), len(carried), ended=ended)):
                return False  # what follows waits, so that scenes are carried in order
        return closed

    def _uncovered(self, turns: Sequence[Turn]) -> list[Turn]:
        """Turns of exchanges that no reply covers and nobody gave up on."""
        owned = winners(self._book.covering(turns))
        rest = [one for one in exchanges(turns) if any(turn.id not in owned for turn in one)]
        owner = self._corpus.owner
        kept = [one for one in rest if not self._work.given_up(reply_id(owner, "batch", one[0].id))]
        return [turn for one in kept for turn in one]

    def _carried(self, turns: Sequence[Turn], first: Turn) -> list[Turn]:
        """The turns of the scene that the last reply before `first` left open, if it is not too long to go on."""
        covered = self._book.covering(turns)
        owned = winners(covered)
        before = [one for one in turns if one.id in owned and (one.at, one.position) < (first.at, first.position)]
        if not before:
            return []
        reply = covered[owned[before[-1].id]]
        last = next((one for one in reversed(reply.notes.scenes) if before[-1].id in one.turns), None)
        if last is None or last.finished:
            return []
        carried = _owned_of(last.turns, before, owned, owned[before[-1].id])
        fits = len(exchanges(carried)) <= CARRIED_EXCHANGES and _tokens(carried) <= MOST_TOKENS
        return carried if fits else []

    # ------------------------------------------------------------------ one batch

    def _ask_batch(self, batch: Batch) -> bool:
        """Whether a batch has its answer, or never will have one."""
        asked, units = self._shown(batch)
        moments = [turn.at for turn in batch.turns]
        turns = tuple(turn.id for turn in batch.turns)
        question = Question(
            self._corpus.owner,
            "batch",
            batch.turns[batch.carried].id,
            min(moments),
            max(moments),
            turns,
            units=units,
        )
        try:
            answered = self._desk.ask(question, lambda: self._answer(asked), self._book)
        except ChatTooLargeError as error:
            return self._ask_less(batch, question, str(error))
        owner = self._corpus.owner
        if answered:  # what it told is what the next one is shown
            self._drain.derive(owner, sorted({day_key(turn.at, self._drain.zone) for turn in batch.turns}))
            return True
        settled = self._desk.settled(question)
        if settled:
            first = [one[0].id for one in exchanges(batch.turns[batch.carried :])]
            self._work.leave([reply_id(owner, "batch", turn) for turn in first], owner, "batch")
        return settled

    def _answer(self, batch: Batch) -> BatchNotes:
        last = max(turn.at for turn in batch.turns)
        with self._corpus.lock:
            speakers = {turn.id: turn.speaker for turn in self._corpus.turns.values() if turn.at <= last}
        notes = clamp_batch(self._scribe.close_batch(batch), batch, speakers)
        # kept by title, so that an answer means the same when its topics are made anew or forgotten
        titles = {topic.id: topic.title for topic in batch.topics}
        scenes = [replace(one, topics=tuple(titles.get(topic, topic) for topic in one.topics)) for one in notes.scenes]
        return replace(notes, scenes=tuple(scenes))

    def _ask_less(self, batch: Batch, question: Question, reason: str) -> bool:
        """What is too large for the model is asked about without what was carried, then in two parts."""
        if batch.carried:
            return self._ask_batch(Batch(batch.turns[batch.carried :], ended=batch.ended))
        whole = [(number, one) for number, part in enumerate(batch.parts()) for one in exchanges(part)]
        if len(whole) < 2:
            self._desk.give_up(question, reason)
            return True
        half, done = len(whole) // 2, True
        for part, ended in ((whole[:half], False), (whole[half:], batch.ended)):
            runs = groupby(part, key=lambda one: one[0])
            done &= self._ask_batch(_together([[t for _, one in run for t in one] for _, run in runs], ended=ended))
        return done

    def _shown(self, batch: Batch) -> tuple[Batch, list[Unit]]:
        """The batch with what came before it and what it may refer to, and these units."""
        first, last = batch.turns[0].at, max(turn.at for turn in batch.turns)
        corpus = self._corpus
        with corpus.lock:
            terms = [term for turn in batch.turns for term in analyze(turn.text)]
            items = [one for one in _best(corpus, "item", terms) if _may_be_replaced(one, corpus, last)]
            earlier = [one for one in corpus.units.values() if one.kind == "scene" and one.end < first]
            open_topics = {topic for one in earlier for topic in one.detail.get("topics", ())}
            topics = [one for one in _best(corpus, "topic", terms) if one.id in open_topics]
        scenes = sorted(earlier, key=lambda one: one.start)[-BEFORE:]
        asked = replace(
            batch,
            before=tuple(str(one.detail.get("summary", "")) for one in scenes),
            topics=tuple(TopicHint(one.id, one.title, tuple(one.detail.get("keywords", ()))[:8]) for one in topics),
            items=tuple(ItemHint(one.id, one.text) for one in items),
        )
        return asked, [*scenes, *items]


def cut(rest: Sequence[Sequence[Turn]]) -> tuple[list[Turn], bool]:
    """The first batch of uncovered exchanges, and whether it is full: size, tokens or a change of topic."""
    batch: list[Turn] = []
    count, size, topic = 0, 0, ""
    for exchange in rest:
        tokens = _tokens(exchange)
        label = exchange[0].topic.casefold()
        turns_away = count >= LEAST_EXCHANGES and bool(label and topic) and label != topic
        if batch and (count >= MOST_EXCHANGES or size + tokens > MOST_TOKENS or turns_away):
            return batch, True
        batch += exchange
        count, size, topic = count + 1, size + tokens, label or topic
    return batch, count >= MOST_EXCHANGES


def _together(sessions: Sequence[Sequence[Turn]], *, ended: bool) -> Batch:
    turns = tuple(turn for session in sessions for turn in session)
    return Batch(turns, sessions=tuple(len(session) for session in sessions), ended=ended)


def _fits(turns: Sequence[Turn]) -> bool:
    """Whether turns make one batch."""
    return len(exchanges(turns)) <= MOST_EXCHANGES and _tokens(turns) <= MOST_TOKENS


def _tokens(turns: Sequence[Turn]) -> int:
    return sum(count_tokens(turn.text) for turn in turns)


def _owned_of(scene: Sequence[str], before: Sequence[Turn], owned: Mapping[str, int], number: int) -> list[Turn]:
    return [turn for turn in before if turn.id in scene and owned[turn.id] == number]


def _may_be_replaced(item: Unit, corpus: Corpus, moment: datetime) -> bool:
    """A known fact that still holds and is not from later than what is told now."""
    return item.id not in corpus.superseded and item.start <= moment


def _best(corpus: Corpus, view: str, terms: Sequence[str]) -> list[Unit]:
    """The units of a view that share most with what is said."""
    scores = corpus.shelf.words(view, terms)
    ranked = sorted((row for row in range(len(scores)) if scores[row] > 0), key=lambda row: -scores[row])
    found = [corpus.units[corpus.shelf.ids[row]] for row in ranked[:SHORTLIST] if corpus.shelf.alive[row]]
    return [one for one in found if one.kind == view]
