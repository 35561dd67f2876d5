"""What is stored, what is shown, and whether there is anything to see."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_memory.text.clean import clean, has_visible, plain

ANY = st.text(st.characters(exclude_categories=()), max_size=200)


def test_nul_and_lone_surrogates_become_replacement_characters() -> None:
    assert clean("a\0b\ud800c") == "a\ufffdb\ufffdc"


def test_line_ends_are_one_kind() -> None:
    assert clean("a\r\nb\rc\n") == "a\nb\nc\n"


def test_everything_else_is_stored_verbatim() -> None:
    text = "\t caf\u00e9 e\u0301 \u202eabc\u202c 👩\u200d👧 <b>'; DROP TABLE turns; --\x1b[31m"
    assert clean(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("one\ntwo\u2028three\tfour", "one two three four"),
        ("\x1b[31mred", "[31mred"),
        ("a\0b\x07", "ab"),
        ("\u202eevil\u202c \u2066x\u2069", "evil x"),
        ("ze\u200bro\ufeff wi\u00addth", "zero width"),
        ("tag\U000e0041\U000e0042s", "tags"),
        ("\u3164\u2800 x \u115f", "x"),
        ("lone\ud800", "lone\ufffd"),
        ("", ""),
    ],
)
def test_what_hides_or_reorders_is_not_shown(text: str, shown: str) -> None:
    assert plain(text) == shown


@pytest.mark.parametrize(
    "emoji", ["👩\u200d👩\u200d👧", "❤\ufe0f\u200d🔥", "👩🏽\u200d🚀", "1\ufe0f\u20e3", "🇩🇪", "🏳\ufe0f\u200d🌈"]
)
def test_emoji_sequences_stay_whole(emoji: str) -> None:
    assert plain(f"a {emoji} b") == f"a {emoji} b"


def test_a_joiner_outside_an_emoji_is_not_shown() -> None:
    assert plain("a\u200db 👩\u200d") == "ab 👩"


@pytest.mark.parametrize(
    "text", ["", " \n", "\0\0", "\u200b\u200d\ufeff", "\u202e\u2066", "\u3164\u2800", "\U000e0041", "\u0301", "\ud800"]
)
def test_nothing_to_see(text: str) -> None:
    assert not has_visible(text)


@pytest.mark.parametrize("text", ["a", ".", "漢", "🎉", "\u202ea", "٣"])
def test_something_to_see(text: str) -> None:
    assert has_visible(text)


@given(ANY)
def test_cleaning_again_changes_nothing_and_the_result_can_be_encoded(text: str) -> None:
    assert clean(clean(text)) == clean(text)
    assert "\0" not in clean(text).encode().decode()


@given(ANY)
def test_shown_text_is_one_trimmed_line(text: str) -> None:
    shown = plain(text)
    assert len(shown.splitlines()) <= 1
    assert shown == " ".join(shown.split()) == plain(shown)


@given(ANY)
def test_what_can_be_seen_is_shown(text: str) -> None:
    assert not has_visible(text) or has_visible(plain(text))
