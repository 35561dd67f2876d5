"""What people and the assistant said in a Claude Code transcript: JSON lines, of which most are something else.

A line is a message, a part of one, a tool's result, or bookkeeping; a message of the user's role may be a person's,
or a note of the client's to the model.  Lines that cannot be read (the last one may be half written) are passed over.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final, Literal

from mcp_memory.text.clean import has_visible

# Set on lines that are no message: the client's notes, other agents' talk, summaries, errors, tools' results.
_NOT_SAID: Final = (
    "isMeta",
    "isSidechain",
    "isCompactSummary",
    "isVisibleInTranscriptOnly",
    "isApiErrorMessage",
    "toolUseResult",
)
_NOTE: Final = re.compile(r"<(system-reminder|user-prompt-submit-hook|ide_\w+)\b[^<>]*>.*?</\1>", re.DOTALL)
# A text that begins so is the client's from end to end.
_NOTICE: Final = re.compile(
    r"<(?:command-\w+|local-command-\w+|bash-\w+|task-notification|teammate-message|system-reminder)\b"
    r"|\[Request interrupted by user|Caveat: The messages below|This session is being continued from"
    r"|Stop hook feedback:"
)


@dataclass(frozen=True, slots=True)
class Message:
    """One message.  `at` is aware; `queued` says that the person wrote it while the assistant was still at work."""

    uuid: str
    session: str
    at: datetime
    role: Literal["user", "assistant"]
    text: str
    queued: bool = False


@dataclass(frozen=True, slots=True)
class Exchange:
    """What a person said, with what was added while the assistant worked, and the assistant's last words after it.

    `over` says that the client has had the assistant do something else since: a command, a task's end.
    """

    said: tuple[Message, ...]
    reply: Message | None = None
    over: bool = False


def messages(lines: Iterable[bytes | str]) -> Iterator[Message]:
    """What was said, in the order of the lines; an assistant's message that is spread over lines is one."""
    return (one for one in _turns(lines) if one)


def last_exchange(lines: Iterable[bytes | str]) -> Exchange | None:
    """The last thing a person said and the reply to it; None where no person speaks."""
    found: Exchange | None = None
    for one in _turns(lines):
        if one and one.role == "user":
            added = found and one.queued and not found.over
            found = replace(found, said=(*found.said, one)) if found and added else Exchange((one,))
        elif found and one is None:
            found = replace(found, over=True)
        elif found and not found.over:
            found = replace(found, reply=one)
    return found


def _turns(lines: Iterable[bytes | str]) -> Iterator[Message | None]:
    """What was said, and None where the client had the assistant do something that no person asked for."""
    last, part_of = None, ""
    for record in _records(lines):
        message = _message(record)
        if message is None and not _by_client(record):
            continue
        name = str(_inside(record).get("id") or message.uuid) if message and message.role == "assistant" else ""
        if last and message and name and name == part_of:
            last = replace(last, text=f"{last.text}\n\n{message.text}")
            continue
        if last:
            yield last
        if message is None:
            yield None
        last, part_of = message, name
    if last:
        yield last


def spoken(text: str) -> str:
    """What a person said of a text of the user's role; "" when all of it is the client's."""
    bare = _NOTE.sub("", text).strip()
    return bare if has_visible(bare) and not _NOTICE.match(bare) else ""


def _records(lines: Iterable[bytes | str]) -> Iterator[Mapping[str, Any]]:
    for line in lines:
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict):
            yield record


def _message(record: Mapping[str, Any]) -> Message | None:
    role, queued, content = record.get("type"), False, _inside(record).get("content")
    if role == "attachment":
        role, queued, content = "user", True, _queued(record.get("attachment"))
    if role not in ("user", "assistant") or any(record.get(mark) for mark in _NOT_SAID) or not _human(record):
        return None
    if _inside(record).get("model") == "<synthetic>":  # the client's words in the assistant's place
        return None
    text = spoken(_text(content)) if role == "user" else _text(content).strip()
    at = _moment(record.get("timestamp"))
    if at is None or not has_visible(text):
        return None
    return Message(_name(record, "uuid"), _name(record, "sessionId"), at, role, text, queued)


def _by_client(record: Mapping[str, Any]) -> bool:
    """Whether the client speaks in the user's place; what it notes on the side of a turn is marked as such."""
    noted = record.get("type") != "user" or any(record.get(mark) for mark in _NOT_SAID)
    text = "" if noted else _text(_inside(record).get("content"))
    return has_visible(text) and not (_human(record) and (spoken(text) or _NOTE.match(text)))


def _queued(attachment: Any) -> Any:
    """What a person wrote into the queue; other attachments are files and notes."""
    if not isinstance(attachment, dict) or attachment.get("type") != "queued_command" or not _human(attachment):
        return None
    return attachment.get("prompt") if attachment.get("commandMode", "prompt") == "prompt" else None


def _human(record: Mapping[str, Any]) -> bool:
    origin = record.get("origin")
    return not isinstance(origin, dict) or origin.get("kind", "human") == "human"


def _inside(record: Mapping[str, Any]) -> Mapping[str, Any]:
    inside = record.get("message")
    return inside if isinstance(inside, dict) else {}


def _text(content: Any) -> str:
    """The text blocks of a content; a content that brings a tool's result says nothing."""
    if isinstance(content, str):
        return content
    blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    if any(block.get("type") == "tool_result" for block in blocks):
        return ""
    texts = [block.get("text") for block in blocks if block.get("type") == "text"]
    return "\n\n".join(text for text in texts if isinstance(text, str) and has_visible(text))


def _name(record: Mapping[str, Any], key: str) -> str:
    value = record.get(key)
    return value if isinstance(value, str) else ""


def _moment(value: Any) -> datetime | None:
    try:
        moment = datetime.fromisoformat(value)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (TypeError, ValueError, OverflowError):
        return None
