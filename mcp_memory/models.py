"""What a configured language model or reranker adds: the scribe's answers, the planner's and the gate's.

All of it is optional and late: nothing is imported before it is used, nothing waits for it longer than its
deadline, and when it does not answer the rules go on without an error.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import tzinfo
from functools import cached_property
from typing import TYPE_CHECKING, Any

from mcp_memory.errors import ChatError, EmbedError, SettingsError
from mcp_memory.model.query import Plan, Query
from mcp_memory.model.reply import Spent
from mcp_memory.ports import Chat, ChatReply, ChatRequest, Clock, Reranker, Scribe
from mcp_memory.prompts import Prompts
from mcp_memory.settings import Settings
from mcp_memory.store.work import LEASE_SECONDS, Work

if TYPE_CHECKING:
    from mcp_memory.llm.budget import Budgeted
    from mcp_memory.recall.gate import Judge
    from mcp_memory.recall.listen import Planner

logger = logging.getLogger(__name__)

RERANKED: float = 0.3  # a reranker's normalised score from which a line is worth keeping


class Metered:
    """A `Chat` that remembers what its last call took, for the reply that is kept."""

    def __init__(self, chat: Chat, prompts: Prompts) -> None:
        self._chat, self._prompts = chat, prompts
        self.last = Spent()

    @property
    def model(self) -> str:
        """The model's name."""
        return self._chat.model

    def complete(self, request: ChatRequest) -> ChatReply:
        """See `ports.Chat`."""
        reply = self._chat.complete(request)
        version = self._prompts.get(request.kind).version
        self.last = Spent(reply.model, version, reply.input_tokens, reply.output_tokens)
        return reply


class Models:
    """The models that the settings name, or doubles in their place."""

    def __init__(
        self,
        settings: Settings,
        clock: Clock,
        zone: tzinfo,
        work: Callable[[], Work],
        chat: Chat | None = None,
        scribe: Scribe | None = None,
        reranker: Reranker | None = None,
    ) -> None:
        self._settings, self._clock, self._zone, self._work = settings, clock, zone, work
        self._given_chat, self._given_scribe, self._given_reranker = chat, scribe, reranker

    @property
    def scribing(self) -> bool:
        """Whether anybody better than the rules writes notes."""
        return bool(self._given_scribe or self._given_chat) or self._settings.llm.provider != "none"

    @cached_property
    def chat(self) -> "Budgeted | None":
        """The language model within its budget; None when there is none to be.  Raises SettingsError."""
        from mcp_memory.llm.factory import make_chat, within_budget

        if self._given_chat:
            return within_budget(self._given_chat, self._settings, self._work(), self._clock)
        return make_chat(self._settings, self._work(), self._clock)

    @cached_property
    def _recalling(self) -> "Budgeted | None":
        """The same for recall, which must not wait for a place until background calls have ended."""
        return self.chat.beside() if self.chat else None

    @cached_property
    def _prompts(self) -> Prompts:
        return Prompts(self._settings.prompts_dir)

    @cached_property
    def _metered(self) -> Metered | None:
        return Metered(self.chat, self._prompts) if self.chat else None

    @cached_property
    def scribe(self) -> Scribe | None:
        """Who writes better notes than the rules; None when nobody does."""
        if self._given_scribe or not self.scribing:
            return self._given_scribe
        if self._metered is None:
            return None
        from mcp_memory.scribe.llm import LlmScribe

        return LlmScribe(self._metered, self._prompts, self._zone, self._settings.llm.deadline)

    def left(self, owner: str) -> int:
        """Days, weeks and months that it has still to be asked about."""
        return len(self._work().windows(owner)) if self.scribing else 0

    def meter(self) -> Spent:
        """What the scribe's last call took."""
        return self._metered.last if self._metered else Spent()

    @property
    def lease(self) -> float:
        """Seconds after which a question that nobody came back from is free again; longer than any call."""
        return max(LEASE_SECONDS, 2 * self._settings.llm.deadline)

    def close(self) -> None:
        """Gives the connections back of the model that was made here."""
        made: Budgeted | None = self.__dict__.get("chat")  # none is made only to be closed
        if made and self._given_chat is None:
            made.close()

    def state(self) -> dict[str, Any]:
        """What a person should see of it: on or off and why, and what it has cost."""
        state: dict[str, Any] = {"llm": "none (rules and the caller's notes)"}
        if self.scribing and self.chat is not None:
            state["llm"] = f"{self.chat.model}: {self.chat.state}"
        if spending := self._work().spending(10):
            state["spending"] = spending
        return state

    # ------------------------------------------------------------------ recall

    def planner(self) -> "Planner | None":
        """A planner by language model, falling back to the rules' plan; None when it is not switched on."""
        chat = self._recalling if self._settings.recall.planner == "llm" else None
        if chat is None:
            return None
        from mcp_memory.llm.planning import llm_plan

        def plan(query: Query, ruled: Plan) -> Plan:
            if ruled.by == "caller":
                return ruled
            try:
                found = llm_plan(chat, self._prompts, query.text, self._settings.recall.deadline)
            except (ChatError, SettingsError) as error:
                logger.warning("planned by rules: %s", error)
                return ruled
            return replace(ruled, complexity=found.complexity, keywords=found.keywords, by="llm")

        return plan

    def judge(self, query: str) -> "Judge | None":
        """A gate by language model or reranker; None when the score decides."""
        match self._settings.recall.gate:
            case "llm" if self._recalling is not None:
                return self._judge_by_chat(self._recalling, query)
            case "rerank" if self._reranker is not None:
                return self._judge_by_reranker(self._reranker, query)
        return None

    def _judge_by_chat(self, chat: Chat, query: str) -> "Judge":
        from mcp_memory.llm.planning import llm_gate

        def judge(lines: Sequence[tuple[str, str, str]]) -> set[str] | None:
            try:
                return llm_gate(chat, self._prompts, query, lines, self._settings.recall.deadline)
            except (ChatError, SettingsError) as error:
                logger.warning("kept by score: %s", error)
                return None

        return judge

    @cached_property
    def _reranker(self) -> Reranker | None:
        if self._given_reranker or self._settings.recall.gate != "rerank":
            return self._given_reranker
        from mcp_memory.embed.factory import make_reranker

        return make_reranker(self._settings)

    def _judge_by_reranker(self, reranker: Reranker, query: str) -> "Judge":
        def judge(lines: Sequence[tuple[str, str, str]]) -> set[str] | None:
            try:
                scores = reranker.scores(query, [text for _, text, _ in lines])
            except EmbedError as error:
                logger.warning("kept by score: %s", error)
                return None
            return {one for (one, _, _), score in zip(lines, scores, strict=True) if score >= RERANKED}

        return judge
