"""A damaged journal: everything readable is carried over, and a person is told."""

import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from mcp_memory.model.turn import Turn
from mcp_memory.store.journal import Journal
from mcp_memory.store.salvage import memory_copy
from mcp_memory.store.store import Store

MakeTurn = Callable[..., Turn]
PAGE = 4096

ABANDONED = """
import os, sys
from datetime import UTC, datetime
from pathlib import Path
from mcp_memory.model.turn import Turn, turn_id
from mcp_memory.store.store import Store
journal = Store(Path(sys.argv[1])).journal
for number in range(5):
    at = datetime(2026, 3, 2, 9, number, tzinfo=UTC)
    identifier = turn_id("Ann", "", at, "Ann", str(number))
    journal.append([Turn(identifier, "Ann", "", identifier, 0, at, "Ann", "user", str(number))])
os._exit(0)
"""


def filled(folder: Path, turn: MakeTurn, count: int) -> Path:
    """A journal of many pages, all of them in the main file."""
    store = Store(folder)
    store.journal.append([turn(number, f"turn {number} " + "x" * 2000) for number in range(count)])
    store.journal.erase([turn(0, "turn 0 " + "x" * 2000).id], datetime(2026, 3, 2, tzinfo=UTC), [])
    store.journal.scrub()
    store.journal.close()
    return store.journal.path


def spoil(path: Path, offset: int, size: int = PAGE) -> None:
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(b"\xaa" * size)


def test_a_page_that_cannot_be_read_costs_only_what_is_on_it(tmp_path: Path, turn: MakeTurn) -> None:
    path = filled(tmp_path / "data", turn, 100)
    spoil(path, path.stat().st_size // 2 // PAGE * PAGE)
    store = Store(tmp_path / "data")
    assert store.problem == ""
    assert len(store.journal.pending()) > 80
    notice = store.journal.notices()["journal"]
    assert f"{len(store.journal.pending())} waiting turns were carried over" in notice
    assert "may be unreadable" in notice


def test_what_was_forgotten_stays_forgotten(tmp_path: Path, turn: MakeTurn) -> None:
    path = filled(tmp_path / "data", turn, 100)
    spoil(path, path.stat().st_size // 2 // PAGE * PAGE)
    store = Store(tmp_path / "data")
    assert turn(0, "turn 0 " + "x" * 2000).id in store.journal.forgotten()


def test_a_file_that_is_no_database_is_replaced_and_kept(tmp_path: Path, turn: MakeTurn) -> None:
    path = filled(tmp_path / "data", turn, 3)
    path.write_bytes(b"garbage " * 1000)
    store = Store(tmp_path / "data")
    assert store.journal.append([turn(7)]).new
    assert "damaged" in " ".join(store.notices())
    assert any(one.read_bytes().startswith(b"garbage") for one in (tmp_path / "data" / "quarantine").iterdir())


def test_turns_that_are_only_in_the_log_are_carried_over(
    tmp_path: Path, process: Callable[..., subprocess.Popen[str]]
) -> None:
    child = process(ABANDONED, tmp_path / "data")
    assert child.wait(120) == 0
    path = tmp_path / "data" / "journal.sqlite3"
    assert path.with_name("journal.sqlite3-wal").stat().st_size > 0
    with path.open("ab") as file:
        file.truncate(PAGE)  # the main file lost what a checkpoint had moved there
    store = Store(tmp_path / "data")
    assert [turn.text for turn in store.journal.pending()] == list("01234")


def test_the_new_journal_is_not_replaced_again(tmp_path: Path, turn: MakeTurn) -> None:
    filled(tmp_path / "data", turn, 3).write_bytes(b"garbage " * 1000)
    first = Store(tmp_path / "data")
    first.journal.append([turn(1)])
    assert Store(tmp_path / "data").journal.pending() == [turn(1)]


def test_a_journal_that_cannot_be_opened_in_place_is_read_from_a_copy(tmp_path: Path, turn: MakeTurn) -> None:
    journal = Journal(tmp_path / "journal.sqlite3")
    journal.append([turn(1)])  # still in the log
    copy = memory_copy(journal.path)
    assert copy.pending() == [turn(1)]
    journal.append([turn(2)])
    assert copy.pending() == [turn(1)]


def test_a_missing_journal_makes_an_empty_copy(tmp_path: Path) -> None:
    assert memory_copy(tmp_path / "gone").pending() == []


def test_damage_inside_is_found_although_the_file_opens(tmp_path: Path, turn: MakeTurn) -> None:
    path = filled(tmp_path / "data", turn, 100)
    spoil(path, path.stat().st_size // 2 // PAGE * PAGE)
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA user_version").fetchone() == (1,)
    assert Store(tmp_path / "data").journal.notices()
