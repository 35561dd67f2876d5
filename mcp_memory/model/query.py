"""What recall is asked, what it plans, and what it hands back."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

Complexity = Literal["simple", "hybrid", "complex"]
Form = Literal["question", "mixed", "remark"]
Section = Literal["facts", "associations", "scenes", "patterns", "profile"]


@dataclass(frozen=True, slots=True)
class Query:
    """One question or remark.  `at` is the moment it is asked; nothing later is seen.  `since`/`until`
    bound the moments of what is found; None is open.  `complexity` "" lets the planner decide."""

    text: str
    owner: str
    at: datetime
    complexity: Complexity | Literal[""] = ""
    since: datetime | None = None
    until: datetime | None = None
    max_tokens: int = 1024

    def admits(self, end: datetime) -> bool:
        """Whether what lasted until `end` meets [since, until) and holds nothing from after the asking."""
        return end <= self.at and (not self.since or end >= self.since) and (not self.until or end < self.until)


@dataclass(frozen=True, slots=True)
class Plan:
    """What the planner made of a query: how hard it is, what to look for, whether it asks or tells, which
    people it names, and whether it is about what the assistant said."""

    complexity: Complexity
    keywords: tuple[str, ...]
    form: Form = "question"
    speakers: tuple[str, ...] = ()
    of_assistant: bool = False
    by: Literal["rules", "caller", "llm"] = "rules"


@dataclass(frozen=True, slots=True)
class Hit:
    """One line of an answer: `line` is what is shown, `sources` the outside names of its turns."""

    id: str
    section: Section
    kind: str
    line: str
    sources: tuple[str, ...]
    start: datetime
    end: datetime
    score: float
    via: str = ""  # by what it was found: "words", "meaning", or the cue that evoked it
    source: str = "rules"
    reserved: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """What recall returns; `notices` say what a reader must know (models still loading, …)."""

    plan: Plan
    hits: tuple[Hit, ...]
    tokens: int
    notices: tuple[str, ...] = ()
    trace: str = ""
    dropped: tuple[str, ...] = field(default=())
