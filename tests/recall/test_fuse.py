import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mcp_memory.recall.fuse import balanced, best_per_host, min_max, top

scores = arrays(np.float64, st.integers(0, 30), elements=st.floats(-1e6, 1e6))
given_scores = settings(deadline=None, database=None, max_examples=50)


@given(scores)
@given_scores
def test_min_max_stays_between_0_and_1(values: np.ndarray) -> None:
    found = min_max(values)
    assert ((found >= 0) & (found <= 1)).all()


@given(scores, st.integers(0, 40))
@given_scores
def test_top_is_the_beginning_of_a_stable_sort(values: np.ndarray, count: int) -> None:
    some = top(values, count)
    assert len(some) == min(count, len(values))
    assert (np.diff(values[some]) <= 0).all()
    assert sorted(values[some]) == sorted(sorted(values)[len(values) - len(some) :])


def test_of_equal_scores_the_earlier_come_first() -> None:
    assert top(np.array([1.0, 3.0, 3.0, 3.0]), 3).tolist() == [1, 2, 3]


def test_a_host_has_its_best_score_and_one_without_any_is_empty() -> None:
    found = best_per_host(np.array([-0.5, 0.2, -0.9]), np.array([0, 0, 2]), 3, 0.0)
    assert found.tolist() == [0.2, 0.0, -0.9]


def test_no_shared_word_is_nothing_whatever_the_others_have() -> None:
    assert balanced(np.zeros(2), np.array([0.0, 4.0]), 0.5).tolist() == [0.0, 0.5]
