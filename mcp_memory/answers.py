"""What the tools return as structure; each is complete without the text beside it."""

from typing import Any

from pydantic import BaseModel, ConfigDict


def _bare(schema: dict[str, Any]) -> None:
    """Clients pay for every byte of a schema: what tells a model nothing is left out."""
    for name in ("description", "title", "required", "additionalProperties"):
        schema.pop(name, None)
    for field in schema.get("properties", {}).values():
        field.pop("title", None)


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid", json_schema_extra=_bare)


class Note(_Shape):
    """One fact the caller writes down."""

    fact: str
    cues: list[str] = []
    replaces: str = ""


class RememberResult(_Shape):
    """What became of a turn."""

    ids: list[str]
    stored: bool
    duplicate: bool
    at: str
    redacted: list[str]
    pending: int
    notices: list[str]


class HitResult(_Shape):
    """One remembered line."""

    id: str
    section: str
    kind: str
    text: str
    sources: list[str]
    start: str
    end: str
    score: float
    via: str
    source: str


class RecallResult(_Shape):
    """What was found."""

    hits: list[HitResult]
    complexity: str
    tokens: int
    notices: list[str]
    trace: str


class PersonaResult(_Shape):
    """What is known of somebody."""

    speaker: str
    since: str
    portrait: str
    keys: dict[str, list[dict[str, Any]]]
    changes: list[dict[str, Any]]
    notices: list[str]


class InspectResult(_Shape):
    """One view of the memory itself."""

    view: str
    data: dict[str, Any]
    notices: list[str]


class ForgetResult(_Shape):
    """What would go, or has gone."""

    erased: bool
    turns: list[str]
    derived: int
    notices: list[str]
