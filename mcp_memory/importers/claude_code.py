"""Claude Code's transcripts: one JSON-lines file a session, or a folder with those of many projects."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from mcp_memory.importers.messages import Damaged, Entry, Found
from mcp_memory.importers.reading import first_lines, lines, parsed
from mcp_memory.importers.source import Source
from mcp_memory.text.transcript import Message, messages

_SESSIONS: Final = r".*\.jsonl"


def looks_so(source: Source) -> bool:
    """Whether a line at the beginning of a file belongs to a session."""
    first = (line for name in source.named(_SESSIONS) for line in first_lines(source, name))
    return any(isinstance(record, dict) and {"sessionId", "type"} <= record.keys() for record in map(parsed, first))


def read(source: Source) -> Iterator[Entry]:
    """What was said in the sessions.  One that was resumed may repeat the one before it, whose messages they stay:
    that is the older file."""
    seen: set[str] = set()
    for name in source.named(_SESSIONS):
        for entry in _session(source, name):
            ref = entry.fields["id"] if isinstance(entry, Found) else None
            if ref is None or ref not in seen:
                yield entry
            if ref:
                seen.add(ref)


def _session(source: Source, name: str) -> Iterator[Entry]:
    damaged: list[Damaged] = []
    with source.reading(name) as file:
        for message in messages(_sound(lines(file), name, damaged)):
            yield from damaged
            damaged.clear()
            yield found(message, name)
        yield from damaged


def found(message: Message, where: str) -> Found:
    """A message as imports and hooks store it; one without a session is in that of its place."""
    said = {"role": message.role, "at": message.at.isoformat(), "text": message.text}
    ref = f"claude-code:{message.uuid}" if message.uuid else None
    return Found(where, {**said, "session": session_name(message.session or where), "id": ref})


def session_name(session: str) -> str:
    """What a session of the client is called here."""
    return f"claude-code:{session}"


def _sound(numbered: Iterable[tuple[int, bytes | None]], name: str, damaged: list[Damaged]) -> Iterator[bytes]:
    """The lines that can be read; the others are noted, because the transcript passes over them in silence."""
    for number, line in numbered:
        if line is not None and not line.strip():
            continue
        if why := _fault(parsed(line)):
            damaged.append(Damaged(f"{name}, line {number}", why))
        elif line:
            yield line


def _fault(record: Any) -> str:
    if not isinstance(record, dict):
        return "is cut off, or no JSON object"
    if record.get("type") not in ("user", "assistant"):
        return ""
    if not isinstance(record.get("message"), dict):
        return "has no `message`"
    return "" if isinstance(record.get("timestamp"), str) else "has no `timestamp`"
