import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_memory.text.transcript import last_exchange, messages, spoken

AT = "2026-03-02T09:00:00.000Z"


def line(role: str, content: Any, at: str = AT, **more: Any) -> str:
    inside = {"role": role, "content": content} | ({"id": more.pop("id")} if "id" in more else {})
    record = {"type": role, "message": inside, "timestamp": at, "sessionId": "s1", "uuid": "u1", "isSidechain": False}
    return json.dumps(record | more)


def texts(*lines: str) -> list[tuple[str, str]]:
    return [(one.role, one.text) for one in messages(lines)]


def test_a_message_has_its_moment_session_and_name() -> None:
    (said,) = messages([line("user", "Hello there")])
    assert (said.uuid, said.session, said.role, said.text) == ("u1", "s1", "user", "Hello there")
    assert said.at == datetime(2026, 3, 2, 9, tzinfo=UTC)


def test_text_blocks_are_joined_and_thinking_and_tools_are_left_out() -> None:
    blocks = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "First."},
        {"type": "tool_use", "name": "Bash", "input": {"command": "ls"}},
        {"type": "text", "text": "Second."},
    ]
    assert texts(line("assistant", blocks)) == [("assistant", "First.\n\nSecond.")]


def test_parts_of_one_assistants_message_on_several_lines_are_one_message() -> None:
    parts = [
        line("assistant", [{"type": "text", "text": "One."}], id="m1"),
        line("assistant", [{"type": "tool_use", "name": "Read", "input": {}}], id="m1"),
        line("user", [{"type": "tool_result", "content": "file"}]),
        line("assistant", [{"type": "text", "text": "Two."}], id="m1"),
        line("assistant", [{"type": "text", "text": "Three."}], id="m2"),
    ]
    assert texts(*parts) == [("assistant", "One.\n\nTwo."), ("assistant", "Three.")]


@pytest.mark.parametrize(
    "other",
    [
        line("user", [{"type": "tool_result", "tool_use_id": "t", "content": "secret file"}]),
        line("user", "said by a tool", toolUseResult={"stdout": "x"}),
        line("user", "a caveat", isMeta=True),
        line("user", "to a subagent", isSidechain=True),
        line("user", "so far we have", isCompactSummary=True),
        line("user", "shown only", isVisibleInTranscriptOnly=True),
        line("user", "agent done", origin={"kind": "task-notification"}),
        line("user", "<system-reminder>Use TodoWrite</system-reminder>"),
        line("user", "<command-name>/clear</command-name>\n<command-message>clear</command-message>"),
        line("user", "<local-command-stdout>done</local-command-stdout>"),
        line("user", "<bash-input>ls</bash-input>"),
        line("user", "<task-notification>\n<task-id>b</task-id></task-notification>\nRead the output"),
        line("user", "[Request interrupted by user for tool use]"),
        line("assistant", "API Error: 529", isApiErrorMessage=True),
        json.dumps(
            {"type": "assistant", "timestamp": AT, "message": {"model": "<synthetic>", "content": "No response."}}
        ),
        json.dumps({"type": "summary", "summary": "Fixing the parser", "leafUuid": "x"}),
        json.dumps({"type": "attachment", "attachment": {"type": "file", "content": "x"}, "timestamp": AT}),
        line("user", "no moment", at="yesterday"),
        line("user", 7),
        line("user", ["text", {"type": "text", "text": 3}]),
        "[1, 2]",
        "null",
        '{"type": "user", "message": {"role": "us',
        "[" * 100_000,
        "",
    ],
)
def test_what_nobody_said_is_left_out(other: str) -> None:
    assert texts(other, line("user", "Said.")) == [("user", "Said.")]


def test_reminders_within_a_prompt_are_taken_out_of_it() -> None:
    assert spoken("Plant a fig.<system-reminder>be\nbrief</system-reminder>") == "Plant a fig."
    assert spoken("<ide_opened_file>a.py</ide_opened_file>\nPlant a fig.") == "Plant a fig."
    for asked in ("Why does <b>this</b> fail?", "What is <bash-input> in the transcript?"):
        assert spoken(asked) == asked


def last(*lines: str) -> tuple[list[str], str, bool]:
    """What the person says, the reply, and whether the exchange is over."""
    found = last_exchange(lines)
    assert found is not None
    return [one.text for one in found.said], found.reply.text if found.reply else "", found.over


def test_the_last_exchange_is_the_last_prompt_with_the_last_words_after_it() -> None:
    found = last(
        line("user", "Old question"),
        line("assistant", "Old answer"),
        line("user", "New question"),
        line("assistant", "Let me look.", id="m1"),
        line("user", [{"type": "tool_result", "content": "x"}]),
        line("user", "Base directory of the skill", isMeta=True),
        line("user", "<system-reminder>be brief</system-reminder>"),
        line("assistant", "Here it is.", id="m2"),
    )
    assert found == (["New question"], "Here it is.", False)


@pytest.mark.parametrize(
    "other",
    [
        line("user", "<command-name>/review</command-name>"),
        line("user", "<task-notification>built</task-notification>"),
        line("user", "built", origin={"kind": "task-notification"}),
        line("user", "[Request interrupted by user]"),
    ],
)
def test_what_answers_the_client_is_no_reply_to_the_person(other: str) -> None:
    found = last(line("user", "Plant a fig."), line("assistant", "Done."), other, line("assistant", "Reviewed."))
    assert found == (["Plant a fig."], "Done.", True)


def test_what_was_written_while_the_assistant_worked_belongs_to_the_prompt() -> None:
    queued = {"type": "queued_command", "prompt": "And a lemon.", "commandMode": "prompt"}
    found = last(
        line("user", "Plant a fig."),
        line("assistant", "Digging."),
        json.dumps({"type": "attachment", "attachment": queued, "timestamp": AT, "uuid": "q", "sessionId": "s1"}),
    )
    assert found == (["Plant a fig.", "And a lemon."], "Digging.", False)


def test_nobody_speaks_in_an_empty_transcript() -> None:
    assert last_exchange([]) is None
    assert last_exchange([line("assistant", "Hello?")]) is None


@given(st.lists(st.one_of(st.text(), st.binary())))
def test_any_lines_can_be_read(lines: list[bytes | str]) -> None:
    assert list(messages(lines)) == []


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_what_is_left_of_a_prompt_has_something_to_see_or_is_nothing(text: str) -> None:
    left = spoken(text)
    assert left == left.strip()
    assert left in text
