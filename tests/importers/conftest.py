import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile
from zoneinfo import ZoneInfo

import pytest

from mcp_memory.importers.formats import chosen
from mcp_memory.importers.messages import Damaged
from mcp_memory.importers.source import opened
from mcp_memory.model.turn import Turn


@dataclass(frozen=True, slots=True)
class Taken:
    """What an import finds in an export."""

    format: str
    turns: list[Turn]
    damaged: list[Damaged]

    @property
    def said(self) -> list[tuple[str, str]]:
        return [(turn.speaker, turn.text) for turn in self.turns]


@pytest.fixture
def take() -> Callable[..., Taken]:
    """Reads an export as Ann in Berlin would import it."""

    def take(path: Path, format: str = "", owner: str = "Ann") -> Taken:
        with opened(path) as source:
            taken_as = chosen(source, format)
            found = list(taken_as.read(source, owner, ZoneInfo("Europe/Berlin"), secrets_out=True))
        turns = [one for one in found if isinstance(one, Turn)]
        return Taken(taken_as.name, turns, [one for one in found if isinstance(one, Damaged)])

    return take


def _bytes(content: Any) -> bytes:
    if isinstance(content, bytes):
        return content
    return (content if isinstance(content, str) else json.dumps(content)).encode("utf-8", "surrogatepass")


@pytest.fixture
def file(tmp_path: Path) -> Callable[..., Path]:
    """Writes one file: bytes, text, or anything else as JSON."""

    def write(content: Any, name: str = "download") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_bytes(content))
        return path

    return write


@pytest.fixture
def archive(tmp_path: Path) -> Callable[..., Path]:
    """Packs files into a .zip."""

    def pack(files: Mapping[str, Any], name: str = "export.zip") -> Path:
        path = tmp_path / name
        with ZipFile(path, "w", ZIP_DEFLATED) as packed:
            for inside, content in files.items():
                packed.writestr(inside, _bytes(content))
        return path

    return pack


@pytest.fixture
def jsonl(tmp_path: Path) -> Callable[..., Path]:
    """Writes records (or raw lines) one a line."""

    def write(*records: Any, name: str = "talk.jsonl") -> Path:
        path = tmp_path / name
        lines = (record if isinstance(record, bytes) else json.dumps(record).encode() for record in records)
        path.write_bytes(b"".join(line + b"\n" for line in lines))
        return path

    return write
