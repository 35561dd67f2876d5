"""Rows of an evaluation, and the figures over them."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from mcp_memory.evaluation.cases import NO_EVIDENCE
from mcp_memory.evaluation.scoring import Row

CUTOFFS: Final = (1, 5, 10, 20)


@dataclass(frozen=True, slots=True)
class Figures:
    """Means over `n` questions; `full` is the share with every gold line recalled, `some` with at least one."""

    n: int
    recall: float = math.nan
    claimed: float = math.nan
    full: float = math.nan
    some: float = math.nan
    answer: float = math.nan
    tokens: float = math.nan
    returned: float = math.nan
    items: float = math.nan
    p50_ms: float = math.nan
    p95_ms: float = math.nan


@dataclass(frozen=True, slots=True)
class Report:
    """One system's rows, one per question and budget."""

    rows: tuple[Row, ...]

    @property
    def budgets(self) -> list[int]:
        """The budgets that were scored, ascending."""
        return sorted({row.budget for row in self.rows})

    @property
    def categories(self) -> list[str]:
        """The categories that occur, by name."""
        return sorted({row.category for row in self.rows})

    def select(self, budget: int, category: str = "") -> list[Row]:
        """The rows of a category; "" is all that have something to find."""
        return [row for row in self.rows if row.budget == budget and _belongs(row.category, category)]

    def figures(self, budget: int, category: str = "") -> Figures:
        """The figures of a category; "" is all that have something to find."""
        rows = self.select(budget, category)
        if not rows:
            return Figures(0)
        milliseconds = [row.seconds * 1e3 for row in rows]
        return Figures(
            n=len(rows),
            recall=fmean(row.recall for row in rows),
            claimed=fmean(row.claimed for row in rows),
            full=fmean(row.recall == 1 for row in rows),
            some=fmean(row.recall > 0 for row in rows),
            answer=_mean_of_known(row.answer for row in rows),
            tokens=fmean(row.tokens for row in rows),
            returned=fmean(row.returned for row in rows),
            items=fmean(row.items for row in rows),
            p50_ms=percentile(milliseconds, 0.5),
            p95_ms=percentile(milliseconds, 0.95),
        )


@dataclass(frozen=True, slots=True)
class Rank:
    """Where the scene that holds a question's evidence stood among `scenes`; 0 is nowhere."""

    question: str
    category: str
    rank: int
    scenes: int


@dataclass(frozen=True, slots=True)
class RankReport:
    """Ranks of the hidden cues' scenes (LoCoMo-Plus)."""

    ranks: tuple[Rank, ...]

    @property
    def categories(self) -> list[str]:
        """The relation types that occur, by name."""
        return sorted({rank.category for rank in self.ranks})

    def hits(self, category: str = "", cutoffs: Sequence[int] = CUTOFFS) -> dict[int, float]:
        """R@k: share of questions whose scene is among the first k, by k; "" is every relation type."""
        ranks = [rank.rank for rank in self.ranks if _belongs(rank.category, category)]
        return {k: fmean(1 <= rank <= k for rank in ranks) if ranks else math.nan for k in cutoffs}

    def count(self, category: str = "") -> int:
        """How many questions a relation type has."""
        return sum(_belongs(rank.category, category) for rank in self.ranks)


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which `share` of the values lie, linear between neighbours."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def _belongs(category: str, wanted: str) -> bool:
    return category == wanted if wanted else category not in NO_EVIDENCE


def _mean_of_known(values: Iterable[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return fmean(known) if known else math.nan
