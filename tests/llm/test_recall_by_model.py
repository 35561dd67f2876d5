"""Planner and gate by a language model, through the whole of recall: within their time, never in the way."""

import json
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from mcp_memory.embed.hashing import HashingEmbedder
from mcp_memory.engine import Memory
from mcp_memory.errors import ChatDeniedError, ChatError, ChatFormatError
from mcp_memory.llm.scripted import ScriptedChat
from mcp_memory.model.query import Answer, Complexity, Query
from mcp_memory.model.turn import Note
from mcp_memory.ports import Chat, ChatReply, ChatRequest, FixedClock
from mcp_memory.settings import Settings
from mcp_memory.write.remember import Said

REMARK = "we are choosing a dessert for the party tonight"
BOTH = {"planner": "llm", "gate": "llm"}


class Desk:
    """Memories of one talk, each with a chat of its own, and what they find."""

    def __init__(self, folder: Path, clock: FixedClock) -> None:
        self._folder, self._clock = folder, clock
        self.opened: list[Memory] = []

    def open(self, chat: Chat, llm: dict[str, Any] | None = None, **recall: Any) -> Memory:
        settings = Settings(
            data_dir=self._folder,
            owner="Ann",
            time_zone="UTC",
            embed={"provider": "none"},
            llm=llm or {},
            recall=BOTH | recall,
        )
        memory = Memory(settings, clock=self._clock, chat=chat, embedder=HashingEmbedder())
        memory.load()
        self.opened.append(memory)
        return memory

    def fill(self, memory: Memory) -> None:
        for number in range(12):
            memory.remember(Said(f"I planted {number} apple trees in garden number {number}", "Lovely apple trees."))
            self._clock.advance(timedelta(minutes=1))
        memory.remember(Said("Nuts make me ill", notes=[Note("Ann is allergic to nuts", (REMARK,))]))
        self._clock.advance(timedelta(hours=1))
        memory.drain()

    def ask(self, memory: Memory, text: str = "How many apple trees?", complexity: Complexity | None = None) -> Answer:
        return memory.recall(Query(text, "Ann", self._clock.now(), complexity=complexity or ""))


@pytest.fixture
def desk(tmp_path: Path, clock: FixedClock) -> Iterator[Desk]:
    made = Desk(tmp_path / "data", clock)
    yield made
    for memory in made.opened:
        memory.close()
        memory.store.journal.close()


def replies(plan: Any = None, keep: Any = None) -> ScriptedChat:
    plans = {"complexity": 1, "keywords": ["apple"]} if plan is None else plan
    return ScriptedChat(lambda request: plans if request.kind == "plan" else {"keep": []} if keep is None else keep)


def lines(answer: Answer) -> list[str]:
    return [hit.line for hit in answer.hits]


def test_a_model_plans_and_drops_what_does_not_help(desk: Desk) -> None:
    chat = replies({"complexity": 0, "keywords": ["apple", "tree"]})
    memory = desk.open(chat)
    desk.fill(memory)
    answer = desk.ask(memory)
    assert (answer.plan.by, answer.plan.complexity, answer.plan.keywords) == ("llm", "simple", ("apple", "tree"))
    assert [request.kind for request in chat.requests] == ["plan", "gate"]
    assert [request.deadline <= 2.0 for request in chat.requests] == [True, True]
    assert answer.dropped
    assert sum(hit.section == "facts" for hit in answer.hits) == 3  # the floor
    asked = json.loads(chat.requests[1].user.split("\n")[2])
    assert asked["via"] == "words and meaning"


def test_what_a_cue_evoked_is_not_for_the_gate_to_drop(desk: Desk) -> None:
    chat = replies()
    memory = desk.open(chat)
    desk.fill(memory)
    answer = desk.ask(memory, f"Well, {REMARK}.")
    (evoked,) = [hit for hit in answer.hits if hit.reserved and "nuts" in hit.line]
    assert evoked.via.startswith("horizon cue")
    assert not any("allergic" in request.user for request in chat.requests if request.kind == "gate")


def test_what_the_caller_says_is_not_planned_again(desk: Desk) -> None:
    chat = replies()
    memory = desk.open(chat)
    desk.fill(memory)
    answer = desk.ask(memory, complexity="complex")
    assert (answer.plan.by, answer.plan.complexity) == ("caller", "complex")
    assert "plan" not in [request.kind for request in chat.requests]


@pytest.mark.parametrize(
    "answer",
    [
        ChatError("busy"),
        ChatFormatError("no JSON"),
        ChatDeniedError("the key was refused"),
        {"complexity": 7, "keywords": []},
        {"keep": "all"},
        {},
    ],
)
def test_without_a_usable_answer_recall_goes_on_by_its_rules(desk: Desk, answer: Any) -> None:
    ruled = desk.open(replies(), planner="rules", gate="score")
    desk.fill(ruled)
    expected = desk.ask(ruled)
    found = desk.ask(desk.open(ScriptedChat(lambda _: answer)))
    assert (found.plan, lines(found)) == (expected.plan, lines(expected))


def test_a_broken_prompt_of_the_users_does_not_break_recall(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "plan.md").write_text("no user part")
    memory = desk.open(replies())
    memory.models._settings = memory.settings.model_copy(update={"prompts_dir": str(tmp_path)})
    desk.fill(memory)
    assert desk.ask(memory).plan.by == "rules"


def test_a_used_up_budget_is_left_alone(desk: Desk) -> None:
    chat = replies()
    memory = desk.open(chat, llm={"calls_per_day": 0})
    desk.fill(memory)
    assert desk.ask(memory).plan.by == "rules"
    assert chat.requests == []


class Slow:
    """A model that is busy with a long background call until it is let go."""

    model = "slow"

    def __init__(self) -> None:
        self.busy, self.go = threading.Event(), threading.Event()
        self._quick = replies()

    def complete(self, request: ChatRequest) -> ChatReply:
        if request.kind.startswith("close"):
            self.busy.set()
            self.go.wait(30)
            raise ChatError("stopped")
        return self._quick.complete(request)


def test_background_calls_do_not_take_the_places_of_recall(desk: Desk, clock: FixedClock) -> None:
    slow = Slow()
    memory = desk.open(slow, llm={"concurrency": 1}, deadline=0.2)
    desk.fill(memory)
    writing = threading.Thread(target=memory.ask_scribe)
    writing.start()
    try:
        assert slow.busy.wait(30)
        assert desk.ask(memory).plan.by == "llm"
    finally:
        slow.go.set()
        writing.join()


def test_recall_spends_from_the_same_budget(desk: Desk) -> None:
    memory = desk.open(replies())
    desk.fill(memory)
    desk.ask(memory)
    spent = memory.inspect("overview", "", None, None, 5)["spending"]
    assert {(one["kind"], one["calls"]) for one in spent} == {("plan", 1), ("gate", 1)}


def test_nobody_is_asked_by_default(desk: Desk) -> None:
    chat = replies()
    memory = desk.open(chat, planner="rules", gate="score")
    desk.fill(memory)
    desk.ask(memory)
    assert chat.requests == []
