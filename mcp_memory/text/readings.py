"""How words for dates are read on the day they are said.

A reading takes a match of a row of `datewords` and returns a value as `spans` has them, or "" where the words mean
no date after all.
"""

import re
from calendar import monthrange
from collections.abc import Callable
from datetime import MAXYEAR, MINYEAR, date, timedelta
from typing import Final, cast

from mcp_memory.text import spans, tense

Reading = Callable[[re.Match[str], date], str]

_WEEKDAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NUMBERS: Final = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
)
_FIXED: Final = {word: (number, number) for number, word in enumerate(_NUMBERS.split(), 1)}
_VAGUE: Final = {"couple": (2, 3), "few": (2, 5), "several": (3, 7)}
COUNTS: Final = _FIXED | {"a": (1, 1), "an": (1, 1), "thirty": (30, 30)} | _VAGUE
_SHIFT: Final = {"last": -1, "past": -1, "previous": -1, "this": 0, "current": 0, "next": 1, "coming": 1, "upcoming": 1}
PARTS: Final = {
    **dict.fromkeys(("early", "start of", "beginning of", "the start of", "the beginning of"), (1, 10)),
    **dict.fromkeys(("mid", "middle of", "the middle of"), (11, 20)),
    **dict.fromkeys(("late", "end of", "the end of"), (21, 31)),
}
ORDINALS: Final = {
    "first": 0,
    "1st": 0,
    "second": 1,
    "2nd": 1,
    "third": 2,
    "3rd": 2,
    "fourth": 3,
    "4th": 3,
    "last": -1,
}
_MIDDLE: Final = 15  # of a month
_IN_DIGITS: Final = re.compile(r"\d{4}")
_SURE: Final = ("in ", "since ", "until ", "till ", "during ", "before ")  # make a month of "may" and "march"


def fixed(shift: int) -> Reading:
    return lambda _, today: spans.moved(today, shift, "day")


def other_day(_: re.Match[str], today: date) -> str:
    """the other day."""
    return spans.days(today - timedelta(days=7), today - timedelta(days=1))


def period(match: re.Match[str], today: date) -> str:
    """last week, this month, next weekend."""
    shift = _SHIFT[_word(match, "which")]
    return spans.moved(today, shift, _unit(match))


def the_weekend(match: re.Match[str], today: date) -> str:
    """over the weekend: the one that is just over, unless the talk is of plans."""
    now_or_ahead = today.weekday() >= 5 or tense.is_ahead(match)
    return spans.moved(today, 0 if now_or_ahead else -1, "weekend")


def weekday(match: re.Match[str], today: date) -> str:
    """last Friday, next Friday, on Friday."""
    which, wanted = _word(match, "which"), _weekday_number(match)
    if wanted < 0:
        return ""
    back = (today.weekday() - wanted - 1) % 7 + 1
    if which in {"last", "past", "previous"}:
        return spans.moved(today, -back, "day")
    if which == "next":
        return spans.moved(today, wanted - today.weekday() + 7, "day")
    if which == "this":
        return spans.moved(today, wanted - today.weekday(), "day")
    by_itself = which in {"by", "until", "till", "coming"} and not tense.is_behind(match)
    ahead = by_itself or (which != "since" and tense.is_ahead(match))
    return spans.moved(today, 7 - back % 7 if ahead else -back, "day")


def weekday_of_week(match: re.Match[str], today: date) -> str:
    """Friday last week."""
    wanted = _weekday_number(match)
    return "" if wanted < 0 else spans.moved(today, 7 * _SHIFT[_word(match, "which")] + wanted - today.weekday(), "day")


def ago(match: re.Match[str], today: date) -> str:
    """two weeks ago, a few years back."""
    low, high = _count(match)
    return spans.hull(spans.moved(today, -high, _unit(match)), spans.moved(today, -low, _unit(match)))


def ahead(match: re.Match[str], today: date) -> str:
    """in two weeks; not "the best thing I did in two weeks"."""
    stretch = re.search(r"(?i)n['’]t|never|not|first|best|times|once|twice", tense.before(match))
    if stretch or tense.is_behind(match):
        return ""
    low, high = _count(match)
    if high == 1 and _unit(match) == "day":
        return ""
    return spans.hull(spans.moved(today, low, _unit(match)), spans.moved(today, high, _unit(match)))


def stretch(match: re.Match[str], today: date) -> str:
    """the past two weeks, the next few days: from or up to today."""
    high = _count(match)[1] * _SHIFT[_word(match, "which")]
    unit = _unit(match)
    if unit in {"week", "weekend"}:
        return spans.hull(today.isoformat(), spans.moved(today, 7 * high, "day"))
    return spans.hull(spans.moved(today, 0, unit), spans.moved(today, high, unit))


def lasting(match: re.Match[str], today: date) -> str:
    """I have had them for three years: from then until today."""
    if not _word(match, "still") and not tense.has_lasted(match):
        return ""
    unit = _unit(match)
    return spans.hull(spans.moved(today, -_count(match)[1], unit), spans.moved(today, 0, unit))


def iso(match: re.Match[str], _: date) -> str:
    return date(int(match["year"]), int(match["number"]), int(match["day"])).isoformat()


def slashes(match: re.Match[str], _: date) -> str:
    """5/17/2023: only where one of the numbers can be no month, or both are the same."""
    one, two = int(match["one"]), int(match["two"])
    if one != two and one <= 12 and two <= 12:
        return ""
    return date(int(match["year"]), *((two, one) if one > 12 else (one, two))).isoformat()


