"""The tree over a real memory: every interval holds its children's, whatever came first and whatever goes."""

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mcp_memory.engine import Memory
from mcp_memory.model.unit import TREE, Unit
from mcp_memory.ports import FixedClock
from mcp_memory.write.remember import Said

Open = Callable[..., Memory]
START = datetime(2026, 3, 24, 18, tzinfo=UTC)  # Berlin changes its clocks five days later
LONG_AFTER = datetime(2027, 8, 1, tzinfo=UTC)
FEW = settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))

talks = st.lists(
    st.tuples(
        st.sampled_from([1, 10, 29, 31, 300, 1500, 9000, 40000]),  # minutes since the one before
        st.sampled_from(["", "", "chat"]),
        st.sampled_from(["I love my garden", "My sister Eva plays violin", "We went to Rome", "ok"]),
    ),
    min_size=1,
    max_size=12,
)
Talk = list[tuple[int, str, str]]


def sayings(talk: Talk) -> list[Said]:
    at, found = START, list[Said]()
    for number, (minutes, session, text) in enumerate(talk):
        at += timedelta(minutes=minutes)
        found.append(Said(f"{text} ({number})", "I see." if number % 2 else "", at=at, session=session))
    return found


def derived(said: Sequence[Said], every: int, open_memory: Open, clock: FixedClock) -> dict[str, Unit]:
    """What a memory holds long after everything was said, drained every so many turns."""
    clock.moment = LONG_AFTER
    with TemporaryDirectory() as folder:
        memory = open_memory(folder=Path(folder, "data"))
        for number, one in enumerate(said):
            memory.remember(one)
            if number % every == every - 1:
                memory.drain()
        memory.drain()
        memory.corpus.refresh()
        return memory.corpus.stored()


def nodes(units: dict[str, Unit], kind: str) -> list[Unit]:
    return [unit for unit in units.values() if unit.kind == kind]


@FEW
@given(talk=talks)
def test_every_node_holds_its_children_and_has_one_parent(open_memory: Open, clock: FixedClock, talk: Talk) -> None:
    units = derived(sayings(talk), 5, open_memory, clock)
    for child_kind, parent_kind in pairwise(TREE):
        children = nodes(units, child_kind)
        assert len(nodes(units, parent_kind)) <= len(children)
        for child in children:
            parent = units[child.parent]
            assert parent.kind == parent_kind
            assert parent.start <= child.start <= child.end <= parent.end
    for parent in (unit for unit in units.values() if unit.kind in TREE[1:]):
        below = [unit for unit in units.values() if unit.parent == parent.id and unit.kind in TREE]
        assert parent.start == min(unit.start for unit in below)
        assert parent.end == max(unit.end for unit in below)


@FEW
@given(talk=talks, chance=st.randoms(use_true_random=False))
def test_the_order_of_arrival_makes_no_difference(
    open_memory: Open, clock: FixedClock, talk: Talk, chance: Random
) -> None:
    said = sayings(talk)
    shuffled = list(said)
    chance.shuffle(shuffled)
    tree = {one: unit for one, unit in derived(said, 100, open_memory, clock).items() if unit.kind in TREE}
    again = {one: unit for one, unit in derived(shuffled, 3, open_memory, clock).items() if unit.kind in TREE}
    assert again == tree


@FEW
@given(talk=talks)
def test_every_turn_stands_in_one_segment_one_session_and_at_most_one_scene(
    open_memory: Open, clock: FixedClock, talk: Talk
) -> None:
    units = derived(sayings(talk), 4, open_memory, clock)
    said = {turn for unit in nodes(units, "segment") for turn in unit.turns}
    for kind in ("segment", "session", "scene"):
        held = Counter(turn for unit in nodes(units, kind) for turn in unit.turns)
        assert set(held) <= said
        assert set(held.values()) == {1}
        if kind != "scene":
            assert set(held) == said


def revisions(memory: Memory) -> dict[str, int]:
    rows = memory.store.units.read(None, ["id", "rev"]).to_pylist()
    return {row["id"]: row["rev"] for row in rows}


