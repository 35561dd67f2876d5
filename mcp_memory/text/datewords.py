"""English words for dates, and how each is read on the day it is said.

Each row of the table is a pattern and a reading; a reading returns a value as `spans` has them, or "" where
the words mean no date after all.  Words that are dates only sometimes ("may", "march", "second", "sun") count
only in the company that makes them dates.
"""

import re
from collections.abc import Callable
from datetime import date, timedelta
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
_COUNTS: Final = _FIXED | {"a": (1, 1), "an": (1, 1), "thirty": (30, 30)} | _VAGUE
_SHIFT: Final = {"last": -1, "past": -1, "previous": -1, "this": 0, "current": 0, "next": 1, "coming": 1, "upcoming": 1}
_PARTS: Final = {
    **dict.fromkeys(("early", "start of", "beginning of", "the start of", "the beginning of"), (1, 10)),
    **dict.fromkeys(("mid", "middle of", "the middle of"), (11, 20)),
    **dict.fromkeys(("late", "end of", "the end of"), (21, 31)),
}
_ORDINALS: Final = {
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
_COUNT: Final = rf"(?P<count>\d{{1,3}}|{'|'.join(_COUNTS)})(?:\s+of)?"
_UNIT: Final = r"(?P<unit>day|weekend|week|month|year)s?"
_LONG: Final = r"(?P<unit>week|month|year)s?"
_WEEKDAY: Final = r"(?P<weekday>(?:mon|tues|wednes|thurs|fri|satur|sun)day|mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)"
_MONTH: Final = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_BARE: Final = r"(?!['’]s|\s+\d)"
_SEASON: Final = rf"(?P<season>{'|'.join(spans.SEASONS)})"
_DAY: Final = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?(?:\s?(?:-|–|to|and)\s?(?P<until>\d{1,2})(?:st|nd|rd|th)?)?"
_YEAR: Final = r"(?P<year>(?:19|20)\d\d)"
_PART: Final = rf"(?P<part>{'|'.join(_PARTS)})"
_NOT_A_COUNT: Final = (
    r"(?![\d:%$€£]|[.,:/-]\d|\s+(?:people|miles?|km|kids|times|minutes?|hours?|dollars?|percent|points?|bucks)\b)"
)


def _fixed(shift: int) -> Reading:
    return lambda _, today: spans.moved(today, shift, "day")


def _period(match: re.Match[str], today: date) -> str:
    """last week, this month, next weekend."""
    shift = _SHIFT[_word(match, "which")]
    return spans.moved(today, shift, _unit(match))


def _the_weekend(match: re.Match[str], today: date) -> str:
    """over the weekend: the one that is just over, unless the talk is of plans."""
    now_or_ahead = today.weekday() >= 5 or tense.is_ahead(match)
    return spans.moved(today, 0 if now_or_ahead else -1, "weekend")


def _weekday(match: re.Match[str], today: date) -> str:
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
    ahead = which in {"by", "until", "till", "coming"} or (which == "on" and tense.is_ahead(match))
    return spans.moved(today, 7 - back % 7 if ahead else -back, "day")


def _weekday_of_week(match: re.Match[str], today: date) -> str:
    """Friday last week."""
    wanted = _weekday_number(match)
    return "" if wanted < 0 else spans.moved(today, 7 * _SHIFT[_word(match, "which")] + wanted - today.weekday(), "day")


def _ago(match: re.Match[str], today: date) -> str:
    """two weeks ago, a few years back."""
    low, high = _count(match)
    return spans.hull(spans.moved(today, -high, _unit(match)), spans.moved(today, -low, _unit(match)))


def _ahead(match: re.Match[str], today: date) -> str:
    """in two weeks; not "the best thing I did in two weeks"."""
    stretch = re.search(r"(?i)n['’]t|never|not|first|best|times|once|twice", tense.before(match))
    if stretch or tense.is_behind(match):
        return ""
    low, high = _count(match)
    if high == 1 and _unit(match) == "day":
        return ""
    return spans.hull(spans.moved(today, low, _unit(match)), spans.moved(today, high, _unit(match)))


def _stretch(match: re.Match[str], today: date) -> str:
    """the past two weeks, the next few days: from or up to today."""
    high = _count(match)[1] * _SHIFT[_word(match, "which")]
    unit = _unit(match)
    if unit in {"week", "weekend"}:
        return spans.hull(today.isoformat(), spans.moved(today, 7 * high, "day"))
    return spans.hull(spans.moved(today, 0, unit), spans.moved(today, high, unit))


def _for(match: re.Match[str], today: date) -> str:
    """I have had them for three years: from then until today."""
    if not _word(match, "still") and not tense.has_lasted(match):
        return ""
    unit = _unit(match)
    return spans.hull(spans.moved(today, -_count(match)[1], unit), spans.moved(today, 0, unit))


def _iso(match: re.Match[str], _: date) -> str:
    return date(int(match["year"]), int(match["number"]), int(match["day"])).isoformat()


def _slashes(match: re.Match[str], _: date) -> str:
    """5/17/2023: only where one of the numbers can be no month, or both are the same."""
    one, two = int(match["one"]), int(match["two"])
    if one != two and one <= 12 and two <= 12:
        return ""
    return date(int(match["year"]), *((two, one) if one > 12 else (one, two))).isoformat()


def _month_day(match: re.Match[str], today: date) -> str:
    """May 7, 7 May 2023, April 3rd to 9th."""
    number = _month_number(match)
    if not number:
        return ""
    first, last = int(match["day"]), int(match["until"] or match["day"])
    year = int(match["year"] or 0) or _likely_year(match, today, number, first)
    return spans.days(date(year, number, first), date(year, number, last))


def _month_of_year(match: re.Match[str], today: date) -> str:
    """June 2022, in June, last June, early May, end of July."""
    number = _month_number(match)
    if not number:
        return ""
    first = date(int(_word(match, "year") or 0) or _year_of_month(match, today, number), number, 1)
    if not _word(match, "part"):
        return spans.month(first)
    start, end = _PARTS[match["part"].lower()]
    return spans.days(first.replace(day=start), first.replace(day=min(end, spans.bounds(spans.month(first))[1].day)))


def _week_of_month(match: re.Match[str], today: date) -> str:
    """first week of May."""
    number = _month_number(match)
    if not number:
        return ""
    first = date(int(match["year"] or 0) or _likely_year(match, today, number, 1), number, 1)
    ordinal = _ORDINALS[match["ordinal"].lower()]
    end = spans.bounds(spans.month(first))[1]
    if ordinal < 0:
        return spans.days(end - timedelta(days=6), end)
    return spans.days(first + timedelta(days=7 * ordinal), first + timedelta(days=7 * ordinal + 6))


def _season(match: re.Match[str], today: date) -> str:
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


def _plain_year(match: re.Match[str], _: date) -> str:
    return match["year"]


def _word(match: re.Match[str], group: str) -> str:
    """The last word of a group, "" where the row has no such group or it is not there."""
    return (match.groupdict().get(group) or "").lower().rpartition(" ")[2]


def _count(match: re.Match[str]) -> tuple[int, int]:
    word = match["count"].lower()
    return (int(word), int(word)) if word.isdecimal() else _COUNTS[word]


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
        and not match.group().lower().startswith("in ")
    ):
        return 0
    return MONTHS.index(word[:3]) + 1


