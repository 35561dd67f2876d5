"""What is asked again when something changes: a late turn, a forgotten one, another scribe; and by whom."""

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mcp_memory.engine import Memory
from mcp_memory.errors import ChatError, SettingsError
from mcp_memory.ports import ChatReply, ChatRequest

if TYPE_CHECKING:
    from tests.write.conftest import World

SECRET = "xylophone"


def holding(folder: Path, word: str) -> list[str]:
    forms = [form.encode(code) for form in (word, word.capitalize()) for code in ("utf-8", "utf-16-le")]
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path.name for path in files if any(form in path.read_bytes() for form in forms)]


def written(world: "World", *days: int) -> Memory:
    """Some sessions of five exchanges, all written."""
    memory = world.filled(*(world.talk(world.day(n), *world.lines(5, f"deed {n}")) for n in days))
    memory.ask_scribe()
    assert world.left(memory) == []
    return memory


# ---------------------------------------------------------------------- late turns


def test_a_late_turn_asks_again_about_exactly_what_it_changes(world: "World") -> None:
    memory = written(world, 2, 4, 6, 10, 18)
    asked = len(world.model.requests)
    before = {one.id: one for one in world.units(memory, "session")}
    world.add(memory, world.talk(world.day(4, 9).replace(minute=20), "I came late"))
    memory.ask_scribe()
    assert world.model.kinds(asked) == ["batch", "session", "week", "profile"]
    assert world.model.shown(asked) == [["I came late", "So: I came late"]]
    changed = [one.window for one in world.units(memory, "session") if before.get(one.id) != one]
    assert changed == ["2026-02-04"]
    assert "I came late" in next(one for one in world.units(memory, "week") if one.window == "2026-W06").text
    world.check_tree(memory)


def test_an_answer_that_came_late_makes_an_exchange_whole(world: "World") -> None:
    said = world.talk(world.day(3), *world.lines(6))
    memory = world.filled(said[:5], said[6:])
    memory.ask_scribe()
    world.add(memory, said[5:6])
    memory.ask_scribe()
    scenes = [one for one in world.units(memory, "scene") if said[4].id in one.turns]
    assert [one.turns for one in scenes] == [(said[4].id, said[5].id)]
    world.check_tree(memory)


# ---------------------------------------------------------------------- forgetting


def test_what_is_forgotten_goes_from_the_answers_and_is_summed_up_without_it(world: "World") -> None:
    memory = world.filled(
        world.talk(world.day(2), *world.lines(5)),
        world.talk(world.day(3), *world.lines(5, "deed"), f"I bought a {SECRET}"),
        world.talk(world.day(4), *world.lines(5, "work")),
        world.talk(world.day(11), *world.lines(5, "late")),
    )
    memory.ask_scribe()
    told = [one.kind for one in memory.corpus.units.values() if SECRET in one.text]
    assert {"scene", "item", "session", "day", "week", "profile", "persona"} <= set(told)
    said = next(turn for turn in memory.corpus.turns.values() if SECRET in turn.text)
    memory.forget([said.id], confirm=True)
    assert holding(world.folder, SECRET) == []
    asked = len(world.model.requests)
    memory.ask_scribe()
    assert {"batch", "session", "week", "profile"} == set(world.model.kinds(asked))
    assert not any(SECRET in request.user for request in world.model.requests[asked:])
    assert holding(world.folder, SECRET) == []
    assert {one.source for one in world.units(memory, "session")} == {"llm"}
    assert world.left(memory) == []
    world.check_tree(memory)


# ---------------------------------------------------------------------- another scribe


def test_all_is_asked_again_only_when_somebody_wants_it(world: "World") -> None:
    memory = written(world, 3, 4)
    first = len(world.model.requests)
    memory.rebuild()
    memory.drain()
    assert memory.ask_scribe().calls == 0
    memory.rebuild(rescribe=True)
    memory.drain()
    assert {one.source for one in world.units(memory, "scene")} == {"rules"}
    memory.ask_scribe()
    assert world.model.kinds(first) == world.model.kinds()[:first]
    assert {one.source for one in world.units(memory, "scene")} == {"llm"}


