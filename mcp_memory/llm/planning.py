"""Recall's two questions to a language model: how hard is this query, and which candidates help.

Both raise ChatError when there is no usable answer in time; recall then goes on by its rules.
"""

from collections.abc import Sequence
from typing import Final

from pydantic import BaseModel, ConfigDict

from mcp_memory.errors import ChatFormatError
from mcp_memory.llm.asking import ask
from mcp_memory.model.query import Complexity, Plan
from mcp_memory.ports import Chat
from mcp_memory.prompts import Prompts, records
from mcp_memory.text.clean import plain

_COMPLEXITY: Final[tuple[Complexity, ...]] = ("simple", "hybrid", "complex")
_KEYWORDS: Final = 3
_KEYWORD_LENGTH: Final = 60
_QUERY_LENGTH: Final = 2000
_PLAN_TOKENS: Final = 200
_GATE_TOKENS: Final = 600


class PlanReply(BaseModel):
    """The planner's reply: 0 one recorded fact, 1 several facts, 2 a judgement; 1 to 3 keywords."""

    model_config = ConfigDict(extra="forbid")
    complexity: int
    keywords: list[str]


class GateReply(BaseModel):
    """The gate's reply: the numbers of the candidates that help."""

    model_config = ConfigDict(extra="forbid")
    keep: list[int]


def llm_plan(chat: Chat, prompts: Prompts, query: str, deadline: float) -> Plan:
    """p(q) → (complexity, keywords), TiMem's planner; the other fields of the plan are for rules to fill."""
    prompt = prompts.get("plan")
    user = prompt.fill(records=records([{"query": query[:_QUERY_LENGTH]}]))
    reply = ask(chat, prompt, user, PlanReply, _PLAN_TOKENS, deadline)
    if not 0 <= reply.complexity < len(_COMPLEXITY):
        raise ChatFormatError("the planner named a complexity that does not exist")
    keywords = dict.fromkeys(word for said in reply.keywords if (word := plain(said)[:_KEYWORD_LENGTH].strip()))
    return Plan(_COMPLEXITY[reply.complexity], tuple(keywords)[:_KEYWORDS], by="llm")


def llm_gate(
    chat: Chat, prompts: Prompts, query: str, candidates: Sequence[tuple[str, str, str]], deadline: float
) -> set[str]:
    """The handles to keep of `candidates` (handle, line, by way of which cue it came), TiMem's gate.

    The model sees numbers only; numbers that were not offered are ignored.  Slots that are reserved are the
    caller's to keep, whatever is returned.
    """
    rows: list[dict[str, object]] = [{"query": query[:_QUERY_LENGTH]}]
    rows += [{"n": n, "memory": line, "via": via} for n, (_, line, via) in enumerate(candidates, start=1)]
    prompt = prompts.get("gate")
    reply = ask(chat, prompt, prompt.fill(records=records(rows)), GateReply, _GATE_TOKENS, deadline)
    return {candidates[n - 1][0] for n in reply.keep if 1 <= n <= len(candidates)}
