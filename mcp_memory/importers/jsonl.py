"""One message a line: the format that any conversation can be brought into, and that `export` writes.

    {"at": "2024-05-01T09:30:00+02:00", "role": "user", "text": "…", "session": "monday"}
    {"at": "2024-05-01T09:31:00+02:00", "name": "Ann", "text": "…", "id": "mail-17"}

`at` and `text` are needed, and `role` (user, assistant) or `name` or both; role other needs a `name`, and is what
a name alone means.  `session` and `id` are free; a moment without a zone is the owner's local time.  The export adds
`topic`, `notes`, `exchange` and `position`.  Keys of any other name are left alone, null is "not given".
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final, TextIO
from zoneinfo import ZoneInfo

from mcp_memory.errors import InputError
from mcp_memory.importers.messages import Damaged, Entry, Found, as_turns
from mcp_memory.importers.reading import LONGEST_LINE, first_lines, lines, parsed
from mcp_memory.importers.source import Source, opened
from mcp_memory.model.turn import Turn
from mcp_memory.write.remember import ASSISTANT

EXPECTED: Final = 'one JSON object a line, {"at": "2024-05-01T09:30:00+02:00", "role": "user", "text": "…"}'


def read_messages(path: Path, owner: str, zone: ZoneInfo, *, secrets_out: bool = False) -> Iterator[Turn]:
    """The turns of a file of JSON lines; see `read_lines`."""
    with opened(path) as source:
        yield from read_lines(source, owner, zone, secrets_out=secrets_out)


def read_lines(source: Source, owner: str, zone: ZoneInfo, *, secrets_out: bool) -> Iterator[Turn]:
    """The turns of a file of JSON lines, in its order.

    Whoever wrote the lines can mend them: raises InputError naming file and line at the first one that cannot
    be used.  Everything before it has been handed out, nothing of it has.
    """
    if not source.alone:
        raise InputError(f"cannot read {source.path}: JSON lines are one file, neither a folder nor a .zip")
    for turn in as_turns(_entries(source), owner, zone, secrets_out=secrets_out):
        if isinstance(turn, Damaged):
            raise InputError(f"{source.path}, {turn.where}: {turn.why}; expected {EXPECTED}")
        yield turn


def looks_so(source: Source) -> bool:
    """Whether a line at the beginning has a message's fields; a blank file is one without messages."""
    if not source.alone:
        return False
    with source.reading(source.path.name) as file:
        blank = not file.read(LONGEST_LINE).strip()
    records = map(parsed, first_lines(source, source.path.name))
    return blank or any(isinstance(record, dict) and {"at", "text"} & record.keys() for record in records)


def write_messages(turns: Iterable[Turn], file: TextIO) -> int:
    """Write turns in the format that `read_messages` reads back without loss; returns how many."""
    written = 0
    for turn in turns:
        file.write(json.dumps(_record(turn), ensure_ascii=False) + "\n")
        written += 1
    return written


def _entries(source: Source) -> Iterator[Entry]:
    with source.reading(source.path.name) as file:
        for number, line in lines(file):
            if line is None or line.strip():
                yield _entry(f"line {number}", line)


def _entry(where: str, line: bytes | None) -> Entry:
    if line is None:
        return Damaged(where, f"longer than {LONGEST_LINE >> 20} MB")
    try:
        record = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError:
        return Damaged(where, "not UTF-8 text; save the file as UTF-8")
    except (ValueError, RecursionError):
        return Damaged(where, "not valid JSON")
    return Found(where, record) if isinstance(record, dict) else Damaged(where, "not a JSON object")


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