def test_asking_about_everything_goes_on_where_it_was_stopped(world: "World") -> None:
    memory = written(world, 3, 4, 5, 6)
    first = len(world.model.requests)
    memory.rebuild(rescribe=True)
    memory.drain()
    stops = iter([True] * 3 + [False] * 99)
    assert memory.ask_scribe(lambda: next(stops)).stopped == "paused"
    between = len(world.model.requests)
    assert between > first
    again = world.open()
    again.rebuild(rescribe=True)
    again.drain()
    again.ask_scribe()
    assert len(world.model.requests) == 2 * first
    again.rebuild(rescribe=True)
    again.drain()
    again.ask_scribe()
    assert len(world.model.requests) == 3 * first


def test_failures_are_forgotten_with_the_answers(world: "World") -> None:
    world.model.fail = ChatError("busy")
    memory = world.filled(world.talk(world.day(3), *world.lines(5)))
    memory.ask_scribe()
    world.model.fail = None
    memory.rebuild(rescribe=True)
    memory.drain()
    memory.ask_scribe()
    assert {one.source for one in world.units(memory, "scene")} == {"llm"}


def test_without_a_scribe_nothing_piles_up_and_the_past_is_asked_about_only_on_demand(world: "World") -> None:
    without = world.open(embedder=None)
    for number in (1, 2, 9, 20):
        world.add(without, world.talk(world.day(number), *world.lines(5)))
    assert world.left(without) == []
    world.add(without, world.talk(world.clock.now(), *world.lines(5)))
    assert world.left(without) == ["2026-03-02", "2026-W10", "2026-03"]
    with pytest.raises(SettingsError, match="no language model"):
        without.rebuild(rescribe=True)
    assert "rebuild --rescribe" in without.inspect("pending", "", None, None, 5)["scribe"]
    world.wait(hours=1)
    memory = world.open()
    memory.ask_scribe()
    assert world.model.kinds() == ["batch", "session"]
    memory.rebuild(rescribe=True)
    memory.drain()
    memory.ask_scribe()
    assert {one.source for one in world.units(memory, "scene")} == {"llm"}


# ---------------------------------------------------------------------- several processes


class Meeting:
    """A model that lets another process try while it answers."""

    model = "meeting"

    def __init__(self, world: "World", meanwhile: Any) -> None:
        self._chat, self._meanwhile = world.model.chat, meanwhile

    def complete(self, request: ChatRequest) -> ChatReply:
        self._meanwhile()
        return self._chat.complete(request)


def test_two_processes_never_ask_the_same(world: "World") -> None:
    other = world.filled(world.talk(world.day(3), *world.lines(20)), world.talk(world.day(4), *world.lines(6)))
    tried: list[int] = []
    memory = world.open(chat=Meeting(world, lambda: tried.append(other.ask_scribe().calls)))
    calls = memory.ask_scribe().calls
    assert set(tried) == {0}
    assert calls == len(world.model.requests) == len({request.user for request in world.model.requests})
    world.wait(minutes=6)
    assert other.ask_scribe().calls == 0


def test_two_threads_at_once_share_the_work(world: "World") -> None:
    memories = [world.filled(world.talk(world.day(3), *world.lines(20))), world.open()]
    threads = [threading.Thread(target=memory.ask_scribe) for memory in memories]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for memory in memories:
        world.wait(minutes=6)
        memory.ask_scribe()
    assert len(world.model.requests) == len({request.user for request in world.model.requests})
    assert world.left(memories[0]) == []


DYING = """
import os, sys
from mcp_memory.engine import Memory
from mcp_memory.ports import FixedClock
from mcp_memory.settings import Settings
from datetime import datetime
class Deadly:
    model = "deadly"
    def complete(self, request):
        os._exit(9)
given = {"data_dir": sys.argv[1], "owner": "Ann", "time_zone": "Europe/Berlin", "embed": {"provider": "none"}}
Memory(Settings(**given), clock=FixedClock(datetime.fromisoformat(sys.argv[2])), chat=Deadly()).ask_scribe()
"""


def test_the_lease_of_a_dead_process_runs_out(world: "World", process: Any) -> None:
    memory = world.filled(world.talk(world.day(3), *world.lines(5)))
    died = process(DYING, world.folder, world.clock.now().isoformat())
    assert died.wait(60) == 9
    assert memory.ask_scribe().calls == 0
    world.wait(minutes=9, seconds=59)
    assert memory.ask_scribe().calls == 0
    world.wait(minutes=5)
    assert memory.ask_scribe().calls == 3
    assert world.left(memory) == []
