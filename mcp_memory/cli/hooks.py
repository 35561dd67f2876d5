"""The hooks of Claude Code that call `mcp-memory hook`: their entries, and merging them among other people's."""

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from mcp_memory.errors import InputError

Group = Mapping[str, Any]

# event -> what the entry needs besides the command: which sources of a session count, and seconds until it is stopped
_EVENTS: Final[Mapping[str, tuple[Group, int]]] = {
    "UserPromptSubmit": ({}, 20),
    "Stop": ({}, 30),
    # a resumed chat still holds its briefing
    "SessionStart": ({"matcher": "startup|clear|compact"}, 30),
}
_OURS: Final = re.compile(r"\bmcp[_-]memory\b.* hook\s*$", re.DOTALL)


def settings_file() -> Path:
    """Where Claude Code keeps what holds for all projects."""
    return Path.home() / ".claude" / "settings.json"


def entries(launch: Sequence[str]) -> dict[str, list[Group]]:
    """The groups of hooks by event; `launch` starts this program.  The client runs the line through a shell."""
    line = shlex.join([*launch, "hook"])
    return {
        event: [{**which, "hooks": [{"type": "command", "command": line, "timeout": seconds}]}]
        for event, (which, seconds) in _EVENTS.items()
    }


def merged(old: str, path: Path, launch: Sequence[str]) -> str:
    """The file's text with our entries in place of older ones of ours; everything else stays.

    Raises InputError where it is not JSON of the known shape.
    """
    content = parsed(old, path)
    try:
        hooks = content.setdefault("hooks", {})
        found = {event: _joined(hooks.get(event, []), ours) for event, ours in entries(launch).items()}
        if all(hooks.get(event) == groups for event, groups in found.items()):
            return old
        hooks.update(found)
    except (ValueError, AttributeError, TypeError, KeyError):
        raise InputError(f"`hooks` in {path} is not of the documented shape: add the entries by hand") from None
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def parsed(old: str, path: Path) -> dict[str, Any]:
    """The object in a client's file of settings, empty for an empty one.  Raises InputError where it is none."""
    try:
        content = json.loads(old) if old.strip() else {}
    except ValueError:
        raise InputError(f"{path} is not plain JSON (it may have comments): add the entry by hand") from None
    if not isinstance(content, dict):
        raise InputError(
            f"{path} holds {kind(content)}, not an object with settings: mend it, or add the entry by hand"
        )
    return content


def kind(value: Any) -> str:
    """What a JSON value is called."""
    names = {list: "a list", str: "text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")


def _joined(groups: Any, ours: Sequence[Group]) -> list[Group]:
    if not isinstance(groups, list):
        raise TypeError
    if [group for group in groups if any(map(_is_ours, group["hooks"]))] == ours:
        return groups
    rest = [{**group, "hooks": [one for one in group["hooks"] if not _is_ours(one)]} for group in groups]
    return [group for group in rest if group["hooks"]] + list(ours)


def _is_ours(one: Mapping[str, Any]) -> bool:
    return bool(_OURS.search(str(one.get("command", ""))))
