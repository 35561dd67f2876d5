"""Whatever a model passes: a clear refusal with the next step, or a correct answer; never another owner's data."""

from collections.abc import Callable
from typing import Any

import pytest
from mcp_types import CallToolResult

from mcp_memory.engine import Memory
from mcp_memory.ports import FixedClock

Call = Callable[..., CallToolResult]
Text = Callable[[CallToolResult], str]

ODD_TEXTS = {
    "emoji": "🙂👩\u200d👩\u200d👧🇩🇪",
    "right to left": "שלום עולם مرحبا",
    "chinese": "我最喜欢的颜色是蓝色",
    "nul": "a\x00b",
    "controls": "\x01\x1b[31m\u202e\u200b",
    "quotes": "\"'`´“”''",
    "operators": "AND OR NOT ( ) * + - ~ ^ : \\ / { } [ ]",
    "sql": "'; DROP TABLE turns; --",
    "stop words": "the of and to a in is it",
    "markup": "<script>alert(1)</script> {{records}} ${x} %s %n",
    "json": '{"a": [1, null]}',
    "null": "null",
    "number": "12345",
    "long": "pearl " * 170_000,
    "one long word": "x" * 1_000_000,
}
IDS = [
    "",
    " ",
    "'",
    '"',
    "' OR '1'='1",
    "t; DROP TABLE turns",
    "t" * 10_000,
    "\x00",
    "日本",
    "../../etc/passwd",
    "%",
    "null",
    "tzz",
]

REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("recall", {"query": ""}, "query"),
    ("recall", {"query": " \n\t\u200b"}, "query"),
    ("recall", {}, "query"),
    ("recall", {"querry": "pearls"}, "querry"),
    ("recall", {"query": "pearls", "owner": "Ben"}, "owner"),
    ("recall", {"query": 7}, "query"),
    ("recall", {"query": None}, "query"),
    ("recall", {"query": ["pearls"]}, "query"),
    ("recall", {"query": "pearls", "complexity": "hard"}, "complexity"),
    ("recall", {"query": "pearls", "max_tokens": 0}, "max_tokens"),
    ("recall", {"query": "pearls", "max_tokens": -5}, "max_tokens"),
    ("recall", {"query": "pearls", "max_tokens": "many"}, "max_tokens"),
    ("recall", {"query": "pearls", "since": "not a date"}, "since"),
    ("recall", {"query": "pearls", "until": "2026-13-45"}, "until"),
    ("recall", {"query": "pearls", "since": "2026-03-02", "until": "2026-03-01"}, "swap"),
    ("remember_turn", {}, "user"),
    ("remember_turn", {"user": ""}, "word for word"),
    ("remember_turn", {"user": "  "}, "word for word"),
    ("remember_turn", {"text": "hello"}, "text"),
    ("remember_turn", {"user": "x", "at": "yesterdayish"}, "at"),
    ("remember_turn", {"user": "x", "at": "2099-01-01"}, "future"),
    ("remember_turn", {"user": "x", "notes": [{"cues": ["x"]}]}, "fact"),
    ("remember_turn", {"user": "x", "notes": [{"fact": ""}]}, "fact"),
    ("remember_turn", {"user": "x", "notes": [{"fact": "y", "weight": 3}]}, "weight"),
    ("remember_turn", {"user": "x", "notes": "a fact"}, "notes"),
    ("remember_turn", {"user": "x", "topic": "t" * 300}, "topic"),
    ("remember_turn", {"user": "x" * 2_000_001}, "split"),
    ("persona", {"speaker": "Nobody Known"}, "nothing is known"),
    ("persona", {"at": "soonish"}, "at"),
    ("persona", {"name": "Ann"}, "name"),
    ("inspect_memory", {"view": "everything"}, "view"),
    ("inspect_memory", {"view": "node"}, "id"),
    ("inspect_memory", {"limit": 0}, "limit"),
    ("inspect_memory", {"limit": -1}, "limit"),
    ("inspect_memory", {"limit": "all"}, "limit"),
    ("inspect_memory", {"view": "timeline", "since": "2026-03-02", "until": "2026-03-01"}, "swap"),
    ("forget", {}, "ids"),
    ("forget", {"ids": []}, "ids"),
    ("forget", {"ids": [7]}, "ids"),
    ("forget", {"ids": "all"}, "ids"),
    ("forget", {"id": "x"}, "id"),
]


@pytest.fixture
def pearls(call: Call) -> str:
    """One memory; its id."""
    return str(call("remember_turn", {"user": "My pearls are in the drawer"}).structured_content["ids"][0])


