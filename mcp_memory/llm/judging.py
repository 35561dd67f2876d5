"""The evaluation's two questions to a language model: answer from memories, and grade an answer."""

from collections.abc import Sequence
from typing import Final

from pydantic import BaseModel, ConfigDict

from mcp_memory.llm.asking import ask
from mcp_memory.ports import Chat
from mcp_memory.prompts import Prompts, records

_TOKENS: Final = 400
_SECONDS: Final = 60.0


class AnswerReply(BaseModel):
    """A short answer, or "not mentioned"."""

    model_config = ConfigDict(extra="forbid")
    answer: str


class JudgeReply(BaseModel):
    """Whether an answer says what was expected."""

    model_config = ConfigDict(extra="forbid")
    correct: bool
    reason: str


def llm_answer(chat: Chat, prompts: Prompts, question: str, asked: str, memories: Sequence[str]) -> str:
    """The answer to `question`, asked on the date `asked`, from `memories` alone.  Raises ChatError."""
    rows = [{"question": question, "asked": asked}, *({"memory": line} for line in memories)]
    prompt = prompts.get("answer")
    user = prompt.fill(records=records(rows))
    return ask(chat, prompt, user, AnswerReply, _TOKENS, _SECONDS).answer


def llm_judge(chat: Chat, prompts: Prompts, question: str, expected: str, answer: str) -> bool:
    """Whether `answer` says what `expected` says.  Raises ChatError."""
    prompt = prompts.get("judge")
    user = prompt.fill(records=records([{"question": question, "expected": expected, "answer": answer}]))
    return ask(chat, prompt, user, JudgeReply, _TOKENS, _SECONDS).correct
