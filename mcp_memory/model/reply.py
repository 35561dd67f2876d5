"""What a scribe answered, kept so that everything derived can be made again without asking."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Literal

from mcp_memory.model.ids import make_id
from mcp_memory.model.notes import BatchNotes, ItemNote, PeriodNotes, PersonaPatch, SceneNote, SegmentNote

ReplyKind = Literal["batch", "session", "day", "week", "profile"]


@dataclass(frozen=True, slots=True)
class Spent:
    """What a call took, and the version of the prompt that it answered."""

    model: str = ""
    prompt: str = ""
    input_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer.  `key` names what was asked about (a session's id, a window, a batch's first turn), `of`
    is the fingerprint of what was shown: a period reply counts only while that is unchanged.  `turns` are
    those of a batch or session; `shown` the units that were shown besides; `body` is the notes as JSON
    values.  `rev` numbers replies in the order in which they were kept: where two are about one turn, the
    later one counts."""

    id: str
    owner: str
    kind: ReplyKind
    key: str
    start: datetime
    end: datetime
    turns: tuple[str, ...]
    of: str
    body: Mapping[str, Any]
    shown: tuple[str, ...] = ()
    rev: int = 0
    spent: Spent = Spent()


def reply_id(owner: str, kind: ReplyKind, key: str) -> str:
    """Asking again about the same thing replaces the answer."""
    return make_id("reply", owner, kind, key)


def notes_body(notes: BatchNotes | PeriodNotes) -> dict[str, Any]:
    """Notes as JSON values."""
    return asdict(notes)


def batch_notes(body: Mapping[str, Any]) -> BatchNotes:
    """The notes that `notes_body` wrote for a batch."""
    return BatchNotes(
        scenes=tuple(SceneNote(**_tuples(scene)) for scene in body["scenes"]),
        items=tuple(ItemNote(**_tuples(item)) for item in body["items"]),
        segments=tuple(SegmentNote(**segment) for segment in body["segments"]),
        source=body["source"],
    )


def period_notes(body: Mapping[str, Any]) -> PeriodNotes:
    """The notes that `notes_body` wrote for a period."""
    patches = tuple(PersonaPatch(**_tuples(patch)) for patch in body["patches"])
    portraits = tuple((speaker, text) for speaker, text in body["portraits"])
    return PeriodNotes(**dict(body) | {"patches": patches, "portraits": portraits})


def _tuples(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}
