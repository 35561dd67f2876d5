"""The message that every format comes down to, and the turn that becomes of it.

A reader of a format says where a message stands and what its fields are; they are checked, cleaned and grouped
here, so that all formats agree on ids, on who the owner is and on what is too long.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from mcp_memory.errors import InputError
from mcp_memory.importers.grouping import Grouping
from mcp_memory.model.ids import make_id
from mcp_memory.model.turn import Note, Role, Turn, turn_id
from mcp_memory.text.clean import clean, has_visible, plain
from mcp_memory.text.redact import redact
from mcp_memory.write.remember import ASSISTANT, MOST_CUES, MOST_FACT, MOST_LABEL, MOST_NOTES, MOST_TEXT

_YEARS: Final = range(2, 9999)  # a day may be added or taken away without leaving the calendar

_Short = Annotated[
    str,
    Field(max_length=MOST_LABEL),
    BeforeValidator(lambda value: str(value) if type(value) is int else value),  # numbers may be names
]
_Fact = Annotated[str, Field(max_length=MOST_FACT)]


@dataclass(frozen=True, slots=True)
class Found:
    """A message as its file has it, unchecked.  `where` is its place there; `fields` are those of a JSON line
    (`at`, `text`, `role` or `name`, and what is optional); None is "not given"."""

    where: str
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Damaged:
    """What stands where a message should and cannot be used; `why` never holds what was said."""

    where: str
    why: str


Entry = Found | Damaged


def _visible(text: str) -> str:
    if not has_visible(text):
        raise ValueError("is blank; leave it out")
    return text


class _NoteFields(BaseModel):
    model_config = ConfigDict(strict=True)

    fact: Annotated[_Fact, AfterValidator(_visible)]
    cues: Annotated[list[_Fact], Field(max_length=MOST_CUES)] = []
    replaces: _Fact = ""


class _Fields(BaseModel):
    model_config = ConfigDict(strict=True)

    at: str
    text: Annotated[str, Field(max_length=MOST_TEXT), AfterValidator(_visible)]
    role: Literal["user", "assistant", "other", ""] = ""
    name: _Short = ""
    session: _Short = ""
    id: _Short = ""
    topic: _Short = ""
    notes: Annotated[list[_NoteFields], Field(max_length=MOST_NOTES)] = []
    exchange: _Short = ""
    position: Annotated[int, Field(ge=0, lt=1 << 31)] | None = None


def as_turns(entries: Iterable[Entry], owner: str, zone: ZoneInfo, *, secrets_out: bool) -> Iterator[Turn | Damaged]:
    """The turns of messages, in their order, grouped into exchanges; one message is held at a time.

    A message of role user without a name is the owner's, and so is one under the owner's name; a moment
    without a zone is local to `zone`.  With `secrets_out` keys and card numbers are replaced.  The same
    message gives the same id, so importing twice, or on after a fault, adds nothing that is there.  What has no id
    of its own and is said again in the same moment is the second of its kind, in every import.
    """
    grouping, said = Grouping(), Counter[str]()
    for entry in entries:
        if isinstance(entry, Damaged):
            yield entry
            continue
        try:
            fields = _checked(entry.fields)
            turn = _told_apart(_turn(fields, owner, zone, secrets_out), said)
        except InputError as error:
            yield Damaged(entry.where, str(error))
        else:
            yield grouping.place(turn, fields.exchange, fields.position)


def reason(error: ValidationError) -> str:
    """The first thing that is wrong, without what it is wrong with."""
    first = error.errors(include_input=False, include_url=False)[0]
    what = first["msg"].removeprefix("Value error, ")
    return f"`{'.'.join(str(part) for part in first['loc'])}`: {what[0].lower()}{what[1:]}"


def _checked(fields: Mapping[str, Any]) -> _Fields:
    given = {key: _cleaned(value) for key, value in fields.items() if value is not None}
    try:
        return _Fields.model_validate(given)
    except ValidationError as error:
        raise InputError(reason(error)) from None


def _cleaned(value: Any) -> Any:
    """A JSON value with all its strings fit to be stored."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_cleaned(entry) for entry in value]
    return {clean(key): _cleaned(entry) for key, entry in value.items()} if isinstance(value, dict) else value


def _turn(fields: _Fields, owner: str, zone: ZoneInfo, secrets_out: bool) -> Turn:
    """The turn of a message, an exchange of its own."""

    def safe(text: str) -> str:
        return redact(text)[0] if secrets_out else text

    text, session, ref = safe(fields.text), plain(safe(fields.session)), plain(fields.id)
    speaker, role = _speaker(fields, owner)
    at = _moment(fields.at, zone)
    identifier = turn_id(owner, session, at, speaker, text, ref)
    notes = tuple(
        Note(
            plain(safe(note.fact)),
            tuple(plain(safe(cue)) for cue in note.cues if has_visible(cue)),
            plain(safe(note.replaces)),
        )
        for note in fields.notes
    )
    topic = plain(safe(fields.topic))
    return Turn(identifier, owner, session, identifier, 0, at, speaker, role, text, topic, notes, ref)


def _told_apart(turn: Turn, said: Counter[str]) -> Turn:
    """The turn, with an id of its own where the same was `said` before; who gives ids tells apart by them."""
    if turn.ref:
        return turn
    said[turn.id] += 1
    if (number := said[turn.id]) == 1:
        return turn
    identifier = make_id("turn", turn.owner, turn.id, str(number))
    return replace(turn, id=identifier, exchange=identifier)


def _speaker(fields: _Fields, owner: str) -> tuple[str, Role]:
    name = plain(fields.name)
    if name and not fields.role and name.casefold() == owner.casefold():
        return owner, "user"
    if name:
        return name, fields.role or "other"
    if fields.role == "user":
        return owner, "user"
    if fields.role == "assistant":
        return ASSISTANT, "assistant"
    raise InputError(
        "`name` is missing: say who speaks, by `name`, or by `role` user or assistant (other needs a `name`)"
    )


def _moment(text: str, zone: ZoneInfo) -> datetime:
    try:
        moment = datetime.fromisoformat(text.strip())
        moment = (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise InputError("`at` is not a moment in ISO 8601 such as 2024-05-01T09:30:00+02:00") from None
    if moment.year not in _YEARS:
        raise InputError("`at` is at the end of the calendar")
    return moment
