"""Turns and units as JSON and as table rows, and back, without loss."""

import hashlib
import json
import sys
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, Final

from mcp_memory.model.turn import Note, Turn
from mcp_memory.model.unit import Unit

# one string for all rows that say the same: a fifth of what a large memory's rows would take
_NOTHING: Final[Mapping[str, Any]] = {}
_SHARED: Final = ("id", "owner", "session", "exchange", "speaker", "role", "text", "topic", "ref")
_REPEATED: Final = ("owner", "kind", "family", "view", "speaker", "parent", "window", "source", "status", "text")


def turn_to_json(turn: Turn) -> str:
    """One turn as a JSON object."""
    return json.dumps(asdict(turn) | {"at": turn.at.isoformat()}, ensure_ascii=False)


def turn_from_json(text: str) -> Turn:
    """The turn that `turn_to_json` wrote."""
    raw = json.loads(text)
    return Turn(**raw | {"at": datetime.fromisoformat(raw["at"]), "notes": _notes(raw["notes"])})


def turn_to_row(turn: Turn, rev: int) -> dict[str, Any]:
    """One row of `turns`; `checksum` lets `doctor` find what the disk changed silently."""
    notes = json.dumps([asdict(note) for note in turn.notes], ensure_ascii=False) if turn.notes else ""
    row = asdict(turn) | {"notes": notes, "rev": rev}
    return row | {"checksum": checksum(turn)}


def turn_from_row(row: Mapping[str, Any]) -> Turn:
    """The turn a row of `turns` holds."""
    fields = {name: row[name] for name in Turn.__slots__}
    fields |= {name: sys.intern(fields[name]) for name in _SHARED}
    fields["notes"] = _notes(json.loads(row["notes"])) if row["notes"] else ()
    return Turn(**fields | {"at": _utc(row["at"])})


def turn_from_quote(quote: Unit, exchange: str) -> Turn:
    """What a quote tells of its turn, when the table of turns has lost it."""
    said_by_assistant = quote.speaker == "assistant"
    return Turn(
        id=quote.turns[0],
        owner=quote.owner,
        session="",
        exchange=exchange,
        position=int(quote.turns[0] != exchange),
        at=quote.start,
        speaker=quote.speaker,
        role="assistant" if said_by_assistant else "user",
        text=quote.text,
    )


def checksum(turn: Turn) -> str:
    """A fingerprint of everything a turn says."""
    return hashlib.blake2b(turn_to_json(turn).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def unit_to_row(unit: Unit, rev: int, emb: Any) -> dict[str, Any]:
    """One row of `units`; `emb` is a vector or None."""
    row = {name: getattr(unit, name) for name in Unit.__slots__}
    detail = json.dumps(dict(unit.detail), ensure_ascii=False, sort_keys=True) if unit.detail else ""
    return row | {"turns": list(unit.turns), "detail": detail, "rev": rev, "emb": emb}


def unit_from_row(row: Mapping[str, Any]) -> Unit:
    """The unit a row of `units` holds."""
    start, end = _utc(row["start"]), _utc(row["end"])
    fields = {name: row[name] for name in Unit.__slots__}
    fields |= {name: sys.intern(fields[name]) for name in _REPEATED}
    fields |= {
        "start": start,
        "end": start if end == start else end,
        "turns": tuple(map(sys.intern, row["turns"])),
        "detail": json.loads(row["detail"]) if row["detail"] else _NOTHING,
    }
    return Unit(**fields)


def _notes(raw: list[Mapping[str, Any]]) -> tuple[Note, ...]:
    return tuple(Note(note["fact"], tuple(note["cues"]), note["replaces"]) for note in raw)


def _utc(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
