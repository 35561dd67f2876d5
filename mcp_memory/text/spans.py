"""Calendar arithmetic on dates written as ISO text.

A value is "YYYY", "YYYY-MM", "YYYY-MM-DD" or an interval "A/B" of two such, both ends included.
"""

from calendar import monthrange
from contextlib import suppress
from datetime import date, timedelta
from typing import Final, Literal

Unit = Literal["day", "week", "weekend", "month", "year"]
SEASONS: Final = {"spring": 3, "summer": 6, "fall": 9, "autumn": 9, "winter": 12}  # first month, northern half
_SATURDAY: Final = 5
_LEAP: Final = 8  # years in which there is a 29 February for certain


def bounds(value: str) -> tuple[date, date]:
    """First and last day of a value."""
    first, _, last = value.partition("/")
    return _edge(first, last=False), _edge(last or first, last=True)


def interval(first: str, last: str) -> str:
    """From `first` to `last`; one of them where they are the same."""
    return first if first == last else f"{first}/{last}"


def days(first: date, last: date) -> str:
    """From one day to another."""
    return interval(first.isoformat(), last.isoformat())


def week(day: date) -> str:
    """The ISO week of a day, Monday to Sunday."""
    monday = day - timedelta(days=day.weekday())
    return days(monday, monday + timedelta(days=6))


def weekend(day: date) -> str:
    """Saturday and Sunday of the ISO week of a day."""
    saturday = day - timedelta(days=day.weekday() - _SATURDAY)
    return days(saturday, saturday + timedelta(days=1))


def month(day: date, shift: int = 0) -> str:
    """The month of a day, `shift` months later."""
    years, index = divmod(day.year * 12 + day.month - 1 + shift, 12)
    return f"{_year(years)}-{index + 1:02d}"


def year(day: date, shift: int = 0) -> str:
    """The year of a day, `shift` years later."""
    return _year(day.year + shift)


def season(name: str, first_year: int) -> str:
    """The three months of the season that begins in `first_year`."""
    first = date(first_year, SEASONS[name], 1)
    return interval(month(first), month(first, 2))


def moved(day: date, count: int, unit: Unit) -> str:
    """The unit that lies `count` units after the one of `day` (before it where negative)."""
    if unit == "month":
        return month(day, count)
    if unit == "year":
        return year(day, count)
    if unit == "day":
        return (day + timedelta(days=count)).isoformat()
    there = day + timedelta(weeks=count)
    return weekend(there) if unit == "weekend" else week(there)


def hull(one: str, other: str) -> str:
    """From the beginning of the earlier to the end of the later value."""
    earlier, later = sorted((one, other), key=bounds)
    return interval(earlier.partition("/")[0], later.rpartition("/")[2])


def last_return(value: str, day: date) -> str:
    """A value that returns every year (29 February: when it can), as it last began by `day`."""
    return next((one for one in reversed(_returns(value, day.year)) if bounds(one)[0] <= day), value)


def first_return(value: str, day: date) -> str:
    """A value that returns every year (29 February: when it can), as it first ends on `day` or after."""
    return next((one for one in _returns(value, day.year) if bounds(one)[1] >= day), value)


def _returns(value: str, around: int) -> list[str]:
    """The value in the years around one, in order."""
    found = []
    for shift in range(around - int(value[:4]) - _LEAP, around - int(value[:4]) + _LEAP + 1):
        with suppress(ValueError):
            moved = "/".join(f"{_year(int(part[:4]) + shift)}{part[4:]}" for part in value.split("/"))
            bounds(moved)
            found.append(moved)
    return found


def _year(number: int) -> str:
    return f"{date(number, 1, 1).year:04d}"


def _edge(part: str, *, last: bool) -> date:
    numbers = [int(number) for number in part.split("-")]
    if len(numbers) == 1:
        numbers.append(12 if last else 1)
    if len(numbers) == 2:
        numbers.append(monthrange(numbers[0], numbers[1])[1] if last else 1)
    return date(*numbers)
