"""Terms for indexing and asking."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_memory.text.lexical import analyze, keywords

ANY = st.text(st.characters(exclude_categories=()), max_size=200)


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("She was running in the marathons", "run marathon"),
        ("Caroline's painting", "caroline paint"),
        ("the café in Zürich", "cafe zurich"),
        ("ＦＵＬＬ width", "full width"),
        ("I don’t", "I don't"),
        ("Straße", "strasse"),
        ("STRAẞE ÉTÉ", "straße été"),
    ],
)
def test_forms_of_a_word_meet(stored: str, asked: str) -> None:
    assert analyze(stored) == analyze(asked)


def test_a_date_is_found_by_itself_its_month_and_its_year() -> None:
    assert analyze("on 2023-05-08") == ["2023-05-08", "2023-05", "2023"]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("1,500", ["1500"]),
        ("3.5", ["3.5"]),
        ("at 10:30", ["10:30"]),
        ("7th gpt4 3d", ["7th", "gpt4", "3d"]),
        ("2023/05", ["2023", "05"]),
    ],
)
def test_numbers_are_terms(text: str, terms: list[str]) -> None:
    assert analyze(text) == terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("東京タワー", ["東京", "京タ", "タワ", "ワー"]),
        ("猫", ["猫"]),
        ("한국어", ["한국", "국어"]),
        ("iPhoneを買う", ["iphon", "を買", "買う"]),
        ("สวัส", ["สว", "วั", "ัส"]),
    ],
)
def test_scripts_without_spaces_become_bigrams(text: str, terms: list[str]) -> None:
    assert analyze(text) == terms


def test_other_scripts_are_whole_words_without_stemming() -> None:
    assert analyze("हिन्दी книга مرحبا") == ["हिन्दी", "книга", "مرحبا"]


def test_emoji_and_flags_are_terms_without_their_skin() -> None:
    assert analyze("👍🏽 🇩🇪 ❤️") == ["👍", "🇩🇪", "❤"]


@pytest.mark.parametrize(
    "text", ["", "who am I and what was that", "It's what he'll do", "I don’t", "...!?", "\0\u200b", "’’'s"]
)
def test_text_without_content_has_no_terms(text: str) -> None:
    assert analyze(text) == []
    assert keywords(text) == []


def test_a_stop_word_is_known_before_its_accents_are_folded() -> None:
    assert analyze("thé") == ["the"]


def test_keywords_are_as_written_and_without_the_names_that_are_dropped() -> None:
    query = "When did Caroline's sister go to the LGBTQ group with Mary-Ann? The group!"
    assert keywords(query, ["caroline", "Mary Ann"]) == ["sister", "go", "LGBTQ", "group"]


def test_threads_do_not_share_a_stemmer() -> None:
    texts = [f"running runners {number} happily painted" for number in range(200)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(analyze, texts)) == [analyze(text) for text in texts]


@pytest.mark.parametrize("unit", ["a", "1.", "\u0300\u0316", "\uff9e\u0300", "漢", "a'", "👩\u200d", "\ud800", "x "])
def test_long_runs_of_anything_take_linear_time(unit: str) -> None:
    analyze(unit * (200_000 // len(unit)))


@given(ANY)
def test_terms_are_never_empty_and_never_upper_case(text: str) -> None:
    assert all(term and not term.isspace() for term in analyze(text))


@given(st.lists(st.sampled_from(["Berlin", "Zürich", "東京", "42", "🎉", "running", "the", "O'Neil", "naïve"])))
def test_words_keep_their_terms_in_any_company(words: list[str]) -> None:
    assert analyze(" ".join(words)) == [term for word in words for term in analyze(word)]


@given(ANY)
def test_keywords_are_distinct(text: str) -> None:
    found = keywords(text)
    assert len({word.casefold() for word in found}) == len(found)
