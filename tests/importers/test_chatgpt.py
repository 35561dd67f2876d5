from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mcp_memory.errors import InputError

Take = Callable[..., Any]
Write = Callable[..., Path]
START = 1_714_548_600.25  # 2024-05-01T07:30:00.25Z


def node(name: str, parent: str | None, role: str = "user", content: Any = None, **more: Any) -> dict[str, Any]:
    content = {"content_type": "text", "parts": [content]} if isinstance(content, str) else content
    message = {"id": name, "author": {"role": role}, "content": content, "create_time": START} | more
    return {"id": name, "message": message if content else None, "parent": parent, "children": []}


def talk(*nodes: dict[str, Any], current: str | None = None, **more: Any) -> dict[str, Any]:
    mapping = {one["id"]: one for one in nodes}
    last = current or nodes[-1]["id"]
    return {"title": "Figs", "conversation_id": "c1", "mapping": mapping, "current_node": last, **more}


def simple() -> dict[str, Any]:
    return talk(
        node("root", None),
        node("sys", "root", "system", "You are ChatGPT."),
        node("u1", "sys", "user", "How do I keep a fig tree?"),
        node("a1", "u1", "assistant", "Warm and dry."),
    )


def test_a_conversation_is_read_whatever_its_file_is_called(file: Write, take: Take) -> None:
    taken = take(file([simple()], "Downloads.bin"))
    assert (taken.format, taken.damaged) == ("chatgpt", [])
    assert taken.said == [("Ann", "How do I keep a fig tree?"), ("assistant", "Warm and dry.")]
    first, second = taken.turns
    assert first.at == datetime(2024, 5, 1, 7, 30, 0, 250_000, tzinfo=UTC)
    assert (first.session, first.ref, first.role) == ("chatgpt:c1", "chatgpt:u1", "user")
    assert second.exchange == first.exchange


def test_the_whole_export_may_be_given_packed_or_unpacked(archive: Write, file: Write, take: Take) -> None:
    other = simple() | {"conversation_id": "c2"}
    files = {"user.json": {"id": "me"}, "chat.html": "<html>", "conversations-000.json": [simple()]}
    packed = archive(
        {f"export/{name}": one for name, one in files.items()} | {"export/conversations-001.json": [other]}
    )
    assert {turn.session for turn in take(packed).turns} == {"chatgpt:c1", "chatgpt:c2"}
    unpacked = file([simple()], "export/conversations.json")
    assert take(unpacked.parent).said == take(unpacked).said


def test_only_the_branch_that_was_kept_is_the_conversation(file: Write, take: Take) -> None:
    nodes = [
        node("u1", None, "user", "Which bred?"),
        node("x1", "u1", "assistant", "Bred is no word."),
        node("u2", None, "user", "Which bread?"),
        node("a2", "u2", "assistant", "Rye."),
        node("a3", "u2", "assistant", "Sourdough."),
    ]
    assert [text for _, text in take(file([talk(*nodes, current="a2")])).said] == ["Which bread?", "Rye."]


def test_a_tree_that_bites_its_tail_ends(file: Write, take: Take) -> None:
    taken = take(file([talk(node("u1", "u2", "user", "One"), node("u2", "u1", "user", "Two"))]))
    assert [text for _, text in taken.said] == ["One", "Two"]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ({"content_type": "multimodal_text", "parts": [{"asset_pointer": "file"}, "What is this?"]}, "What is this?"),
        ({"content_type": "multimodal_text", "parts": [{"content_type": "audio_transcription", "text": "Hi"}]}, "Hi"),
        ({"content_type": "code", "language": "python", "text": "print(1)"}, "print(1)"),
        ({"content_type": "text", "parts": ["one", "", "two"]}, "one\n\ntwo"),
        (
            {"content_type": "text", "parts": ["Cited\ue200cite\ue202turn0search1\ue201 well【12†source】."]},
            "Cited well.",
        ),
    ],
)
def test_what_is_said_is_in_parts_of_several_kinds(file: Write, take: Take, content: Any, text: str) -> None:
    assert take(file([talk(node("n", None, "assistant", content))])).said == [("assistant", text)]


@pytest.mark.parametrize(
    "silent",
    [
        node("n", None, "tool", "result"),
        node("n", None, "assistant", {"content_type": "thoughts", "thoughts": []}),
        node("n", None, "assistant", {"content_type": "code", "text": "search()"}, recipient="browser"),
        node("n", None, "user", {"content_type": "user_editable_context", "user_profile": "x"}),
        node("n", None, "user", "hidden", metadata={"is_visually_hidden_from_conversation": True}),
        node("n", None, "assistant", "replaced", weight=0.0),
        node("n", None, "user", {"content_type": "multimodal_text", "parts": [{"asset_pointer": "file"}]}),
        node("n", None, "user", " \u200b"),
    ],
)
def test_what_is_not_said_to_the_other_is_left_out(file: Write, take: Take, silent: Any) -> None:
    taken = take(file([talk(silent)]))
    assert (taken.turns, taken.damaged) == ([], [])


def test_a_message_without_a_time_has_that_of_what_stands_before_it(file: Write, take: Take) -> None:
    nodes = [node("u1", None, "user", "Hello", create_time=None), node("a1", "u1", "assistant", "Hi", create_time=None)]
    assert {turn.at.timestamp() for turn in take(file([talk(*nodes, create_time=START)])).turns} == {START}
    timeless = take(file([talk(*nodes)]))
    assert [one.why for one in timeless.damaged] == ["`at`: field required"] * 2


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ([], "no JSON object"),
        ({"mapping": []}, "`mapping`"),
        (talk(node("n", None, "user", "Hi", create_time="noon")), "`create_time`"),
        (talk(node("n", None, "user", "Hi", create_time=1e300)), "`at`"),
        (talk(node("n", None, "user", "Hi", create_time=float("nan"))), "`at`"),
        (talk(node("n", None, "user", {"content_type": "text", "parts": "Hi"})), "`content.parts`"),
        (talk(node("n", None, "user", "x" * 2_000_001)), "`text`"),
        ({"mapping": {"n": 5}, "current_node": "n"}, "valid dictionary"),
    ],
)
def test_a_damaged_entry_in_the_middle_is_told_and_passed_over(file: Write, take: Take, bad: Any, why: str) -> None:
    taken = take(file([simple(), bad, simple() | {"conversation_id": "c2"}]))
    assert len(taken.turns) == 4
    (damaged,) = taken.damaged
    assert damaged.where.startswith("download, entry 2")
    assert why in damaged.why


def test_what_cannot_be_stored_is_replaced(file: Write, take: Take) -> None:
    assert take(file([talk(node("n", None, "user", "half \ud83d and \x00"))])).said == [
        ("Ann", "half \ufffd and \ufffd")
    ]


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["text", "n", "user", "\ud800"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["mapping", "n", "message", "author", "role", "content", "parts", "parent", "current_node"]
            ),
            inner,
        )
    ),
    max_leaves=9,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(anything, anything, st.integers(0, 400))
def test_no_file_whatever_breaks_it(file: Write, take: Take, one: Any, other: Any, cut: int) -> None:
    whole = file([simple(), one, {"mapping": {"n": other}, "current_node": "n"}])
    assert len(take(whole, "chatgpt").turns) >= 2
    whole.write_bytes(whole.read_bytes()[:-cut])
    with suppress(InputError):
        take(whole, "chatgpt")
