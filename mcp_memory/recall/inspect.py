"""Looking into the memory itself: counts, the tree, one record with everything around it."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

from mcp_memory.model.turn import Turn
from mcp_memory.model.unit import TREE, Unit
from mcp_memory.store.corpus import Corpus
from mcp_memory.text.clean import plain
from mcp_memory.text.render import local_day
from mcp_memory.text.tokens import cut_tokens

_SHOWN_TOKENS = 60

FAMILIES: Final = ("entity", "bridge", "scene", "horizon")

Row = dict[str, Any]


def counts(corpus: Corpus) -> Row:
    """How much there is of everything, and who wrote it."""
    with corpus.lock:
        units, turns = list(corpus.units.values()), list(corpus.turns.values())
        moments = [turn.at for turn in turns]
        return {
            "turns": len(turns),
            "speakers": dict(Counter(turn.speaker for turn in turns).most_common(10)),
            "first": min(moments).isoformat() if moments else "",
            "last": max(moments).isoformat() if moments else "",
            "tree": {f"L{level}": _count(units, kind) for level, kind in enumerate(TREE, start=1)},
            "provisional": sum(unit.status == "provisional" for unit in units),
            "scenes": _count(units, "scene"),
            "topics": _count(units, "topic"),
            "items": dict(Counter(unit.view for unit in units if unit.kind == "item")),
            "cues": {family: _written_by(units, family) or "none" for family in FAMILIES},
            "personas": sorted({unit.speaker for unit in units if unit.kind == "persona"}),
            "written_by": dict(Counter(unit.source for unit in units)),
            "superseded": len(corpus.superseded),
        }


def _written_by(units: Sequence[Unit], family: str) -> dict[str, int]:
    """How many cues of a family each scribe wrote; rules write none."""
    return dict(Counter(unit.source for unit in units if unit.kind == "cue" and unit.family == family))


def _count(units: Sequence[Unit], kind: str) -> int:
    return sum(unit.kind == kind for unit in units)


def timeline(corpus: Corpus, zone: ZoneInfo, since: datetime | None, until: datetime | None, limit: int) -> Row:
    """The newest `limit` nodes of the tree, oldest first: sessions, each below its month, week and day.

    `left_out` says how many are older, and the `until` that shows them.
    """
    with corpus.lock:
        sessions = [
            unit
            for unit in corpus.units.values()
            if unit.kind == "session" and (until is None or unit.start < until) and (since is None or unit.end >= since)
        ]
        sessions.sort(key=lambda one: (one.start, one.id))
        held = _turns_held(corpus, sessions)
        newest = set(list(held)[:limit])
        shown = {node.id: node for one in sessions for node in (*reversed(ancestors(corpus, one)), one)}
        nodes = [node_row(unit, zone) | {"turns": held[unit.id]} for unit in shown.values() if unit.id in newest]
        oldest = next((one for one in sessions if one.id in newest), None)
        return {"nodes": nodes, "left_out": _left_out(len(held) - len(nodes), oldest, zone)}


def _left_out(count: int, oldest: Unit | None, zone: ZoneInfo) -> str:
    if not count or oldest is None:
        return ""
    return f"{count} older nodes: until={oldest.start.astimezone(zone).isoformat()} shows them, or a higher limit"


def _turns_held(corpus: Corpus, sessions: Sequence[Unit]) -> Counter[str]:
    """How many turns of these sessions lie below each node of the tree, newest first."""
    held: Counter[str] = Counter()
    for session in reversed(sessions):
        for unit in (session, *ancestors(corpus, session)):
            held[unit.id] += len(session.turns)
    return held


def ancestors(corpus: Corpus, unit: Unit) -> list[Unit]:
    """The records above one, nearest first."""
    found: list[Unit] = []
    above = corpus.units.get(unit.parent)
    while above is not None and above not in found:
        found.append(above)
        above = corpus.units.get(above.parent)
    return found


def children(corpus: Corpus, unit: Unit) -> list[Unit]:
    """The records below one, by time."""
    if unit.kind == "topic":
        below = [one for one in corpus.units.values() if unit.id in one.detail.get("topics", ())]
    else:
        below = [one for one in corpus.units.values() if one.parent == unit.id]
    return sorted(below, key=lambda one: (one.kind, one.start, one.id))


def node_row(unit: Unit, zone: ZoneInfo) -> Row:
    """One record on one line."""
    return {
        "id": unit.id,
        "kind": unit.kind,
        "level": unit.level,
        "family": unit.family,
        "view": unit.view,
        "date": local_day(unit.start, zone),
        "until": local_day(unit.end, zone),
        "window": unit.window,
        "title": plain(unit.title),
        "text": cut_tokens(plain(unit.text), _SHOWN_TOKENS),
        "turns": len(unit.turns),
        "source": unit.source,
        "status": unit.status,
    }


def turn_row(turn: Turn, zone: ZoneInfo) -> Row:
    """One turn on one line."""
    return {
        "id": turn.id,
        "kind": "turn",
        "date": turn.at.astimezone(zone).isoformat(timespec="seconds"),
        "speaker": turn.speaker,
        "text": cut_tokens(plain(turn.text), _SHOWN_TOKENS),
        "session": turn.session,
        "ref": turn.ref,
    }


def node(corpus: Corpus, zone: ZoneInfo, found: Turn | Unit, limit: int) -> Row:
    """A record whole, with what is above, below and around it.

    `limit` bounds each list; `more` says how many were left out.
    """
    with corpus.lock:
        if isinstance(found, Turn):
            standing = [unit for unit in corpus.units.values() if found.id in unit.turns and unit.kind != "cue"]
            row = turn_row(found, zone) | {"text": found.text, "topic": found.topic, "exchange": found.exchange}
            return row | _listed("stands_on_it", [node_row(one, zone) for one in standing], limit)
        row = node_row(found, zone) | {"text": found.text, "speaker": found.speaker}
        row["detail"] = {key: value for key, value in found.detail.items() if key != "patches"}
        row["superseded_by"] = corpus.superseded.get(found.id, "")
        row["status"] = "superseded" if row["superseded_by"] else found.status
        row["replaces"] = [old for old, new in corpus.superseded.items() if new == found.id]
        row["above"] = [node_row(one, zone) for one in ancestors(corpus, found)]
        below = children(corpus, found)
        cues = [one for one in below if one.kind == "cue"]
        row |= _listed("below", [node_row(one, zone) for one in below if one.kind != "cue"], limit)
        row |= _listed("cues", [node_row(one, zone) for one in cues], limit)
        evidence = [corpus.turns[turn] for turn in found.turns if turn in corpus.turns]
        return row | _listed("evidence", [turn_row(turn, zone) for turn in evidence], limit)


def _listed(name: str, rows: Sequence[Row], limit: int) -> Row:
    return {name: list(rows[:limit]), f"more_{name}": max(0, len(rows) - limit)}


def topics(corpus: Corpus, zone: ZoneInfo, limit: int) -> Row:
    """Topics, the most recent first; `more_topics` counts what is left out."""
    with corpus.lock:
        found = [unit for unit in corpus.units.values() if unit.kind == "topic"]
        newest = sorted(found, key=lambda one: (one.end, one.id), reverse=True)[:limit]
        rows = [node_row(one, zone) | {"scenes": one.detail.get("scenes", 0)} for one in newest]
        return {"topics": rows, "more_topics": len(found) - len(rows)}
