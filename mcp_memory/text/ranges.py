"""Stretches of time that a question names: on a day, between two, since, after, before or until one."""

import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from mcp_memory.text import spans
from mcp_memory.text.dates import DateMention, is_yearly, recalled_dates, resolve_dates

_LED_IN: Final = re.compile(r"(?:in|on|of|since|until|till|by|before|after|during)\s+", re.IGNORECASE)
_TO: Final = re.compile(
    r",?\s*(?:(?P<both>and)|to|until|till|through|up\s+to|-|–|—)\s*(?:(?:on|in|the)\s+)*", re.IGNORECASE
)
_OPEN: Final = re.compile(
    r"\b(?:(?P<unit>day|night|week|weekend|month)s?\s+)?(?P<word>since|after|before|prior\s+to|until|till|by|up\s+(?:to|until)"
    r"|starting(?:\s+from)?|from|between)\s+(?:(?:on|in|the|about|around)\s+)*$",
    re.IGNORECASE,
)
_ONWARDS: Final = re.compile(
    r",?\s*(?:on(?:wards?)?\s*(?:[?.!,]|$)|(?:to|until|till|up\s+to|up\s+until)\s+now\b)", re.IGNORECASE
)
_REACH: Final = 60  # characters
_DAYS: Final = {"day": 1, "night": 1, "week": 7, "weekend": 7, "month": 31}


@dataclass(frozen=True, slots=True)
class Stretch:
    """[first, after) and the words at [start, end) that name it; `value` is as `spans` has them."""

    start: int
    end: int
    value: str
    first: datetime
    after: datetime


def stretches(text: str, at: datetime, zone: ZoneInfo, *, asks: bool) -> list[Stretch]:
    """The stretches of time that `text` names, in order.

    Only where it `asks` are they open to one side ("since May" up to `at`, "before May" from the beginning of
    time), and lie dates without a year behind.
    """
    today = at.astimezone(zone).date()
    mentions = recalled_dates(text, at, zone) if asks else resolve_dates(text, at, zone)
    found, last = list[Stretch](), 0
    while mentions:
        one = mentions.pop(0)
        two = mentions.pop(0) if mentions and _joins(text, last, one, mentions[0]) else None
        start, word = _lead(text, last, one)
        with suppress(OverflowError):  # the last day of the calendar
            if two:
                found.append(_stretch(start, two.end, spans.days(*_between(one, two)), zone))
            elif asks and (days := _opened(word, bool(_ONWARDS.match(text, one.end)), one.value, today)):
                found.append(_stretch(start, one.end, spans.days(*days), zone))
            else:
                found.append(_stretch(one.start, one.end, one.value, zone))
        last = (two or one).end
    return found


def _stretch(start: int, end: int, value: str, zone: ZoneInfo) -> Stretch:
    first, last = spans.bounds(value)
    after = datetime.combine(last + timedelta(days=1), time(), zone)
    return Stretch(start, end, value, datetime.combine(first, time(), zone), after)


def _core(mention: DateMention) -> int:
    """Where the date itself begins: "since May" is one mention."""
    led_in = _LED_IN.match(mention.text)
    return mention.start + (led_in.end() if led_in else 0)


def _lead(text: str, last: int, mention: DateMention) -> tuple[int, str]:
    """Where the words that lead in a date begin, and the one that counts."""
    core = _core(mention)
    found = _OPEN.search(text, max(last, core - _REACH), core)
    if not found:
        return core, ""
    word = " ".join(found["word"].lower().split())
    return found.start(), f"{found['unit'].lower()} {word}" if found["unit"] else word


def _joins(text: str, last: int, one: DateMention, two: DateMention) -> bool:
    """Whether the two are the ends of one stretch: "and" joins them only after "between"."""
    joint = _TO.fullmatch(text, one.end, _core(two))
    return bool(joint and (not joint["both"] or _lead(text, last, one)[1] == "between"))


def _between(one: DateMention, two: DateMention) -> tuple[date, date]:
    """From the one to the other; where one of them has no year it is the year that fits the other."""
    first, end = one.value, two.value
    if is_yearly(two):
        end = spans.first_return(end, spans.bounds(first)[0])
    elif is_yearly(one):
        first = spans.last_return(first, spans.bounds(end)[1])
    return spans.bounds(spans.hull(first, end))


def _opened(word: str, onwards: bool, value: str, today: date) -> tuple[date, date] | None:
    """The days since, after, before or until a date; None where it is meant itself."""
    first, last = spans.bounds(value)
    unit, _, side = word.rpartition(" ")
    if unit in _DAYS and side in ("before", "after"):
        step = timedelta(days=_DAYS[unit])
        return (
            (first - step, first - timedelta(days=1)) if side == "before" else (last + timedelta(days=1), last + step)
        )
    if word == "since" or word.startswith("starting") or (word == "from" and onwards):
        return (first, today) if first <= today else None
    if word == "after":
        return (last + timedelta(days=1), today) if last < today else None
    if word in ("before", "prior to"):
        return (date.min, first - timedelta(days=1)) if first > date.min else None
    return (date.min, last) if word in ("until", "till", "by", "up to", "up until") else None
