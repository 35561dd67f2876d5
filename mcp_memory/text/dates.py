"""Dates in talk: found, resolved against the day they were said, and read from tool arguments.

English, about 25 patterns (`datewords`); in other languages only what is written in digits is found.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from mcp_memory.errors import InputError
from mcp_memory.text import spans
from mcp_memory.text.clean import plain
from mcp_memory.text.datewords import CLUES, TABLE, Clue
from mcp_memory.text.readings import MONTHS, Reading

_YEARS: Final = range(2, 9999)  # a day either way may be needed: zones
_LONGEST: Final = 100
_SHOWN: Final = 40
_ABSOLUTE: Final = re.compile(r"(?<!\d)\d{4}(?!\d)")
_STAMP: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?"
    r"\s?(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?)?",
    re.IGNORECASE,
)
_VALUE: Final = re.compile(r"[0-9]{4}(?:-[0-9]{2}(?:-[0-9]{2})?)?")
_YEARLY: Final = re.compile(
    rf"(?!.*\b(?:\d{{4}}|last|next|this)\b).*\b(?:{'|'.join(MONTHS)})", re.IGNORECASE | re.DOTALL
)
_PLANS: Final = re.compile(
    r"\b(?:will|won['’]t|shall|should|must|going\s+to|gonna|plan(?:ned|ning)?|plans\s+for|upcoming|coming|scheduled|due"
    r"|(?:need|have)\s+to|(?:do|does)\s+\w+\s+have|when\s+(?:is|are|do|does)|(?:am|are|is)\s+\w+\s+\w+ing)\b|['’]ll\b",
    re.IGNORECASE,
)
_WEEK: Final = re.compile(r"([0-9]{4})-?W([0-9]{2})", re.IGNORECASE)
_SPAN_AGO: Final = re.compile(r"(?P<count>[0-9]{1,6}|an?|one)\s*(?P<unit>minute|min|hour|h)s?\s+ago", re.IGNORECASE)
_ACCEPTED: Final = (
    "Use ISO 8601 (2026-11-30T14:05, with or without a zone), a date (2026-11-30), month (2026-11), year (2026) or "
    'week (2026-W49), or words: now, today, yesterday, "3 days ago", "last week", "last friday", "in June", "May 7"; '
    "of the years 2 to 9998."
)


@dataclass(frozen=True, slots=True)
class DateMention:
    """Words at [start, end) that name a date; `value` is YYYY, YYYY-MM, YYYY-MM-DD or an interval A/B."""

    start: int
    end: int
    text: str
    value: str


def resolve_dates(text: str, said: datetime, zone: ZoneInfo) -> list[DateMention]:
    """The dates that `text` names, in order and without overlaps, as of the local day on which it was said."""
    clues = {match.lastgroup for match in CLUES.finditer(text)}  # so that most sentences are not searched thirty times
    if not clues:
        return []
    today, clues = said.astimezone(zone).date(), clues | {Clue.ANY}
    rows = ((pattern, reading) for clue, pattern, reading in TABLE if clue in clues)
    found = [mention for pattern, reading in rows for mention in _read(text, today, pattern, reading)]
    mentions: list[DateMention] = []
    for mention in sorted(found, key=lambda mention: (mention.start, -mention.end)):
        if not mentions or mention.start >= mentions[-1].end:
            mentions.append(mention)
    return mentions


def recalled_dates(text: str, at: datetime, zone: ZoneInfo) -> list[DateMention]:
    """As `resolve_dates`, for what is asked of a memory: it lies behind, unless the text is about plans.

    "May 7" asked about in November is this year's, though next year's is nearer.
    """
    mentions, today = resolve_dates(text, at, zone), at.astimezone(zone).date()
    if _PLANS.search(text):
        return mentions
    return [
        replace(one, value=spans.last_return(one.value, today))
        if is_yearly(one) and spans.bounds(one.value)[0] > today
        else one
        for one in mentions
    ]


def is_yearly(mention: DateMention) -> bool:
    """Whether a date returns every year: "May 7", "in June"; not "last June"."""
    return bool(_YEARLY.match(mention.text))


def annotate(text: str, mentions: Iterable[DateMention]) -> str:
    """`text` with each relative date followed by its value: "yesterday (2023-05-07)"."""
    for mention in sorted(mentions, key=lambda mention: -mention.start):
        if not _ABSOLUTE.search(mention.text):
            text = f"{text[: mention.end]} ({mention.value}){text[mention.end :]}"
    return text


def parse_moment(text: str, now: datetime, zone: ZoneInfo, *, end: bool = False) -> datetime:
    """The moment that a tool argument names, in UTC.

    A day, week, month or year is its first moment, or with `end` the first moment after it; without a zone
    the owner's holds.  Raises InputError, which says what is accepted.
    """
    words = " ".join(text.split())
    try:
        if len(words) <= _LONGEST:
            moment = _exact(words, now, zone) or _edge_of(_value(words, now, zone), zone, end=end)
            return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        pass  # the answer is the same as to words that are no date at all
    shown = plain(text[: 4 * _SHOWN])[:_SHOWN]
    raise InputError(f'"{shown}" is not a moment I can read. {_ACCEPTED}')


def _read(text: str, today: date, pattern: re.Pattern[str], reading: Reading) -> Iterator[DateMention]:
    for match in pattern.finditer(text):
        try:
            value = reading(match, today)
        except (ValueError, OverflowError):  # 31 February, or beyond the calendar
            continue
        if value:
            yield DateMention(match.start(), match.end(), match.group(), value)


def _exact(words: str, now: datetime, zone: ZoneInfo) -> datetime | None:
    """now, "2 hours ago", and what is written to the minute."""
    if words.lower() == "now":
        return now
    if ago := _SPAN_AGO.fullmatch(words):
        count = int(ago["count"]) if ago["count"].isdecimal() else 1
        return now - timedelta(minutes=count * (60 if ago["unit"].lower().startswith("h") else 1))
    if not _STAMP.fullmatch(words):
        return None
    # fromisoformat of Python 3.11 on reads Z and +0100; a blank before the zone it does not
    stamp = datetime.fromisoformat(words.upper().replace(",", ".").replace(" ", "T", 1).replace(" ", ""))
    _check_year(stamp.date())
    return stamp if stamp.tzinfo else stamp.replace(tzinfo=zone)


def _value(words: str, now: datetime, zone: ZoneInfo) -> str:
    """The value of a date in digits or words; ValueError if it is none."""
    if _VALUE.fullmatch(words):
        return words
    if number := _WEEK.fullmatch(words):
        return spans.week(date.fromisocalendar(int(number[1]), int(number[2]), 1))
    for candidate in (words, f"on {words}", f"in {words}"):
        mentions = recalled_dates(candidate, now, zone)
        if len(mentions) == 1 and mentions[0].text == candidate:
            return mentions[0].value
    raise ValueError(len(words))


def _edge_of(value: str, zone: ZoneInfo, *, end: bool) -> datetime:
    """First moment of a value, or the first after it."""
    first, last = spans.bounds(value)
    _check_year(first)
    _check_year(last)
    return datetime.combine(last + timedelta(days=1) if end else first, time(), zone)


def _check_year(day: date) -> None:
    if day.year not in _YEARS:
        raise ValueError(day.year)
