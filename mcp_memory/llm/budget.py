"""What a language model may cost: calls and tokens per day, calls at a time, and the switch that a refusal throws."""

import threading
import time
from dataclasses import dataclass, replace
from datetime import date
from typing import Protocol

from mcp_memory.errors import ChatDeniedError, ChatError, ChatPausedError
from mcp_memory.llm.structured import StructuredChat
from mcp_memory.ports import Chat, ChatReply, ChatRequest, Clock


class SpendLog(Protocol):
    """Where spending is written down, by day (UTC), kind and model; shared by all processes of a store."""

    def add(self, day: date, kind: str, model: str, calls: int, input_tokens: int, output_tokens: int) -> None:
        """Adds to the day's counts."""

    def today(self, day: date) -> tuple[int, int]:
        """Calls and tokens (input and output together) of that day, over all kinds and models."""


@dataclass(slots=True)
class Switch:
    """Why no more calls are made in this process; "" while they are."""

    off: str = ""


class Budgeted:
    """A `Chat` within a budget.

    After ChatDeniedError (key, quota, model) it stays off for the process: asking again would only cost.
    Calls at the same time may overshoot the day's budget by at most `concurrency` calls.
    """

    def __init__(
        self, chat: Chat, spend: SpendLog, calls_per_day: int, tokens_per_day: int, concurrency: int, clock: Clock
    ) -> None:
        self._chat = chat
        self._spend = spend
        self._calls = calls_per_day
        self._tokens = tokens_per_day
        self._concurrency = concurrency
        self._free = threading.BoundedSemaphore(concurrency)
        self._clock = clock
        self._switch = Switch()

    @property
    def model(self) -> str:
        """The model's name."""
        return self._chat.model

    @property
    def state(self) -> str:
        """ "on", or "off: " and why."""
        reason = self._switch.off or self._used_up()
        return f"off: {reason}" if reason else "on"

    def switch_off(self, reason: str) -> None:
        """No more calls in this process."""
        self._switch.off = reason

    def close(self) -> None:
        """Gives connections back, where the model holds any."""
        if isinstance(self._chat, StructuredChat):
            self._chat.close()

    def beside(self) -> "Budgeted":
        """The same model within the same budget, with places of its own: for calls that must not wait for these."""
        other = Budgeted(self._chat, self._spend, self._calls, self._tokens, self._concurrency, self._clock)
        other._switch = self._switch
        return other

    def complete(self, request: ChatRequest) -> ChatReply:
        """See `ports.Chat`; waiting for a free place counts against the deadline.

        Raises ChatDeniedError while switched off, ChatPausedError when the day's budget is used up or no place
        became free in time; neither costs a call.
        """
        started = time.monotonic()
        if not self._free.acquire(timeout=request.deadline):
            raise ChatPausedError("too many calls at the same time; none ended in time")
        try:
            self._refuse()
            left = request.deadline - (time.monotonic() - started)
            return self._counted(replace(request, deadline=max(0.1, left)))
        finally:
            self._free.release()

    def _refuse(self) -> None:
        if self._switch.off:
            raise ChatDeniedError(self._switch.off)
        if reason := self._used_up():
            raise ChatPausedError(reason)

    def _used_up(self) -> str:
        calls, tokens = self._spend.today(self._day())
        if calls < self._calls and tokens < self._tokens:
            return ""
        unit = "calls" if calls >= self._calls else "tokens"
        return f"the daily budget of {unit} is used up; it starts anew at midnight UTC (llm.{unit}_per_day)"

    def _counted(self, request: ChatRequest) -> ChatReply:
        try:
            reply = self._chat.complete(request)
        except ChatError as error:
            self._add(request.kind, error.calls, error.input_tokens, error.output_tokens)
            if isinstance(error, ChatDeniedError):
                self._switch.off = str(error)
            raise
        self._add(request.kind, int(reply.detail.get("calls", 1)), reply.input_tokens, reply.output_tokens)
        return reply

    def _add(self, kind: str, calls: int, input_tokens: int, output_tokens: int) -> None:
        if calls:
            self._spend.add(self._day(), kind, self.model, calls, input_tokens, output_tokens)

    def _day(self) -> date:
        return self._clock.now().date()
