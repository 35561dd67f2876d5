"""The five tools as a client sees them, in both protocol eras."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from mcp import Client
from mcp_types import CallToolResult

from mcp_memory.engine import Memory
from mcp_memory.ports import FixedClock

Call = Callable[..., CallToolResult]
Text = Callable[[CallToolResult], str]

ARGUMENTS = {
    "remember_turn": {"user", "assistant", "topic", "notes", "at", "session"},
    "recall": {"query", "complexity", "since", "until", "max_tokens"},
    "persona": {"speaker", "at"},
    "inspect_memory": {"view", "id", "since", "until", "limit"},
    "forget": {"ids", "confirm"},
}
WIRE_BYTES = 6 * 1024


@pytest.fixture
def told(memory: Memory, call: Call, clock: FixedClock) -> Memory:
    """Two exchanges, a week apart, indexed."""
    call("remember_turn", {"user": "I love my garden and my sister Eva", "assistant": "Lovely.", "topic": "garden"})
    clock.advance(timedelta(days=7))
    note = {"fact": "Ann is allergic to nuts", "cues": ["what shall we bake"]}
    call("remember_turn", {"user": "Nuts make me ill", "assistant": "Noted.", "notes": [note]})
    memory.drain()
    return memory


def test_all_tools_are_there_with_their_arguments_and_all_hints(talk: Callable[..., Any]) -> None:
    tools = {tool.name: tool for tool in talk(lambda client: client.list_tools()).tools}
    assert {name: set(tool.input_schema["properties"]) for name, tool in tools.items()} == ARGUMENTS
    for tool in tools.values():
        hints = tool.annotations
        assert None not in (hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint, hints.open_world_hint)
        assert hints.title
        assert tool.output_schema
    assert tools["recall"].annotations.read_only_hint
    assert not tools["remember_turn"].annotations.read_only_hint
    assert [name for name, tool in tools.items() if tool.annotations.destructive_hint] == ["forget"]


def test_the_list_of_tools_is_small(talk: Callable[..., Any]) -> None:
    listed = talk(lambda client: client.list_tools())
    assert len(listed.model_dump_json(by_alias=True, exclude_unset=True).encode()) <= WIRE_BYTES


def test_what_was_remembered_is_found_by_the_very_next_call(call: Call, text: Text) -> None:
    stored = call("remember_turn", {"user": "I keep my spare key under the blue pot"})
    assert stored.structured_content["stored"]
    assert stored.structured_content["ids"][0][:8] in text(stored)
    found = call("recall", {"query": "where is the spare key"})
    assert "blue pot" in text(found)
    hit = found.structured_content["hits"][0]
    assert "blue pot" in hit["text"]
    assert hit["sources"] == stored.structured_content["ids"][:1]


def test_what_a_fast_clock_dates_ahead_is_found_by_the_very_next_call(call: Call, text: Text, memory: Memory) -> None:
    ahead = (memory.now() + timedelta(hours=2)).isoformat()
    call("remember_turn", {"user": "I love my pearls", "at": ahead})
    assert "pearls" in text(call("recall", {"query": "Where are the pearls?"}))
    assert "pearls" in text(call("persona", {}))


def test_text_and_structure_of_recall_tell_the_same(told: Memory, call: Call, text: Text) -> None:
    found = call("recall", {"query": "what is Ann allergic to"})
    assert found.structured_content["hits"]
    for hit in found.structured_content["hits"]:
        assert hit["text"] in text(found)
        assert hit["id"][:8] in hit["text"]
    assert any("nuts" in hit["text"].lower() for hit in found.structured_content["hits"])


def test_persona_tells_in_text_and_structure(told: Memory, call: Call, text: Text) -> None:
    shown = call("persona")
    assert "sister" in text(shown)
    values = [entry["value"] for entries in shown.structured_content["keys"].values() for entry in entries]
    assert any("sister" in value for value in values)
    assert shown.structured_content["speaker"] == "Ann"


@pytest.mark.parametrize("view", ["overview", "timeline", "pending", "trace", "topics"])
def test_every_view_tells_in_text_and_structure(told: Memory, call: Call, text: Text, view: str) -> None:
    call("recall", {"query": "nuts"})
    shown = call("inspect_memory", {"view": view})
    assert shown.structured_content["view"] == view
    assert text(shown).startswith(view)


def test_a_node_shows_what_is_around_it(told: Memory, call: Call, text: Text) -> None:
    rows = call("inspect_memory", {"view": "timeline"}).structured_content["data"]["nodes"]
    day = next(row for row in rows if row["kind"] == "day")
    node = call("inspect_memory", {"view": "node", "id": day["id"]}).structured_content["data"]
    assert [row["kind"] for row in node["above"]] == ["week", "profile"]
    assert [row["kind"] for row in node["below"]] == ["session"]
    turn = call("recall", {"query": "nuts"}).structured_content["hits"][0]["sources"][0]
    assert "Nuts make me ill" in text(call("inspect_memory", {"view": "node", "id": turn}))


def test_forget_shows_first_and_erases_when_confirmed(told: Memory, call: Call, text: Text) -> None:
    hit = call("recall", {"query": "nuts"}).structured_content["hits"][0]
    shown = call("forget", {"ids": [hit["id"]]})
    assert (shown.structured_content["erased"], len(shown.structured_content["turns"])) == (False, 2)
    assert "confirm=true" in text(shown)
    assert "Nuts make me ill" in text(shown)
    gone = call("forget", {"ids": [hit["id"]], "confirm": True})
    assert gone.structured_content["erased"]
    assert "nuts" not in text(call("recall", {"query": "nuts"})).lower()


def test_a_retry_is_told(call: Call, text: Text) -> None:
    arguments = {"user": "yes please", "session": "one"}
    call("remember_turn", arguments)
    again = call("remember_turn", arguments)
    assert again.structured_content["duplicate"]
    assert "Already remembered" in text(again)


def test_what_was_taken_out_is_told(call: Call, text: Text) -> None:
    told = call("remember_turn", {"user": "my card is 4111 1111 1111 1111"})
    assert told.structured_content["redacted"]
    assert "4111" not in text(told)


def test_instructions_resources_and_prompt(told: Memory, talk: Callable[..., Any]) -> None:
    async def look(client: Client) -> tuple[Any, ...]:
        resources = await client.list_resources()
        read = [await client.read_resource(str(one.uri)) for one in resources.resources]
        prompts = await client.list_prompts()
        return client.instructions, resources, read, prompts, await client.get_prompt("briefing")

    instructions, resources, read, prompts, prompt = talk(look)
    assert "recall" in instructions
    assert "remember_turn" in instructions
    assert {str(one.uri) for one in resources.resources} == {"memory://persona", "memory://briefing"}
    assert all("Ann" in one.contents[0].text for one in read)
    assert [one.name for one in prompts.prompts] == ["briefing"]
    assert "recall" in prompt.messages[0].content.text
