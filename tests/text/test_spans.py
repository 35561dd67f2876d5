"""Calendar arithmetic."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_memory.text import spans

DAYS = st.dates(date(100, 1, 1), date(9000, 1, 1))


@pytest.mark.parametrize(
    ("value", "first", "last"),
    [
        ("2024", date(2024, 1, 1), date(2024, 12, 31)),
        ("2024-02", date(2024, 2, 1), date(2024, 2, 29)),
        ("2024-02-03", date(2024, 2, 3), date(2024, 2, 3)),
        ("2018/2021-03", date(2018, 1, 1), date(2021, 3, 31)),
    ],
)
def test_a_value_spans_whole_units(value: str, first: date, last: date) -> None:
    assert spans.bounds(value) == (first, last)


def test_months_carry_over_years() -> None:
    assert spans.month(date(2023, 1, 31), -1) == "2022-12"
    assert spans.month(date(2023, 11, 1), 2) == "2024-01"


def test_a_winter_ends_in_the_next_year() -> None:
    assert spans.season("winter", 2022) == "2022-12/2023-02"


def test_a_hull_covers_both_in_any_order() -> None:
    assert spans.hull("2023-05-08/2023-05-14", "2023-05-01/2023-05-07") == "2023-05-01/2023-05-14"
    assert spans.hull("2021", "2021") == "2021"


@given(DAYS, st.integers(-50, 50), st.sampled_from(["day", "week", "weekend", "month", "year"]))
def test_moving_there_and_back_is_where_it_was(day: date, count: int, unit: spans.Unit) -> None:
    there = spans.bounds(spans.moved(day, count, unit))[0]
    assert spans.moved(there, -count, unit) == spans.moved(day, 0, unit)


@given(DAYS, st.sampled_from(["day", "week", "month", "year"]))
def test_the_unit_of_a_day_holds_it(day: date, unit: spans.Unit) -> None:
    first, last = spans.bounds(spans.moved(day, 0, unit))
    assert first <= day <= last
