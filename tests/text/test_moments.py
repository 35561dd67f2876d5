"""Moments that tool arguments name."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_memory.errors import InputError
from mcp_memory.text.dates import parse_moment

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 30, 14, 5, tzinfo=UTC)
ANY = st.text(st.characters(exclude_categories=()), max_size=60)


def utc(*numbers: int) -> datetime:
    return datetime(*numbers, tzinfo=UTC)  # type: ignore[arg-type, misc]


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("now", NOW),
        (" NOW ", NOW),
        ("2026-11-30T14:05", utc(2026, 11, 30, 13, 5)),
        ("2026-11-30 14:05", utc(2026, 11, 30, 13, 5)),
        ("2026-11-30T14:05Z", utc(2026, 11, 30, 14, 5)),
        ("2026-11-30t14:05:06z", utc(2026, 11, 30, 14, 5, 6)),
        ("2026-11-30 14:05 +0530", utc(2026, 11, 30, 8, 35)),
        ("2026-11-30T14:05:00.123-02", utc(2026, 11, 30, 16, 5, 0, 123000)),
        ("2 hours ago", utc(2026, 11, 30, 12, 5)),
        ("an hour ago", utc(2026, 11, 30, 13, 5)),
        ("30 min ago", utc(2026, 11, 30, 13, 35)),
    ],
)
def test_exact_moments(text: str, moment: datetime) -> None:
    assert parse_moment(text, NOW, BERLIN) == parse_moment(text, NOW, BERLIN, end=True) == moment


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("2026-11-30", utc(2026, 11, 29, 23), utc(2026, 11, 30, 23)),
        ("2026-10-25", utc(2026, 10, 24, 22), utc(2026, 10, 25, 23)),  # 25 hours long
        ("2026-11", utc(2026, 10, 31, 23), utc(2026, 11, 30, 23)),
        ("2026", utc(2025, 12, 31, 23), utc(2026, 12, 31, 23)),
        ("2026-W49", utc(2026, 11, 29, 23), utc(2026, 12, 6, 23)),
        ("today", utc(2026, 11, 29, 23), utc(2026, 11, 30, 23)),
        ("Yesterday", utc(2026, 11, 28, 23), utc(2026, 11, 29, 23)),
        ("last week", utc(2026, 11, 22, 23), utc(2026, 11, 29, 23)),
        ("3 days ago", utc(2026, 11, 26, 23), utc(2026, 11, 27, 23)),
        ("last friday", utc(2026, 11, 26, 23), utc(2026, 11, 27, 23)),
        ("friday", utc(2026, 11, 26, 23), utc(2026, 11, 27, 23)),
        ("June", utc(2026, 5, 31, 22), utc(2026, 6, 30, 22)),
        ("May 7", utc(2026, 5, 6, 22), utc(2026, 5, 7, 22)),
    ],
)
def test_a_span_is_its_first_moment_or_the_first_after_it(text: str, start: datetime, end: datetime) -> None:
    assert parse_moment(text, NOW, BERLIN) == start
    assert parse_moment(text, NOW, BERLIN, end=True) == end


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "soon", "0000", "9999", "0000-01-01", "2026-13", "2026-02-30", "2026-W54", "2026-W00", "99999",
        "2026-11-30T25:00", "2026-11-30T14:05+99:00", "999999 hours ago of", "yesterday and today", "5/7/2026",
        "٢٠٢٦", "'; DROP TABLE turns; --", "x" * 10**6, "\0", "\ud800", "2026-11-30T14:05:00Z\0", "9999 years ago",
    ],
)  # fmt: skip
def test_what_is_no_moment_is_refused_with_what_is_accepted(text: str) -> None:
    with pytest.raises(InputError, match="ISO 8601"):
        parse_moment(text, NOW, BERLIN)


def test_the_refusal_shows_little_of_the_input_and_nothing_that_hides() -> None:
    with pytest.raises(InputError) as caught:
        parse_moment("\x1b[31m\u202e" + "secret " * 50, NOW, BERLIN)
    shown = str(caught.value)[1:].partition('" is not')[0]
    assert len(shown) <= 40
    assert shown.isprintable()
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("text", ["0001-01-01", "0001-01-01T00:00"])
def test_a_moment_before_the_calendar_in_utc_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse_moment(text, NOW, ZoneInfo("Asia/Tokyo"))


def test_the_last_year_that_is_accepted_has_an_end() -> None:
    assert parse_moment("9998", NOW, ZoneInfo("UTC"), end=True) == utc(9999, 1, 1)


@given(ANY, st.booleans())
def test_anything_is_a_moment_in_utc_or_an_input_error(text: str, end: bool) -> None:
    try:
        moment = parse_moment(text, NOW, BERLIN, end=end)
    except InputError:
        return
    assert moment.tzinfo is UTC


@given(st.datetimes(datetime(2, 1, 1), datetime(9998, 1, 1), timezones=st.just(UTC)))
def test_a_written_moment_is_read_back(moment: datetime) -> None:
    assert parse_moment(moment.isoformat(), NOW, BERLIN) == moment


@given(st.dates(datetime(2, 1, 1).date(), datetime(9998, 1, 1).date()), st.sampled_from(["%Y-%m-%d", "%Y-%m", "%Y"]))
def test_a_span_ends_after_it_begins(day: datetime, shape: str) -> None:
    text = day.strftime(shape).rjust(len("0000-00-00"[: {"%Y": 4, "%Y-%m": 7}.get(shape, 10)]), "0")
    assert parse_moment(text, NOW, BERLIN) < parse_moment(text, NOW, BERLIN, end=True)
