"""Whether two texts tell the same fact, by the words that carry it."""

import re
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from mcp_memory.text.dates import resolve_dates
from mcp_memory.text.lexical import term_set

COVERAGE: Final = 0.6  # share of one fact's terms that the other must hold
PART: Final = 0.5  # share of a text's terms that the clauses which tell a fact must have to stand for it
_CLAUSES: Final = re.compile(r"[.!?;,\n]+")


def fact_terms(text: str, said: datetime, zone: ZoneInfo) -> frozenset[str]:
    """The terms of a text, its dates as the days they meant: "March 3rd" is 2026-03-03, and nothing beside."""
    for mention in reversed(resolve_dates(text, said, zone)):
        text = f"{text[: mention.start]} {mention.value} {text[mention.end :]}"
    terms = term_set(text)
    return frozenset(one for one in terms if not any(other.startswith(f"{one}-") for other in terms))


def tells(text: str, fact: frozenset[str], said: datetime, zone: ZoneInfo) -> bool:
    """Whether a text says what these terms say, and little else: what else it says must not go with it."""
    whole = fact_terms(text, said, zone)
    clauses = [fact_terms(part, said, zone) for part in _CLAUSES.split(text)]
    if PART * len(whole) <= len(fact):
        clauses.append(whole)
    telling = [part for part in clauses if part and len(fact & part) >= COVERAGE * min(len(fact), len(part))]
    return bool(fact) and len(frozenset().union(*telling)) >= PART * len(whole)
