"""Draining: in batches, under one lease, and tidily."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from mcp_memory.engine import Memory
from mcp_memory.ports import FixedClock
from mcp_memory.store.store import COMMITS_BEFORE_UPKEEP, COMMITS_WHEN_IDLE
from mcp_memory.write import drain as draining
from mcp_memory.write.remember import Said, exchange_turns

Open = Callable[..., Memory]


def versions(memory: Memory, table: str) -> int:
    return len(list((memory.store.folder / "lance" / f"{table}.lance" / "_versions").glob("*.manifest")))


def fragments(memory: Memory) -> int:
    return int(memory.store.units._open().stats()["fragment_stats"]["num_fragments"])


def test_many_waiting_turns_take_few_commits(memory: Memory, clock: FixedClock) -> None:
    turns = [
        turn
        for number in range(300)
        for turn in exchange_turns(Said(f"pearl {number}", "Yes."), "Ann", clock.now() - timedelta(minutes=number))
    ]
    memory.store.journal.append(turns)
    memory.drain()
    assert memory.waiting() == 0
    assert memory.store.turns.count() == 600
    assert memory.store.journal.counter("rev") <= 4


def test_the_background_is_told_how_far_it_is(memory: Memory) -> None:
    told: list[tuple[str, int]] = []
    memory.remember(Said("pearl", "Yes."))
    memory.drain(60, 1, lambda count: told.append(("turns", count)), lambda count: told.append(("days", count)))
    assert told == [("turns", 2), ("days", 1)]


def test_out_of_time_it_leaves_the_rest_for_later(
    memory: Memory, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(draining, "BATCH", 2)
    for number in range(3):
        memory.remember(Said(f"pearl {number}", f"Yes, {number}."))
    memory.drain(seconds=0)
    assert memory.waiting() == 4
    memory.drain()
    assert memory.waiting() == 0


def test_an_open_day_is_not_derived_again_and_again(memory: Memory, clock: FixedClock) -> None:
    memory.remember(Said("I love my garden"))
    memory.drain()
    told: list[int] = []
    memory.drain(60, 0, lambda _: None, told.append)
    assert told == []
    clock.advance(timedelta(minutes=6))
    memory.drain(60, 0, lambda _: None, told.append)
    assert told == [1]


def test_files_are_merged_and_old_versions_pruned_across_processes(open_memory: Open, clock: FixedClock) -> None:
    for number in range(COMMITS_BEFORE_UPKEEP // 4):
        memory = open_memory()
        memory.remember(Said(f"pearl {number}"))
        clock.advance(timedelta(minutes=40))
        memory.drain()
        memory.store.journal.close()
    memory = open_memory()
    memory.drain()
    assert memory.store.journal.counter("upkeep") > 0
    assert fragments(memory) <= COMMITS_WHEN_IDLE


def test_nothing_is_written_when_nothing_was_said(memory: Memory) -> None:
    memory.drain()
    assert not (memory.store.folder / "lance" / "units.lance").exists()


def test_an_assistants_late_reply_joins_its_stored_exchange(memory: Memory, clock: FixedClock) -> None:
    at = clock.now()
    both = exchange_turns(Said("how are you", "fine"), "Ann", at)
    memory.store.journal.append(both[:1])
    memory.drain()
    memory.store.journal.append(both[1:])
    memory.corpus.refresh()
    segment = next(unit for unit in memory.corpus.units.values() if unit.kind == "segment")
    assert len(segment.turns) == 2
    memory.drain()
    again = [unit for unit in memory.corpus.stored().values() if unit.kind == "segment"]
    assert [unit.turns for unit in again] == [segment.turns]


def test_a_reply_that_was_stored_first_finds_its_exchange(memory: Memory, clock: FixedClock) -> None:
    both = exchange_turns(Said("how are you", "fine"), "Ann", clock.now())
    memory.store.journal.append(both[1:])
    memory.drain()
    memory.store.journal.append(both[:1])
    memory.drain()
    memory.corpus.refresh()
    segments = [unit for unit in memory.corpus.stored().values() if unit.kind == "segment"]
    assert [unit.turns for unit in segments] == [(both[0].id, both[1].id)]


def test_owners_of_one_folder_are_drained_together_and_kept_apart(open_memory: Open) -> None:
    ann, ben = open_memory(), open_memory(owner="Ben")
    ann.remember(Said("I love pearls"))
    ben.remember(Said("I love stones"))
    ann.drain()
    assert (ann.waiting(), ben.waiting()) == (0, 0)
    for memory, word in ((ann, "pearls"), (ben, "stones")):
        memory.corpus.refresh()
        assert {turn.text for turn in memory.corpus.turns.values()} == {f"I love {word}"}
        assert {unit.owner for unit in memory.corpus.units.values()} == {memory.owner}
    assert ben.persona().keys["preferences"][0]["value"] == "I love stones"


def test_the_files_of_a_store_are_only_its_owners(memory: Memory) -> None:
    memory.remember(Said("I love pearls"))
    memory.drain()
    assert memory.store.folder.stat().st_mode & 0o077 == 0
    assert {path.name for path in memory.store.folder.iterdir()} <= {
        "store.json",
        "journal.sqlite3",
        "journal.sqlite3-wal",
        "journal.sqlite3-shm",
        "lance",
        "write.lock",
        "write.holder",
    }
    assert not Path(memory.store.folder, "quarantine").exists()
