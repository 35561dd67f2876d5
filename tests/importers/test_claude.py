from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

Take = Callable[..., Any]
Write = Callable[..., Path]
AT = "2024-05-01T07:30:00.123456Z"


def message(sender: str = "human", text: str | None = "Hello", **more: Any) -> dict[str, Any]:
    return {"uuid": f"m-{sender}", "sender": sender, "text": text, "content": [], "created_at": AT} | more


def talk(*messages: Any, **more: Any) -> dict[str, Any]:
    return {"uuid": "c1", "name": "Figs", "created_at": AT, "chat_messages": list(messages)} | more


def test_a_conversation_is_read(file: Write, take: Take) -> None:
    taken = take(file([talk(message(), message("assistant", "Hi!"))]))
    assert (taken.format, taken.damaged) == ("claude", [])
    assert taken.said == [("Ann", "Hello"), ("assistant", "Hi!")]
    first = taken.turns[0]
    assert first.at == datetime(2024, 5, 1, 7, 30, 0, 123_456, tzinfo=UTC)
    assert (first.session, first.ref, first.role) == ("claude:c1", "claude:m-human", "user")


def test_the_whole_export_may_be_given(archive: Write, take: Take) -> None:
    files = {"users.json": [], "projects.json": [{"uuid": "p"}], "conversations.json": [talk(message())]}
    assert take(archive(files)).said == [("Ann", "Hello")]


def test_words_come_from_the_blocks_and_tools_have_none(file: Write, take: Take) -> None:
    blocks = [
        {"type": "thinking", "thinking": "Hm.", "text": None},
        {"type": "text", "text": "Let me look."},
        {"type": "tool_use", "name": "search", "input": {}},
        {"type": "tool_result", "content": []},
        {"type": "text", "text": "Found it."},
    ]
    said = take(file([talk(message("assistant", "Let me look. ``` not supported ``` Found it.", content=blocks))])).said
    assert said == [("assistant", "Let me look.\n\nFound it.")]


def test_a_message_of_nothing_but_a_file_says_nothing(file: Write, take: Take) -> None:
    taken = take(file([talk(message(text="", attachments=[{"extracted_content": "x"}]))]))
    assert (taken.turns, taken.damaged) == ([], [])


def test_a_message_without_a_time_has_that_of_what_stands_before_it(file: Write, take: Take) -> None:
    assert take(file([talk(message(created_at=None))])).turns[0].at.isoformat() == "2024-05-01T07:30:00.123456+00:00"
    taken = take(file([talk(message(created_at=None), created_at=None)]))
    assert [one.why for one in taken.damaged] == ["`at`: field required"]


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (message("system"), "`sender`"),
        (message(text=7), "`text`"),
        (message(content="Hi"), "`content`"),
        (message(created_at="yesterday"), "`at`"),
        (message(created_at=5), "`created_at`"),
        (message(text="x" * 2_000_001), "`text`"),
        (None, "valid dictionary"),
    ],
)
def test_a_damaged_message_in_the_middle_is_told_and_passed_over(file: Write, take: Take, bad: Any, why: str) -> None:
    taken = take(file([talk(message(), bad, message("assistant"))]))
    assert len(taken.turns) == 2
    (damaged,) = taken.damaged
    assert damaged.where == "download, entry 1, message 2"
    assert why in damaged.why
