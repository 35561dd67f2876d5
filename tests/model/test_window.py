"""Windows: every moment lies in one day, week and month, whatever the clocks do."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_memory.model.window import (
    day_key,
    day_window,
    month_key,
    month_window,
    week_key,
    week_window,
)

ZONES = [
    ZoneInfo(name)
    for name in (
        "UTC",
        "Europe/Berlin",
        "America/New_York",
        "Australia/Lord_Howe",
        "Asia/Kathmandu",
        "America/Sao_Paulo",  # changed its clocks at midnight
        "Pacific/Apia",  # left out a whole day in 2011
    )
]
zones = st.sampled_from(ZONES)
moments = st.datetimes(datetime(1990, 1, 2), datetime(2100, 1, 1), timezones=st.just(UTC))
days = st.dates(date(1990, 1, 2), date(2100, 1, 1))


@given(moments, zones)
def test_a_moment_lies_inside_its_day(at: datetime, zone: ZoneInfo) -> None:
    window = day_window(day_key(at, zone), zone)
    assert window.start <= at < window.end


@given(days, zones)
def test_days_follow_each_other_without_gap(day: date, zone: ZoneInfo) -> None:
    following = (day + timedelta(days=1)).isoformat()
    assert day_window(day.isoformat(), zone).end == day_window(following, zone).start


@given(days, zones)
def test_a_day_lies_inside_its_week(day: date, zone: ZoneInfo) -> None:
    inner, outer = day_window(day.isoformat(), zone), week_window(week_key(day.isoformat()), zone)
    assert outer.start <= inner.start <= inner.end <= outer.end


@given(days, zones)
def test_a_week_lies_inside_the_month_of_its_thursday(day: date, zone: ZoneInfo) -> None:
    week = week_key(day.isoformat())
    year, number, _ = day.isocalendar()
    thursday = date.fromisocalendar(year, number, 4)
    inner, outer = week_window(week, zone), month_window(month_key(week), zone)
    assert month_key(week) == f"{thursday:%Y-%m}"
    assert outer.start <= inner.start < inner.end <= outer.end


@given(st.integers(1990, 2099), st.integers(1, 12), zones)
def test_months_follow_each_other_without_gap(year: int, month: int, zone: ZoneInfo) -> None:
    following = f"{year + month // 12:04d}-{month % 12 + 1:02d}"
    assert month_window(f"{year:04d}-{month:02d}", zone).end == month_window(following, zone).start


@given(st.integers(1990, 2099), st.integers(1, 12), zones)
def test_every_week_of_a_month_names_that_month(year: int, month: int, zone: ZoneInfo) -> None:
    key = f"{year:04d}-{month:02d}"
    window = month_window(key, zone)
    noon = timedelta(hours=12)
    first, last = day_key(window.start + noon, zone), day_key(window.end - noon, zone)
    assert month_key(week_key(first)) == month_key(week_key(last)) == key


@pytest.mark.parametrize(
    ("zone", "day", "hours"),
    [
        ("Europe/Berlin", "2026-03-29", 23),
        ("Europe/Berlin", "2026-10-25", 25),
        ("America/New_York", "2026-03-08", 23),
        ("America/New_York", "2026-11-01", 25),
        ("Australia/Lord_Howe", "2026-04-05", 24.5),
        ("Australia/Lord_Howe", "2026-10-04", 23.5),
        ("Asia/Kathmandu", "2026-03-29", 24),
    ],
)
def test_a_day_on_which_clocks_change_has_its_true_length(zone: str, day: str, hours: float) -> None:
    window = day_window(day, ZoneInfo(zone))
    assert window.end - window.start == timedelta(hours=hours)


def test_the_days_around_new_year_belong_to_the_iso_year() -> None:
    assert week_key("2027-01-03") == "2026-W53"
    assert month_key("2026-W53") == "2026-12"
    assert week_key("2025-12-29") == "2026-W01"
    assert month_key("2026-W01") == "2026-01"