def _likely_year(match: re.Match[str], today: date, number: int, day: int) -> int:
    """The year that brings this day closest to today, on the side of which the talk is."""
    years = [today.year, today.year - 1, today.year + 1]
    away = {year: (date(year, number, min(day, 28)) - today).days for year in years}
    if (side := tense.side(match)) == "ahead":
        years = [year for year in years if away[year] >= 0 or (year, number) == (today.year, today.month)]
    elif side == "behind":
        years = [year for year in years if away[year] <= 0 or (year, number) == (today.year, today.month)]
    return min(years, key=lambda year: abs(away[year]))


def _year_of_month(match: re.Match[str], today: date, number: int) -> int:
    which = _word(match, "which")
    if which in {"last", "since"}:
        return today.year - (number >= today.month)
    if which == "next":
        return today.year + (number <= today.month)
    return today.year if which == "this" else _likely_year(match, today, number, 15)


def _row(pattern: str, reading: Reading) -> tuple[re.Pattern[str], Reading]:
    return re.compile(rf"(?i)\b(?:{pattern})\b"), reading


TABLE: Final = (
    _row(r"(?:the\s+)?day\s+before\s+yesterday", _fixed(-2)),
    _row(r"(?:the\s+)?day\s+after\s+tomorrow", _fixed(2)),
    _row(r"yesterday|last\s+night", _fixed(-1)),
    _row(r"today|tonight|this\s+(?:morning|afternoon|evening)", _fixed(0)),
    _row(r"tomorrow", _fixed(1)),
    _row(r"the\s+other\s+day", lambda _, today: spans.days(today - timedelta(days=7), today - timedelta(days=1))),
    _row(
        r"(?P<which>this\s+past|last|past|previous|this|current|next|coming|upcoming)\s+(?P<unit>weekend|week|month|year)(?!\s+of\b|-)",
        _period,
    ),
    _row(r"(?:over|at|on)\s+the\s+weekend", _the_weekend),
    _row(rf"(?P<which>this\s+past|last|past|previous|this|next|coming|on|since|until|till|by)\s+{_WEEKDAY}", _weekday),
    _row(rf"{_WEEKDAY}\s+(?:of\s+)?(?P<which>last|this|next)\s+week", _weekday_of_week),
    _row(rf"(?:a\s+)?{_COUNT}\s+{_UNIT}\s+(?:ago|back(?!\s+to))", _ago),
    _row(rf"in\s+(?:a\s+|the\s+next\s+)?{_COUNT}\s+{_UNIT}(?:['’]?\s+time)?(?!\s+(?:ago|of|straight))", _ahead),
    _row(rf"(?:a\s+)?{_COUNT}\s+{_UNIT}\s+from\s+(?:now|today)", _ahead),
    _row(rf"for\s+(?:about\s+|over\s+|almost\s+|like\s+|a\s+)?{_COUNT}\s+{_LONG}(?:\s+(?P<still>now|already))?", _for),
    _row(rf"{_COUNT}\s+{_LONG}\s+(?P<still>now|already)", _for),
    _row(rf"(?P<which>last|past|next)\s+{_COUNT}\s+{_UNIT}", _stretch),
    _row(r"(?<![\d-])(?P<year>\d{4})[-/](?P<number>\d\d?)[-/](?P<day>\d\d?)(?![\d-])", _iso),
    _row(r"(?<![\d/.-])(?P<one>\d\d?)([/.-])(?P<two>\d\d?)\2(?P<year>\d{4})(?![\d/])", _slashes),
    _row(rf"{_MONTH}\s+(?:the\s+)?{_DAY}{_NOT_A_COUNT}(?:,?\s+{_YEAR})?", _month_day),
    _row(rf"{_DAY}\s+(?:of\s+)?{_MONTH}(?:,?\s+{_YEAR})?", _month_day),
    _row(rf"(?:{_PART}[\s-]+)?{_MONTH},?\s+(?:of\s+)?{_YEAR}", _month_of_year),
    _row(
        rf"(?P<which>in|since|until|till|during|last|this|next|back in|of)\s+(?:{_PART}[\s-]+)?{_MONTH}{_BARE}",
        _month_of_year,
    ),
    _row(rf"{_PART}[\s-]+{_MONTH}{_BARE}", _month_of_year),
    _row(rf"(?P<ordinal>{'|'.join(_ORDINALS)})\s+week\s+(?:of|in)\s+{_MONTH}(?:,?\s+{_YEAR})?", _week_of_month),
    _row(rf"(?P<which>this\s+past|last|past|this|next)\s+{_SEASON}(?!\s+(?:of|in)\s+\d)", _season),
    _row(rf"{_SEASON}\s+(?:of\s+|in\s+)?{_YEAR}", _season),
    _row(
        rf"(?:in|since|by|during|until|till|from|of|around|before|after|year|early|mid|late)\s+{_YEAR}"
        r"(?![\d/-]|[.,:]\d|\s+(?:people|words|dollars|miles|steps|calories|times|years|items|points))",
        _plain_year,
    ),
)
