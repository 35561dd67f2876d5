"""Damaged tables: what can be read is served, what is wrong is named with its remedy, nothing is lost in silence."""

import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from mcp_memory.engine import Memory
from mcp_memory.errors import StoreError
from mcp_memory.ports import FixedClock
from mcp_memory.store.health import Problem, check
from mcp_memory.store.store import Store
from mcp_memory.write.remember import Said

Open = Callable[..., Memory]


@pytest.fixture
def told(open_memory: Open, clock: FixedClock) -> Path:
    """A folder with indexed turns about pearls, in three commits, and one that still waits."""
    memory = open_memory()
    for number in range(3):
        memory.remember(Said(f"I keep pearl number {number} in the drawer", "Noted."))
        clock.advance(timedelta(minutes=10))
        memory.drain()
    memory.remember(Said("The waiting pearl is blue"))
    memory.close()
    return memory.store.folder


def said(memory: Memory) -> set[str]:
    memory.corpus.refresh()
    return {unit.text for unit in memory.corpus.units.values() if unit.view == "quote" and unit.speaker == "Ann"}


PEARLS = {f"I keep pearl number {number} in the drawer" for number in range(3)}
WAITING = {"The waiting pearl is blue"}


def data_files(folder: Path, table: str) -> list[Path]:
    return sorted((folder / "lance" / f"{table}.lance" / "data").iterdir())


def whats(problems: list[Problem]) -> str:
    return " ".join(f"{one.what}: {one.fix}." for one in problems)


def test_a_sound_store_has_no_problems(told: Path) -> None:
    assert check(Store(told), deep=True) == []


@pytest.mark.parametrize("content", [b"", b"x" * 100])
@pytest.mark.parametrize("table", ["turns", "units"])
def test_a_broken_newest_version_is_put_aside_and_told(
    told: Path, open_memory: Open, table: str, content: bytes
) -> None:
    newest = sorted((told / "lance" / f"{table}.lance" / "_versions").glob("*.manifest"))[0]
    newest.write_bytes(content)
    memory = open_memory(folder=told)
    assert said(memory) == PEARLS | WAITING
    assert "broken" in " ".join(memory.notices())
    memory.drain()
    assert said(open_memory(folder=told)) == PEARLS | WAITING
    assert [one.read_bytes() for one in (told / "quarantine").iterdir()] == [content]
    assert "missing from" not in whats(check(memory.store, deep=True))


def test_turns_that_only_a_broken_version_held_are_stored_again(told: Path, open_memory: Open) -> None:
    versions = sorted((told / "lance" / "turns.lance" / "_versions").glob("*.manifest"))
    for manifest in versions[:2]:
        manifest.write_bytes(b"")
    memory = open_memory(folder=told)
    memory.drain()
    assert memory.store.turns.count() == 7
    assert check(memory.store, deep=True)[0].what.startswith("The newest version")


@pytest.mark.parametrize("damage", ["truncated", "deleted"])
def test_without_derived_records_what_was_said_is_still_found(told: Path, open_memory: Open, damage: str) -> None:
    for path in data_files(told, "units"):
        path.write_bytes(path.read_bytes()[:50]) if damage == "truncated" else path.unlink()
    memory = open_memory(folder=told)
    assert said(memory) == PEARLS | WAITING
    assert "mcp-memory rebuild" in " ".join(memory.notices())
    assert "mcp-memory rebuild" in whats(check(memory.store, deep=True))


def test_rebuild_mends_the_derived_records(told: Path, open_memory: Open) -> None:
    for path in data_files(told, "units"):
        path.write_bytes(b"")
    memory = open_memory(folder=told)
    memory.rebuild()
    memory.drain()
    assert memory.notices() == ()
    assert memory.inspect("overview", "", None, None, 10)["tree"]["L2"] == 1
    assert check(open_memory(folder=told).store, deep=True) == []


@pytest.mark.parametrize("damage", ["truncated", "deleted"])
def test_without_the_table_of_turns_quotes_still_tell(told: Path, open_memory: Open, damage: str) -> None:
    for path in data_files(told, "turns"):
        path.write_bytes(path.read_bytes()[:50]) if damage == "truncated" else path.unlink()
    memory = open_memory(folder=told)
    assert said(memory) == PEARLS | WAITING
    assert "cannot be read" in " ".join(memory.notices())
    assert "backup" in whats(check(memory.store, deep=True))


def test_nothing_is_derived_from_what_cannot_be_read(told: Path, open_memory: Open) -> None:
    for path in data_files(told, "turns"):
        path.unlink()
    memory = open_memory(folder=told)
    with pytest.raises(StoreError):
        memory.drain()
    assert said(open_memory(folder=told)) == PEARLS | WAITING
    assert memory.waiting() == 1


def test_new_turns_are_kept_and_found_while_tables_are_broken(told: Path, open_memory: Open) -> None:
    for path in [*data_files(told, "turns"), *data_files(told, "units")]:
        path.unlink()
    memory = open_memory(folder=told)
    memory.remember(Said("A pearl told later"))
    assert said(memory) == {*WAITING, "A pearl told later"}


