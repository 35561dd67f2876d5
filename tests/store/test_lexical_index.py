"""BM25 over growing rows: what came later counts as what came first."""

import bm25s
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_memory.store import lexical
from mcp_memory.store.lexical import K1, B, LexicalIndex

WORDS = [f"w{number}" for number in range(12)]
documents = st.lists(st.lists(st.sampled_from(WORDS), max_size=12), min_size=1, max_size=30)


def reference(texts: list[list[str]], query: list[str]) -> np.ndarray:
    """A fresh bm25s index over everything."""
    if not any(texts):
        return np.zeros(len(texts))
    fresh = bm25s.BM25(k1=K1, b=B, method="lucene")
    vocabulary = {term: number for number, term in enumerate(dict.fromkeys(word for text in texts for word in text))}
    numbers = [np.array([vocabulary[word] for word in text], dtype=np.int32) for text in texts]
    fresh.index((numbers, vocabulary), show_progress=False, create_empty_token=False)
    known = sorted({vocabulary[word] for word in query if word in vocabulary})
    return fresh.get_scores_from_ids(known) if known else np.zeros(len(texts))


@given(documents, st.lists(st.sampled_from([*WORDS, "never"]), min_size=1, max_size=4))
def test_rows_added_one_by_one_score_as_in_a_fresh_index(texts: list[list[str]], query: list[str]) -> None:
    index = LexicalIndex()
    for text in texts:
        index.add([text])
    assert index.scores(query) == pytest.approx(reference(texts, query), abs=1e-4)


@given(
    st.lists(st.lists(st.sampled_from(WORDS), min_size=5, max_size=5), min_size=1, max_size=20),
    st.integers(0, 20),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=4),
)
def test_rows_before_and_after_a_rebuild_score_as_in_a_fresh_index(
    texts: list[list[str]], first: int, query: list[str]
) -> None:
    index = LexicalIndex()
    index.add(texts[:first])
    index.rebuild()
    index.add(texts[first:])
    assert index.scores(query) == pytest.approx(reference(texts, query), abs=1e-4)


@given(documents, documents)
def test_the_same_text_scores_the_same_before_and_after_a_rebuild(
    first: list[list[str]], later: list[list[str]]
) -> None:
    index = LexicalIndex()
    index.add([["w0", "w1"], *first])
    index.rebuild()
    index.add([*later, ["w0", "w1"]])
    found = index.scores(["w0", "w1"])
    assert found[0] == pytest.approx(found[-1], rel=1e-4)


def test_rows_without_the_word_score_nothing() -> None:
    index = LexicalIndex()
    index.add([["pearl"], ["stone"], []])
    assert index.scores(["pearl"])[0] > 0
    assert not index.scores(["pearl"])[1:].any()
    assert not index.scores(["never"]).any()
    assert not index.scores([]).any()


def test_an_empty_index_has_no_scores() -> None:
    index = LexicalIndex()
    assert index.scores(["pearl"]).shape == (0,)
    index.rebuild()
    index.add([[], []])
    index.rebuild()
    assert not index.scores(["pearl"]).any()


def test_it_rebuilds_itself_when_much_has_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lexical, "_MOST_LATER", 5)
    index = LexicalIndex()
    texts = [[WORDS[number % 12], WORDS[number * 7 % 11]] for number in range(40)]
    for text in texts:
        index.add([text])
    assert index.scores(["w3", "w5"]) == pytest.approx(reference(texts, ["w3", "w5"]), abs=1e-4)
