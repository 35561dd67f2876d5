"""Dates said in words, on Monday 8 May 2023 unless another day is named."""

import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_memory.text import spans
from mcp_memory.text.dates import DateMention, annotate, resolve_dates

UTC_ZONE = ZoneInfo("UTC")
SAID = datetime(2023, 5, 8, 14, tzinfo=UTC)
ANY = st.text(st.characters(exclude_categories=()), max_size=200)
COMMON = (
    "last next this in on two 3 31 days weeks months years ago May march Friday weekend week of the first summer 2023 "
    "9999 0001-01-01 2023-02-30 13/13/2023 5/17/2023 yesterday couple 999 from now for already since"
)
WORDS = st.sampled_from(COMMON.split())


def values(text: str, said: datetime = SAID) -> list[str]:
    return [mention.value for mention in resolve_dates(text, said, UTC_ZONE)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("I went yesterday", "2023-05-07"),
        ("last night", "2023-05-07"),
        ("today", "2023-05-08"),
        ("tonight", "2023-05-08"),
        ("this morning", "2023-05-08"),
        ("tomorrow", "2023-05-09"),
        ("the day before yesterday", "2023-05-06"),
        ("the day after tomorrow", "2023-05-10"),
        ("the other day", "2023-05-01/2023-05-07"),
        ("last week", "2023-05-01/2023-05-07"),
        ("this week", "2023-05-08/2023-05-14"),
        ("next week", "2023-05-15/2023-05-21"),
        ("last month", "2023-04"),
        ("next month", "2023-06"),
        ("last year", "2022"),
        ("this year", "2023"),
        ("last weekend", "2023-05-06/2023-05-07"),
        ("this past weekend", "2023-05-06/2023-05-07"),
        ("over the weekend", "2023-05-06/2023-05-07"),
        ("this weekend", "2023-05-13/2023-05-14"),
        ("two weekends ago", "2023-04-29/2023-04-30"),
        ("last Friday", "2023-05-05"),
        ("last Monday", "2023-05-01"),
        ("last Tues", "2023-05-02"),
        ("this Friday", "2023-05-12"),
        ("next Friday", "2023-05-19"),
        ("Friday last week", "2023-05-05"),
        ("We met on Friday", "2023-05-05"),
        ("I will go on Friday", "2023-05-12"),
        ("since Wednesday", "2023-05-03"),
        ("by Monday", "2023-05-15"),
        ("three days ago", "2023-05-05"),
        ("10 years ago", "2013"),
        ("a month ago", "2023-04"),
        ("two weeks ago", "2023-04-24/2023-04-30"),
        ("a couple of days ago", "2023-05-05/2023-05-06"),
        ("a few years back", "2018/2021"),
        ("a few months ago", "2022-12/2023-03"),
        ("See you in 3 days", "2023-05-11"),
        ("in two months", "2023-07"),
        ("five days from now", "2023-05-13"),
        ("the past two months", "2023-03/2023-05"),
        ("the next few days", "2023-05-08/2023-05-13"),
        ("I've had them for 3 years", "2020/2023"),
        ("Seven years now", "2016/2023"),
        ("first week of May", "2023-05-01/2023-05-07"),
        ("the last week of February", "2023-02-22/2023-02-28"),
        ("early June", "2023-06-01/2023-06-10"),
        ("the end of June", "2023-06-21/2023-06-30"),
        ("last summer", "2022-06/2022-08"),
        ("next summer", "2023-06/2023-08"),
        ("last winter", "2022-12/2023-02"),
        ("summer of 2021", "2021-06/2021-08"),
        ("May 7", "2023-05-07"),
        ("Dec. 30th", "2022-12-30"),
        ("7 May 2023", "2023-05-07"),
        ("the 7th of May, 2021", "2021-05-07"),
        ("April 3rd to 9th", "2023-04-03/2023-04-09"),
        ("June 2022", "2022-06"),
        ("in June", "2023-06"),
        ("in November", "2022-11"),
        ("in may", "2023-05"),
        ("last May", "2022-05"),
        ("next May", "2024-05"),
        ("in 2019", "2019"),
        ("since 2016", "2016"),
        ("2023-05-08", "2023-05-08"),
        ("2023/5/8", "2023-05-08"),
        ("5/17/2023", "2023-05-17"),
        ("17.5.2023", "2023-05-17"),
        ("5/5/2023", "2023-05-05"),
    ],
)
def test_words_for_a_date_are_read_on_the_day_they_are_said(text: str, value: str) -> None:
    assert values(text) == [value]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "we may march in the sun for a second",
        "You may 2 times; march 7 miles",
        "Wed like to sit on sat chairs; the sun",
        "April said that June and August are here, may she rest",
        "5/7/2023 or 6.4.2022",
        "2023-02-30 and 31 April",
        "in 2000 words, in 2023-24, at 2019 people",
        "the best meal I had in two weeks",
        "I do it 3 times in one day",
        "I stayed for 3 years",
        "the last week of the course, last-minute",
        "May 25 people came",
        "hier gestern ayer の昨日",
        "a 5 year old, 10 days later",
    ],
)
def test_words_that_are_no_date_stay_words(text: str) -> None:
    assert values(text) == []


