"""Key phrases, titles and extracts."""

from hypothesis import given
from hypothesis import strategies as st

from mcp_memory.text.titles import extract, keyphrases, title_of
from mcp_memory.text.tokens import count_tokens

TALK = [
    "Hey Ada! Thanks, I visited the dance studio yesterday.",
    "Wow, Ben! The dance studio looks great. Is the rent high?",
    "The rent is 900 euros, but the dance studio has a wooden floor.",
]
ANY = st.lists(st.text(st.characters(exclude_categories=()), max_size=60), max_size=8)


def test_what_talk_returns_to_comes_first_and_small_talk_does_not() -> None:
    phrases = keyphrases(TALK)
    assert phrases[:2] == ["dance studio", "rent"]
    assert not {"Ada", "Ben", "Thanks", "Wow", "great", "yesterday"} & set(phrases)


def test_a_phrase_keeps_the_form_it_was_first_written_in() -> None:
    assert keyphrases(["We have Leather Straps.", "leather strap", "leather straps"])[0] == "Leather Straps"


def test_no_word_is_named_twice() -> None:
    assert keyphrases(["a road trip, road trip, the trip, trips"]) == ["road trip"]


def test_a_title_begins_with_a_capital_and_is_short() -> None:
    title = title_of(TALK)
    assert title.startswith("Dance studio, rent")
    assert len(title) <= 60


def test_nothing_to_name_is_no_title() -> None:
    assert title_of([]) == title_of(["", "and so it is", "12 34", "🎉"]) == ""


def test_an_extract_keeps_order_and_limit_and_says_nothing_twice() -> None:
    texts = [
        "Hello!",
        "I rented a dance studio in Rome.",
        "Nice.",
        "I rented the dance studio in Rome.",
        "I have 20 students now.",
    ]
    assert extract(texts, 100) == [1, 4]
    assert extract(texts, 8) == [1]


def test_an_extract_of_chatter_is_better_than_none() -> None:
    assert extract(["Wow!", "Nice!"], 10) == [0, 1]


@given(ANY, st.integers(0, 40))
def test_an_extract_fits(texts: list[str], limit: int) -> None:
    chosen = extract(texts, limit)
    assert chosen == sorted(set(chosen))
    assert sum(count_tokens(texts[index]) for index in chosen) <= limit


@given(ANY)
def test_titles_and_phrases_are_printable_and_stable(texts: list[str]) -> None:
    assert keyphrases(texts) == keyphrases(texts)
    assert len(title_of(texts)) <= 60
    assert title_of(texts).isprintable()
