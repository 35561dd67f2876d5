"""What the rules take for something that people say of themselves, and what not."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_memory.model.turn import Role, Turn
from mcp_memory.scribe.rules import persona_patches
from mcp_memory.scribe.selfsaid import key_of

BERLIN = ZoneInfo("Europe/Berlin")
LATE = datetime(2026, 3, 2, 23, 30, tzinfo=UTC)  # already the third in Berlin


def said(text: str, role: Role = "user") -> Turn:
    return Turn("t1", "Ann", "", "t1", 0, LATE, "Ann", role, text)


@pytest.mark.parametrize(
    ("sentence", "key"),
    [
        ("My name is Ödön.", "identity"),
        ("I'm from Sweden, by the way.", "identity"),
        ("I’m a freelance graphic designer.", "identity"),
        ("I live in Lyon now.", "identity"),
        ("I'm allergic to peanuts.", "identity"),
        ("I have two kids and a dog.", "identity"),
        ("I really love hiking in the rain.", "preferences"),
        ("My favorite composer is Bach.", "preferences"),
        ("I can't stand cilantro.", "preferences"),
        ("I'm a big fan of pottery.", "preferences"),
        ("My cousin Alex adopted a girl.", "relations"),
        ("My best friend's name is Lola.", "relations"),
        ("I usually get home at half past six.", "traits"),
        ("I'm afraid of heights.", "traits"),
        ("My dream is to open a studio.", "traits"),
        ("I just signed up for a pottery class.", "timeline"),
        ("Unfortunately, I lost my job at the bank.", "timeline"),
        ("I ran a charity race last Saturday.", "timeline"),
    ],
)
def test_a_plain_statement_about_oneself_counts(sentence: str, key: str) -> None:
    assert key_of(sentence) == key


@pytest.mark.parametrize(
    "sentence",
    [
        "I hope you're okay!",
        "I love that it teaches me patience.",
        "I like the overnight oats idea.",
        "I'm so proud of you for that.",
        "Do I live in a dream?",
        "My favorite colour is what?",
        'She said "I live in Rome" and left.',
        "If I lost my job I would travel.",
        "I won't give up!",
        "I'm a bit tired.",
        "I never thought it would work.",
        "She loves hiking.",
        "Losing my job was hard.",
        "I went home.",
        "I'd like to see the menu.",
        "[shares a photo, I live in Rome]",
        "Je vis à Lyon.",
        "",
    ],
)
def test_what_is_asked_quoted_vague_or_said_to_the_listener_does_not(sentence: str) -> None:
    assert key_of(sentence) == ""


def test_an_assistant_is_nobody() -> None:
    assert not list(persona_patches(said("I live in Lyon.", "assistant"), BERLIN))


def test_a_patch_quotes_its_turn_and_events_are_dated_by_the_owners_day() -> None:
    talk = said("I signed up for a pottery class yesterday. My cousin Alex came too.")
    event, relation = persona_patches(talk, BERLIN)
    assert (event.key, event.when, event.turns) == ("timeline", "2026-03-02", ("t1",))
    assert event.value == "I signed up for a pottery class yesterday."
    assert (relation.key, relation.when) == ("relations", "")


def test_what_may_cease_to_hold_alone_is_a_statement_of_its_own() -> None:
    told = persona_patches(said("I'm married to Jonas and I live in Graz. I love tea and I think I know why."), BERLIN)
    assert [one.value for one in told] == [
        "I'm married to Jonas",
        "I live in Graz.",
        "I love tea and I think I know why.",
    ]


@given(st.text(st.characters(exclude_categories=()), max_size=300))
def test_any_sentence_is_borne(sentence: str) -> None:
    key_of(sentence)


def test_a_very_long_sentence_does_not_hang() -> None:
    assert key_of("I went " + "very " * 50_000) == ""
    assert key_of("my " * 100_000) == ""
    assert key_of('"' * 50_000) == ""
