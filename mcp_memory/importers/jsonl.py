"""One message a line: the format that any conversation can be brought into, and that `export` writes.

    {"at": "2024-05-01T09:30:00+02:00", "role": "user", "text": "…", "session": "monday"}
    {"at": "2024-05-01T09:31:00+02:00", "name": "Ann", "text": "…", "id": "mail-17"}

`at` and `text` are needed, and `role` (user, assistant, other) or `name` or both.  `session` and `id` are
free; a moment without a zone is the owner's local time.  The export adds `topic`, `notes`, `exchange` and
`position`.  Keys of any other name are left alone, null is "not given".
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TextIO
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from mcp_memory.errors import InputError
from mcp_memory.importers.grouping import Grouping
from mcp_memory.model.turn import Note, Role, Turn, turn_id
from mcp_memory.text.clean import clean, has_visible, plain
from mcp_memory.text.redact import redact
from mcp_memory.write.remember import ASSISTANT, MOST_CUES, MOST_FACT, MOST_LABEL, MOST_NOTES, MOST_TEXT

LONGEST_LINE: Final = 24 << 20  # bytes: room for the longest text with every character escaped
_BOM: Final = b"\xef\xbb\xbf"
_EXPECTED: Final = 'one JSON object a line, {"at": "2024-05-01T09:30:00+02:00", "role": "user", "text": "…"}'
_YEARS: Final = range(1, 9999)  # a day may be added without leaving the calendar

_Short = Annotated[
    str,
    Field(max_length=MOST_LABEL),
    BeforeValidator(lambda value: str(value) if type(value) is int else value),  # numbers may be names
]
_Fact = Annotated[str, Field(max_length=MOST_FACT)]


def _visible(text: str) -> str:
    if not has_visible(text):
        raise ValueError("is blank; leave it out")
    return text


class _NoteLine(BaseModel):
    model_config = ConfigDict(strict=True)

    fact: Annotated[_Fact, AfterValidator(_visible)]
    cues: Annotated[list[_Fact], Field(max_length=MOST_CUES)] = []
    replaces: _Fact = ""


class _Line(BaseModel):
    model_config = ConfigDict(strict=True)

    at: str
    text: Annotated[str, Field(max_length=MOST_TEXT), AfterValidator(_visible)]
    role: Literal["user", "assistant", "other", ""] = ""
    name: _Short = ""
    session: _Short = ""
    id: _Short = ""
    topic: _Short = ""
    notes: Annotated[list[_NoteLine], Field(max_length=MOST_NOTES)] = []
    exchange: _Short = ""
    position: Annotated[int, Field(ge=0, lt=1 << 31)] | None = None


def read_messages(path: Path, owner: str, zone: ZoneInfo, *, secrets_out: bool = False) -> Iterator[Turn]:
    """The turns of a file, in its order, grouped into exchanges; one line is held at a time.

    A message of role user without a name is the owner's.  With `secrets_out` keys and card numbers are
    replaced.  The same file gives the same ids, so importing twice, or on after a fault, adds nothing that
    is there.  Raises InputError naming file and line at the first line that cannot be used: everything
    before it has been handed out, nothing of it has.
    """
    grouping = Grouping()
    for number, raw in _lines(path):
        try:
            line = _parse(raw)
            turn = grouping.place(_turn(line, owner, zone, secrets_out), line.exchange, line.position)
        except InputError as error:
            raise InputError(f"{path}, line {number}: {error}") from None
        yield turn


def write_messages(turns: Iterable[Turn], file: TextIO) -> int:
    """Write turns in the format that `read_messages` reads back without loss; returns how many."""
    written = 0
    for turn in turns:
        file.write(json.dumps(_record(turn), ensure_ascii=False) + "\n")
        written += 1
    return written


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Numbered lines that are not blank."""
    number = 0
    try:
        with path.open("rb") as file:
            while line := file.readline(LONGEST_LINE + 1):
                number += 1
                if len(line) > LONGEST_LINE:
                    raise InputError(f"{path}, line {number}: longer than {LONGEST_LINE >> 20} MB; {_EXPECTED}")
                if number == 1:
                    line = line.removeprefix(_BOM)
                if line.strip():
                    yield number, line
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None


def _parse(raw: bytes) -> _Line:
    try:
        record = _cleaned(json.loads(raw.decode("utf-8")))
    except UnicodeDecodeError:
        raise InputError("not UTF-8 text; save the file as UTF-8") from None
    except (ValueError, RecursionError):
        raise InputError(f"not valid JSON; expected {_EXPECTED}") from None
    if not isinstance(record, dict):
        raise InputError(f"not a JSON object; expected {_EXPECTED}")
    try:
        return _Line.model_validate({key: value for key, value in record.items() if value is not None})
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
    where, what = ".".join(str(part) for part in first["loc"]), first["msg"].removeprefix("Value error, ")
    raise InputError(f"`{where}`: {what[0].lower()}{what[1:]}; expected {_EXPECTED}")


def _cleaned(value: Any) -> Any:
    """A JSON value with all its strings fit to be stored."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_cleaned(entry) for entry in value]
    return {clean(key): _cleaned(entry) for key, entry in value.items()} if isinstance(value, dict) else value


def _turn(line: _Line, owner: str, zone: ZoneInfo, secrets_out: bool) -> Turn:
    """The turn of a line, an exchange of its own."""

    def safe(text: str) -> str:
        return redact(text)[0] if secrets_out else text

    text, session, ref = safe(line.text), plain(safe(line.session)), plain(line.id)
    speaker, role = _speaker(line, owner)
    at = _moment(line.at, zone)
    identifier = turn_id(owner, session, at, speaker, text, ref)
    notes = tuple(
        Note(
            plain(safe(note.fact)),
            tuple(plain(safe(cue)) for cue in note.cues if has_visible(cue)),
            plain(safe(note.replaces)),
        )
        for note in line.notes
    )
    topic = plain(safe(line.topic))
    return Turn(identifier, owner, session, identifier, 0, at, speaker, role, text, topic, notes, ref)


def _speaker(line: _Line, owner: str) -> tuple[str, Role]:
    name = plain(line.name)
    if name:
        return name, line.role or "other"
    if line.role == "user":
        return owner, "user"
    if line.role == "assistant":
        return ASSISTANT, "assistant"
    raise InputError("`name` is missing: say who speaks, by `name`, or by `role` user or assistant")


def _moment(text: str, zone: ZoneInfo) -> datetime:
    try:
        moment = datetime.fromisoformat(text.strip())
        moment = (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise InputError("`at` is not a moment in ISO 8601 such as 2024-05-01T09:30:00+02:00") from None
    if moment.year not in _YEARS:
        raise InputError("`at` is at the end of the calendar")
    return moment


def _record(turn: Turn) -> dict[str, Any]:
    """A turn without what is empty or follows from the rest."""
    implied = {"user": turn.owner, "assistant": ASSISTANT}
    optional = {
        "name": "" if implied.get(turn.role) == turn.speaker else turn.speaker,
        "session": turn.session,
        "id": turn.ref,
        "topic": turn.topic,
        "notes": [asdict(note) for note in turn.notes],
    }
    given = {key: value for key, value in optional.items() if value}
    always = {"at": turn.at.isoformat(), "role": turn.role, "text": turn.text}
    return always | given | {"exchange": turn.exchange, "position": turn.position}
