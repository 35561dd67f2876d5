"""Are the answers right?  A language model answers from what recall returns, and grades it against the expected.

The setting of T-Mem and TiMem: the memories and the question in one prompt, the judge sees the question, the
expected answer and the given one.  What has nothing expected is not asked.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from mcp_memory.errors import ChatDeniedError, ChatError, ChatPausedError
from mcp_memory.evaluation.cases import Case, Question
from mcp_memory.evaluation.run import Build
from mcp_memory.llm.judging import llm_answer, llm_judge
from mcp_memory.ports import Chat
from mcp_memory.prompts import Prompts

TOKENS: Final = 1024  # of memories that the model reads: what recall returns by default


class Spending:
    """A `SpendLog` for the length of a run, whatever day it is."""

    def __init__(self) -> None:
        self.calls, self.input_tokens, self.output_tokens = 0, 0, 0

    def add(self, day: date, kind: str, model: str, calls: int, input_tokens: int, output_tokens: int) -> None:  # noqa: ARG002 - all of them together
        """See `llm.budget.SpendLog`."""
        self.calls += calls
        self.input_tokens += input_tokens
        self.output_tokens += output_tokens

    def today(self, day: date) -> tuple[int, int]:  # noqa: ARG002 - a run may pass midnight
        """See `llm.budget.SpendLog`."""
        return self.calls, self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True)
class Grade:
    """Whether the answer to a question was right."""

    question: str
    category: str
    correct: bool


@dataclass(frozen=True, slots=True)
class Grades:
    """All that were graded; `failed` questions got no usable reply, `stopped` says why the others were not asked."""

    grades: tuple[Grade, ...]
    failed: int = 0
    stopped: str = ""

    def accuracy(self) -> dict[str, tuple[int, float]]:
        """(how many, share that was right) by category, "" for all of them."""
        asked = Counter(name for one in self.grades for name in (one.category, ""))
        right = Counter(name for one in self.grades if one.correct for name in (one.category, ""))
        return {name: (count, right[name] / count) for name, count in sorted(asked.items())}


def grade(
    cases: Sequence[Case], build: Build, chat: Chat, prompts: Prompts, progress: Callable[[], object] | None = None
) -> Grades:
    """Answers and grades every question with an expected answer, until the chat's budget is used up."""
    grades: list[Grade] = []
    failed = 0
    for case in cases:
        recall = build(case.talk)
        for question in (one for one in case.questions if one.answer):
            memories = [line for _, line in recall(question.text, question.when, TOKENS)]
            try:
                grades.append(_grade(question, memories, chat, prompts))
            except (ChatPausedError, ChatDeniedError) as error:
                return Grades(tuple(grades), failed, str(error))
            except ChatError:
                failed += 1
            if progress:
                progress()
    return Grades(tuple(grades), failed)


def _grade(question: Question, memories: Iterable[str], chat: Chat, prompts: Prompts) -> Grade:
    given = llm_answer(chat, prompts, question.text, question.when.date().isoformat(), list(memories))
    return Grade(question.id, question.category, llm_judge(chat, prompts, question.text, question.answer, given))
