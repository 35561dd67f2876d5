"""What one server was seen not to support; learned from its refusals, kept for the process."""

from dataclasses import dataclass, replace
from typing import Final

from mcp_memory.llm.wire import Fault, Outgoing, Rung

_OPTIONAL: Final = frozenset({"effort", "thinking", "reasoning_effort", "max_completion_tokens"})
_LEAST: Final = 512  # reply tokens below which nothing useful fits


@dataclass(frozen=True, slots=True)
class Abilities:
    """How to ask this server: the highest rung it takes, what to leave out, whether it must be shown the
    schema although it accepted it (some servers accept and ignore it)."""

    rungs: tuple[Rung, ...]
    without: frozenset[str] = frozenset()
    cap: int = 1_000_000
    shown: bool = False

    @property
    def rung(self) -> Rung:
        """The highest rung left."""
        return self.rungs[0]

    @property
    def show_schema(self) -> bool:
        """Whether the schema must be part of the prompt."""
        return self.shown or self.rung != "json_schema"

    def apply(self, message: Outgoing) -> Outgoing:
        """`message` as this server takes it."""
        return replace(message, rung=self.rung, without=self.without, max_tokens=min(message.max_tokens, self.cap))

    def lower(self, fault: Fault, asked: Outgoing) -> "Abilities | None":
        """What `fault` teaches; None when it teaches nothing that could help.

        A refusal without a known reason may be about the format: the next rung is tried.
        """
        if fault.trouble == "parameter" and fault.name not in self.without:
            return replace(self, without=self.without | {fault.name})
        if fault.trouble == "cap" and asked.max_tokens > _LEAST:
            return replace(self, cap=max(_LEAST, asked.max_tokens // 2))
        if fault.trouble not in ("format", "parameter", "refused"):
            return None
        if len(self.rungs) > 1:
            return replace(self, rungs=self.rungs[1:])
        return None if self.without == _OPTIONAL else replace(self, without=_OPTIONAL)
