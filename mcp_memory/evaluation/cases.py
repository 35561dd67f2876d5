"""The nouns of an evaluation: a conversation, and questions that name the turns holding the answer."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from mcp_memory.model.turn import Role

TURN_GAP: Final = timedelta(seconds=30)  # between lines of a session, where only the session is dated
_CUE: Final = re.compile(r"cue\d+:")
NO_EVIDENCE: Final = frozenset({"adversarial", "abstention", "unlabelled"})  # categories with nothing to find


@dataclass(frozen=True, slots=True)
class Line:
    """One utterance; `at` is aware, in UTC by convention (no benchmark names a zone)."""

    id: str
    speaker: str
    role: Role
    text: str
    at: datetime
    session: int


@dataclass(frozen=True, slots=True)
class Talk:
    """One conversation, in order."""

    id: str
    lines: tuple[Line, ...]

    @property
    def speakers(self) -> tuple[str, ...]:
        """Everyone who speaks, in order of appearance."""
        return tuple(dict.fromkeys(line.speaker for line in self.lines))


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, when, and the ids of all lines that hold the answer.

    `answer` is "" where the benchmark gives none; `flags` are known label defects.
    """

    id: str
    text: str
    when: datetime
    category: str
    gold: tuple[str, ...]
    answer: str = ""
    flags: frozenset[str] = frozenset()

    @property
    def measured(self) -> bool:
        """Whether there is evidence to find, so that its recall counts."""
        return self.category not in NO_EVIDENCE


@dataclass(frozen=True, slots=True)
class Case:
    """A conversation and what is asked about it."""

    talk: Talk
    questions: tuple[Question, ...]


def is_cue(line: Line) -> bool:
    """Whether LoCoMo-Plus hid the line in a talk."""
    return _CUE.match(line.id) is not None


def role_of(speaker: str) -> Role:
    """The role a benchmark's speaker has: people of a recorded talk are neither user nor assistant."""
    if speaker == "user":
        return "user"
    return "assistant" if speaker == "assistant" else "other"
