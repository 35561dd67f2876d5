import io
import json
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mcp_memory.errors import InputError
from mcp_memory.importers.jsonl import LONGEST_LINE, read_messages, write_messages
from mcp_memory.model.turn import Note, Turn, turn_id

BERLIN = ZoneInfo("Europe/Berlin")
AT = "2024-05-01T09:30:00+02:00"
Write = Callable[..., Path]


def read(path: Path, **more: Any) -> list[Turn]:
    return list(read_messages(path, "Ann", BERLIN, **more))


def only(path: Path, **more: Any) -> Turn:
    (turn,) = read(path, **more)
    return turn


def test_a_message_becomes_a_turn(jsonl: Write) -> None:
    turn = only(jsonl({"at": AT, "role": "user", "text": "Hello", "session": "monday", "id": "m1"}))
    at = datetime(2024, 5, 1, 7, 30, tzinfo=UTC)
    assert turn == Turn(
        id=turn_id("Ann", "monday", at, "Ann", "Hello", "m1"),
        owner="Ann",
        session="monday",
        exchange=turn.id,
        position=0,
        at=at,
        speaker="Ann",
        role="user",
        text="Hello",
        ref="m1",
    )


@pytest.mark.parametrize(
    ("given_by", "speaker", "role"),
    [
        ({"role": "user"}, "Ann", "user"),
        ({"role": "assistant"}, "assistant", "assistant"),
        ({"role": "assistant", "name": "Claude"}, "Claude", "assistant"),
        ({"role": "user", "name": "Ann at work"}, "Ann at work", "user"),
        ({"name": "  Bob \n Smith "}, "Bob Smith", "other"),
        ({"role": "other", "name": "Bob"}, "Bob", "other"),
        ({"role": None, "name": "Bob"}, "Bob", "other"),
    ],
)
def test_who_speaks_is_told_by_role_or_name(jsonl: Write, given_by: dict[str, Any], speaker: str, role: str) -> None:
    turn = only(jsonl({"at": AT, "text": "Hello"} | given_by))
    assert (turn.speaker, turn.role) == (speaker, role)


@pytest.mark.parametrize(
    ("at", "utc"),
    [
        ("2024-05-01T09:30:00Z", datetime(2024, 5, 1, 9, 30, tzinfo=UTC)),
        ("2024-05-01 09:30", datetime(2024, 5, 1, 7, 30, tzinfo=UTC)),
        ("2024-01-01T09:30:00.25", datetime(2024, 1, 1, 8, 30, 0, 250000, tzinfo=UTC)),
        (" 2024-05-01 ", datetime(2024, 4, 30, 22, 0, tzinfo=UTC)),
    ],
)
def test_a_moment_without_a_zone_is_the_owners_local_time(jsonl: Write, at: str, utc: datetime) -> None:
    assert only(jsonl({"at": at, "role": "user", "text": "Hello"})).at == utc


def test_numbers_may_name_sessions_and_messages_and_other_keys_are_left_alone(jsonl: Write) -> None:
    turn = only(jsonl({"at": AT, "role": "user", "text": "Hello", "session": 3, "id": 17, "mood": {"a": [1]}}))
    assert (turn.session, turn.ref) == ("3", "17")


def test_exchanges_follow_the_conversation(jsonl: Write) -> None:
    said = [("user", "a"), ("assistant", "b"), ("user", "c"), ("assistant", "d")]
    turns = read(jsonl(*({"at": AT, "role": role, "text": text} for role, text in said)))
    assert [turn.exchange for turn in turns] == [turns[0].id, turns[0].id, turns[2].id, turns[2].id]
    assert [turn.position for turn in turns] == [0, 1, 2, 3]


def test_topic_and_notes_come_with_the_turn(jsonl: Write) -> None:
    note = {"fact": "Ann is allergic to nuts", "cues": ["ordering a cake", " "], "replaces": ""}
    turn = only(jsonl({"at": AT, "role": "user", "text": "Hello", "topic": "Food", "notes": [note]}))
    assert (turn.topic, turn.notes) == ("Food", (Note("Ann is allergic to nuts", ("ordering a cake",)),))


def test_windows_files_with_mark_and_blank_lines_are_read(tmp_path: Path) -> None:
    line = json.dumps({"at": AT, "role": "user", "text": "Grüße 🌍"}, ensure_ascii=False).encode()
    path = tmp_path / "talk.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + line + b"\r\n\r\n  \r\n" + line.replace(b"user", b"assistant"))
    assert [turn.text for turn in read(path)] == ["Grüße 🌍"] * 2


