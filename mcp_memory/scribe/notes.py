"""The shapes that a language model fills in: calls A (batch), B (session, day) and C (week, month).

The portable subset of both providers' structured outputs: every field required, no Optional, no default,
no length limit, nothing unknown, three levels; "" and [] mean none.  Turns and exchanges go by their
number in the batch, topics by "T1" or a new title, known facts by "I1": a model never sees an id.
"""

from pydantic import BaseModel, ConfigDict


class _Reply(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SceneReply(_Reply):
    """A run of turns about one thing (T-Mem's scene), its four attributes and five horizon dimensions."""

    first_turn: int
    last_turn: int
    title: str
    summary: str
    narrative: str
    topics: list[str]
    keywords: list[str]
    situation: str
    object: str
    event: str
    emotion: str
    personal_arc: str
    avoidance_habit: str
    goal_arc: str
    belief_in_action: str
    legacy_anchor: str
    utterances: list[str]
    finished: bool


class ItemReply(_Reply):
    """One fact (T-Mem's item) with its entity and bridge cues."""

    text: str
    speaker: str
    when: str
    turns: list[int]
    entity: list[str]
    bridge: list[str]
    why: str
    replaces: str


class MemoryReply(_Reply):
    """The L1 memory of one exchange (TiMem's segment)."""

    exchange: int
    text: str


class BatchReply(_Reply):
    """Call A."""

    scenes: list[SceneReply]
    memories: list[MemoryReply]
    items: list[ItemReply]


class PatchReply(_Reply):
    """One change to what is known of a speaker."""

    speaker: str
    key: str
    name: str
    value: str
    when: str
    turns: list[int]


class SessionReply(_Reply):
    """Call B: L2 of a session or L3 of a day, and what a session told of its speakers."""

    title: str
    text: str
    patches: list[PatchReply]


class PortraitReply(_Reply):
    """Who a speaker is."""

    speaker: str
    text: str


class PeriodReply(_Reply):
    """Call C: L4 of a week, or L5 and the portraits of its speakers."""

    title: str
    text: str
    portraits: list[PortraitReply]
