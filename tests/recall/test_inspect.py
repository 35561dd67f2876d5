"""Looking into the memory: what there is, who wrote it, and everything around one record."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from mcp_memory.engine import Memory
from mcp_memory.model.turn import Note
from mcp_memory.ports import FixedClock
from mcp_memory.recall import inspect
from mcp_memory.write.remember import Said


@pytest.fixture
def memory(open_memory: Callable[..., Memory], clock: FixedClock) -> Memory:
    memory = open_memory()
    memory.remember(Said("I planted a fig tree.", "Figs like it warm.", notes=[Note("Ann has a fig tree")]))
    clock.advance(timedelta(days=3))
    memory.remember(Said("I sold the fig tree.", notes=[Note("Ann sold it", ("garden plans",), "Ann has a fig tree")]))
    clock.advance(timedelta(days=60))
    memory.drain(seconds=60)
    return memory


def item(memory: Memory, text: str) -> Any:
    return next(unit for unit in memory.corpus.units.values() if unit.text == text)


def test_the_overview_counts_and_says_who_wrote_which_cues(memory: Memory) -> None:
    found = inspect.counts(memory.corpus)
    assert found["turns"] == 3
    assert found["tree"] == {"L1": 2, "L2": 2, "L3": 2, "L4": 1, "L5": 1}
    assert found["cues"] == {"entity": "none", "bridge": "none", "scene": "none", "horizon": {"caller": 1}}
    assert found["superseded"] >= 1


def test_the_timeline_counts_the_turns_below_each_node(memory: Memory) -> None:
    rows = inspect.timeline(memory.corpus, memory.zone, None, None, 10)["nodes"]
    assert [(row["kind"], row["turns"]) for row in rows[:4]] == [
        ("profile", 3),
        ("week", 3),
        ("day", 2),
        ("session", 2),
    ]
    newest = inspect.timeline(memory.corpus, memory.zone, None, None, 4)["nodes"]
    assert [row["kind"] for row in newest] == ["profile", "week", "day", "session"]
    assert newest[-1]["date"] == "2026-03-05"


@pytest.mark.parametrize("limit", range(1, 8))
def test_the_timeline_lists_no_more_nodes_than_were_asked_for(memory: Memory, limit: int) -> None:
    whole = inspect.timeline(memory.corpus, memory.zone, None, None, 500)
    found = inspect.timeline(memory.corpus, memory.zone, None, None, limit)
    left = len(whole["nodes"]) - len(found["nodes"])
    assert len(found["nodes"]) == min(limit, len(whole["nodes"]))
    assert found["nodes"][-1] == whole["nodes"][-1]
    assert found["left_out"].startswith(f"{left} older nodes") if left else not found["left_out"]


def test_the_timeline_says_how_to_go_on(memory: Memory) -> None:
    first = inspect.timeline(memory.corpus, memory.zone, None, None, 1)
    moment = datetime.fromisoformat(first["left_out"].split("until=")[1].split()[0])
    second = inspect.timeline(memory.corpus, memory.zone, None, moment, 500)
    sessions = [row["date"] for row in (*second["nodes"], *first["nodes"]) if row["kind"] == "session"]
    assert sessions == ["2026-03-02", "2026-03-05"]


def test_a_node_shows_what_is_above_below_and_behind_it(memory: Memory) -> None:
    newer = inspect.node(memory.corpus, memory.zone, item(memory, "Ann sold it"), 10)
    assert item(memory, "Ann has a fig tree").id in newer["replaces"]
    assert [row["text"] for row in newer["cues"]] == ["garden plans"]
    assert [row["text"] for row in newer["evidence"]] == ["I sold the fig tree."]
    older = inspect.node(memory.corpus, memory.zone, item(memory, "Ann has a fig tree"), 10)
    assert older["superseded_by"] == newer["id"]


def test_long_lists_are_cut_and_the_rest_counted(memory: Memory) -> None:
    week = next(unit for unit in memory.corpus.units.values() if unit.kind == "week")
    shown = inspect.node(memory.corpus, memory.zone, week, 1)
    assert (len(shown["below"]), shown["more_below"]) == (1, 1)


def test_topics_are_listed_newest_first(memory: Memory) -> None:
    found = inspect.topics(memory.corpus, memory.zone, 10)
    rows = found["topics"]
    assert rows
    assert [row["until"] for row in rows] == sorted((row["until"] for row in rows), reverse=True)
