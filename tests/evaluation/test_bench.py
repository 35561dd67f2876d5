import math
from datetime import UTC, datetime, timedelta
from pathlib import Path

from mcp_memory.cli.benching import MOST_TURNS
from mcp_memory.evaluation.bench import CALLS, FEW, Figure, few, moment, sentence, size


def test_sentences_are_unlike_each_other_and_always_the_same() -> None:
    assert len({sentence(number) for number in range(2_000)}) == 2_000
    assert sentence(7) == sentence(7)


def test_what_is_said_goes_forward_in_time_over_many_days() -> None:
    moments = [moment(number) for number in range(500)]
    assert moments == sorted(moments)
    assert moments[-1] - moments[0] > timedelta(days=14)


def test_what_is_said_lies_behind() -> None:
    assert moment(MOST_TURNS + CALLS) < datetime(2026, 11, 30, tzinfo=UTC)


def test_a_ratio_needs_something_beside() -> None:
    assert Figure("start", 3.0, "s", "bare", 2.0).ratio == 1.5
    assert math.isnan(Figure("resident", 3.0, "MB").ratio)


def test_a_folder_weighs_what_all_its_files_weigh(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    for place in (tmp_path / "one", tmp_path / "below" / "two"):
        place.write_bytes(b"x" * 500_000)
    assert size(tmp_path) == 1.0


def test_a_size_is_compared_with_a_smaller_one() -> None:
    assert few(100_000) == FEW
    assert few(20) == 10
