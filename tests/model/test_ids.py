"""Ids: deterministic, unmistakable, safe to paste."""

from hypothesis import given
from hypothesis import strategies as st

from mcp_memory.model.ids import ALPHABET, LENGTH, PREFIX, SHOWN, is_handle, is_id, kind_of, make_id, short

parts = st.lists(st.text(max_size=20), max_size=4)
kinds = st.sampled_from(sorted(PREFIX))


@given(kinds, parts)
def test_the_same_parts_always_give_the_same_id(kind: str, given_parts: list[str]) -> None:
    assert make_id(kind, *given_parts) == make_id(kind, *given_parts)


@given(kinds, parts, parts)
def test_other_parts_give_another_id(kind: str, one: list[str], other: list[str]) -> None:
    assert (make_id(kind, *one) == make_id(kind, *other)) == (one == other)


@given(st.text(max_size=8), st.text(max_size=8))
def test_two_parts_cannot_be_imitated_by_one(one: str, other: str) -> None:
    joined = [one + other, f"{one}:{other}", f"{len(one)}:{one}{len(other)}:{other}"]
    assert make_id("item", one, other) not in {make_id("item", text) for text in joined}


@given(kinds, parts)
def test_an_id_is_recognised_and_names_its_kind(kind: str, given_parts: list[str]) -> None:
    identifier = make_id(kind, *given_parts)
    assert is_id(identifier)
    assert is_handle(identifier)
    assert is_handle(short(identifier))
    assert kind_of(identifier) == kind


@given(st.text(max_size=LENGTH + 1))
def test_text_that_is_no_id_is_not_taken_for_one(text: str) -> None:
    letters = text[:1] in PREFIX.values() and set(text[1:]) <= set(ALPHABET)
    assert is_id(text) == (letters and len(text) == LENGTH + 1)


def test_prefixes_tell_kinds_apart() -> None:
    assert len(set(PREFIX.values())) == len(PREFIX)


def test_an_id_cannot_carry_sql_or_a_line_break() -> None:
    good = make_id("turn", "x")
    bad = [good + "\n", good + "'", "' OR 1=1 --", f"{good}; DROP", good.upper(), good[:-1] + "é", ""]
    assert not any(is_id(text) for text in bad)


def test_a_handle_needs_enough_letters_to_look_up() -> None:
    assert not is_handle(make_id("turn", "x")[:3])
    assert SHOWN > 3


def test_lone_surrogates_have_an_id_too() -> None:
    assert is_id(make_id("turn", "\ud800"))