@pytest.fixture
def spring(memory: Memory, clock: FixedClock) -> Memory:
    """A memory of three months with talk on nine days."""
    for day in range(0, 90, 10):
        clock.moment = datetime(2026, 3, 2, 10, tzinfo=UTC) + timedelta(days=day)
        memory.remember(Said(f"On day {day} I love my garden and my sister Eva", "Good."))
        clock.advance(timedelta(minutes=5))
        memory.remember(Said(f"And my job in town {day}", "I see."))
    clock.moment = LONG_AFTER
    memory.drain()
    return memory


def test_draining_again_changes_nothing(spring: Memory, clock: FixedClock) -> None:
    before, rows = spring.store.journal.counter("rev"), revisions(spring)
    spring.drain()
    clock.advance(timedelta(days=400))
    spring.drain()
    assert spring.store.journal.counter("rev") == before
    assert revisions(spring) == rows


def test_another_process_derives_the_same(spring: Memory, open_memory: Open) -> None:
    before = spring.store.journal.counter("rev")
    other = open_memory()
    spring.store.journal.mark_dirty({("Ann", turn.at.date().isoformat()) for turn in spring.corpus.turns.values()})
    other.drain()
    assert other.store.journal.counter("rev") == before


def changed(before: dict[str, int], memory: Memory) -> set[str]:
    after = revisions(memory)
    return {one for one in before.keys() | after.keys() if before.get(one) != after.get(one)}


def kinds(memory: Memory, ids: set[str]) -> set[tuple[str, str]]:
    units: dict[str, Any] = memory.corpus.stored()
    return {(units[one].kind, units[one].window) for one in ids if one in units and units[one].kind in TREE}


def test_a_late_turn_rebuilds_exactly_its_ancestors(spring: Memory) -> None:
    before = revisions(spring)
    spring.remember(Said("I also love my bicycle", at=datetime(2026, 3, 12, 10, 10, tzinfo=UTC)))
    spring.drain()
    assert kinds(spring, changed(before, spring)) == {
        ("segment", "2026-03-12"),
        ("session", "2026-03-12"),
        ("day", "2026-03-12"),
        ("week", "2026-W11"),
        ("profile", "2026-03"),
    }


def test_forgetting_rebuilds_exactly_the_ancestors(spring: Memory) -> None:
    before = revisions(spring)
    turn = next(one for one in spring.corpus.turns.values() if one.text.startswith("And my job in town 20"))
    spring.forget([turn.id], confirm=True)
    assert kinds(spring, changed(before, spring)) == {
        ("session", "2026-03-22"),
        ("day", "2026-03-22"),
        ("week", "2026-W12"),
        ("profile", "2026-03"),
    }
    left = [unit.text for unit in spring.corpus.units.values() if "town 20" in unit.text]
    assert left == []


def test_forgetting_a_whole_day_takes_its_nodes_away(spring: Memory) -> None:
    day = next(unit for unit in spring.corpus.units.values() if unit.kind == "day" and unit.window == "2026-03-22")
    spring.forget([day.id], confirm=True)
    assert not [unit for unit in spring.corpus.units.values() if unit.window == "2026-03-22"]
    assert "2026-W12" not in {unit.window for unit in spring.corpus.units.values()}


def test_an_open_day_is_provisional_until_it_is_over(memory: Memory, clock: FixedClock) -> None:
    memory.remember(Said("I love my garden"))
    memory.drain()

    def status() -> dict[str, str]:
        memory.corpus.refresh()
        return {unit.kind: unit.status for unit in memory.corpus.units.values() if unit.kind in TREE[1:]}

    assert set(status().values()) == {"provisional"}
    clock.advance(timedelta(minutes=40))
    memory.drain()
    assert status()["session"] == "live"
    assert status()["day"] == "provisional"
    clock.advance(timedelta(days=1))
    memory.drain()
    assert (status()["day"], status()["week"]) == ("live", "provisional")
