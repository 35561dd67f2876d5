from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_memory.importers.grouping import MOST_TURNS
from mcp_memory.importers.slack import readable

Take = Callable[..., Any]
Write = Callable[..., Path]
USERS = [
    {"id": "U1", "name": "ann", "profile": {"real_name": "Ann", "display_name": ""}},
    {"id": "U2", "name": "bob", "real_name": "Bob Lee", "profile": {}},
]


def message(text: str | None, user: str | None = "U1", ts: str = "1714548600.000200", **more: Any) -> dict[str, Any]:
    return {"type": "message", "user": user, "text": text, "ts": ts} | more


def export(*messages: Any, users: Any = USERS, **days: Any) -> dict[str, Any]:
    channels = [{"id": "C1", "name": "general"}]
    return {"users.json": users, "channels.json": channels, "general/2024-05-01.json": list(messages), **days}


def test_a_channel_is_read_with_names(archive: Write, take: Take) -> None:
    taken = take(archive(export(message("Hi <@U2>!"), message("Hey &amp; hello", "U2", "1714548601.000100"))))
    assert (taken.format, taken.damaged) == ("slack", [])
    assert taken.said == [("Ann", "Hi @Bob Lee!"), ("Bob Lee", "Hey & hello")]
    first, second = taken.turns
    assert first.at.isoformat() == "2024-05-01T07:30:00.000200+00:00"
    assert (first.role, second.role) == ("user", "other")
    assert (first.session, first.ref) == ("slack:general", "slack:general/1714548600.000200")


def test_an_unpacked_folder_is_read_too(file: Write, take: Take) -> None:
    file(USERS, "Team/users.json")
    path = file([message("Hi")], "Team/general/2024-05-01.json")
    file([message("Late", ts="1714635000.0")], "Team/general/2024-05-02.json")
    assert [text for _, text in take(path.parents[1]).said] == ["Hi", "Late"]


def test_a_thread_is_an_exchange_whatever_stands_between(archive: Write, take: Take) -> None:
    thread = "1714548600.000200"
    asked = message("Who brings bread?", thread_ts=thread)
    other = message("Unrelated", "U2", "1714548610.0")
    reply = message("Me", "U2", "1714548620.0", thread_ts=thread, subtype="thread_broadcast")
    first, second, third = take(archive(export(asked, other, reply))).turns
    assert first.exchange == third.exchange != second.exchange
    more = [message(str(n), ts=f"17145487{n}.0", thread_ts=thread) for n in range(10, 99)]
    turns = take(archive(export(asked, *more))).turns
    assert max(Counter(turn.exchange for turn in turns).values()) == MOST_TURNS


def test_a_message_that_is_answered_in_a_thread_later_stays_the_same(archive: Write, take: Take) -> None:
    (before,) = take(archive(export(message("Who brings bread?")))).turns
    assert take(archive(export(message("Who brings bread?", thread_ts="1714548600.000200")))).turns[0].id == before.id


@pytest.mark.parametrize(
    "silent",
    [
        message("<@U1> has joined the channel", subtype="channel_join"),
        message("build passed", None, subtype="bot_message", bot_id="B1"),
        message("build passed", bot_id="B1"),
        message("", files=[{"name": "photo.jpg"}]),
        message(None),
    ],
)
def test_what_no_person_says_is_left_out(archive: Write, take: Take, silent: Any) -> None:
    taken = take(archive(export(message("Hi"), silent)))
    assert (len(taken.turns), taken.damaged) == (1, [])


def test_somebody_from_outside_is_named_by_the_message(archive: Write, take: Take) -> None:
    profile = {"real_name": "Cem", "display_name": "cem"}
    taken = take(archive(export(message("Hi", "U7", user_profile=profile), message("Ho", "U8", "1714548601.0"))))
    assert [name for name, _ in taken.said] == ["Cem", "U8"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<https://example.org|our page>", "our page (https://example.org)"),
        ("<https://example.org>", "https://example.org"),
        ("<https://example.org|example.org>", "https://example.org"),
        ("<mailto:a@example.org|a@example.org>", "a@example.org"),
        ("<#C1|general> and <#C1>", "#general and #general"),
        ("<#C1|>", "#general"),
        ("<!here> <!subteam^S1|@team> <!date^1^{date}|May 1>", "@here @team May 1"),
        ("<@U9> <@U1|annie>", "@U9 @annie"),
        ("&lt;@U1&gt; &amp;lt; &copy;", "<@U1> &lt; &copy;"),
        ("1 <2", "1 <2"),
        ("<> <|>", "<> "),
    ],
)
def test_marks_are_shown_as_people_see_them(text: str, shown: str) -> None:
    assert readable(text, {"U1": "Ann", "C1": "general"}) == shown


@given(st.text())
def test_what_was_typed_comes_back(typed: str) -> None:
    assert readable(typed.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"), {}) == typed


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (message("When?", ts="noon"), "`at`"),
        (message("When?", ts="999999999999"), "`at`"),
        ({"type": "message", "user": "U1", "text": "When?"}, "`ts`"),
        (message(5), "`text`"),  # type: ignore[arg-type]
        ("text", "no JSON object"),
    ],
)
def test_a_damaged_message_in_the_middle_is_told_and_passed_over(
    archive: Write, take: Take, bad: Any, why: str
) -> None:
    taken = take(archive(export(message("One"), bad, message("Two", ts="1714548601.0"))))
    assert [text for _, text in taken.said] == ["One", "Two"]
    assert [(one.where, why in one.why) for one in taken.damaged] == [("general/2024-05-01.json, entry 2", True)]


def test_a_day_or_list_that_is_cut_off_is_told(archive: Write, take: Take) -> None:
    days = {"general/2024-05-02.json": b'[{"type": "message", "ts": "17145'}
    taken = take(archive(export(message("Hi"), users=b'[{"id": "U1"', **days)))
    assert taken.said == [("U1", "Hi")]
    assert [one.where for one in taken.damaged] == ["users.json, entry 1", "general/2024-05-02.json, entry 1"]
