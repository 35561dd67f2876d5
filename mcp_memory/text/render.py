"""How memories are shown: one dated line each, control characters out, ids short."""

from datetime import datetime
from zoneinfo import ZoneInfo

from mcp_memory.model.ids import short
from mcp_memory.text.clean import plain


def local_day(moment: datetime, zone: ZoneInfo) -> str:
    """The owner's calendar day of a moment, YYYY-MM-DD."""
    return moment.astimezone(zone).date().isoformat()


def line(date: str, text: str, identifier: str) -> str:
    """One line of an answer: "[date] text (id)"."""
    return f"[{date}] {plain(text)} ({short(identifier)})"
