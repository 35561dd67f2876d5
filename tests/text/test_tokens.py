"""Counting and cutting by tokens."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_memory.text.tokens import ELLIPSIS, count_tokens, cut_tokens

ANY = st.text(st.characters(exclude_categories=()), max_size=200)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        (" \n\t", 0),
        ("hello", 1),
        ("internationalisation", 2),
        ("12345", 2),
        ("it's", 3),
        ("東京", 2),
        ("🎉", 1),
    ],
)
def test_words_numbers_and_signs_count_by_the_rule(text: str, tokens: int) -> None:
    assert count_tokens(text) == tokens


def test_a_text_that_fits_is_left_alone() -> None:
    assert cut_tokens("two words", 2) == "two words"


def test_a_cut_ends_at_a_word_and_counts_its_ellipsis() -> None:
    assert cut_tokens("one two three four", 3) == "one two…"


def test_a_long_word_is_not_torn_while_there_is_a_blank_before_it() -> None:
    assert cut_tokens("see internationalisation now", 3) == "see…"


def test_a_blob_without_blanks_is_cut_anywhere() -> None:
    assert cut_tokens("x" * 1000, 3) == "x" * 20 + ELLIPSIS


def test_no_room_leaves_nothing() -> None:
    assert cut_tokens("anything", 0) == ""
    assert cut_tokens("one two", -1) == ""


def test_an_emoji_sequence_is_not_torn() -> None:
    family = "👩\u200d👩\u200d👧"
    assert cut_tokens(f"we {family} went far", 4) == "we…"


def test_a_megabyte_is_cut() -> None:
    assert count_tokens(cut_tokens("word " * 200_000, 1000)) == 1000


@given(ANY, st.integers(0, 30))
def test_what_is_cut_fits_and_begins_like_the_text(text: str, limit: int) -> None:
    short = cut_tokens(text, limit)
    assert count_tokens(short) <= limit
    assert short == text or text.startswith(short.removesuffix(ELLIPSIS))


@given(ANY, ANY)
def test_two_texts_together_cost_no_more_than_apart(one: str, other: str) -> None:
    assert count_tokens(one + other) <= count_tokens(one) + count_tokens(other)
