"""A store in trouble: the server says what is wrong and what to do, and serves what it can."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp_types import CallToolResult

from mcp_memory.engine import Memory
from mcp_memory.write.remember import Said

Call = Callable[..., CallToolResult]
Text = Callable[[CallToolResult], str]
Open = Callable[..., Memory]


def test_a_folder_that_cannot_be_used_is_told_and_nothing_is_pretended(
    tmp_path: Path, open_memory: Open, call: Call, text: Text
) -> None:
    (tmp_path / "file").write_text("")
    memory = open_memory(folder=tmp_path / "file")
    assert "data_dir" in text(call("inspect_memory", of=memory))
    refused = call("remember_turn", {"user": "I love pearls"}, of=memory)
    assert refused.is_error
    assert "data_dir" in text(refused)
    found = call("recall", {"query": "pearls"}, of=memory)
    assert not found.is_error
    assert "data_dir" in " ".join(found.structured_content["notices"])


def test_broken_tables_are_told_with_the_remedy_and_recall_goes_on(
    memory: Memory, open_memory: Open, call: Call, text: Text
) -> None:
    memory.remember(Said("My pearls are in the drawer"))
    memory.drain()
    for path in (memory.store.folder / "lance" / "units.lance" / "data").iterdir():
        path.write_bytes(b"")
    damaged = open_memory()
    found = call("recall", {"query": "pearls"}, of=damaged)
    assert "drawer" in text(found)
    assert "mcp-memory rebuild" in text(found)
    overview = call("inspect_memory", of=damaged)
    assert "mcp-memory rebuild" in text(overview)
    assert overview.structured_content["data"]["turns"] == 1
    assert not call("remember_turn", {"user": "More pearls came"}, of=damaged).is_error
    assert "More pearls" in text(call("recall", {"query": "more pearls"}, of=damaged))


def test_lost_turns_are_never_passed_over_in_silence(memory: Memory, open_memory: Open, call: Call, text: Text) -> None:
    memory.remember(Said("My pearls are in the drawer"))
    memory.drain()
    shutil.rmtree(memory.store.folder / "lance")
    lost = open_memory()
    assert "1 turns that were acknowledged are missing" in text(call("recall", {"query": "pearls"}, of=lost))
    assert "missing" in text(call("inspect_memory", of=lost))


def test_a_folder_that_vanished_is_told_with_the_next_step(memory: Memory, call: Call, text: Text) -> None:
    memory.remember(Said("My pearls are in the drawer"))
    shutil.rmtree(memory.store.folder)
    refused = call("remember_turn", {"user": "into the void"})
    assert refused.is_error
    assert "restart" in text(refused)


@pytest.mark.parametrize(
    ("tool", "method", "arguments"),
    [
        ("recall", "recall", {"query": "pearls"}),
        ("remember_turn", "remember", {"user": "pearls"}),
        ("persona", "persona", {}),
        ("inspect_memory", "inspect", {}),
        ("forget", "forget", {"ids": ["x"]}),
    ],
)
def test_a_fault_of_ours_is_named_without_content(
    memory: Memory,
    call: Call,
    text: Text,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    tool: str,
    method: str,
    arguments: dict[str, Any],
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ValueError("my hidden pearl")

    monkeypatch.setattr(memory, method, fail)
    result = call(tool, arguments)
    assert result.is_error
    assert "ValueError" in text(result)
    assert "hidden" not in text(result)
    assert "hidden" not in caplog.text
