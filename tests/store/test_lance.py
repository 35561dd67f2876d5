"""One table: keyed, atomic, readable while others write, and erased for good."""

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from mcp_memory.errors import StoreDamagedError, StoreError
from mcp_memory.model.unit import Unit
from mcp_memory.store import schema
from mcp_memory.store.lance import Table, _guard, connect, equals
from mcp_memory.store.rows import unit_from_row, unit_to_row

DIMENSION = 8
Make = Callable[..., Unit]

RACER = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from mcp_memory.model.ids import make_id
from mcp_memory.model.unit import Unit
from mcp_memory.store import schema
from mcp_memory.store.lance import Table, connect
from mcp_memory.store.rows import unit_to_row
folder = Path(sys.argv[1])
connection = connect(str(folder))
table = Table(lambda: connection, "units", schema.units(8), folder)
table.count()
print("ready", flush=True)
sys.stdin.readline()
at = datetime(2026, 3, 2, tzinfo=UTC)
rows = [unit_to_row(Unit(make_id("item", "Ann", str(n)), "Ann", "item", at, at, str(n)), 1, None) for n in range(20)]
table.upsert(rows)
print("done", flush=True)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "lance"


def opened(folder: Path) -> Table:
    """A handle of its own, as another process would have."""
    connection = connect(str(folder))
    return Table(lambda: connection, "units", schema.units(DIMENSION), folder)


@pytest.fixture
def table(folder: Path) -> Table:
    return opened(folder)


def put(table: Table, units: Sequence[Unit], removed: Sequence[str] = (), emb: object = None) -> None:
    table.upsert([unit_to_row(unit, 1, emb) for unit in units], removed)


def texts(table: Table) -> list[str]:
    return sorted(table.read().column("text").to_pylist())


def test_reading_a_table_that_is_not_there_creates_nothing(table: Table, folder: Path) -> None:
    assert table.read().num_rows == table.count() == table.dimension() == 0
    assert not table.exists()
    table.delete(["ibcdfghjklmnpq"])
    table.erase(())
    table.upkeep()
    assert not (folder / "units.lance").exists()


def test_an_upsert_replaces_adds_and_removes_in_one_commit(table: Table, unit: Make) -> None:
    put(table, [unit(1), unit(2)])
    before = len(table._open().list_versions())
    put(table, [unit(2, "changed"), unit(3)], removed=[unit(1).id])
    assert texts(table) == ["changed", "item 3"]
    assert len(table._open().list_versions()) == before + 1


def test_removing_alone_works_too(table: Table, unit: Make) -> None:
    put(table, [unit(1), unit(2)])
    put(table, [], removed=[unit(1).id])
    assert texts(table) == ["item 2"]


def test_a_unit_comes_back_as_it_was(table: Table, unit: Make) -> None:
    rich = unit(1, "quotes ' \" and 🙂 日本語\nשלום")
    put(table, [rich], emb=np.ones(DIMENSION, dtype=np.float32))
    row = table.read().to_pylist()[0]
    assert unit_from_row(row) == rich
    assert row["emb"] == [1.0] * DIMENSION


def test_a_missing_vector_replaces_and_is_replaced(table: Table, unit: Make) -> None:
    vector = np.ones(DIMENSION, dtype=np.float32)
    put(table, [unit(1)])
    put(table, [unit(1)], emb=vector)
    assert table.read().column("emb").null_count == 0
    put(table, [unit(1), unit(2)])
    assert table.read().column("emb").null_count == 2


def test_rows_with_different_keys_lose_none(table: Table, unit: Make) -> None:
    short = unit_to_row(unit(1), 1, None)
    del short["title"]
    table.upsert([short, unit_to_row(unit(2), 1, None) | {"title": "kept"}])
    assert sorted(table.read().column("title").to_pylist(), key=str) == [None, "kept"]


def test_ids_that_are_none_of_ours_never_reach_a_filter(table: Table, unit: Make) -> None:
    put(table, [unit(1)])
    evil = ["' OR 1=1 --", f"{unit(1).id}' OR '1'='1"]
    put(table, [unit(2)], removed=evil)
    table.delete(evil)
    assert table.read_where("id", evil).num_rows == 0
    assert table.count() == 2


