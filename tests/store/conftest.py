"""Turns, units and empty stores."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from mcp_memory.model.ids import make_id
from mcp_memory.model.turn import Turn, turn_id
from mcp_memory.model.unit import Unit
from mcp_memory.store.journal import Journal
from mcp_memory.store.store import Store

START = datetime(2026, 3, 2, 9, tzinfo=UTC)


@pytest.fixture
def turn() -> Callable[..., Turn]:
    """A turn by number."""

    def make(number: int, text: str = "", owner: str = "Ann", session: str = "") -> Turn:
        at, text = START + timedelta(minutes=number), text or f"turn number {number}"
        identifier = turn_id(owner, session, at, owner, text)
        return Turn(identifier, owner, session, identifier, 0, at, owner, "user", text)

    return make


@pytest.fixture
def unit() -> Callable[..., Unit]:
    """An item by number."""

    def make(number: int, text: str = "", owner: str = "Ann") -> Unit:
        at = START + timedelta(minutes=number)
        return Unit(make_id("item", owner, str(number)), owner, "item", at, at, text or f"item {number}", view="note")

    return make


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path / "data", lock_timeout=2.0)
    yield made
    made.journal.close()


@pytest.fixture
def journal(store: Store) -> Journal:
    return store.journal
