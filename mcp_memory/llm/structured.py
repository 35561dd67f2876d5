"""A `Chat` over any wire: valid JSON of the asked shape, or an error that holds no content.

Ladder json_schema → json_object → prompt only, learned per server; a cut reply is asked for once more with
twice the tokens; an invalid one is sent back once with the places and rules it breaks.  One deadline
bounds all of it.
"""

import asyncio
import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from mcp_memory.errors import ChatDeniedError, ChatError, ChatFormatError, ChatTimeoutError, ChatTooLargeError
from mcp_memory.llm import loop, replies, retry
from mcp_memory.llm.abilities import Abilities
from mcp_memory.llm.wire import Fault, Incoming, Outgoing, Wire
from mcp_memory.ports import ChatReply, ChatRequest
from mcp_memory.prompts import Prompts, schema_text

_ECHO: Final = 20_000  # characters of an invalid reply that are sent back
_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Spent:
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def on(self, error: ChatError) -> ChatError:
        error.calls, error.input_tokens, error.output_tokens = self.calls, self.input_tokens, self.output_tokens
        return error


class StructuredChat:
    """The one implementation of `ports.Chat`; what it learned of its server lives as long as it does."""

    def __init__(self, wire: Wire, prompts: Prompts, sleep: retry.Sleep = asyncio.sleep) -> None:
        self._wire = wire
        self._prompts = prompts
        self._sleep = sleep
        self._abilities = Abilities(wire.rungs)

    @property
    def model(self) -> str:
        """The model's name as configured."""
        return self._wire.model

    def complete(self, request: ChatRequest) -> ChatReply:
        """See `ports.Chat`.  Must not be called on an event loop's thread."""
        spent = _Spent()
        try:
            outcome = loop.run(self._complete(request, spent), request.deadline)
        except TimeoutError:
            spent.calls += 1  # the one under way
            outcome = ChatTimeoutError(f"no usable answer within {request.deadline:g} seconds")
        if isinstance(outcome, ChatError):
            _log.warning("%s by %s failed: %s", request.kind, self.model, outcome)
            raise spent.on(outcome)
        return outcome

    def close(self) -> None:
        """Gives connections back."""
        loop.run(self._wire.close(), 5)

    async def _complete(self, request: ChatRequest, spent: _Spent) -> ChatReply | ChatError:
        ends = time.monotonic() + request.deadline
        asked = Outgoing(request.system, (request.user,), request.schema, request.max_tokens)
        came = await self._whole(asked, ends, spent)
        if isinstance(came, ChatError):
            return came
        data, broken = _judge(came.text, request.schema)
        if broken:
            asked = replace(asked, turns=self._repair(asked, came.text, broken))
            came = await self._whole(asked, ends, spent)
            if isinstance(came, ChatError):
                return came
            data, broken = _judge(came.text, request.schema)
        if broken:
            return ChatFormatError(f"the reply was not valid, even after repair; first: {broken[0]}")
        return self._reply(data, came, spent)

    def _repair(self, asked: Outgoing, said: str, broken: list[str]) -> tuple[str, ...]:
        """The conversation so far and a request to mend it.  Nothing to send back: the question again."""
        if self._abilities.rung == "json_schema":
            self._abilities = replace(self._abilities, shown=True)  # accepted, but not obeyed
        mend = self._prompts.get("repair").fill(errors="\n".join(broken))
        return (asked.turns[0], said[:_ECHO], mend) if said.strip() else (f"{asked.turns[0]}\n\n{mend}",)

    async def _whole(self, asked: Outgoing, ends: float, spent: _Spent) -> Incoming | ChatError:
        """An answer that is neither cut nor refused."""
        came = await self._learned(asked, ends, spent)
        if isinstance(came, Incoming) and came.cut:
            came = await self._learned(replace(asked, max_tokens=2 * asked.max_tokens), ends, spent)
        if isinstance(came, Fault):
            return _error(came)
        if came.refused:
            return ChatFormatError("the model declined to answer")
        return ChatTooLargeError("the reply did not fit, even with twice the tokens") if came.cut else came

    async def _learned(self, asked: Outgoing, ends: float, spent: _Spent) -> Incoming | Fault:
        """An answer, asked for in ever simpler ways; what worked is remembered."""
        abilities: Abilities | None = self._abilities
        came: Incoming | Fault = Fault("refused", "the server refused the request")
        while abilities is not None:
            message = replace(abilities.apply(self._shown(asked, abilities)), seconds=max(0.1, ends - time.monotonic()))
            came, calls = await retry.send(self._wire, message, self._sleep)
            spent.calls += calls
            if isinstance(came, Incoming):
                self._abilities = abilities
                spent.input_tokens += came.input_tokens
                spent.output_tokens += came.output_tokens
                break
            abilities = abilities.lower(came, message)
        return came

    def _shown(self, asked: Outgoing, abilities: Abilities) -> Outgoing:
        if not abilities.show_schema:
            return asked
        shape = self._prompts.get("reply_schema").fill(schema=schema_text(asked.schema))
        return replace(asked, system=f"{asked.system}\n\n{shape}".strip())

    def _reply(self, data: Mapping[str, Any], came: Incoming, spent: _Spent) -> ChatReply:
        detail = {"rung": self._abilities.rung, "without": sorted(self._abilities.without), "calls": spent.calls}
        return ChatReply(data, came.model, spent.input_tokens, spent.output_tokens, detail)


def _judge(text: str, schema: Mapping[str, Any]) -> tuple[Mapping[str, Any], list[str]]:
    found = replies.parse(text)
    if found is None:
        return {}, ["reply: one JSON object and nothing else"]
    return found, replies.violations(found, schema)


def _error(fault: Fault) -> ChatError:
    if fault.trouble == "denied":
        return ChatDeniedError(fault.reason)
    if fault.trouble == "too_large":
        return ChatTooLargeError(fault.reason)
    return ChatError(fault.reason) if fault.trouble == "busy" else ChatFormatError(fault.reason)
