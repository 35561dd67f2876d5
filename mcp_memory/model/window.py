"""Where time is cut: sessions, days, ISO weeks and the month that a week belongs to.

Moments are stored in UTC; windows are the owner's local ones, so a day across a change of clocks has 23
or 25 hours.  Every window has exactly one parent: a session never crosses a day's end, a week belongs to
the month of its Thursday (as ISO 8601 gives it its year).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import groupby
from zoneinfo import ZoneInfo

from mcp_memory.model.turn import Turn, in_order

SESSION_GAP = timedelta(minutes=30)


@dataclass(frozen=True, slots=True)
class Window:
    """A half-open span [start, end) in UTC; `key` names it: 2026-11-30, 2026-W49 or 2026-11."""

    key: str
    start: datetime
    end: datetime


def day_key(at: datetime, zone: ZoneInfo) -> str:
    """The owner's calendar day of a moment."""
    return at.astimezone(zone).date().isoformat()


def week_key(day: str) -> str:
    """The ISO week of a day."""
    year, week, _ = date.fromisoformat(day).isocalendar()
    return f"{year:04d}-W{week:02d}"


def month_key(week: str) -> str:
    """The month of a week's Thursday."""
    return _monday(week, 4).isoformat()[:7]


def day_window(day: str, zone: ZoneInfo) -> Window:
    """The span of a local day."""
    first = date.fromisoformat(day)
    return Window(day, _midnight(first, zone), _midnight(first + timedelta(days=1), zone))


def week_window(week: str, zone: ZoneInfo) -> Window:
    """The span of an ISO week, Monday to Monday."""
    monday = _monday(week)
    return Window(week, _midnight(monday, zone), _midnight(monday + timedelta(days=7), zone))


def month_window(month: str, zone: ZoneInfo) -> Window:
    """The span of all weeks that belong to a month: Mondays to Monday, 28 or 35 days."""
    year, number = map(int, month.split("-"))
    following = date(year + number // 12, number % 12 + 1, 1)
    return Window(
        month, _midnight(_first_monday(date(year, number, 1)), zone), _midnight(_first_monday(following), zone)
    )


def window_of(key: str, zone: ZoneInfo) -> Window:
    """The span of a day, week or month by its key."""
    if "W" in key:
        return week_window(key, zone)
    return day_window(key, zone) if len(key) == len("2026-11-30") else month_window(key, zone)


def split_sessions(turns: Sequence[Turn], zone: ZoneInfo, gap: timedelta = SESSION_GAP) -> list[list[Turn]]:
    """Turns of any order cut into sessions, each in order, sessions by their first turn.

    A named session is what carries its name within one day; the unnamed turns of a day are cut where
    nothing was said for longer than `gap`.  An exchange is never torn: it goes where its first turn goes.
    """
    first = {turn.exchange: turn for turn in reversed(in_order(turns))}
    keyed = sorted(turns, key=lambda turn: _session_key(first[turn.exchange], zone))
    sessions: list[list[Turn]] = []
    for (_, name), group in groupby(keyed, key=lambda turn: _session_key(first[turn.exchange], zone)):
        members = in_order(group)
        sessions += [members] if name else _cut_at_gaps(members, first, gap)
    return sorted(sessions, key=lambda session: (session[0].at, session[0].position, session[0].id))


def _session_key(turn: Turn, zone: ZoneInfo) -> tuple[str, str]:
    return day_key(turn.at, zone), turn.session


def _cut_at_gaps(members: list[Turn], first: dict[str, Turn], gap: timedelta) -> list[list[Turn]]:
    exchanges: dict[str, list[Turn]] = {}
    for turn in members:
        exchanges.setdefault(turn.exchange, []).append(turn)
    sessions: list[list[Turn]] = []
    latest = datetime.min.replace(tzinfo=UTC)
    for exchange in sorted(exchanges.values(), key=lambda group: first[group[0].exchange].at):
        if exchange[0].at - latest > gap or not sessions:
            sessions.append([])
        sessions[-1] += exchange
        latest = max(latest, exchange[-1].at)
    return [in_order(session) for session in sessions]


def _midnight(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, time(), zone).astimezone(UTC)


def _monday(week: str, weekday: int = 1) -> date:
    year, number = week.split("-W")
    return date.fromisocalendar(int(year), int(number), weekday)


def _first_monday(first: date) -> date:
    """The Monday of the week whose Thursday is the first Thursday on or after `first`."""
    thursday = first + timedelta(days=(3 - first.weekday()) % 7)
    return thursday - timedelta(days=3)
