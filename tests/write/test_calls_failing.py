"""A scribe that fails in every way: the rules cover, the work stays, nothing is paid for twice or for ever."""

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from mcp_memory.engine import Memory
from mcp_memory.errors import (
    ChatDeniedError,
    ChatError,
    ChatFormatError,
    ChatTimeoutError,
    ChatTooLargeError,
    SettingsError,
    StoreBusyError,
)
from mcp_memory.ports import ChatReply, ChatRequest

if TYPE_CHECKING:
    from tests.write.conftest import World

BUSY = ChatError("the server is busy")
ODD = ChatFormatError("the reply was not valid")


def filled(world: "World", sessions: int = 1, size: int = 5, **more: Any) -> Memory:
    return world.filled(*(world.talk(world.day(3 + n), *world.lines(size, f"{n}")) for n in range(sessions)), **more)


def pending(memory: Memory) -> dict[str, Any]:
    return memory.inspect("pending", "", None, None, 20)


def sources(world: "World", memory: Memory, kind: str = "scene") -> set[str]:
    return {one.source for one in world.units(memory, kind)}


def test_a_failed_question_is_asked_again_after_1_5_and_30_minutes_and_the_rules_cover(world: "World") -> None:
    memory = filled(world)
    world.model.fail = BUSY
    assert memory.ask_scribe().calls == 1
    for minutes in (1, 5, 30):
        world.wait(minutes=minutes, seconds=-1)
        assert memory.ask_scribe().calls == 0
        world.wait(seconds=1)
        assert memory.ask_scribe().calls == 1
    (failed,) = pending(memory)["failed_questions"]
    assert (failed["kind"], failed["attempts"], failed["reason"]) == ("batch", 4, "the server is busy")
    assert "2026-02-03" in pending(memory)["windows_to_scribe"]
    assert sources(world, memory) == {"rules"}
    world.check_tree(memory)
    world.model.fail = None
    world.wait(minutes=31)
    memory.ask_scribe()
    assert sources(world, memory) == {"llm"}
    assert (world.left(memory), pending(memory)["failed_questions"]) == ([], [])
    world.check_tree(memory)


@pytest.mark.parametrize("error", [ODD, ChatTimeoutError("no usable answer in time")])
def test_what_never_has_a_usable_answer_is_given_up(world: "World", error: ChatError) -> None:
    memory = filled(world)
    world.model.fail = error
    asked = 0
    for _ in range(60):
        asked += memory.ask_scribe().calls
        world.wait(hours=1)
    assert world.left(memory) == []
    failed = pending(memory)["failed_questions"]
    assert {(one["kind"], one["attempts"], one["given_up"]) for one in failed} == {
        (kind, 6, True) for kind in ("batch", "session")
    }
    assert asked == 12
    assert sources(world, memory) == {"rules"}


def test_a_server_that_cannot_be_reached_is_asked_once_a_day_in_the_end(world: "World") -> None:
    memory = filled(world)
    world.model.fail = BUSY
    for _ in range(48):
        memory.ask_scribe()
        world.wait(hours=1)
    assert len(world.model.requests) <= 9
    world.model.fail = None
    world.wait(days=1)
    memory.ask_scribe()
    assert sources(world, memory) == {"llm"}


def test_a_server_that_is_down_is_not_asked_about_everything(world: "World") -> None:
    memory = filled(world, sessions=8, size=12)
    world.model.fail = BUSY
    first = memory.ask_scribe()
    assert first.calls == 3
    assert first.stopped == "no answer to 3 questions in a row: the server is busy"
    world.wait(seconds=59)
    assert memory.ask_scribe().calls == 0
    world.wait(seconds=1)
    assert memory.ask_scribe().calls == 3
    world.model.fail = None
    for _ in range(3):
        world.wait(minutes=6)
        memory.ask_scribe()
    assert sources(world, memory) == {"llm"}
    assert pending(memory)["failed_questions"] == []


def test_one_bad_batch_does_not_keep_the_others_waiting(world: "World") -> None:
    memory = filled(world, sessions=3, size=12)
    second = "I did 1 number 1"
    poisoned = lambda rows, reply: ODD if any("turn" in row and row["text"] == second for row in rows) else reply  # noqa: E731
    world.model.edit["close_batch"] = poisoned
    memory.ask_scribe()
    assert [one.source for one in world.units(memory, "day")] == ["llm", "rules", "llm"]
    assert "2026-02-04" in world.left(memory)


def test_a_refused_key_stops_the_round_and_is_told(world: "World") -> None:
    memory = filled(world, sessions=3, size=12)
    world.model.fail = ChatDeniedError("the key was refused")
    assert memory.ask_scribe().stopped == "the key was refused"
    for _ in range(5):
        world.wait(hours=1)
        memory.ask_scribe()
    assert len(world.model.requests) == 1
    assert memory.inspect("overview", "", None, None, 5)["llm"] == "scripted: off: the key was refused"
    assert pending(memory)["failed_questions"] == []
    world.model.fail = None
    world.open().ask_scribe()  # another process, another key
    assert sources(world, memory) == {"llm"}


