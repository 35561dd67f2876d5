"""The Temporal Memory Tree above its leaves: session, day, week and profile nodes (TiMem §3.1–3.2).

A node covers exactly its children, so intervals contain each other by construction.  Every window has a
node from its first turn on; until the window is over the node is provisional and made by rules, so that the
tree is never missing a level and nobody pays a model for what is still changing.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

from mcp_memory.model.ids import make_id
from mcp_memory.model.notes import Grain, Period, PeriodNotes
from mcp_memory.model.turn import Turn
from mcp_memory.model.unit import Kind, Unit
from mcp_memory.model.window import SESSION_GAP, day_window, month_key, month_window, week_key, week_window
from mcp_memory.scribe.rules import RulesScribe

RECENT_EXCHANGES: Final = 16  # what a provisional session is summed up from

Answered = Callable[[str, str, str], PeriodNotes | None]
"""(kind, key, fingerprint) -> the notes of a valid reply, if there is one."""


@dataclass(frozen=True, slots=True)
class Node:
    """What a tree node is made of, before anybody has summed it up."""

    kind: Grain
    key: str
    window: str
    parent: str
    children: tuple[Unit, ...]
    closed: bool
    turns: tuple[Turn, ...] = ()
    scenes: tuple[Unit, ...] = ()  # of a session

    @property
    def fingerprint(self) -> str:
        """Changes whenever what a scribe would be shown changes."""
        shown = [turn.id for turn in self.turns] or [f"{child.id}{child.title}{child.text}" for child in self.children]
        return hashlib.blake2b("\x1f".join(shown).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()

    def period(self, history: Sequence[Unit] = ()) -> Period:
        """The question to a scribe."""
        children = tuple((child.title, child.text) for child in self.children)
        return Period(
            self.kind, self.window, children, tuple((one.title, one.text) for one in history), turns=self.turns
        )


def session_id(owner: str, day: str, turns: Sequence[Turn]) -> str:
    """A named session is known by its name and day, an unnamed one by its first turn."""
    return make_id("session", owner, day, turns[0].session or turns[0].id)


def node_id(owner: str, kind: Kind, window: str) -> str:
    """The id of a day, week or profile."""
    return make_id(kind, owner, window)


def session_closed(turns: Sequence[Turn], day: str, zone: ZoneInfo, now: datetime) -> bool:
    """Whether nothing can follow any more: silence for longer than the gap, or the day is over."""
    return now - turns[-1].at > SESSION_GAP or day_window(day, zone).end <= now


def day_node(owner: str, day: str, sessions: Sequence[Unit], zone: ZoneInfo, now: datetime) -> Node:
    """The day over its sessions."""
    closed = day_window(day, zone).end <= now
    return Node("day", day, day, node_id(owner, "week", week_key(day)), tuple(sessions), closed)


def week_node(owner: str, week: str, days: Sequence[Unit], zone: ZoneInfo, now: datetime) -> Node:
    """The week over its days."""
    closed = week_window(week, zone).end <= now
    return Node("week", week, week, node_id(owner, "profile", month_key(week)), tuple(days), closed)


def month_closed(month: str, zone: ZoneInfo, now: datetime) -> bool:
    """Whether the last of a month's weeks is over."""
    return month_window(month, zone).end <= now


def sum_up(node: Node, identifier: str, rules: RulesScribe, answered: Answered) -> Unit:
    """The node's unit: a reply's text, a single child's (promoted without a call), or an extract by rules."""
    notes = _notes(node, rules, answered)
    return Unit(
        id=identifier,
        owner=node.children[0].owner,
        kind=node.kind,
        start=min(child.start for child in node.children),
        end=max(child.end for child in node.children),
        text=notes.text,
        title=notes.title,
        parent=node.parent,
        window=node.window,
        turns=tuple(turn.id for turn in node.turns),
        source=notes.source,
        status="live" if node.closed else "provisional",
        detail={"patches": [_patch(patch, node) for patch in notes.patches]} if notes.patches else {},
    )


def _notes(node: Node, rules: RulesScribe, answered: Answered) -> PeriodNotes:
    reply = answered(node.kind, node.key, node.fingerprint) if node.closed else None
    if reply and reply.text:
        return reply
    if node.kind == "session":
        if node.closed and node.scenes and all(scene.source != "rules" for scene in node.scenes):
            return _told_by_scenes(node, rules)
        if not node.closed:
            recent = {turn for child in node.children[-RECENT_EXCHANGES:] for turn in child.turns}
            node = replace(node, turns=tuple(turn for turn in node.turns if turn.id in recent))
        return rules.close_session(node.period())
    if len(node.children) == 1:
        child = node.children[0]
        return PeriodNotes(child.title, child.text, source=child.source)
    return rules.close_period(node.period())


def _told_by_scenes(node: Node, rules: RulesScribe) -> PeriodNotes:
    """A session that nobody has summed up, or that is too short to be asked about, told by its scenes."""
    text = "\n".join(str(scene.detail.get("summary") or scene.text) for scene in node.scenes)
    patches = rules.close_session(node.period()).patches
    return PeriodNotes(node.scenes[0].title, text, patches, source=node.scenes[0].source)


def _patch(patch: Any, node: Node) -> dict[str, Any]:
    """A persona patch as JSON values, dated by its latest evidence."""
    moments = {turn.id: turn.at for turn in node.turns}
    known = [moments[turn] for turn in patch.turns if turn in moments]
    at = max(known) if known else node.turns[-1].at
    return {
        "speaker": patch.speaker,
        "key": patch.key,
        "name": patch.name,
        "value": patch.value,
        "when": patch.when,
        "turns": list(patch.turns),
        "at": at.isoformat(),
    }
