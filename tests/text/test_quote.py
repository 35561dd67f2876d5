from hypothesis import given
from hypothesis import strategies as st

from mcp_memory.text.clean import plain
from mcp_memory.text.quote import quote
from mcp_memory.text.tokens import count_tokens

LIMIT = 32
WORDS = st.sampled_from(["bees", "hum.", "Ada", "sings!", "why?", "tomatoes", "and", "hail", "日本", "été"])
PROSE = st.lists(WORDS, max_size=300).map(" ".join)


def weight(_term: str) -> float:
    return 1.0


@given(st.one_of(PROSE, st.text(max_size=300)), st.sets(st.sampled_from(["bee", "hail"])))
def test_a_quote_stays_near_its_limit(text: str, asked: set[str]) -> None:
    assert count_tokens(quote(text, asked, weight, LIMIT)) <= 2 * LIMIT + 8


@given(PROSE, st.sets(st.sampled_from(["bee", "hail"])))
def test_a_quote_invents_nothing(text: str, asked: set[str]) -> None:
    whole = plain(text)
    for piece in quote(text, asked, weight, LIMIT).split("…"):
        assert all(word in whole for word in piece.split())


def test_a_short_message_is_quoted_whole_on_one_line() -> None:
    assert quote("Bees hum.\nAda  sings.", [], weight, LIMIT) == "Bees hum. Ada sings."


def test_of_a_long_message_the_sentence_that_was_asked_for_stays_and_gaps_are_marked() -> None:
    filler = [f"Paragraph {n} speaks at great length about nothing that anybody would ask for." for n in range(20)]
    said = quote(
        " ".join([*filler[:10], "The ferry leaves from Sado at seven.", *filler[10:]]), ["ferri"], weight, LIMIT
    )
    assert "The ferry leaves from Sado at seven." in said
    assert "… The ferry" in said
    assert said.endswith(" …")


def test_of_an_endless_sentence_the_asked_word_is_shown_with_what_leads_to_it() -> None:
    said = quote(
        " ".join([*(f"word{n}" for n in range(500)), "ferry", *(f"more{n}" for n in range(500))]), ["ferri"], weight, 20
    )
    assert "ferry" in said
    assert "word499" in said
    assert count_tokens(said) <= 30


def test_a_megabyte_without_a_space_is_cut() -> None:
    assert count_tokens(quote("x" * 1_000_000, ["x"], weight, LIMIT)) <= 2 * LIMIT