@pytest.mark.parametrize("limit", [{"calls_per_day": 2}, {"tokens_per_day": 5000}])
def test_a_used_up_budget_is_no_failure_and_the_next_day_goes_on(world: "World", limit: dict[str, int]) -> None:
    memory = filled(world, sessions=2, size=12, settings={"llm": limit})
    for _ in range(20):
        memory.ask_scribe()
        world.wait(minutes=40)
    assert len(world.model.requests) == 2
    assert pending(memory)["failed_questions"] == []
    assert "daily budget" in memory.inspect("overview", "", None, None, 5)["llm"]
    for _ in range(3):
        world.wait(days=1)
        memory.ask_scribe()
    assert world.left(memory) == []


def test_a_batch_that_is_too_large_is_asked_about_in_parts(world: "World") -> None:
    large = lambda rows, reply: ChatTooLargeError("too much") if len(reply["memories"]) > 3 else reply  # noqa: E731
    world.model.edit["close_batch"] = large
    memory = filled(world, sessions=2, size=5)
    memory.ask_scribe()
    answered = [len(shown) // 2 for shown in world.model.shown() if len(shown) <= 6]
    assert sum(answered) == 10
    assert sources(world, memory) == {"llm"}
    assert world.left(memory) == []
    world.check_tree(memory)


def test_what_is_too_large_by_itself_is_left_to_the_rules(world: "World") -> None:
    memory = filled(world, sessions=1, size=13)
    world.model.fail = ChatTooLargeError("more than the model can read at once")
    asked = [memory.ask_scribe().calls for _ in range(3)]
    assert asked[1:] == [0, 0]
    assert asked[0] < 40
    assert world.left(memory) == []
    assert all(one["given_up"] for one in pending(memory)["failed_questions"])
    assert sources(world, memory) == {"rules"}


def test_a_scribe_with_a_fault_of_its_own_is_not_asked_again_at_once(world: "World") -> None:
    class Broken:
        calls = 0

        def close_batch(self, batch: Any) -> Any:
            self.calls += 1
            raise ZeroDivisionError("I did thing number 1")

        close_session = close_period = close_batch

    broken = Broken()
    memory = filled(world, scribe=broken)
    for _ in range(10):
        memory.ask_scribe()
    assert broken.calls == 1
    (failed,) = pending(memory)["failed_questions"]
    assert failed["reason"] == "the scribe failed (ZeroDivisionError)"


def test_a_broken_prompt_is_a_setting_to_mend_and_no_failure(world: "World") -> None:
    folder = world.folder.parent / "prompts"
    folder.mkdir()
    (folder / "close_batch.md").write_text("no user part")
    memory = filled(world, settings={"prompts_dir": str(folder)})
    with pytest.raises(SettingsError, match=r"close_batch\.md"):
        memory.ask_scribe()
    (folder / "close_batch.md").unlink()
    memory.ask_scribe()
    assert sources(world, memory) == {"llm"}


def test_an_answer_that_cannot_be_kept_is_not_paid_for_again_at_once(world: "World") -> None:
    other = world.open(embedder=None)
    memory = filled(world, settings={"store": {"lock_timeout": 0.05}})

    class Holding:
        """While the model answers, another process begins a long write."""

        model = "holding"
        held: Any = None

        def complete(self, request: ChatRequest) -> ChatReply:
            self.held = other.store.lock.held("importing", 1)
            self.held.__enter__()
            return world.model.chat.complete(request)

    holding = Holding()
    memory = world.open({"store": {"lock_timeout": 0.05}}, chat=holding)
    with pytest.raises(StoreBusyError):
        memory.ask_scribe()
    holding.held.__exit__(None, None, None)
    assert memory.ask_scribe().calls == 0
    assert len(world.model.requests) == 1


def test_summaries_wait_for_the_words_they_sum_up(world: "World") -> None:
    memory = filled(world, sessions=2, size=12)
    world.model.edit["close_session"] = lambda rows, reply: BUSY
    memory.ask_scribe()
    assert sorted(world.model.kinds()) == ["batch", "batch", "session", "session"]
    del world.model.edit["close_session"]
    world.wait(minutes=2)
    memory.ask_scribe()
    assert sorted(world.model.kinds(since=4)) == ["profile", "session", "session"]


def test_an_open_day_is_not_summed_up(world: "World") -> None:
    memory = world.open()
    world.add(memory, world.talk(world.clock.now() - timedelta(hours=3), *world.lines(6)))
    world.add(memory, world.talk(world.clock.now() - timedelta(hours=1), *world.lines(6, "deed")))
    memory.ask_scribe()
    assert sorted(world.model.kinds()) == ["batch", "session", "session"]
    world.wait(days=1)
    memory.ask_scribe()
    assert world.model.kinds(since=3) == ["day"]
