"""From turns and replies to everything derived, window by window.

Derivation is a pure function of turns, replies and the moment; what it gives is compared with what is
stored, and only the difference is committed.  So a late turn rebuilds exactly its ancestors, doing it again
changes nothing, and a rebuild is the same code over all days.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from mcp_memory.model.notes import Batch
from mcp_memory.model.reply import reply_id
from mcp_memory.model.turn import Turn, exchanges
from mcp_memory.model.unit import Unit
from mcp_memory.model.window import (
    SESSION_GAP,
    day_key,
    day_window,
    month_key,
    month_window,
    split_sessions,
    week_key,
    week_window,
)
from mcp_memory.scribe.rules import RulesScribe
from mcp_memory.text.leaves import leaf_units
from mcp_memory.write import persona, topics, tree
from mcp_memory.write.background import Background
from mcp_memory.write.ledger import Ledger
from mcp_memory.write.notebook import Notebook
from mcp_memory.write.scenes import Covered, themes, uncovered

if TYPE_CHECKING:
    from mcp_memory.store.corpus import Corpus
    from mcp_memory.store.shelf import Vector

TOPICS = ""  # topics belong to no window


class Consolidator:
    """Derives for one owner; keeps what sessions came to, so that an open day costs little."""

    def __init__(self, corpus: "Corpus", notebook: Notebook, zone: ZoneInfo) -> None:
        self._corpus, self._notebook, self._zone = corpus, notebook, zone
        self._rules = RulesScribe(self._exchange_vector, zone)
        self._memo: dict[str, tuple[object, tuple[Unit, ...], tree.Node]] = {}
        self.nodes: dict[str, tree.Node] = {}

    def run(self, days: Iterable[str], now: datetime) -> Ledger:
        """What brings `days`, all windows that have ended since, and their ancestors up to date.

        `nodes` then holds every closed tree node that was looked at, for who would ask a scribe about it.
        """
        ledger = Ledger(self._corpus.stored())
        wanted = {*days, *self._ended(ledger, now)}
        turns = self._turns_of(wanted)
        self.nodes = {}
        fresh = {day: self._day(day, turns[day], now) for day in sorted(wanted)}
        scenes = self._with_topics(fresh, ledger)
        for day, units in fresh.items():
            ledger.settle(day, [scenes.get(unit.id, unit) for unit in units])
        ledger.settle(TOPICS, topics.topic_units(ledger.of_kind("scene")))
        self._climb({week_key(day) for day in wanted}, ledger, now)
        today = day_key(now, self._zone)  # what is over is seldom derived again: it would only fill memory
        self._memo = {one: memo for one, memo in self._memo.items() if memo[2].window >= today}
        return ledger

    def session_turns(self, days: Iterable[str]) -> list[tuple[str, list[Turn]]]:
        """The sessions of these days with their day, in time order."""
        found = self._turns_of(set(days))
        return [(day, one) for day in sorted(found) for one in split_sessions(found[day], self._zone)]

    def overdue(self, now: datetime) -> bool:
        """Whether a week or month has ended whose node does not know it yet."""
        ends = {"week": week_window, "profile": month_window}
        with self._corpus.lock:
            open_nodes = [
                one for one in self._corpus.units.values() if one.status == "provisional" and one.kind in ends
            ]
        return any(ends[one.kind](one.window, self._zone).end <= now for one in open_nodes)

    # ------------------------------------------------------------------ days

    def _day(self, day: str, turns: Sequence[Turn], now: datetime) -> list[Unit]:
        units: list[Unit] = []
        sessions: list[Unit] = []
        for session in split_sessions(turns, self._zone):
            made = self._session(day, session, now)
            sessions.append(made[0])
            units += made
        if not sessions:
            return []
        node = tree.day_node(sessions[0].owner, day, sessions, self._zone, now)
        return [*units, self._node_unit(node, tree.node_id(node.children[0].owner, "day", day))]

    def _session(self, day: str, turns: Sequence[Turn], now: datetime) -> tuple[Unit, ...]:
        """The session's node first, then its segments, quotes, scenes, items and cues."""
        owner, identifier = turns[0].owner, tree.session_id(turns[0].owner, day, turns)
        closed = tree.session_closed(turns, day, self._zone, now)
        replies = self._notebook.covering(turns)
        shown = [turn.id for turn in turns]
        key = (closed, shown, replies, self._notebook.get(reply_id(owner, "session", identifier)))
        memo = self._memo.get(identifier)
        if memo is None or memo[0] != key:
            found = themes(
                turns, [*replies, *(self._by_rules(turns, replies) if closed else ())], self._corpus.turns, day
            )
            leaves = [unit for one in exchanges(turns) for unit in self._leaves(one, identifier, found.segments)]
            segments = tuple(unit for unit in leaves if unit.kind == "segment")
            parent = tree.node_id(owner, "day", day)
            scenes = tuple(unit for unit in found.units if unit.kind == "scene")
            node = tree.Node("session", identifier, day, parent, segments, closed, tuple(turns), scenes)
            made = (self._node_unit(node, identifier), *leaves, *found.units)
            memo = self._memo[identifier] = (key, made, node)
        if closed:
            self.nodes[identifier] = memo[2]
        return memo[1]

    def _by_rules(self, turns: Sequence[Turn], replies: Sequence[Covered]) -> list[Covered]:
        """Rules cover what no reply covers."""
        runs = uncovered(turns, replies)
        return [Covered(tuple(t.id for t in run), self._rules.close_batch(Batch(tuple(run)))) for run in runs]

    def _leaves(self, exchange: Sequence[Turn], session: str, written: Mapping[str, str]) -> list[Unit]:
        segment, *rest = leaf_units(exchange, self._zone)
        text = written.get(segment.turns[0])
        told = replace(segment, parent=session)
        return [replace(told, text=text, source="llm") if text else told, *rest]

    def _node_unit(self, node: tree.Node, identifier: str) -> Unit:
        if node.closed:
            self.nodes[identifier] = node
        return tree.sum_up(node, identifier, self._rules, self._notebook.answer)

    def _exchange_vector(self, exchange: Sequence[Turn]) -> "Vector | None":
        return self._corpus.mean_vector([turn.id for turn in exchange])

    # ------------------------------------------------------------------ topics

    def _with_topics(self, fresh: Mapping[str, Sequence[Unit]], ledger: Ledger) -> dict[str, Unit]:
        """The scenes of these days with the topics they have or get."""
        new = [unit for units in fresh.values() for unit in units if unit.kind == "scene"]
        known = {one.id: one for one in ledger.of_kind("scene")}
        names = {unit.id for unit in new}
        # a scene of a day that is made again counts only if it is made again
        kept = {one.id: one for one in known.values() if one.window not in fresh or one.id in names}
        assigned = topics.assign(new, kept, self._scene_vector, Background(self._corpus).until)
        return {unit.id: unit for unit in assigned}

    def _scene_vector(self, scene: Unit) -> "Vector | None":
        """A scene's meaning: the mean of its quotes' vectors, known before the scene itself is embedded."""
        return self._corpus.mean_vector(scene.turns)

    # ------------------------------------------------------------------ weeks and months

    def _climb(self, weeks: set[str], ledger: Ledger, now: datetime) -> None:
        weeks = weeks | {
            one.window for one in _provisional(ledger, "week") if week_window(one.window, self._zone).end <= now
        }
        days = _grouped(ledger.of_kind("day"), lambda day: week_key(day.window))
        for week in sorted(weeks):
            ledger.settle(week, self._week(week, days[week], now))
        months = {month_key(week) for week in weeks} | {
            one.window for one in _provisional(ledger, "profile") if month_window(one.window, self._zone).end <= now
        }
        by_month = _grouped(ledger.of_kind("week"), lambda week: month_key(week.window))
        sessions = _grouped(ledger.of_kind("session"), lambda one: month_key(week_key(one.window)))
        for month in sorted(months):
            ledger.settle(month, self._month(month, by_month[month], sessions[month], now))

    def _week(self, week: str, days: Sequence[Unit], now: datetime) -> list[Unit]:
        if not days:
            return []
        owner = days[0].owner
        node = tree.week_node(owner, week, days, self._zone, now)
        return [self._node_unit(node, tree.node_id(owner, "week", week))]

    def _month(self, month: str, weeks: Sequence[Unit], sessions: Sequence[Unit], now: datetime) -> list[Unit]:
        if not weeks:
            return []
        closed = tree.month_closed(month, self._zone, now)
        of = persona.fingerprint(weeks, sessions)
        notes = self._notebook.answer("profile", month, of) if closed else None
        return persona.month_units(weeks[0].owner, month, weeks, sessions, notes, closed)

    # ------------------------------------------------------------------ what is there

    def _ended(self, ledger: Ledger, now: datetime) -> set[str]:
        """Days with a provisional node that is not provisional any more."""
        silent = {one.window for one in _provisional(ledger, "session") if now - one.end > SESSION_GAP}
        return silent | {
            one.window for one in _provisional(ledger, "day") if day_window(one.window, self._zone).end <= now
        }

    def _turns_of(self, days: set[str]) -> dict[str, list[Turn]]:
        """The turns of these days: a whole exchange belongs to the day of its first turn."""
        with self._corpus.lock:  # another thread may take in what was just said
            turns = list(self._corpus.turns.values())
        first: dict[str, tuple[datetime, int, str]] = {}
        for turn in turns:
            moment = (turn.at, turn.position, turn.id)
            first[turn.exchange] = min(first.get(turn.exchange, moment), moment)
        home = {exchange: day_key(moment[0], self._zone) for exchange, moment in first.items()}
        found: dict[str, list[Turn]] = defaultdict(list)
        for turn in turns:
            if home[turn.exchange] in days:
                found[home[turn.exchange]].append(turn)
        return found


def _provisional(ledger: Ledger, kind: str) -> list[Unit]:
    return [one for one in ledger.of_kind(kind) if one.status == "provisional"]


def _grouped(units: Iterable[Unit], key: Callable[[Unit], str]) -> dict[str, list[Unit]]:
    groups: dict[str, list[Unit]] = defaultdict(list)
    for unit in units:
        groups[key(unit)].append(unit)
    return groups
