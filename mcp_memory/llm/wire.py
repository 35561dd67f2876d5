"""What passes between `structured` and a provider: one message out, one answer or one fault back.

Faults are values, not exceptions: an SDK's exception holds prompts, replies and keys, and must not survive
as anybody's cause or context.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

Rung = Literal["json_schema", "json_object", "prompt"]
Trouble = Literal["denied", "busy", "garbled", "format", "parameter", "cap", "too_large", "refused"]


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One message to a model: `turns` alternate between user and model, the user's first and last.

    `without` are optional parameters that this server was seen to reject; `seconds` is what is left.
    """

    system: str
    turns: tuple[str, ...]
    schema: Mapping[str, Any]
    max_tokens: int
    rung: Rung = "json_schema"
    without: frozenset[str] = frozenset()
    seconds: float = 120.0


@dataclass(frozen=True, slots=True)
class Incoming:
    """What a model said; `cut` when it ran out of tokens, `refused` when it would not."""

    text: str
    model: str
    input_tokens: int = 0
    output_tokens: int = 0
    cut: bool = False
    refused: bool = False


@dataclass(frozen=True, slots=True)
class Fault:
    """Why there is no answer; holds nothing that was sent or said.

    denied     key, quota or model refused            too_large  more than the model can read at once
    busy       connection, rate limit, server error   parameter  an optional parameter (`name`) is not known
    garbled    an answer, but not a chat endpoint's   cap        fewer reply tokens are allowed
    format     the reply format is not supported      refused    a bad request for no reason we know
    """

    trouble: Trouble
    reason: str
    name: str = ""
    wait: float | None = None  # seconds the server asked for


class Wire(Protocol):
    """One provider's wire format."""

    @property
    def model(self) -> str: ...
    @property
    def rungs(self) -> tuple[Rung, ...]: ...

    async def send(self, message: Outgoing) -> Incoming | Fault:
        """One request, no retry, at most `message.seconds` between two bytes."""

    async def close(self) -> None:
        """Gives connections back."""
