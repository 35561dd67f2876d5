from datetime import UTC, datetime, timedelta

import pytest

from mcp_memory.model.turn import Note, Turn
from mcp_memory.write.echoes import echo_of

AT = datetime(2026, 3, 2, tzinfo=UTC)


def turn(text: str, topic: str = "", *notes: Note) -> Turn:
    return Turn("t", "Ann", "", "t", 0, AT, "Ann", "user", text, topic, notes)


def repeats(gone: Turn, kept: str, text: str) -> bool:
    echo = echo_of([gone], [turn(kept)])
    assert echo is not None
    return echo.in_any([text], AT)


@pytest.mark.parametrize(
    ("gone", "text"),
    [
        ("I bought a xylophone", "Two Xylophones were bought"),
        ("my PIN is 4711", "Ann's code: 4711."),
        ("我买了木琴", "安有一把木琴"),
        ("Straße", "in the STRASSE"),
    ],
)
def test_a_word_that_nobody_else_has_said_tells(gone: str, text: str) -> None:
    assert repeats(turn(gone), "I bought my code", text)


@pytest.mark.parametrize("text", ["Ann bought a piano", "", "a to in", "\ud800"])
def test_words_that_others_have_said_do_not(text: str) -> None:
    assert not repeats(turn("I bought a xylophone"), "Ann bought a piano", text)


def test_topics_notes_and_cues_count_as_said() -> None:
    said = turn("hm", "harmonica", Note("Ann plays the oboe", ("a reed breaks",)))
    assert all(repeats(said, "", text) for text in ("harmonicas", "an oboe", "reeds"))


def test_what_was_written_before_cannot_repeat_it() -> None:
    echo = echo_of([turn("I bought a xylophone")], [])
    assert echo is not None
    assert not echo.in_any(["xylophone"], AT - timedelta(seconds=1))


def test_turns_that_are_gone_already_tell_nothing() -> None:
    assert echo_of([], [turn("x")]) is None
