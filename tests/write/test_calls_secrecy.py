"""Nothing that was said, asked, answered or used as a key is ever logged or raised, whatever goes wrong."""

import traceback
from typing import TYPE_CHECKING, Any

import pytest

from mcp_memory.engine import Memory
from mcp_memory.errors import ChatDeniedError, ChatError, ChatFormatError, ChatTooLargeError, MemoryFault
from mcp_memory.model.query import Query
from mcp_memory.model.turn import Note
from mcp_memory.write.remember import Said

if TYPE_CHECKING:
    from tests.write.conftest import World

MARK = "quetzalcoatl4711"
FAILURES: list[Any] = [
    ChatError("the server is busy"),
    ChatFormatError("the reply was not valid"),
    ChatTooLargeError("too much"),
    ChatDeniedError("the key was refused"),
    ValueError(MARK),
    {"scenes": MARK},
    {"title": MARK, "text": 4, "patches": [], "portraits": []},
    None,
]


def say(memory: Memory) -> None:
    for number in range(6):
        memory.remember(Said(f"I am {MARK} {number}", MARK, topic=MARK, notes=[Note(MARK, (MARK,), MARK)]))
        memory.remember(Said(f"I am {MARK} {number}", MARK, topic=MARK, notes=[Note(MARK, (MARK,), MARK)]))


def use(world: "World", memory: Memory) -> str:
    """All that a client does, and what it was told when something went wrong."""
    told = []
    for step in (
        memory.drain,
        memory.ask_scribe,
        lambda: memory.recall(Query(f"Who is {MARK}?", "Ann", world.clock.now())),
        memory.persona,
        lambda: memory.persona(MARK),
        lambda: memory.inspect("node", MARK, None, None, 5),
        lambda: memory.forget([MARK], confirm=True),
        lambda: memory.remember(Said(MARK * 200_000)),
        memory.rebuild,
        memory.drain,
        memory._scribe_round,
        memory._drain_round,
    ):
        try:
            step()
        except MemoryFault as fault:
            told.append("".join(traceback.format_exception(fault)))
    return "\n".join(told)


@pytest.mark.parametrize("failure", FAILURES, ids=lambda one: type(one).__name__)
def test_a_failing_model_tells_nothing(world: "World", failure: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    answered = iter([True, False, True, False])
    world.model.edit = dict.fromkeys(
        ("close_batch", "close_session", "close_period"),
        lambda rows, reply: reply if failure is None or next(answered, False) else failure,
    )
    memory = world.open({"recall": {"planner": "llm", "gate": "llm"}})
    say(memory)
    world.wait(days=40)
    told = use(world, memory)
    assert world.model.requests
    assert MARK not in caplog.text
    assert MARK not in told
    pending = memory.inspect("pending", "", None, None, 20)
    assert MARK not in str(pending)


def test_a_key_and_a_prompt_of_ones_own_are_told_to_nobody(world: "World", caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    prompts = world.folder.parent / "prompts"
    prompts.mkdir()
    (prompts / "close_session.md").write_text(f"{MARK}\n<!-- user -->\n{{{{grain}}}} {{{{records}}}}")
    (prompts / "close_batch.md").write_text(f"{MARK}\n<!-- user -->\n{{{{records}}}} {{{{made_up}}}}")
    llm = {"provider": "openai", "base_url": "http://127.0.0.1:9/v1", "api_key": MARK, "deadline": 0.1}
    memory = world.open({"llm": llm, "prompts_dir": str(prompts)}, chat=None)
    say(memory)
    world.wait(days=40)
    told = use(world, memory)
    assert "close_batch.md" in told
    assert MARK not in caplog.text
    assert MARK not in told
    assert MARK not in str(memory.inspect("overview", "", None, None, 5))
