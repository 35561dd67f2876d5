from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from mcp_memory.evaluation.cases import Case, Talk
from mcp_memory.evaluation.references import as_item, bm25, fusion, oracle, recent, shuffled
from mcp_memory.evaluation.run import Recall, evaluate

WHEN = datetime(2024, 4, 1, tzinfo=UTC)


class Opposites:
    """Puts every text that speaks of bees at one end of a line and all others at the other."""

    id = "opposites"
    dimension = 2
    weight = 0.5

    def embed(self, texts):
        return np.array([[1.0, 0.0] if "bees" in text else [0.0, 1.0] for text in texts], dtype=np.float32)


def named(recall: Recall, query: str) -> list[str]:
    return [names[0] for names, _ in recall(query, WHEN, 2048)]


def test_bm25_ranks_lines_as_the_yardstick_does(talk: Talk) -> None:
    assert named(bm25(talk), "Which vegetables did the hailstorm ruin for Ada?") == ["D1:2", "D1:3", "D1:5", "D1:1"]


def test_bm25_returns_nothing_that_shares_no_word(talk: Talk) -> None:
    assert named(bm25(talk), "the and of") == []
    assert named(bm25(talk), "") == []


def test_a_talk_without_any_content_word_is_no_fault(talk: Talk) -> None:
    silent = Talk("silent", (replace(talk.lines[0], speaker="I", text="…"),))
    assert named(bm25(silent), "bees") == named(bm25(Talk("empty", ())), "bees") == []


def test_fusion_finds_by_meaning_what_words_do_not_share(talk: Talk) -> None:
    found = named(fusion(Opposites())(talk), "bees, honey")
    assert found[0] == "D1:6"
    assert sorted(found) == [line.id for line in talk.lines]


def test_fusion_of_one_line_is_that_line(talk: Talk) -> None:
    assert named(fusion(Opposites())(Talk("one", talk.lines[:1])), "anything") == ["D1:1"]


def test_recent_is_newest_first(talk: Talk) -> None:
    assert named(recent(talk), "anything") == [f"D1:{n}" for n in range(6, 0, -1)]


def test_shuffled_is_always_the_same_order(talk: Talk) -> None:
    assert named(shuffled(talk), "a") == named(shuffled(talk), "b") == ["D1:4", "D1:3", "D1:6", "D1:5", "D1:1", "D1:2"]


def test_the_oracle_recalls_everything(case: Case) -> None:
    assert evaluate([case], oracle([case]), budgets=(512,)).figures(512).recall == 1


def test_a_line_is_shown_dated_and_named(talk: Talk) -> None:
    assert as_item(talk.lines[5]) == (
        ("D1:6",),
        "[2024-03-04] Ben: I started keeping bees; two hives stand behind the barn.",
    )


@pytest.mark.parametrize("build", [bm25, recent, shuffled])
def test_a_thousand_lines_fill_a_budget_and_no_more(build, talk: Talk) -> None:
    many = Talk("many", talk.lines * 200)
    assert len(list(build(many)("hailstorm Ada Ben", WHEN, 2048))) == 80
