"""What a strong reader wrote down about a dialogue, one JSON object a line.

    {"scene", "first", "last", title, summary, narrative, attributes {view: sentence}, horizon {view: sentence
     or null}, topics [], utterances [], items [{text, who, when, sources [], entity [], bridge [], why, replaces}]}
    {"session", title, text}      {"persona", portrait, …}

`first`, `last` and `sources` are turn names such as "D3:7".  A scene without them (a hidden cue) covers the
turns "<scene>:1", "<scene>:2", …, and its items stand on all of them.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcp_memory.errors import InputError

_NAME = re.compile(r"(.+):(\d+)")


@dataclass(frozen=True, slots=True)
class Fact:
    """One recorded item; `sources` are turn names, none when it stands on its whole scene."""

    text: str
    who: str
    when: str
    sources: tuple[str, ...]
    entity: tuple[str, ...]
    bridge: tuple[str, ...]
    why: str
    replaces: str


@dataclass(frozen=True, slots=True)
class Scene:
    """Turns `first` to `last` of those called "<prefix>:<number>"; `last` 0 is to the end."""

    name: str
    prefix: str
    first: int
    last: int
    title: str
    summary: str
    narrative: str
    views: Mapping[str, str]
    utterances: tuple[str, ...]
    topics: tuple[str, ...]
    facts: tuple[Fact, ...]

    @property
    def end(self) -> str:
        """The name of its last turn; "" where the recording does not tell."""
        return f"{self.prefix}:{self.last}" if self.last else ""

    def covers(self, turn: str) -> bool:
        """Whether a turn of this name belongs to it."""
        prefix, number = split_name(turn)
        return prefix == self.prefix and self.first <= number <= (self.last or number)


@dataclass(frozen=True, slots=True)
class Recording:
    """One file.  `sessions` maps names to (title, text), `portraits` speakers to theirs."""

    scenes: tuple[Scene, ...]
    sessions: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    portraits: Mapping[str, str] = field(default_factory=dict)

    @property
    def end(self) -> str:
        """The name of the last turn that the recording knows of; "" where it does not tell."""
        return self.scenes[-1].end if self.scenes else ""

    def session_of(self, scene: Scene) -> str:
        """The name of the session a scene belongs to ("talk:3" of "talk:3.2"); "" when none is recorded."""
        name = scene.name.rpartition(".")[0]
        return name if name in self.sessions else ""

    def scenes_of(self, session: str) -> Sequence[Scene]:
        """The scenes that tile a session."""
        return [scene for scene in self.scenes if self.session_of(scene) == session]


def split_name(turn: str) -> tuple[str, int]:
    """'D3:7' → ('D3', 7); a name of another form belongs to nothing and gives ('', 0)."""
    match = _NAME.fullmatch(turn)
    return (match[1], int(match[2])) if match else ("", 0)


def read_recording(path: Path) -> Recording:
    """Raises InputError naming the line that cannot be used."""
    scenes: list[Scene] = []
    sessions: dict[str, tuple[str, str]] = {}
    portraits: dict[str, str] = {}
    for number, line in _lines(path):
        try:
            entry = json.loads(line)
            if "scene" in entry:
                scenes.append(_scene(entry))
            elif "session" in entry:
                sessions[entry["session"]] = (entry["title"], entry["text"])
            else:
                portraits[entry["persona"]] = entry["portrait"]
        except (KeyError, TypeError, AttributeError, ValueError):
            raise InputError(f"{path}, line {number}: neither a recorded scene, session nor persona") from None
    return Recording(tuple(scenes), sessions, portraits)


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with path.open(encoding="utf-8") as file:
            yield from ((number, line) for number, line in enumerate(file, start=1) if line.strip())
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {path}: {error}") from None


def _scene(raw: Any) -> Scene:
    name = raw["scene"]
    prefix, first = split_name(raw.get("first", f"{name}:1"))
    views = {**raw["attributes"], **raw["horizon"]}
    return Scene(
        name=name,
        prefix=prefix,
        first=first,
        last=split_name(raw["last"])[1] if "last" in raw else 0,
        title=raw["title"],
        summary=raw["summary"],
        narrative=raw["narrative"],
        views={view: sentence for view, sentence in views.items() if sentence},
        utterances=tuple(raw["utterances"]),
        topics=tuple(raw["topics"]),
        facts=tuple(_fact(item) for item in raw["items"]),
    )


def _fact(raw: Any) -> Fact:
    return Fact(
        text=raw["text"],
        who=raw["who"],
        when=raw["when"] or "",
        sources=tuple(raw.get("sources", ())),
        entity=tuple(raw["entity"]),
        bridge=tuple(raw["bridge"]),
        why=raw["why"] or "",
        replaces=raw.get("replaces", ""),
    )
