"""The formats that can be imported, and which of them a file is in: told by what is in it, not by its name."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Protocol
from zoneinfo import ZoneInfo

from mcp_memory.errors import InputError
from mcp_memory.importers import chatgpt, claude, claude_code, jsonl, slack, whatsapp
from mcp_memory.importers.messages import Damaged, Entry, as_turns
from mcp_memory.importers.source import KINDS, Source
from mcp_memory.model.turn import Turn


class Read(Protocol):
    """Gives the turns of an export in its order; raises InputError where it cannot go on."""

    def __call__(
        self, source: Source, owner: str, zone: ZoneInfo, *, secrets_out: bool
    ) -> Iterator[Turn | Damaged]: ...


@dataclass(frozen=True, slots=True)
class Format:
    """A format by its name in commands, and how people call it."""

    name: str
    title: str
    looks_so: Callable[[Source], bool]
    read: Read


def chosen(source: Source, name: str = "") -> Format:
    """The format of that name, or else the one that the source is in.  Raises InputError when it is in none."""
    if not source.names:
        kinds = ", ".join(KINDS)
        raise InputError(f"there is no file in {source.path} that could be imported (they end in {kinds})")
    if name:
        found = next((one for one in FORMATS if one.name == name), None)
        if not found:
            raise InputError(f"there is no format {name[:40]!r}; --format takes {_NAMES}")
        return found
    if not (source.path.is_file() or source.path.is_dir()):
        return _JSONL  # a pipe can be read only once
    for one in FORMATS:
        if one.looks_so(source):
            return one
    raise InputError(
        f"{source.path} is in no format that is known here: {_TITLES} ({jsonl.EXPECTED}); give a download as it came, "
        f"or say --format NAME, one of {_NAMES}"
    )


def _past_damage(read: Callable[[Source], Iterator[Entry]]) -> Read:
    """Reads a program's export, in which nobody can mend what is damaged."""

    def turns(source: Source, owner: str, zone: ZoneInfo, *, secrets_out: bool) -> Iterator[Turn | Damaged]:
        return as_turns(read(source), owner, zone, secrets_out=secrets_out)

    return turns


_JSONL: Final = Format("jsonl", "JSON lines", jsonl.looks_so, jsonl.read_lines)
FORMATS: Final = (  # the quickest to recognise come first
    Format("slack", "a Slack export", slack.looks_so, _past_damage(slack.read)),
    Format("claude-code", "Claude Code's transcripts", claude_code.looks_so, _past_damage(claude_code.read)),
    Format("whatsapp", "a WhatsApp chat", whatsapp.looks_so, _past_damage(whatsapp.read)),
    _JSONL,
    Format("chatgpt", "a ChatGPT export", chatgpt.looks_so, _past_damage(chatgpt.read)),
    Format("claude", "a claude.ai export", claude.looks_so, _past_damage(claude.read)),
)
_NAMES: Final = ", ".join(one.name for one in FORMATS)
_TITLES: Final = ", ".join(one.title for one in FORMATS if one is not _JSONL) + f", or {_JSONL.title}"
