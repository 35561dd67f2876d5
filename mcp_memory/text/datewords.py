"""English words for dates, and how each is read on the day it is said.

Each row of the table is a pattern and how it is read (`readings`).  Words that are dates only sometimes ("may",
"march", "second", "sun") count only in the company that makes them dates.
"""

import re
from enum import StrEnum
from typing import Final

from mcp_memory.text import readings, spans
from mcp_memory.text.readings import COUNTS, ORDINALS, PARTS, Reading

_COUNT: Final = rf"(?P<count>\d{{1,3}}|{'|'.join(COUNTS)})(?:\s+of)?"
_UNIT: Final = r"(?P<unit>day|weekend|week|month|year)s?"
_LONG: Final = r"(?P<unit>week|month|year)s?"
_WEEKDAY: Final = r"(?P<weekday>(?:mon|tues|wednes|thurs|fri|satur|sun)day|mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)"
_DOT: Final = r"\b\.?"
_MONTH: Final = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    rf"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?){_DOT}"
)
_BARE: Final = r"(?!['’]s|\s+\d)"
_SEASON: Final = rf"(?P<season>{'|'.join(spans.SEASONS)})"
_DAY: Final = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?(?:\s?(?:-|–|to|and)\s?(?P<until>\d{1,2})(?:st|nd|rd|th)?)?"
_YEAR: Final = r"(?P<year>(?:19|20)\d\d)"
_PART: Final = rf"(?P<part>{'|'.join(PARTS)})"
_NOT_A_COUNT: Final = (
    r"(?![\d:%$€£]|[.,:/-]\d|\s+(?:people|miles?|km|kids|times|minutes?|hours?|dollars?|percent|points?|bucks)\b)"
)


class Clue(StrEnum):
    """What a row cannot do without, as the groups of `CLUES` have it."""

    ANY = ""
    WORD = "word"
    UNIT = "unit"
    WEEKDAY = "weekday"
    MONTH = "month"
    SEASON = "season"
    DIGIT = "digit"


CLUES: Final = re.compile(
    r"(?P<digit>\d+)|\b(?:(?P<word>yesterday|today|tonight|tomorrow|night|morning|afternoon|evening)"
    rf"|{_UNIT}|{_SEASON}|{_MONTH.removesuffix(_DOT)}|{_WEEKDAY})\b",
    re.IGNORECASE,
)


def _row(clue: Clue, pattern: str, reading: Reading) -> tuple[Clue, re.Pattern[str], Reading]:
    return clue, re.compile(rf"(?i)\b(?:{pattern})\b"), reading


_PLACE: Final = re.sub(r"\?P<\w+>", "?:", rf"{_MONTH}(?:,?\s+{_YEAR})?|{_YEAR}|{_WEEKDAY}")

