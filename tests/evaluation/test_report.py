import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_memory.evaluation.report import Rank, RankReport, Report, percentile
from mcp_memory.evaluation.scoring import Row


def rows(recalls: list[float], category: str = "single", answer: float = math.nan) -> list[Row]:
    return [
        Row(f"q{n}", category, 512, recall, recall, answer, 10 * n, 20, 2, 0.001 * n)
        for n, recall in enumerate(recalls)
    ]


def test_figures_agree_with_the_yardstick() -> None:
    figures = Report(tuple(rows([0, 1, 0.5, 1, 0, 1]))).figures(512)
    assert (figures.n, figures.full, figures.some) == (6, 0.5, pytest.approx(2 / 3))
    assert figures.recall == figures.claimed == pytest.approx(7 / 12)
    assert (figures.tokens, figures.returned, figures.items) == (25, 20, 2)
    assert (figures.p50_ms, figures.p95_ms) == (pytest.approx(2.5), pytest.approx(4.75))
    assert math.isnan(figures.answer)


def test_what_has_nothing_to_find_is_left_out_overall() -> None:
    report = Report((*rows([1, 1]), *rows([0], "adversarial"), *rows([0], "abstention"), *rows([0], "unlabelled")))
    assert report.figures(512).recall == 1
    assert report.figures(512, "adversarial").n == 1


def test_answers_count_where_there_are_any() -> None:
    report = Report((*rows([1]), *rows([1], answer=0.25)))
    assert report.figures(512).answer == 0.25


def test_a_budget_that_was_not_run_has_no_figures() -> None:
    figures = Report(tuple(rows([1]))).figures(99)
    assert figures.n == 0
    assert math.isnan(figures.recall)


def test_ranks_are_counted_up_to_each_cutoff_by_relation() -> None:
    report = RankReport((Rank("a", "causal", 1, 9), Rank("b", "causal", 7, 9), Rank("c", "state", 0, 9)))
    assert report.hits("causal") == {1: 0.5, 5: 0.5, 10: 1.0, 20: 1.0}
    assert report.hits()[20] == pytest.approx(2 / 3)
    assert (report.count(), report.count("state"), report.categories) == (3, 1, ["causal", "state"])
    assert math.isnan(report.hits("goal")[1])


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=40))
def test_percentiles_are_linear_between_neighbours(values: list[float]) -> None:
    assert percentile(values, 0.5) == pytest.approx(statistics.median(values))
    assert percentile(values, 0) == min(values)
    assert percentile(values, 1) == max(values)
