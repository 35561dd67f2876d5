"""What a scribe writes down, whoever it is: one shape for caller, language model and rules.

Turns are named by their ids, topics by id when known and by title when new.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Literal

from mcp_memory.model.turn import Turn
from mcp_memory.model.unit import Source


@dataclass(frozen=True, slots=True)
class ItemNote:
    """One fact.  `when` is "", a date (YYYY, YYYY-MM, YYYY-MM-DD) or an interval "A/B".

    `entity` and `bridge` are cues: one or two steps up the is-a ladder, and situations in which knowing
    this would matter.  `replaces` names an older fact (id or words) that is no longer true.
    """

    text: str
    speaker: str
    turns: tuple[str, ...]
    when: str = ""
    entity: tuple[str, ...] = ()
    bridge: tuple[str, ...] = ()
    why: str = ""
    replaces: str = ""


@dataclass(frozen=True, slots=True)
class SceneNote:
    """A contiguous run of turns about one thing.

    `views` maps the scene views (situation, object, event, emotion) and the horizon's five dimensions
    (personal_arc, avoidance_habit, goal_arc, belief_in_action, legacy_anchor) to a sentence; what is
    missing is missing.  `utterances` are remarks somebody might make later, elsewhere.
    """

    turns: tuple[str, ...]
    title: str
    summary: str
    narrative: str = ""
    views: Mapping[str, str] = field(default_factory=dict)
    utterances: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    finished: bool = True


@dataclass(frozen=True, slots=True)
class SegmentNote:
    """The L1 memory of one exchange, named by its first turn."""

    exchange: str
    text: str


@dataclass(frozen=True, slots=True)
class BatchNotes:
    """Reply to "close batch" (call A)."""

    scenes: tuple[SceneNote, ...] = ()
    items: tuple[ItemNote, ...] = ()
    segments: tuple[SegmentNote, ...] = ()
    source: Source = "rules"


@dataclass(frozen=True, slots=True)
class PersonaPatch:
    """One change to what is known of a speaker: `key` is one of `PERSONA_KEYS`; `name` the attribute,
    person or counter it is about ("" for traits and timeline); `turns` the evidence."""

    speaker: str
    key: str
    value: str
    name: str = ""
    when: str = ""
    turns: tuple[str, ...] = ()


PERSONA_KEYS = ("identity", "preferences", "traits", "relations", "aggregations", "timeline")


@dataclass(frozen=True, slots=True)
class PeriodNotes:
    """Reply to "close session" (call B: L2, L3 and patches) and "close period" (call C: L4, L5).

    `portraits` are (speaker, text) pairs, for profiles only.
    """

    title: str
    text: str
    patches: tuple[PersonaPatch, ...] = ()
    portraits: tuple[tuple[str, str], ...] = ()
    source: Source = "rules"


Grain = Literal["session", "day", "week", "profile"]


@dataclass(frozen=True, slots=True)
class TopicHint:
    """A topic already open, offered to the scribe so that it can be matched."""

    id: str
    title: str
    keywords: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ItemHint:
    """A fact already known, offered so that it can be replaced."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Batch:
    """What "close batch" is asked about: turns in order, the first `carried` of which belonged to a scene
    that the last batch left open.

    `sessions` are the numbers of turns of whole sessions that go together, () for (part of) one.  `ended`
    says that nothing can follow, so that no scene stays open.
    """

    turns: tuple[Turn, ...]
    carried: int = 0
    sessions: tuple[int, ...] = ()
    ended: bool = False
    before: tuple[str, ...] = ()  # summaries of what came just before
    topics: tuple[TopicHint, ...] = ()
    items: tuple[ItemHint, ...] = ()

    def parts(self) -> list[tuple[Turn, ...]]:
        """The turns session by session."""
        ends = list(accumulate(self.sessions)) or [len(self.turns)]
        return [self.turns[first:last] for first, last in zip([0, *ends], ends, strict=False)]


@dataclass(frozen=True, slots=True)
class Period:
    """What "close session" and "close period" are asked about.

    `children` are (title, text) of the nodes below, in order; `history` of up to three earlier nodes of
    the same level that ended before this one starts.  `turns` are given for sessions only; `known` for
    profiles only: what is recorded of every speaker to portray, by key of the persona.
    """

    grain: Grain
    window: str
    children: tuple[tuple[str, str], ...]
    history: tuple[tuple[str, str], ...] = ()
    turns: tuple[Turn, ...] = ()
    known: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)