TABLE: Final = (
    _row(Clue.WORD, r"(?:the\s+)?day\s+before\s+yesterday", readings.fixed(-2)),
    _row(Clue.WORD, r"(?:the\s+)?day\s+after\s+tomorrow", readings.fixed(2)),
    _row(Clue.WORD, r"yesterday|last\s+night", readings.fixed(-1)),
    _row(Clue.WORD, r"today|tonight|this\s+(?:morning|afternoon|evening)", readings.fixed(0)),
    _row(Clue.WORD, r"tomorrow", readings.fixed(1)),
    _row(Clue.UNIT, r"the\s+other\s+day", readings.other_day),
    _row(
        Clue.UNIT,
        r"(?P<which>this\s+past|last|past|previous|this|current|next|coming|upcoming)\s+(?P<unit>weekend|week|month|year)(?!\s+of\b|-)",
        readings.period,
    ),
    _row(Clue.UNIT, r"(?:over|at|on)\s+the\s+weekend", readings.the_weekend),
    _row(
        Clue.WEEKDAY,
        rf"(?P<which>this\s+past|last|past|previous|this|next|coming|on|since|until|till|by|before|after)\s+{_WEEKDAY}",
        readings.weekday,
    ),
    _row(Clue.WEEKDAY, rf"{_WEEKDAY}\s+(?:of\s+)?(?P<which>last|this|next)\s+week", readings.weekday_of_week),
    _row(Clue.UNIT, rf"(?:a\s+)?{_COUNT}\s+{_UNIT}\s+(?:ago|back(?!\s+to))", readings.ago),
    _row(
        Clue.UNIT,
        rf"in\s+(?:a\s+|the\s+next\s+)?{_COUNT}\s+{_UNIT}(?:['’]?\s+time)?(?!\s+(?:ago|of|straight))",
        readings.ahead,
    ),
    _row(Clue.UNIT, rf"(?:a\s+)?{_COUNT}\s+{_UNIT}\s+from\s+(?:now|today)", readings.ahead),
    _row(
        Clue.UNIT,
        rf"for\s+(?:about\s+|over\s+|almost\s+|like\s+|a\s+)?{_COUNT}\s+{_LONG}(?:\s+(?P<still>now|already))?",
        readings.lasting,
    ),
    _row(Clue.UNIT, rf"{_COUNT}\s+{_LONG}\s+(?P<still>now|already)", readings.lasting),
    _row(Clue.UNIT, rf"(?P<which>last|past|next)\s+{_COUNT}\s+{_UNIT}", readings.stretch),
    _row(Clue.DIGIT, r"(?<![\d-])(?P<year>\d{4})[-/](?P<number>\d\d?)[-/](?P<day>\d\d?)(?![\d-])", readings.iso),
    _row(Clue.DIGIT, r"(?<![\d/.-])(?P<one>\d\d?)([/.-])(?P<two>\d\d?)\2(?P<year>\d{4})(?![\d/])", readings.slashes),
    _row(Clue.MONTH, rf"{_MONTH}\s+(?:the\s+)?{_DAY}{_NOT_A_COUNT}(?:,?\s+{_YEAR})?", readings.month_day),
    _row(Clue.MONTH, rf"{_DAY}\s+(?:of\s+)?{_MONTH}(?:,?\s+{_YEAR})?", readings.month_day),
    _row(Clue.MONTH, rf"(?:{_PART}[\s-]+)?{_MONTH},?\s+(?:of\s+)?{_YEAR}", readings.month_of_year),
    _row(
        Clue.MONTH,
        r"(?P<which>in|since|until|till|during|last|this|next|back in|of|by|before|after)\s+"
        rf"(?:{_PART}[\s-]+)?{_MONTH}{_BARE}",
        readings.month_of_year,
    ),
    _row(Clue.MONTH, rf"{_PART}[\s-]+{_MONTH}{_BARE}", readings.month_of_year),
    _row(
        Clue.ANY,
        rf"(?:from|between)\s+(?P<one>{_PLACE})\s*(?:\bto|and|until|till|through|-|–)\s*(?P<two>{_PLACE}){_BARE}",
        readings.from_to,
    ),
    _row(
        Clue.MONTH,
        rf"(?P<ordinal>{'|'.join(ORDINALS)})\s+week\s+(?:of|in)\s+{_MONTH}(?:,?\s+{_YEAR})?",
        readings.week_of_month,
    ),
    _row(
        Clue.SEASON, rf"(?P<which>this\s+past|last|past|this|next)\s+{_SEASON}(?!\s+(?:of|in)\s+\d)", readings.season_of
    ),
    _row(Clue.SEASON, rf"{_SEASON}\s+(?:of\s+|in\s+)?{_YEAR}", readings.season_of),
    _row(
        Clue.DIGIT,
        rf"(?:in|since|by|during|until|till|from|of|around|before|after|year|early|mid|late)\s+{_YEAR}"
        r"(?![\d/-]|[.,:]\d|\s+(?:people|words|dollars|miles|steps|calories|times|years|items|points))",
        readings.plain_year,
    ),
)
