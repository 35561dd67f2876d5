"""Which of a date's numbers is the day: told by all dates of a file together."""

from collections.abc import Sequence
from datetime import date
from itertools import pairwise
from typing import Final

Numbers = tuple[int, int, int]  # as they stand in a date, from left to right
_LAST_DAY: Final = 31
_PLACES: Final = {"dmy": (2, 1, 0), "mdy": (2, 0, 1), "ymd": (0, 1, 2)}  # of year, month and day


def day_order(dates: Sequence[Numbers], usual: str) -> str:
    """ "dmy", "mdy" or "ymd" for the dates of a conversation, in its order.

    Best is the order in which the fewest dates are impossible, then the one in which time goes back least
    often, then the one in which the conversation is closest together; `usual` where nothing tells them apart.
    """
    orders = ("ymd",) if any(first > _LAST_DAY for first, _, _ in dates) else ("dmy", "mdy")
    return min(orders, key=lambda order: (*_strain(dates, order), order != usual))


def undecided(dates: Sequence[Numbers]) -> Numbers | None:
    """A date that is one day with the day first and another with the month first, where nothing tells them apart."""
    if any(first > _LAST_DAY for first, _, _ in dates) or _strain(dates, "dmy") != _strain(dates, "mdy"):
        return None
    return next((numbers for numbers in dates if day_text(numbers, "dmy") != day_text(numbers, "mdy")), None)


def day_text(numbers: Numbers, order: str) -> str:
    """The day in ISO 8601, "" for one that there is not.  Two digits of a year are of this century."""
    found = _day(numbers, order)
    return found.isoformat() if found else ""


def _strain(dates: Sequence[Numbers], order: str) -> tuple[int, int, int]:
    days = [day for numbers in dates if (day := _day(numbers, order))]
    backwards = sum(later < earlier for earlier, later in pairwise(days))
    span = (max(days) - min(days)).days if days else 0
    return len(dates) - len(days), backwards, span


def _day(numbers: Numbers, order: str) -> date | None:
    year, month, day = (numbers[place] for place in _PLACES[order])
    try:
        return date(year + 2000 if year < 100 else year, month, day)
    except ValueError:
        return None
