"""Golden numbers were computed once, on the same talk, by an independent program for the same rules."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_memory.evaluation.cases import Case, Talk
from mcp_memory.evaluation.scoring import TOKENS_PER_LINE, Item, carried, content_words, credited, score, weigh, within
from mcp_memory.text.tokens import count_tokens

MERGED = "Ada repaired the greenhouse roof; most tomatoes survived the hailstorm, the peppers are gone."
ITEMS: list[Item] = [
    (("D1:1", "D1:2", "D1:3"), MERGED),
    (("D1:4",), "[2024-03-04] Ben: My sister's moving to Lisbon in October."),
    (("D1:3",), "[2024-03-04] Ada: Most of them did, but the peppers are gone."),
]


def test_words_are_stemmed_and_stop_words_dropped() -> None:
    assert content_words("My sister's moving to Lisbon in October, she's been learning Portuguese.") == [
        "sister", "mov", "lisbon", "october", "she", "learn", "portuguese",
    ]  # fmt: skip
    assert content_words("We’re re-reading Ada's studies: 42 parties, naïve café") == [
        "read", "ada", "stud", "42", "part", "naïve", "café",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "text", "share"),
    [
        ("D1:3", "The peppers are gone after hail", 2 / 3),
        ("D1:4", "Ben's sister will move to Lisbon", 2 / 7),
        ("D1:6", "x", 0.0),
    ],
)
def test_a_text_carries_a_share_of_a_line(talk: Talk, line: str, text: str, share: float) -> None:
    assert carried(weigh(talk), line, text) == pytest.approx(share, abs=1e-9)


@pytest.mark.parametrize(
    ("budget", "recall", "answer", "tokens", "items"),
    [(5, 0.0, 0.0, 5, 1), (10, 0.0, 0.0, 10, 1), (20, 0.5, 1.0, 20, 2), (40, 0.5, 1.0, 40, 3), (100, 0.5, 1.0, 58, 3)],
)
def test_scores_agree_with_the_yardstick(
    case: Case, budget: int, recall: float, answer: float, tokens: int, items: int
) -> None:
    row = score(case.questions[0], ITEMS, budget, weigh(case.talk))
    assert (row.recall, row.claimed, row.answer) == (recall, 1.0, answer)
    assert (row.tokens, row.returned, row.items) == (tokens, 58, items)


def test_a_question_without_answer_has_no_answer_share(case: Case) -> None:
    assert math.isnan(score(case.questions[2], ITEMS, 100, weigh(case.talk)).answer)


def test_the_item_that_crosses_the_line_is_cut_there() -> None:
    assert within(ITEMS, 25) == [ITEMS[0], (("D1:4",), "[2024-03-04] ")]


def test_naming_every_line_earns_only_what_the_length_allows(talk: Talk) -> None:
    everything = [line.id for line in talk.lines]
    assert len(credited(weigh(talk), (everything, MERGED))) == count_tokens(MERGED) // TOKENS_PER_LINE


def test_a_line_that_is_not_in_the_text_is_not_credited(talk: Talk) -> None:
    assert credited(weigh(talk), (["D1:6"], MERGED)) == set()


@given(st.lists(st.text(max_size=60), max_size=6), st.integers(0, 80))
def test_a_context_never_exceeds_its_budget_and_wastes_none(texts: list[str], budget: int) -> None:
    kept = within([((), text) for text in texts], budget)
    spent = sum(count_tokens(text) for _, text in kept)
    assert spent == min(budget, sum(count_tokens(text) for text in texts))
    assert all(text.startswith(cut) for text, (_, cut) in zip(texts, kept, strict=False))