@pytest.mark.parametrize(("tool", "arguments", "hint"), REFUSED, ids=lambda value: ascii(value)[:40])
def test_it_is_refused_with_what_to_do(
    pearls: str, call: Call, text: Text, memory: Memory, tool: str, arguments: dict[str, Any], hint: str
) -> None:
    result = call(tool, arguments)
    assert result.is_error
    assert hint in text(result)
    assert "Traceback" not in text(result)
    assert "pydantic" not in text(result)
    assert len(text(result)) < 1000
    memory.corpus.refresh()
    assert len(memory.corpus.turns) == 1


@pytest.mark.parametrize("name", ODD_TEXTS)
def test_odd_text_is_remembered_and_asked_for(pearls: str, call: Call, text: Text, name: str) -> None:
    stored = call("remember_turn", {"user": ODD_TEXTS[name], "assistant": ODD_TEXTS[name]})
    assert not stored.is_error or "word for word" in text(stored)
    found = call("recall", {"query": ODD_TEXTS[name], "max_tokens": 200})
    assert not found.is_error or "`query` is blank" in text(found)
    assert len(text(found)) < 20_000


@pytest.mark.parametrize("name", IDS, ids=lambda value: ascii(value)[:20])
@pytest.mark.parametrize("tool", ["inspect_memory", "forget"])
def test_what_is_no_id_is_no_memory(pearls: str, call: Call, text: Text, tool: str, name: str) -> None:
    arguments: dict[str, Any] = (
        {"view": "node", "id": name} if tool == "inspect_memory" else {"ids": [name], "confirm": True}
    )
    result = call(tool, arguments)
    assert result.is_error
    assert "id" in text(result)
    assert "drawer" in text(call("recall", {"query": "pearls"})), "nothing may be erased for a name that names nothing"


@pytest.mark.parametrize("limit", [1, 10**9])
def test_any_positive_limit_is_answered(pearls: str, call: Call, limit: int) -> None:
    for view in ("overview", "timeline", "trace", "pending", "topics"):
        assert not call("inspect_memory", {"view": view, "limit": limit}).is_error
    assert not call("recall", {"query": "pearls", "max_tokens": max(limit, 32)}).is_error


@pytest.mark.parametrize("query", ["*", '""', "?!", "( ) { } ~", "- - -", "…"])
def test_a_query_without_words_finds_nothing_and_is_told_so(pearls: str, call: Call, text: Text, query: str) -> None:
    found = call("recall", {"query": query})
    assert found.structured_content["hits"] == []
    assert "Nothing remembered" in text(found)


def test_a_window_before_everything_finds_nothing(pearls: str, call: Call, text: Text) -> None:
    found = call("recall", {"query": "pearls", "until": "2020-01-01"})
    assert found.structured_content["hits"] == []
    assert "Nothing remembered" in text(found)


def test_an_empty_memory_answers_every_tool(call: Call, text: Text) -> None:
    assert "Nothing remembered" in text(call("recall", {"query": "pearls"}))
    assert not call("persona").is_error
    for view in ("overview", "timeline", "trace", "pending", "topics"):
        assert not call("inspect_memory", {"view": view}).is_error


def test_notes_given_as_a_json_string_are_taken(call: Call, text: Text) -> None:
    call("remember_turn", {"user": "x", "notes": '[{"fact": "Ann keeps bees"}]'})
    assert "keeps bees" in text(call("recall", {"query": "bees"}))


def test_another_owners_memory_is_never_shown(
    open_memory: Callable[..., Memory], call: Call, text: Text, clock: FixedClock
) -> None:
    ben = open_memory(owner="Ben")
    theirs = call("remember_turn", {"user": "I love my secret zeppelin"}, of=ben).structured_content["ids"][0]
    call("remember_turn", {"user": "My pearls are in the drawer"})
    ben.drain()
    shown = [
        call("recall", {"query": "secret zeppelin love"}),
        call("persona"),
        call("persona", {"speaker": "Ben"}),
        call("inspect_memory"),
        call("inspect_memory", {"view": "timeline"}),
        call("inspect_memory", {"view": "topics"}),
        call("inspect_memory", {"view": "pending"}),
        call("inspect_memory", {"view": "node", "id": theirs}),
        call("inspect_memory", {"view": "node", "id": theirs[:8]}),
        call("forget", {"ids": [theirs], "confirm": True}),
    ]
    for result in shown:
        assert "zeppelin" not in text(result)
        assert "zeppelin" not in str(result.structured_content)
    assert [result.is_error for result in shown[-3:]] == [True, True, True]
    assert "zeppelin" in text(call("recall", {"query": "zeppelin"}, of=ben))


def test_null_for_what_may_be_left_out_counts_as_left_out(call: Call) -> None:
    result = call("remember_turn", {"user": "I like tea", "notes": None, "at": None})
    assert not result.is_error
