"""What can still be read of a journal that is damaged or that cannot be opened where it is."""

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

from mcp_memory.errors import StoreError
from mcp_memory.model.turn import Turn
from mcp_memory.store.journal import Journal
from mcp_memory.store.rows import turn_from_json

COMPANIONS: Final = ("", "-wal", "-shm")
# kept besides waiting turns: what was forgotten must stay forgotten, what was spent stays spent
_KEPT: Final = {"forgotten": 3, "spend": 6, "notices": 2}


def memory_copy(path: Path) -> Journal:
    """A journal that cannot be opened in place (read-only or full disk), as a copy in memory to read from."""
    journal = Journal(Path(":memory:"))
    with suppress(OSError, sqlite3.Error, StoreError), tempfile.TemporaryDirectory(prefix="mcp-memory-") as folder:
        for suffix in COMPANIONS[:2]:
            companion = path.with_name(path.name + suffix)
            if companion.exists():
                shutil.copy(companion, Path(folder, companion.name))
        if Path(folder, path.name).exists():
            journal.load(Path(folder, path.name))
    return journal


def salvage(damaged: Path, journal: Journal) -> tuple[int, bool]:
    """Carries everything readable over into a new journal; how many turns that were, and whether all."""
    try:
        with closing(sqlite3.connect(damaged)) as database:
            turns, complete = _turns(database)
            others = {name: list(_readable(database, f"SELECT * FROM {name}")) for name in _KEPT}  # noqa: S608 - constants
    except sqlite3.Error:
        return 0, False
    if turns:
        journal.append(turns)
    with journal.transaction() as db:
        for name, rows in others.items():
            marks = ", ".join("?" * _KEPT[name])
            db.executemany(f"INSERT OR IGNORE INTO {name} VALUES ({marks})", rows)  # noqa: S608 - constants
    return len(turns), complete


def _turns(database: sqlite3.Connection) -> tuple[list[Turn], bool]:
    """Waiting turns from both ends towards a page that cannot be read."""
    found: dict[str, Turn] = {}
    complete = True
    for order in ("", " DESC"):
        try:
            for (body,) in database.execute(f"SELECT body FROM pending ORDER BY seq{order}"):  # noqa: S608 - constants
                with suppress(ValueError, TypeError, KeyError):
                    turn = turn_from_json(body)
                    found[turn.id] = turn
        except sqlite3.Error:
            complete = False
    return list(found.values()), complete


def _readable(database: sqlite3.Connection, sql: str) -> Iterator[tuple[object, ...]]:
    try:
        yield from database.execute(sql)
    except sqlite3.Error:
        return
