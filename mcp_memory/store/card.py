"""store.json: what a data folder is, so that the next version, embedder or zone knows what it opens."""

import json
import os
import uuid
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Final

from mcp_memory.errors import StoreTooNewError

SCHEMA_VERSION: Final = 1
DEFAULT_DIMENSION: Final = 384
UNKNOWN: Final = "unknown"
_LEAST_LANCEDB: Final = "0.40"
_NAME: Final = "store.json"


@dataclass(frozen=True, slots=True)
class Card:
    """`embedder` is "" until the first vector is stored, and `UNKNOWN` when a lost card had to be made anew."""

    store_id: str
    schema: int = SCHEMA_VERSION
    lancedb: str = _LEAST_LANCEDB
    time_zone: str = ""
    embedder: str = ""
    dimension: int = DEFAULT_DIMENSION


def new_card(time_zone: str, embedder: str = "") -> Card:
    """The card of a store that has none."""
    return Card(uuid.uuid4().hex, time_zone=time_zone, embedder=embedder)


def read_card(folder: Path) -> Card:
    """What store.json says.

    Raises FileNotFoundError, OSError, ValueError (damaged), StoreTooNewError.
    """
    raw = json.loads((folder / _NAME).read_text(encoding="utf-8"))
    if not isinstance(raw, dict):
        raise TypeError("not an object")
    if isinstance(raw.get("schema"), int) and raw["schema"] > SCHEMA_VERSION:
        raise StoreTooNewError(f"{folder} was written by a newer mcp-memory: update this one")
    return Card(**{one.name: _typed(raw[one.name], one.type) for one in fields(Card)})


def _typed(value: Any, wanted: Any) -> Any:
    if type(value) is not wanted:
        raise ValueError("a value of another type")
    return value


def create_card(folder: Path, card: Card) -> Card:
    """Writes the card unless another process has just done so; returns the one that counts.

    Raises OSError: where no hard link can be made, LanceDB could not commit either.
    """
    fresh = _written(folder, card)
    try:
        os.link(fresh, folder / _NAME)
    except FileExistsError:
        return read_card(folder)
    finally:
        with suppress(OSError):
            fresh.unlink()
    return card


def write_card(folder: Path, card: Card) -> None:
    """Replaces the card, atomically and durably.  Raises OSError."""
    _written(folder, card).replace(folder / _NAME)


def _written(folder: Path, card: Card) -> Path:
    fresh = folder / f"{_NAME}.{os.getpid()}.{uuid.uuid4().hex[:6]}"
    try:
        with fresh.open("w", encoding="utf-8") as file:
            json.dump(asdict(card), file, indent=1)
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        with suppress(OSError):
            fresh.unlink()
        raise
    return fresh