def test_a_filter_takes_text_as_text(table: Table, unit: Make) -> None:
    put(table, [unit(1, owner="O'Hara"), unit(2)])
    assert table.read(equals(owner="O'Hara")).num_rows == 1
    assert table.read(equals(owner="' OR 1=1 --")).num_rows == 0


def test_three_processes_adding_the_same_rows_add_them_once(
    folder: Path, table: Table, unit: Make, process: Callable[..., subprocess.Popen[str]]
) -> None:
    put(table, [unit(1000)])
    children = [process(RACER, folder) for _ in range(3)]
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline().strip() == "ready"
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()
    for child in children:
        assert child.communicate(timeout=120)[0].strip() == "done"
    ids = table.read().column("id").to_pylist()
    assert len(ids) == len(set(ids)) == 21


def test_a_handle_sees_what_another_one_committed_optimized_and_erased(table: Table, folder: Path, unit: Make) -> None:
    other = opened(folder)
    put(table, [unit(1), unit(2)])
    assert other.count() == 2
    table.upkeep()
    put(other, [unit(3)])
    assert table.count() == 3
    other.erase([unit(1).id])
    assert texts(table) == ["item 2", "item 3"]
    put(table, [unit(4)])
    assert texts(other) == ["item 2", "item 3", "item 4"]


def test_a_deleted_folder_is_made_anew_by_the_next_write(table: Table, folder: Path, unit: Make) -> None:
    put(table, [unit(1)])
    shutil.rmtree(folder)
    assert table.read().num_rows == 0
    put(table, [unit(2)])
    assert texts(opened(folder)) == ["item 2"]


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts handles in /proc")
def test_fifty_upkeeps_leave_no_handles_behind(table: Table, unit: Make) -> None:
    put(table, [unit(0)])
    table.upkeep()
    before = len(os.listdir("/proc/self/fd"))
    for number in range(50):
        put(table, [unit(number)])
        table.upkeep()
    assert len(os.listdir("/proc/self/fd")) <= before + 5


def test_upkeep_merges_fragments(table: Table, folder: Path, unit: Make) -> None:
    for number in range(12):
        put(table, [unit(number)])
    table.upkeep()
    assert table._open().stats()["fragment_stats"]["num_fragments"] == 1
    assert table.count() == 12


def test_erasing_leaves_no_bytes_of_deleted_and_former_rows(table: Table, folder: Path, unit: Make) -> None:
    put(table, [unit(1, "the first pearl"), unit(2, "the second pearl"), unit(3, "a stone")])
    put(table, [unit(2, "a pebble")])
    table.upkeep()
    table.erase([unit(1).id])
    held = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert b"pearl" not in held
    assert b"pebble" in held
    assert texts(table) == ["a pebble", "a stone"]


def test_erasing_keeps_the_key_declaration(table: Table, folder: Path, unit: Make) -> None:
    put(table, [unit(1)])
    table.erase(())
    assert opened(folder)._open().schema.field("id").metadata


def test_a_truncated_file_is_told_without_content(table: Table, folder: Path, unit: Make) -> None:
    put(table, [unit(1, "my hidden pearl")])
    for path in (folder / "units.lance" / "data").iterdir():
        path.write_bytes(path.read_bytes()[:50])
    with pytest.raises(StoreDamagedError, match="doctor") as caught:
        opened(folder).read()
    assert "pearl" not in str(caught.value)


@pytest.mark.parametrize("said", ["No space left on device (os error 28)", "Quota exceeded"])
def test_a_full_disk_is_called_a_full_disk(said: str) -> None:
    def fail() -> None:
        raise OSError(said)

    with pytest.raises(StoreError, match="disk is full"):
        _guard(fail, "units")


def test_conflicts_are_tried_again() -> None:
    left = [RuntimeError("Retryable commit conflict for version 3")] * 3

    def conflicted() -> str:
        if left:
            raise left.pop()
        return "through"

    assert _guard(conflicted, "units") == "through"
