"""The seams: everything the engine needs from outside, as Protocols of frozen shapes.

A double for each ships with the package (`embed.hashing`, `llm.scripted`, `FixedClock` here), so that
anyone can run the engine without a model, a network or a wall clock.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Protocol

from mcp_memory.model.notes import Batch, BatchNotes, Period, PeriodNotes

if TYPE_CHECKING:  # numpy must not be imported at start-up
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]


class Clock(Protocol):
    """Tells the moment."""

    def now(self) -> datetime:
        """The present moment, aware, in UTC."""


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """The present moment, aware, in UTC."""
        return datetime.now(UTC)


@dataclass(slots=True)
class FixedClock:
    """A clock that stands still until it is moved."""

    moment: datetime

    def now(self) -> datetime:
        """The moment it was set to."""
        return self.moment

    def advance(self, by: timedelta) -> None:
        """Move it forward."""
        self.moment += by


class Embedder(Protocol):
    """Turns texts into vectors.

    `id` names model and version (vectors of different ids are never compared); `dimension` is the length;
    `weight` is λ, the share of meaning against words in leaf scores that is best for a query: less where the
    encoder hardly reads its script.
    """

    @property
    def id(self) -> str: ...
    @property
    def dimension(self) -> int: ...

    def weight(self, query: str) -> float: ...
    def embed(self, texts: Sequence[str]) -> "Vectors":
        """One L2-normalised float32 row per text, shape (n, dimension).

        Raises EmbedError when the model is missing or damaged; never returns zero or non-finite rows.
        """


class Reranker(Protocol):
    """Scores how well a text answers a query."""

    @property
    def id(self) -> str: ...

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """One score in 0..1 per text."""


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One call: a static `system` part first (cacheable), then `user` data, and the shape of the reply."""

    kind: str  # which prompt: counted and shown by kind
    system: str
    user: str
    schema: Mapping[str, Any]
    max_tokens: int = 4096
    deadline: float = 120.0  # seconds, in all


@dataclass(frozen=True, slots=True)
class ChatReply:
    """What came back: valid JSON of the asked shape, and what it cost."""

    data: Mapping[str, Any]
    model: str
    input_tokens: int = 0
    output_tokens: int = 0
    detail: Mapping[str, Any] = field(default_factory=dict)  # schema rung, retries, …


class Chat(Protocol):
    """A language model."""

    @property
    def model(self) -> str: ...

    def complete(self, request: ChatRequest) -> ChatReply:
        """Blocks up to `request.deadline`.

        Raises ChatError (retry later), ChatDeniedError (key, quota, model), ChatFormatError (no usable
        reply even after repair); none of them carries prompt, reply or key.
        """


class Scribe(Protocol):
    """Writes down what was said."""

    def close_batch(self, batch: Batch) -> BatchNotes:
        """Scenes, items, cues and one L1 memory per exchange (call A)."""

    def close_session(self, period: Period) -> PeriodNotes:
        """A session's or a day's summary, and what it tells of the speakers (call B)."""

    def close_period(self, period: Period) -> PeriodNotes:
        """A week's summary, or a month's with the portraits of its speakers (call C)."""
