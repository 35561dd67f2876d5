"""On which side of the present a date lies, and what a stretch of time is measured from."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from mcp_memory.text.dates import resolve_dates


def values(said: str, text: str) -> list[str]:
    moment = datetime.fromisoformat(said).replace(hour=12, tzinfo=UTC)
    return [mention.value for mention in resolve_dates(text, moment, ZoneInfo("UTC"))]


@pytest.mark.parametrize(
    ("said", "text", "dates"),
    [
        ("2026-08-26", "My boss asked me to lead the audit in Hamburg on October 8th.", ["2026-10-08"]),
        ("2026-08-26", "We got a letter that the court hearing takes place on October 12th.", ["2026-10-12"]),
        ("2026-08-26", "They confirmed the surgery for December 2nd.", ["2026-12-02"]),
        ("2026-08-26", "We postponed it from September 3rd to October 1st.", ["2026-09-03", "2026-10-01"]),
        ("2026-08-26", "The trial was set for October 12th.", ["2026-10-12"]),
        ("2026-08-26", "Got tickets for the play on November 7th!", ["2026-11-07"]),
        ("2026-08-26", "The wedding got postponed to September 26th.", ["2026-09-26"]),
        ("2026-08-26", "They moved the exam to January 9th.", ["2027-01-09"]),
        ("2026-08-26", "Next time in May we go by train.", ["2027-05"]),
        ("2026-04-01", "The dentist moved it to May 11th.", ["2026-05-11"]),
        ("2026-11-17", "She got a post as of January", ["2027-01"]),
        ("2026-08-26", "The bees must be fed by April 3rd.", ["2027-04-03"]),
        ("2026-08-26", "The roof needs to be fixed on November 3rd.", ["2026-11-03"]),
        ("2026-08-26", "I should have gone on November 3rd.", ["2025-11-03"]),
        ("2026-08-26", "I broke my arm on December 24th.", ["2025-12-24"]),
        ("2026-08-26", "On November 4th I flew to Rome.", ["2025-11-04"]),
        ("2026-08-26", "The joke: Oct 31 equals Dec 25", ["2026-10-31", "2026-12-25"]),
        ("2026-08-26", "I had to work on November 7th", ["2025-11-07"]),
        ("2026-08-26", "I got to meet her on October 20th.", ["2025-10-20"]),
        ("2026-08-26", "We moved to Berlin on October 8th.", ["2025-10-08"]),
        ("2026-08-26", "I went to see the play on November 7th.", ["2025-11-07"]),
        ("2026-08-26", "He stayed in the hospital until December 3rd.", ["2025-12-03"]),
        ("2026-08-26", "We have until October 8th.", ["2026-10-08"]),
        ("2026-08-26", "They gave me until October 8th.", ["2026-10-08"]),
        ("2026-08-26", "They extended the deadline to October 8th.", ["2026-10-08"]),
        ("2026-08-26", "I decided to run a marathon on October 8th.", ["2026-10-08"]),
        ("2026-08-26", "She agreed to come in October.", ["2026-10"]),
        ("2026-08-26", "She told me about it on November 3rd.", ["2025-11-03"]),
        ("2026-08-26", "He told me to pick him up on November 3rd.", ["2026-11-03"]),
        ("2026-08-26", "We were invited to a wedding on October 3rd.", ["2026-10-03"]),
        ("2026-08-26", "I enjoyed my visit on November 3rd.", ["2025-11-03"]),
        ("2026-08-26", "I'm excited for October 8th!", ["2026-10-08"]),
        ("2026-08-26", "The concert on November 12th was great.", ["2025-11-12"]),
        ("2026-08-26", "The concert on November 12th is sold out.", ["2026-11-12"]),
        ("2026-08-26", "In June I start a new job.", ["2027-06"]),
        ("2026-08-26", "In December my dad died.", ["2025-12"]),
        ("2026-08-26", "The photo is from November 3rd.", ["2025-11-03"]),
        ("2026-08-26", "I didn't sleep on November 3rd.", ["2025-11-03"]),
        ("2026-08-26", "I've got an exam on November 3rd.", ["2026-11-03"]),
        ("2026-08-26", "Had a meeting on November 3rd.", ["2025-11-03"]),
        ("2026-08-26", "We have an organized tour on November 3rd.", ["2026-11-03"]),
        ("2026-08-26", "The show is scheduled for November 3rd.", ["2026-11-03"]),
        ("2026-08-26", "They rescheduled it to 3 p.m. on November 3rd.", ["2026-11-03"]),
        ("2026-08-26", "It's on November 3rd.", ["2026-11-03"]),
        ("2026-08-26", "He's been here since November 3rd.", ["2025-11-03"]),
        ("2026-08-26", "I got a letter on November 3rd.", ["2025-11-03"]),
        ("2026-08-26", "We talked to people on November 3rd.", ["2025-11-03"]),
        ("2026-08-26", "I sat in the park on November 3rd", ["2025-11-03"]),
        ("2026-08-26", "By October 8th I need to finish.", ["2026-10-08"]),
        ("2026-08-26", "By November 8th we had finished.", ["2025-11-08"]),
        ("2026-08-26", "They pushed the release back to November 3rd.", ["2026-11-03"]),
        ("2026-08-26", "My appointment was changed to the 3rd of November.", ["2026-11-03"]),
        ("2026-08-26", "The school invited parents for November 3rd.", ["2026-11-03"]),
        ("2026-08-26", "We were in Rome from December 28th to January 3rd.", ["2025-12-28", "2026-01-03"]),
        ("2026-08-26", "I quit my job in November.", ["2025-11"]),
        ("2026-08-26", "Yesterday I heard the show opens on November 3rd.", ["2026-08-25", "2026-11-03"]),
        ("2026-08-26", "Can't wait to see you in December!", ["2026-12"]),
        ("2026-08-26", "We'll meet on November 3rd", ["2026-11-03"]),
        ("2026-08-26", "I was diagnosed in October.", ["2025-10"]),
        ("2026-08-26", "They offered me a seat on the committee as of October 1st.", ["2026-10-01"]),
        ("2026-08-26", "The dentist called to say I need to come on October 1st.", ["2026-10-01"]),
        ("2026-08-26", "We fixed a date: October 1st.", ["2026-10-01"]),
        ("2026-08-26", "I was in Paris in October and November.", ["2025-10"]),
        ("2024-08-01", "I'm starting a pottery class on September 15, and I'm curious", ["2024-09-15"]),
        (
            "2024-05-10",
            "I'm thinking about a new kitchen after advice from Ben on April 2, and I want to know",
            ["2024-04-02"],
        ),
        ("2024-05-10", "I took the night shifts starting June 1 to earn more", ["2024-06-01"]),
        ("2024-09-02", "I'm a bit ashamed of buying a second harp on Aug 20, but it was cheap", ["2024-08-20"]),
        ("2026-08-26", "I'm looking forward to visiting you in May.", ["2027-05"]),
        ("2026-08-26", "We are meeting her after work on November 3rd.", ["2026-11-03"]),
        ("2024-03-15", "I'm stressed about painting the fence by May 15, can you help", ["2024-05-15"]),
        ("2024-06-10", "I'm frustrated that my phone bills in May were high", ["2024-05"]),
        ("2026-08-26", "We met before April.", ["2026-04"]),
        ("2026-08-26", "He stayed until Friday", ["2026-08-21"]),
        ("2026-08-26", "I must finish before Friday", ["2026-08-28"]),
        ("2026-08-26", "I was born on February 29th", ["2024-02-29"]),
        ("2026-08-20", "I broke my arm on August 28th", ["2025-08-28"]),
        ("2026-08-26", "We met on Friday and will meet on Monday", ["2026-08-21", "2026-08-31"]),
        ("2026-08-26", "She asked me to help on Friday.", ["2026-08-28"]),
        ("2026-08-26", "On Friday I flew to Rome.", ["2026-08-21"]),
        ("2026-08-26", "They asked me to help over the weekend.", ["2026-08-29/2026-08-30"]),
        ("2026-08-26", "I relaxed over the weekend.", ["2026-08-22/2026-08-23"]),
        ("2024-06-15", "so I mailed it on June 14, long before the June 25 deadline", ["2024-06-14", "2024-06-25"]),
    ],
)
def test_the_verb_that_a_date_belongs_to_tells_where_it_lies(said: str, text: str, dates: list[str]) -> None:
    assert values(said, text) == dates


@pytest.mark.parametrize(
    ("said", "text", "dates"),
    [
        ("2026-08-26", "He has a cast for six weeks", []),
        ("2026-08-26", "I have had them for three years", ["2023/2026"]),
        ("2026-08-26", "I've lived here for six weeks", ["2026-07-13/2026-08-30"]),
        ("2026-08-26", "He has a cast for six weeks now", ["2026-07-13/2026-08-30"]),
        ("2026-08-26", "She's been ill for six weeks", ["2026-07-13/2026-08-30"]),
        ("2026-08-26", "I have to wear it for six weeks", []),
        ("2026-08-26", "I have decided to rent it for six weeks", []),
        ("2026-08-26", "I've wanted to see this for three years", ["2023/2026"]),
        ("2026-08-26", "I had been there for three years", []),
        ("2026-08-26", "He has been told to rest for six weeks", []),
        ("2026-08-26", "The shop has been closed for six weeks", ["2026-07-13/2026-08-30"]),
        ("2026-08-26", "We have booked a flat for two weeks", []),
        ("2026-08-26", "Have you lived here for three years?", ["2023/2026"]),
        ("2026-08-26", "I have not slept well for two weeks", ["2026-08-10/2026-08-30"]),
        ("2026-08-26", "My dog's sick for two weeks", []),
        ("2026-08-26", "We have a guest for two weeks", []),
        ("2023-10-22", "I’ve kept to my diet for three months.", ["2023-07/2023-10"]),
        ("2026-08-26", "I've had to wear it for six weeks", ["2026-07-13/2026-08-30"]),
        ("2026-08-26", "He'll be out for six weeks", []),
    ],
)
def test_only_what_lasts_until_now_is_counted_back(said: str, text: str, dates: list[str]) -> None:
    assert values(said, text) == dates


@pytest.mark.parametrize(
    ("said", "text", "dates"),
    [
        ("2026-08-26", "What happened between March and June?", ["2026-03/2026-06"]),
        ("2026-08-26", "We lived in Rome from October to March.", ["2025-10/2026-03"]),
        ("2026-08-26", "I worked there from 2019 to 2021.", ["2019/2021"]),
        ("2026-08-26", "What happened between Monday and Tuesday?", ["2026-08-24/2026-08-25"]),
        ("2026-08-26", "I work from Monday to Friday", []),
    ],
)
def test_from_one_to_another_is_one_stretch_unless_it_is_a_habit(said: str, text: str, dates: list[str]) -> None:
    assert values(said, text) == dates
