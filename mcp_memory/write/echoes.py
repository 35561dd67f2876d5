"""Echoes of what is to be forgotten: texts that repeat words which nobody else has said.

A summary may be shown an earlier one and repeat it, and so may the next; evidence does not tell.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from mcp_memory.model.turn import Turn
from mcp_memory.text.lexical import analyze

_WORD: Final = re.compile(r"\w{3,}")


@dataclass(frozen=True, slots=True)
class Echo:
    """Words, in any case, that only forgotten turns had, the first of which was said at `since`."""

    words: tuple[str, ...]
    since: datetime

    def in_any(self, texts: Iterable[str], end: datetime) -> bool:
        """Whether one of these texts, written about what ended then, repeats such a word."""
        if end < self.since or not self.words:
            return False
        told = "\n".join(texts).casefold()
        return any(word in told for word in self.words)


def echo_of(gone: Iterable[Turn], kept: Iterable[Turn]) -> Echo | None:
    """What would tell of the turns that go; None when they are gone already."""
    forgotten = list(gone)
    if not forgotten:
        return None
    said = "\n".join(_told(turn) for turn in kept).casefold()
    words = {word for turn in forgotten for word in _words(_told(turn))}
    return Echo(tuple(sorted(word for word in words if word not in said)), min(turn.at for turn in forgotten))


def _told(turn: Turn) -> str:
    return "\n".join((turn.text, turn.topic, *(text for note in turn.notes for text in (note.fact, *note.cues))))


def _words(text: str) -> Iterable[str]:
    """Words as they stand and by their stems; of scripts without spaces, pairs of characters."""
    yield from (word for word in _WORD.findall(text.casefold()) if word.isascii() or len(word) < 12)
    yield from (term for term in analyze(text) if len(term) > 2 or not term.isascii())
