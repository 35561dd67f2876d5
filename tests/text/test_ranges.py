"""Stretches of time that questions name, asked on 26 August 2026."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_memory.text import spans
from mcp_memory.text.ranges import stretches

ASKED = datetime(2026, 8, 26, 12, tzinfo=UTC)
WORDS = (
    "since until before after between and from to up by on in the day week May March 3 31 2025 1 Friday last next "
    "yesterday - now February 29 0001-01-01 9999-12-31"
)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("What happened between May 1st and May 10th?", ["2026-05-01/2026-05-10"]),
        ("What did I do from June 4 to June 20?", ["2026-06-04/2026-06-20"]),
        ("What happened between April 20 and April 30?", ["2026-04-20/2026-04-30"]),
        ("What happened from 2026-05-01 until 2026-05-10?", ["2026-05-01/2026-05-10"]),
        ("What happened since October 20?", ["2025-10-20/2026-08-26"]),
        ("What has happened after May 3?", ["2026-05-04/2026-08-26"]),
        ("What happened before April?", ["0001-01-01/2026-03-31"]),
        ("What did I say until April 3rd?", ["0001-01-01/2026-04-03"]),
        ("What did I say by April 3rd?", ["0001-01-01/2026-04-03"]),
        ("What did I say up to April 3rd?", ["0001-01-01/2026-04-03"]),
        ("What happened in March and in June?", ["2026-03", "2026-06"]),
        ("What happened on November 26th?", ["2025-11-26"]),
        ("What will I do on December 5th?", ["2026-12-05"]),
        ("What do I have on December 5th?", ["2026-12-05"]),
        ("What is new since yesterday?", ["2026-08-25/2026-08-26"]),
        ("Anything new today?", ["2026-08-26"]),
        ("What's up this week?", ["2026-08-24/2026-08-30"]),
        ("What did I do yesterday?", ["2026-08-25"]),
        ("What did I do from June 4 to 20?", ["2026-06-04/2026-06-20"]),
        ("What happened between December 20 and January 5?", ["2025-12-20/2026-01-05"]),
        ("What happened from May 3 on?", ["2026-05-03/2026-08-26"]),
        ("What happened from May 3 until now?", ["2026-05-03/2026-08-26"]),
        ("What do you remember from May 3?", ["2026-05-03"]),
        ("What happened the day before May 3?", ["2026-05-02"]),
        ("Who did I meet before May 3, 2025?", ["0001-01-01/2025-05-02"]),
        ("What happened between August 20 and September 3?", ["2026-08-20/2026-09-03"]),
        ("What happened between March and June?", ["2026-03/2026-06"]),
        ("What happened from March 2025 to May 2025?", ["2025-03/2025-05"]),
        ("What happened before 2020?", ["0001-01-01/2019-12-31"]),
        ("What happened between last week and yesterday?", ["2026-08-17/2026-08-25"]),
        ("What happened between May 1 and May 10, 2025?", ["2025-05-01/2025-05-10"]),
        ("What happened between May 1, 2025 and May 10?", ["2025-05-01/2025-05-10"]),
        ("What happened after last Friday?", ["2026-08-22/2026-08-26"]),
        ("What happened before Friday?", ["0001-01-01/2026-08-20"]),
        ("What happened between Monday and Tuesday?", ["2026-08-24/2026-08-25"]),
        ("What happened since 2026-05-01?", ["2026-05-01/2026-08-26"]),
        ("I must finish the report by April 3rd", ["2027-04-03"]),
        ("What happened on May 1 and May 3?", ["2026-05-01", "2026-05-03"]),
        ("What happened on February 29th?", ["2024-02-29"]),
        ("What happened prior to June 4?", ["0001-01-01/2026-06-03"]),
        ("What happened through May 3?", ["2026-05-03"]),
        ("since may what happened?", ["2026-05-01/2026-08-26"]),
        ("What happened from the 3rd of May to the 5th of June?", ["2026-05-03/2026-06-05"]),
        ("What happened May 1 - May 10?", ["2026-05-01/2026-05-10"]),
        ("What happened until yesterday?", ["0001-01-01/2026-08-25"]),
        ("What happened between 3 and 10 May?", ["2026-05-03/2026-05-10"]),
        ("When is my appointment in December?", ["2026-12"]),
        ("What are we doing between December 5 and December 10?", ["2026-12-05/2026-12-10"]),
        ("What did I do in the week before May 3?", ["2026-04-26/2026-05-02"]),
        ("What did I tell you up until last Friday?", ["0001-01-01/2026-08-21"]),
        ("What happened between early May and late June?", ["2026-05-01/2026-06-30"]),
        ("How did my plans change after May 3?", ["2026-05-04/2026-08-26"]),
        ("Was the shop open between May 3, 2025, and June 4, 2025?", ["2025-05-03/2025-06-04"]),
        ("What did I eat on May 3 or May 4?", ["2026-05-03", "2026-05-04"]),
    ],
)
def test_a_question_names_stretches_that_lie_behind(text: str, values: list[str]) -> None:
    asks = not text.startswith("I must")
    assert [one.value for one in stretches(text, ASKED, ZoneInfo("UTC"), asks=asks)] == values


def test_a_stretch_has_its_first_moment_and_the_first_after_it_and_all_its_words() -> None:
    text = "What happened between May 1st and May 10th in Rome?"
    (one,) = stretches(text, ASKED, ZoneInfo("Asia/Tokyo"), asks=True)
    assert text[one.start : one.end] == "between May 1st and May 10th"
    assert (one.first, one.after) == (datetime(2026, 4, 30, 15, tzinfo=UTC), datetime(2026, 5, 10, 15, tzinfo=UTC))


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "America/St_Johns"])
def test_before_a_day_begins_with_the_calendar(zone: str) -> None:
    (one,) = stretches("What happened before April?", ASKED, ZoneInfo(zone), asks=True)
    assert one.first.timestamp() < -62_000_000_000
    assert one.after == datetime(2026, 4, 1, tzinfo=ZoneInfo(zone))


def test_since_a_day_reaches_to_the_asking() -> None:
    (one,) = stretches("What happened since June 4?", ASKED, ZoneInfo("UTC"), asks=True)
    assert one.first < ASKED < one.after <= ASKED + timedelta(days=1)


@given(
    st.lists(st.sampled_from(WORDS.split())).map(" ".join) | st.text(max_size=60),
    st.datetimes(datetime(1, 1, 3), datetime(9999, 12, 29), timezones=st.just(UTC)),
    st.sampled_from(["UTC", "Asia/Tokyo", "America/St_Johns"]),
    st.booleans(),
)
def test_every_stretch_has_an_extent_and_a_place(text: str, at: datetime, zone: str, asks: bool) -> None:
    end = 0
    for one in stretches(text, at, ZoneInfo(zone), asks=asks):
        assert spans.bounds(one.value)[0] <= spans.bounds(one.value)[1]
        assert one.first.timestamp() < one.after.timestamp()
        assert end <= one.start < one.end <= len(text)
        end = one.end