@pytest.mark.parametrize("gone", ["units.lance", "units.lance/_versions"])
def test_a_deleted_table_of_units_is_derived_again(told: Path, open_memory: Open, gone: str) -> None:
    shutil.rmtree(told / "lance" / gone)
    memory = open_memory(folder=told)
    assert said(memory) == PEARLS | WAITING
    if gone == "units.lance":
        memory.drain()
        assert said(open_memory(folder=told)) == PEARLS | WAITING
        assert check(memory.store, deep=True) == []


def test_a_deleted_table_of_turns_is_filled_again_from_quotes(told: Path, open_memory: Open) -> None:
    shutil.rmtree(told / "lance" / "turns.lance")
    store = Store(told)
    assert "6 turns that were acknowledged are missing" in whats(check(store, deep=False))
    memory = open_memory(folder=told)
    memory.drain()
    assert memory.store.turns.count() == 7
    assert check(memory.store, deep=True) == []


def test_all_tables_gone_is_said(told: Path, open_memory: Open) -> None:
    shutil.rmtree(told / "lance")
    memory = open_memory(folder=told)
    assert said(memory) == WAITING
    assert "6 turns that were acknowledged are missing" in whats(check(memory.store, deep=True))
    assert "missing" in " ".join(memory.notices())


def test_a_lost_journal_learns_what_the_tables_hold(told: Path, open_memory: Open) -> None:
    for path in told.glob("journal.sqlite3*"):
        path.unlink()
    memory = open_memory(folder=told)
    assert said(memory) == PEARLS
    memory.drain()
    assert memory.store.journal.settled_count() == 6
    assert said(memory) == PEARLS
    assert memory.store.journal.counter("rev") >= max(memory.store.units.read(None, ["rev"]).column("rev").to_pylist())


def test_a_bit_that_flipped_on_the_disk_is_found(told: Path) -> None:
    changed = 0
    for path in data_files(told, "turns"):
        raw = path.read_bytes()
        if b"pearl number 1" in raw:
            path.write_bytes(raw.replace(b"pearl number 1", b"pearl number 7"))
            changed += 1
    assert changed
    assert "changed by the disk" in whats(check(Store(told), deep=True))


def test_an_open_folder_is_a_problem_with_a_remedy(told: Path) -> None:
    told.chmod(0o755)
    assert f"chmod 700 {told}" in whats(check(Store(told), deep=False))


def test_a_folder_deleted_while_in_use_refuses_to_pretend(told: Path, open_memory: Open) -> None:
    memory = open_memory(folder=told)
    assert said(memory) == PEARLS | WAITING
    shutil.rmtree(told)
    with pytest.raises(StoreError, match="removed or replaced"):
        memory.remember(Said("into the void"))
    with pytest.raises(StoreError, match="restart"):
        memory.drain()
    assert not told.exists()


def test_a_rebuild_stores_turns_again_before_it_lets_go_of_their_quotes(told: Path, open_memory: Open) -> None:
    shutil.rmtree(told / "lance" / "turns.lance")
    assert "mcp-memory rebuild" in whats(check(Store(told), deep=False))
    memory = open_memory(folder=told)
    memory.rebuild()
    memory.drain()
    assert said(open_memory(folder=told)) == PEARLS | WAITING
    assert check(memory.store, deep=True) == []


@pytest.mark.parametrize("tables", [["turns"], ["turns", "units"]])
def test_what_cannot_be_rebuilt_is_told_alike_everywhere(told: Path, open_memory: Open, tables: list[str]) -> None:
    for path in (path for table in tables for path in data_files(told, table)):
        path.write_bytes(b"")
    memory = open_memory(folder=told)
    said(memory)
    assert "mcp-memory rebuild" not in " ".join(memory.notices())
    assert "put back a backup" in " ".join(memory.notices())
    assert "mcp-memory rebuild" not in whats(check(memory.store, deep=True))
    with pytest.raises(StoreError, match="put back a backup"):
        memory.rebuild()


@pytest.mark.parametrize("damage", ["deleted", "truncated"])
def test_lost_turns_are_not_taken_for_somebody_else_s(told: Path, open_memory: Open, damage: str) -> None:
    if damage == "deleted":
        shutil.rmtree(told / "lance")
    else:
        for path in [*data_files(told, "turns"), *data_files(told, "units")]:
            path.write_bytes(b"")
    memory = open_memory(folder=told)
    memory.store.journal.settle([one.id for one in memory.store.journal.pending()], ())  # nothing is left at all
    assert said(memory) == set()
    assert "another" not in " ".join(memory.notices())


def test_a_folder_of_another_owner_says_so(told: Path, open_memory: Open) -> None:
    memory = open_memory(folder=told, owner="Ben")
    assert said(memory) == set()
    assert "this folder has another" in " ".join(memory.notices())