def test_an_empty_file_holds_nothing(jsonl: Write) -> None:
    assert read(jsonl()) == []


def test_what_cannot_be_stored_is_replaced_and_all_else_is_verbatim(jsonl: Write) -> None:
    text = 'nul \x00, half an emoji \ud83d, "quotes", عربى, 中文, \u202e, \u2028 end'
    turn = only(jsonl({"at": AT, "name": "A\ud83d", "text": text, "session": "s\x00"}))
    assert turn.text == text.replace("\x00", "\ufffd").replace("\ud83d", "\ufffd")
    assert (turn.speaker, turn.session) == ("A\ufffd", "s\ufffd")


def test_a_megabyte_of_text_is_one_turn(jsonl: Write) -> None:
    assert len(only(jsonl({"at": AT, "role": "user", "text": "x" * 1_000_000})).text) == 1_000_000


def test_secrets_are_taken_out_where_asked(jsonl: Write) -> None:
    key = "sk-ant-" + "api03-Zm9vYmFyYmF6cXV4" * 3
    path = jsonl({"at": AT, "role": "user", "text": f"my key is {key}", "notes": [{"fact": f"the key is {key}"}]})
    turn = only(path, secrets_out=True)
    assert key not in turn.text + turn.notes[0].fact
    assert "[redacted:" in turn.text
    assert key in only(path).text


GOOD = {"at": AT, "role": "user", "text": "Hello"}


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (b"{", "not valid JSON"),
        (b'{"at": "2024', "not valid JSON"),
        (b'{"a": ' + b"[" * 5000, "not valid JSON"),
        (b'{"id": ' + b"9" * 5000 + b"}", "not valid JSON"),
        (b"[1]", "not a JSON object"),
        (b'"text"', "not a JSON object"),
        (b"null", "not a JSON object"),
        (b'{"text": "\xff\xfe"}', "not UTF-8"),
        ({}, "`at`: field required"),
        ({"at": AT, "role": "user"}, "`text`: field required"),
        (GOOD | {"text": None}, "`text`: field required"),
        (GOOD | {"text": 3}, "`text`: input should be a valid string"),
        (GOOD | {"text": ""}, "`text`: is blank"),
        (GOOD | {"text": " \u200b\n"}, "`text`: is blank"),
        (GOOD | {"text": "x" * 2_000_001}, "`text`: string should have at most 2000000"),
        (GOOD | {"at": 1714548600}, "`at`: input should be a valid string"),
        (GOOD | {"at": "yesterday"}, "`at` is not a moment in ISO 8601"),
        (GOOD | {"at": "2024-02-30"}, "`at` is not a moment"),
        (GOOD | {"at": ""}, "`at` is not a moment"),
        (GOOD | {"at": "0001-01-01T00:00:00+14:00"}, "`at` is not a moment"),
        (GOOD | {"at": "9999-12-31T00:00:00Z"}, "`at` is at the end of the calendar"),
        ({"at": AT, "text": "Hello"}, "`name` is missing"),
        ({"at": AT, "text": "Hello", "name": " \u200b"}, "`name` is missing"),
        (GOOD | {"role": "other"}, "`name` is missing"),
        (GOOD | {"role": "system"}, "`role`: input should be 'user', 'assistant'"),
        (GOOD | {"name": ["Ann"]}, "`name`: input should be a valid string"),
        (GOOD | {"name": "x" * 300}, "`name`: string should have at most 200"),
        (GOOD | {"session": True}, "`session`: input should be a valid string"),
        (GOOD | {"id": 1.5}, "`id`: input should be a valid string"),
        (GOOD | {"position": -1}, "`position`: input should be greater"),
        (GOOD | {"position": "1"}, "`position`: input should be a valid integer"),
        (GOOD | {"notes": {}}, "`notes`: input should be a valid list"),
        (GOOD | {"notes": [{"cues": []}]}, "`notes.0.fact`: field required"),
        (GOOD | {"notes": [{"fact": " "}]}, "`notes.0.fact`: is blank"),
    ],
)
def test_a_line_that_cannot_be_used_is_named_and_what_came_before_is_kept(jsonl: Write, bad: Any, reason: str) -> None:
    found: list[Turn] = []
    with pytest.raises(InputError) as caught:
        found.extend(read_messages(jsonl(GOOD, bad, GOOD), "Ann", BERLIN))
    assert f"talk.jsonl, line 2: {reason}" in str(caught.value)
    assert len(found) <= 1
    turns = read_messages(jsonl(GOOD, bad, GOOD), "Ann", BERLIN)
    assert next(turns).text == "Hello"


