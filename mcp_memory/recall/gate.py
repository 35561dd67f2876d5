"""The gate: what does not help is left out, by score; a reranker or a language model may judge instead.

Scores are relative to the best of the query, so the threshold holds for every encoder.  The papers' counts
are floors here (3, 8, 15 lines): as ceilings they cost more evidence than they saved tokens.  A caller who
asks for more than the default size gets more: the threshold falls to nothing at twice the default.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from mcp_memory.model.query import Complexity

THRESHOLD: Final = 0.57
RAW_THRESHOLD: Final = 0.35  # for quotes alone, whose scores fall off more slowly
DEFAULT_TOKENS: Final = 1024
FLOOR: Final[Mapping[Complexity, int]] = {"simple": 3, "hybrid": 8, "complex": 15}

Judge = Callable[[Sequence[tuple[str, str, str]]], set[str] | None]
"""(id, line, via) of each line -> ids worth keeping; None when it cannot say in time."""


def threshold(max_tokens: int, written: bool) -> float:
    """The score below which facts are left out, for an answer of this size; `written`: beside notes."""
    beyond = (max_tokens - DEFAULT_TOKENS) / DEFAULT_TOKENS
    return (THRESHOLD if written else RAW_THRESHOLD) * (1.0 - min(1.0, max(0.0, beyond)))


def judged(lines: Sequence[tuple[str, str, str]], complexity: Complexity, judge: Judge) -> set[str]:
    """Ids of lines to drop: those the judge does not keep, but never below the floor.

    When the judge cannot say, nothing is dropped; where nothing may be dropped it is not asked.
    """
    spare = len(lines) - FLOOR[complexity]
    kept = judge(lines) if spare > 0 else None
    if kept is None:
        return set()
    doomed = [identifier for identifier, _, _ in lines if identifier not in kept]
    return set(doomed[-spare:])
