"""What was said, verbatim: the only truth; all else is derived from it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Literal

from mcp_memory.model.ids import make_id

Role = Literal["user", "assistant", "other"]


@dataclass(frozen=True, slots=True)
class Note:
    """A fact the caller wrote down with a turn, and the situations in which it would matter."""

    fact: str
    cues: tuple[str, ...] = ()
    replaces: str = ""  # the older fact in words, or its id


@dataclass(frozen=True, slots=True)
class Turn:
    """One message by one speaker.

    `at` is aware and in UTC.  `exchange` is the id of the first turn of the user–assistant exchange it
    belongs to; `position` orders turns of the same moment.  `session` is "" when the client named none:
    then the gap between turns decides.  `ref` is the id an importer's file gave it.
    """

    id: str
    owner: str
    session: str
    exchange: str
    position: int
    at: datetime
    speaker: str
    role: Role
    text: str
    topic: str = ""
    notes: tuple[Note, ...] = ()
    ref: str = ""

    @property
    def source(self) -> str:
        """The name by which the outside world knows this turn."""
        return self.ref or self.id


def turn_id(owner: str, session: str, at: datetime, speaker: str, text: str, ref: str = "") -> str:
    """The same words by the same speaker at the same moment are the same turn."""
    return make_id("turn", owner, session, at.isoformat(), speaker, text, ref)


def in_order(turns: Iterable[Turn]) -> list[Turn]:
    """Turns by time; ties by position, then by id, so that every process sees one order."""
    return sorted(turns, key=lambda turn: (turn.at, turn.position, turn.id))


def exchanges(turns: Iterable[Turn]) -> list[list[Turn]]:
    """Turns grouped by exchange, each in order, exchanges by their first turn."""
    by_exchange = sorted(turns, key=lambda turn: turn.exchange)
    groups = [in_order(group) for _, group in groupby(by_exchange, key=lambda turn: turn.exchange)]
    return sorted(groups, key=lambda group: (group[0].at, group[0].position, group[0].id))


def pieces(turns: Iterable[Turn]) -> list[list[Turn]]:
    """What a scene must not tear: a question with its reply.  Among people any turn may begin another scene."""
    found: list[list[Turn]] = []
    for exchange in exchanges(turns):
        found += [exchange] if any(turn.role == "assistant" for turn in exchange) else [[turn] for turn in exchange]
    return sorted(found, key=lambda group: (group[0].at, group[0].position, group[0].id))