@pytest.mark.parametrize(
    ("said", "text", "value"),
    [
        (datetime(2023, 5, 13, 12, tzinfo=UTC), "over the weekend", "2023-05-13/2023-05-14"),
        (datetime(2023, 5, 14, 12, tzinfo=UTC), "last weekend", "2023-05-06/2023-05-07"),
        (datetime(2023, 5, 12, 12, tzinfo=UTC), "last Friday", "2023-05-05"),
        (datetime(2023, 5, 12, 12, tzinfo=UTC), "We will meet on Friday", "2023-05-19"),
        (datetime(2023, 1, 3, 12, tzinfo=UTC), "last month", "2022-12"),
        (datetime(2024, 2, 29, 12, tzinfo=UTC), "a year ago", "2023"),
        (datetime(2023, 12, 28, 12, tzinfo=UTC), "January 3", "2024-01-03"),
        (datetime(2023, 10, 5, 12, tzinfo=UTC), "last summer", "2023-06/2023-08"),
    ],
)
def test_the_edges_of_weeks_and_years(said: datetime, text: str, value: str) -> None:
    assert values(text, said) == [value]


def test_the_day_is_the_owners_not_the_one_in_utc() -> None:
    late = datetime(2023, 5, 8, 23, 30, tzinfo=UTC)
    assert [mention.value for mention in resolve_dates("today", late, ZoneInfo("Asia/Tokyo"))] == ["2023-05-09"]


def test_mentions_come_in_order_with_their_places_and_the_longest_wins() -> None:
    text = "On May 7, 2023 and the day before yesterday"
    assert resolve_dates(text, SAID, UTC_ZONE) == [
        DateMention(3, 14, "May 7, 2023", "2023-05-07"),
        DateMention(19, 43, "the day before yesterday", "2023-05-06"),
    ]


def test_relative_dates_are_annotated_and_absolute_ones_are_not() -> None:
    text = "I left yesterday, on 7 May 2023, and will be back in June."
    shown = "I left yesterday (2023-05-07), on 7 May 2023, and will be back in June (2023-06)."
    assert annotate(text, resolve_dates(text, SAID, UTC_ZONE)) == shown


def test_dates_beyond_the_calendar_are_left_out() -> None:
    first = datetime(1, 1, 1, 12, tzinfo=UTC)
    assert values("yesterday, last week, last year, 5 months ago, 300 years ago", first) == []
    assert values("in 30 years, next year", datetime(9999, 12, 31, tzinfo=UTC)) == []


@pytest.mark.parametrize(
    "unit", ["last ", "in the next ", "2 weeks ", "May ", "1.1.", "12/", "a'", "\n", "漢", "\ud800"]
)
def test_long_runs_of_anything_take_linear_time(unit: str) -> None:
    resolve_dates(unit * (100_000 // len(unit)), SAID, UTC_ZONE)


@given(
    ANY | st.lists(WORDS).map(" ".join),
    st.datetimes(datetime(1, 1, 3), datetime(9999, 12, 29), timezones=st.just(UTC)),
    st.sampled_from(["UTC", "Asia/Tokyo", "America/St_Johns"]),
)
def test_every_value_is_a_span_and_every_mention_is_where_it_says(text: str, said: datetime, zone: str) -> None:
    mentions = resolve_dates(text, said, ZoneInfo(zone))
    end = 0
    for mention in mentions:
        first, last = spans.bounds(mention.value)
        assert first <= last
        assert end <= mention.start < mention.end
        assert text[mention.start : mention.end] == mention.text
        end = mention.end
    assert re.sub(r" \([\d/-]+\)", "", annotate(text, mentions)) == re.sub(r" \([\d/-]+\)", "", text)


@given(st.integers(1, 300))
def test_days_ago_count_back_from_today(count: int) -> None:
    assert values(f"{count} days ago") == [(SAID - timedelta(days=count)).date().isoformat()]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("My aunt turns 80 on 12 September.", "2023-09-12"),
        ("Our lease ends on 30 March.", "2024-03-30"),
        ("We leave for Oslo in February.", "2024-02"),
        ("The wedding is on 20 January.", "2024-01-20"),
        ("We went to Rome in June.", "2022-06"),
        ("I met her on 20 October.", "2022-10-20"),
        ("My birthday: 2 June", "2023-06-02"),
        ("I signed up for the half marathon on 4 March.", "2024-03-04"),
    ],
)
def test_a_date_without_a_year_lies_where_the_talk_is(text: str, value: str) -> None:
    assert [mention.value for mention in resolve_dates(text, SAID, UTC_ZONE)] == [value]
