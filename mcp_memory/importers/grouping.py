"""Which messages belong together: exchanges, found while a conversation is read."""

from dataclasses import dataclass, replace
from typing import Final

from mcp_memory.model.turn import Turn
from mcp_memory.model.window import SESSION_GAP

MOST_TURNS: Final = 16  # a monologue, or a group in which the first speaker falls silent, is cut here
_LABELS: Final = 10_000  # exchanges of concurrent sessions that may be interleaved in a file


@dataclass(frozen=True, slots=True)
class _Open:
    """The exchange that the last turn belongs to."""

    id: str
    opener: str
    last: Turn
    answered: bool
    size: int

    def takes(self, turn: Turn) -> bool:
        """Whether a turn continues it."""
        returns = self.answered and turn.speaker == self.opener
        follows_answer = turn.role == "user" and self.last.role == "assistant"
        near = abs(turn.at - self.last.at) <= SESSION_GAP
        return turn.session == self.last.session and near and self.size < MOST_TURNS and not (returns or follows_answer)


class Grouping:
    """Gives turns their exchange and their position, in the order in which they are read.

    A new exchange begins where the session changes, where a user speaks after the assistant, where whoever
    opened the exchange speaks again after somebody else, and after 30 minutes of silence.
    """

    def __init__(self) -> None:
        self._open: _Open | None = None
        self._positions: dict[str, int] = {}
        self._labels: dict[str, str] = {}

    def place(self, turn: Turn, label: str = "", position: int | None = None) -> Turn:
        """The turn in its exchange: the one of the same `label` if it has one, else by the rules, for which
        what has a label was not said.  An exchange is called by its first turn, whatever the label."""
        if position is None:
            position = self._positions.get(turn.session, 0)
        self._positions[turn.session] = position + 1
        exchange = self._labelled(label, turn) if label else self._by_rules(turn)
        return replace(turn, exchange=exchange, position=position)

    def _labelled(self, label: str, turn: Turn) -> str:
        exchange = self._labels.setdefault(label, turn.id)
        if len(self._labels) > _LABELS:
            del self._labels[next(iter(self._labels))]
        return exchange

    def _by_rules(self, turn: Turn) -> str:
        now = self._open
        if now and now.takes(turn):
            self._open = _Open(now.id, now.opener, turn, now.answered or turn.speaker != now.opener, now.size + 1)
        else:
            self._open = _Open(turn.id, turn.speaker, turn, answered=False, size=1)
        return self._open.id
