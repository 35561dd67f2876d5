"""Did it get better?  Two runs over the same questions, paired."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from mcp_memory.errors import InputError
from mcp_memory.evaluation.cases import Case
from mcp_memory.evaluation.report import Report
from mcp_memory.evaluation.results import Results

DRAWS: Final = 5000


@dataclass(frozen=True, slots=True)
class Difference:
    """Mean difference in recall over `n` shared questions, its 95 % bootstrap interval, and how many
    questions got better or worse."""

    n: int
    delta: float
    low: float
    high: float
    better: int
    worse: int

    @property
    def certain(self) -> bool:
        """Whether the interval leaves out 0."""
        return self.low > 0 or self.high < 0


def check_comparable(suite: str, sha256: str, cases: Sequence[Case], old: Results, system: str) -> None:
    """Raises InputError where a run of these questions could not be compared with an earlier one."""
    _check_same_file((suite, sha256), old)
    if system not in old.systems:
        raise InputError(f"the earlier run has no system {system!r}: it has {sorted(old.systems)}")
    asked = {question.id for case in cases for question in case.questions if question.measured}
    if asked.isdisjoint(row.question for row in old.systems[system].rows):
        raise InputError(
            "the earlier run asked none of these questions that has evidence: leave --limit out, or name another run"
        )


def _check_same_file(new: tuple[str, str], old: Results) -> None:
    if new != (old.suite, old.sha256):
        raise InputError("the two runs are of different benchmark files: run both on the same one")


def compare_results(new: Results, old: Results, system: str, budget: int) -> Difference:
    """The difference between two runs for one system.

    Raises InputError when the runs are of different benchmark files or one lacks the system or budget.
    """
    _check_same_file((new.suite, new.sha256), old)
    if missing := {system} - (new.systems.keys() & old.systems.keys()):
        raise InputError(f"no system {missing.pop()!r} in both runs: they have {sorted(new.systems)}")
    return compare(new.systems[system], old.systems[system], budget)


def compare(new: Report, old: Report, budget: int, draws: int = DRAWS) -> Difference:
    """Paired bootstrap over questions with something to find; raises InputError when none is shared."""
    before = {row.question: row.recall for row in old.select(budget)}
    delta = np.array([row.recall - before[row.question] for row in new.select(budget) if row.question in before])
    if not delta.size:
        raise InputError(f"the two runs share no question at {budget} tokens")
    resampled = np.random.default_rng(0).integers(0, delta.size, (draws, delta.size))
    low, high = np.percentile(delta[resampled].mean(axis=1), (2.5, 97.5))
    return Difference(
        n=int(delta.size),
        delta=float(delta.mean()),
        low=float(low),
        high=float(high),
        better=int((delta > 0).sum()),
        worse=int((delta < 0).sum()),
    )