def test_a_fault_never_repeats_what_was_said(jsonl: Write) -> None:
    with pytest.raises(InputError) as caught:
        read(jsonl(GOOD | {"text": "my secret plan", "at": "a private day", "role": "the butler"}))
    assert not any(word in str(caught.value) for word in ("secret", "private", "butler"))


def test_a_line_without_end_is_refused_before_it_fills_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_bytes(b'{"text": "' + b"x" * LONGEST_LINE)
    with pytest.raises(InputError, match=r"line 1: longer than 24 MB"):
        read(path)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no file .*gone\.jsonl; give"):
        read(tmp_path / "gone.jsonl")
    with pytest.raises(InputError, match=r"cannot read .* one file"):
        read(tmp_path)


def test_the_owners_name_is_the_owner(jsonl: Write) -> None:
    turn = only(jsonl({"at": AT, "name": "ANN", "text": "Hello"}))
    assert (turn.speaker, turn.role) == ("Ann", "user")


def test_importing_again_or_more_of_the_same_gives_the_same_ids(jsonl: Write) -> None:
    records = [GOOD | {"text": f"line {number}"} for number in range(5)]
    part = read(jsonl(*records[:3], name="part.jsonl"))
    assert read(jsonl(*records))[:3] == part


def test_memory_does_not_grow_with_the_file(jsonl: Write) -> None:
    path = jsonl(*(GOOD | {"text": f"{number} " + "x" * 2_000} for number in range(2_000)))
    tracemalloc.start()
    try:
        for _ in read_messages(path, "Ann", BERLIN):
            pass
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < path.stat().st_size / 4


def exported(turns: list[Turn], tmp_path: Path) -> Path:
    path = tmp_path / "export.jsonl"
    with path.open("w", encoding="utf-8", newline="\n") as file:
        assert write_messages(turns, file) == len(turns)
    return path


def test_an_export_names_only_what_does_not_follow(jsonl: Write) -> None:
    buffer = io.StringIO()
    turn = only(jsonl(GOOD))
    write_messages([turn], buffer)
    assert json.loads(buffer.getvalue()) == {
        "at": "2024-05-01T07:30:00+00:00",
        "role": "user",
        "text": "Hello",
        "exchange": turn.id,
        "position": 0,
    }


def test_an_export_of_another_owners_file_is_that_owners(jsonl: Write, tmp_path: Path) -> None:
    turns = read(jsonl(GOOD, GOOD | {"role": "assistant"}))
    moved = list(read_messages(exported(turns, tmp_path), "Bea", BERLIN))
    assert [(turn.owner, turn.speaker, turn.exchange) for turn in moved] == [
        ("Bea", "Bea", moved[0].id),
        ("Bea", "assistant", moved[0].id),
    ]


message = st.fixed_dictionaries(
    {
        "at": st.datetimes(datetime(2, 1, 1), datetime(9998, 1, 1)).map(datetime.isoformat),
        "text": st.text().map("x".__add__),
    },
    optional={
        "role": st.sampled_from(["user", "assistant"]),
        "name": st.sampled_from(["Ann", "Bob", "assistant", "Zoë 🌍"]),
        "session": st.text(max_size=5),
        "id": st.text(max_size=5),
        "topic": st.text(max_size=5),
        "notes": st.lists(st.fixed_dictionaries({"fact": st.text(max_size=9).map("f".__add__)}), max_size=2),
    },
).filter(lambda record: "role" in record or "name" in record)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None), max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
any_value_of = st.dictionaries(
    st.sampled_from(["at", "text", "role", "name", "session", "id", "topic", "notes", "exchange", "position"]), anything
)
in_one_folder = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


@in_one_folder
@given(st.lists(message, max_size=12))
def test_an_export_is_read_back_without_loss(jsonl: Write, tmp_path: Path, records: list[dict[str, Any]]) -> None:
    turns = read(jsonl(*records))
    assert read(exported(turns, tmp_path)) == turns


@in_one_folder
@given(st.lists(st.binary(max_size=40) | any_value_of | any_value_of.map(lambda extra: GOOD | extra), max_size=4))
def test_no_file_whatever_breaks_the_reader(jsonl: Write, lines: list[Any]) -> None:
    with suppress(InputError):
        read(jsonl(*lines))
