import pytest

from mcp_memory.recall.evidence import nothing
from mcp_memory.recall.gate import FLOOR, judged, threshold

LINES = [(str(n), f"line {n}", "words") for n in range(10)]


def test_who_asks_for_twice_the_default_gets_everything() -> None:
    assert threshold(512, written=True) == threshold(1024, written=True) > threshold(1536, written=True) > 0
    assert threshold(2048, written=True) == threshold(20_000, written=False) == 0


def test_a_judge_who_cannot_say_keeps_all() -> None:
    assert judged(LINES, "simple", lambda _: None) == set()


def test_a_judge_drops_from_the_end_and_never_below_the_floor() -> None:
    assert judged(LINES, "simple", lambda _: {"9"}) == {str(n) for n in range(2, 9)}
    assert judged(LINES, "simple", lambda _: set()) == {str(n) for n in range(FLOOR["simple"], 10)}
    assert judged(LINES, "complex", lambda _: set()) == set()


def test_chance_likeness_grows_with_the_memory() -> None:
    assert 0 < nothing(0) == nothing(100) < nothing(1_000) < nothing(100_000) < 0.5
    assert nothing(12) == pytest.approx(0.182, abs=0.001)  # real questions to a dozen turns lie above .2