def month_day(match: re.Match[str], today: date) -> str:
    """May 7, 7 May 2023, April 3rd to 9th."""
    number = _month_number(match)
    if not number:
        return ""
    first, last = int(match["day"]), int(match["until"] or match["day"])
    year = int(match["year"] or 0) or _likely_year(match, today, number, first)
    return spans.days(date(year, number, first), date(year, number, last))


def month_of_year(match: re.Match[str], today: date) -> str:
    """June 2022, in June, last June, early May, end of July."""
    number = _month_number(match)
    if not number:
        return ""
    first = date(int(_word(match, "year") or 0) or _year_of_month(match, today, number), number, 1)
    if not _word(match, "part"):
        return spans.month(first)
    start, end = PARTS[match["part"].lower()]
    return spans.days(first.replace(day=start), first.replace(day=min(end, spans.bounds(spans.month(first))[1].day)))


def from_to(match: re.Match[str], today: date) -> str:
    """between March and June, from 2019 to 2021, between Monday and Thursday; "from Monday to Friday" may be habit."""
    one, two = match["one"].lower(), match["two"].lower()
    if one[:3] in _WEEKDAYS and two[:3] in _WEEKDAYS:
        habit = match.group().lower().startswith("from") and not tense.is_behind(match)
        return "" if habit else _from_weekday_to(_WEEKDAYS.index(one[:3]), _WEEKDAYS.index(two[:3]), match, today)
    if one[0].isdigit() and two[0].isdigit():
        return spans.hull(one, two)
    if one[:3] not in MONTHS or two[:3] not in MONTHS:
        return ""
    first, last = MONTHS.index(one[:3]) + 1, MONTHS.index(two[:3]) + 1
    end = _year_in(two) or _likely_year(match, today, last)
    start = _year_in(one) or end - (first > last)
    return spans.hull(spans.month(date(start, first, 1)), spans.month(date(end, last, 1)))


def _from_weekday_to(first: int, last: int, match: re.Match[str], today: date) -> str:
    back = (today.weekday() - last - 1) % 7 + 1
    end = today + timedelta(days=7 - back % 7 if tense.is_ahead(match) else -back)
    return spans.days(end - timedelta(days=(last - first) % 7), end)


def _year_in(words: str) -> int:
    found = _IN_DIGITS.search(words)
    return int(found.group()) if found else 0


def week_of_month(match: re.Match[str], today: date) -> str:
    """first week of May."""
    number = _month_number(match)
    if not number:
        return ""
    first = date(int(match["year"] or 0) or _likely_year(match, today, number), number, 1)
    ordinal = ORDINALS[match["ordinal"].lower()]
    end = spans.bounds(spans.month(first))[1]
    if ordinal < 0:
        return spans.days(end - timedelta(days=6), end)
    return spans.days(first + timedelta(days=7 * ordinal), first + timedelta(days=7 * ordinal + 6))


def season_of(match: re.Match[str], today: date) -> str:
    """last summer, this winter, summer of 2022."""
    name = match["season"].lower()
    if year := _word(match, "year"):
        return spans.season(name, int(year))
    which = _word(match, "which")
    choices = [spans.season(name, today.year + shift) for shift in (-2, -1, 0, 1)]
    if which == "next":
        return next(value for value in choices if spans.bounds(value)[0] > today)
    if which == "this":
        return next(value for value in choices if spans.bounds(value)[1] >= today)
    return [value for value in choices if spans.bounds(value)[1] < today][-1]


def plain_year(match: re.Match[str], _: date) -> str:
    return match["year"]


def _word(match: re.Match[str], group: str) -> str:
    """The last word of a group, "" where the row has no such group or it is not there."""
    return (match.groupdict().get(group) or "").lower().rpartition(" ")[2]


def _count(match: re.Match[str]) -> tuple[int, int]:
    word = match["count"].lower()
    return (int(word), int(word)) if word.isdecimal() else COUNTS[word]


def _unit(match: re.Match[str]) -> spans.Unit:
    return cast("spans.Unit", match["unit"].lower())


def _weekday_number(match: re.Match[str]) -> int:
    """0 to 6; -1 where a lower-case word is no day: "sun", "sat", "wed"."""
    word = match["weekday"]
    return _WEEKDAYS.index(word[:3].lower()) if word[0].isupper() or word.endswith("day") else -1


def _month_number(match: re.Match[str]) -> int:
    """1 to 12; 0 where a lower-case word is no month: "may", "march", "mar"."""
    word = match["month"].lower()
    if (
        match["month"][0].islower()
        and (len(word) <= 3 or word == "march")
        and not match.group().lower().startswith(_SURE)
    ):
        return 0
    return MONTHS.index(word[:3]) + 1


def _likely_year(match: re.Match[str], today: date, number: int, day: int = 0) -> int:
    """The year that brings this day or month closest to today, on the side of which the talk is."""
    middle = day or _MIDDLE
    years = [year for year in range(today.year - 4, today.year + 5) if _exists(year, number, middle)]
    away = {year: (date(year, number, middle) - today).days for year in years}
    now = today.year if number == today.month else 0
    if (side := tense.side(match)) == "ahead":
        years = [year for year in years if away[year] >= 0 or year == now]
    elif side == "behind":
        years = [year for year in years if away[year] <= 1 or (year == now and not day)]
    return min(years, key=lambda year: abs(away[year]))


def _exists(year: int, number: int, day: int) -> bool:
    return MINYEAR <= year <= MAXYEAR and day <= monthrange(year, number)[1]


def _year_of_month(match: re.Match[str], today: date, number: int) -> int:
    which = _word(match, "which")
    if which in {"last", "since"}:
        return today.year - (number >= today.month)
    if which == "next":
        return today.year + (number <= today.month)
    return today.year if which == "this" else _likely_year(match, today, number)
