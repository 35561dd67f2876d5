"""Fitting: the best lines first, each turn told once, never more than the budget (DESIGN §4.6)."""

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from typing import Final

from mcp_memory.model.query import Section
from mcp_memory.text.tokens import count_tokens, cut_tokens

ALIKE: Final = 0.9  # Jaccard of words from which two lines say the same
_NOT: Final = frozenset({"not", "no", "never", "nothing", "nobody", "none", "without", "cannot"})
MOST: Final = 400  # candidates looked at
MARK: Final = 1  # tokens of the mark in front of a line
HEADING: Final = 4  # tokens that a section's heading takes at most
SAID: Final = frozenset({"facts", "associations"})  # a summary of a line is no second time that it was said
TIMES: Final = 4  # tokens of "(×2)"
LEAST_CUT: Final = 8  # tokens below which a cut line says nothing
TRIES: Final = 5  # lines that did not fit before giving up: a shorter one may still fit (with 25 no more was found)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A unit that may become a line.  `via` says what found it; where that was a cue, `cue` is its id."""

    unit: str
    section: Section
    score: float
    sources: frozenset[str]
    via: str = ""
    cue: str = ""
    reserved: bool = False


@dataclass(slots=True)
class Line:
    """A chosen candidate as it will be shown; `times` counts near-identical ones folded into it."""

    candidate: Candidate
    text: str
    tokens: int
    words: frozenset[str]
    via: str
    sources: tuple[str, ...] = ()
    times: int = 1


@dataclass(frozen=True, slots=True)
class Drawn:
    """What drawing a candidate gives: its text, its words but for the date, the turns it tells, what evoked it."""

    text: str
    words: frozenset[str]
    told: frozenset[str]
    sources: tuple[str, ...] = ()  # turns the line quotes, where that is less than the unit stands on
    via: str = ""  # where a cue led to it


Draw = Callable[[Candidate, int], Drawn | None]
"""(candidate, number of lines before it) -> its line, or None when there is nothing to show."""


class Page:
    """Lines gathered within a budget of tokens, their marks and their sections' headings included."""

    def __init__(self, budget: int) -> None:
        self.budget, self.used = budget, 0
        self.lines: list[Line] = []
        self.told: set[str] = set()

    def add(self, candidate: Candidate, drawn: Drawn, room: int) -> bool:
        """Takes a line if it fits into `room` and the budget; folds it into one that says the same."""
        twin = next((one for one in self.lines if _alike(one.words, drawn.words)), None)
        if twin is not None and twin.candidate.unit == candidate.unit:
            return True  # found by words and evoked as well: one line is enough
        if twin is not None:
            if candidate.section in SAID:
                self._fold(twin)
            self.told |= drawn.told
            return True
        size = count_tokens(drawn.text) + MARK
        if size > room or self._cost(candidate, size) > self.budget - self.used:
            return False
        self._put(candidate, drawn, drawn.text, size)
        self.told |= drawn.told
        return True

    def force(self, candidate: Candidate, drawn: Drawn) -> None:
        """Cuts a line down to the budget: what was found must not be taken for nothing because it is long."""
        body, _, handle = drawn.text.rpartition(" ")
        room = self.budget - HEADING - MARK - count_tokens(handle)
        if room < LEAST_CUT:
            return
        text = f"{cut_tokens(body, room)} {handle}"
        size = count_tokens(text) + MARK
        self._put(candidate, drawn, text, size)

    def _put(self, candidate: Candidate, drawn: Drawn, text: str, size: int) -> None:
        self.used += self._cost(candidate, size)
        self.lines.append(Line(candidate, text, size, drawn.words, drawn.via or candidate.via, drawn.sources))

    def _cost(self, candidate: Candidate, size: int) -> int:
        """Tokens of a line, with the heading if it is the first of its section."""
        opens = all(one.candidate.section != candidate.section for one in self.lines)
        return size + HEADING * opens

    def _fold(self, twin: Line) -> None:
        """Counts one more of a line, as long as there is room to say so."""
        if twin.times == 1 and self.used + TIMES > self.budget:
            return
        if twin.times == 1:
            twin.tokens += TIMES
            self.used += TIMES
        twin.times += 1

    def drop(self, units: Set[str]) -> None:
        """Takes lines out again."""
        self.lines = [one for one in self.lines if one.candidate.unit not in units]
        sections = {one.candidate.section for one in self.lines}
        self.used = sum(one.tokens for one in self.lines) + HEADING * len(sections)


def pack(page: Page, candidates: Sequence[Candidate], draw: Draw, room: int, threshold: float, least: int) -> list[str]:
    """Fills `room` tokens of a page from candidates, best first; returns the ids that the gate dropped.

    A candidate whose sources are all told is skipped.  Below `threshold` only what is needed to have `least`
    lines is taken (the gate's floor).
    """
    begun, taken, full = page.used, 0, 0
    for number, candidate in enumerate(candidates[:MOST]):
        if page.used - begun >= room or full >= TRIES:
            break
        if candidate.score < threshold and taken >= least:
            return [one.unit for one in candidates[number:MOST]]
        if candidate.sources and candidate.sources <= page.told:
            continue
        drawn = draw(candidate, len(page.lines))
        if drawn is None:
            continue
        if page.add(candidate, drawn, room - (page.used - begun)):
            taken += 1
        else:
            full += 1  # a shorter line further down may still fit
    return []


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two lines say the same: a number or a "not" more is something else."""
    differs = one ^ other
    if not differs:
        return bool(one)
    few = len(differs) <= (1 - ALIKE) * len(one | other)
    return few and not any(word in _NOT or word.endswith("n't") or not word.isalpha() for word in differs)
