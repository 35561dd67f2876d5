"""The one shape of everything derived: tree nodes, scenes, topics, items and cues are rows of one table,
because one consolidation must be one atomic commit."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal

Kind = Literal["segment", "session", "day", "week", "profile", "persona", "scene", "topic", "item", "cue"]
Family = Literal["", "entity", "bridge", "scene", "horizon"]
Source = Literal["rules", "caller", "llm"]
Status = Literal["live", "provisional"]

LEVEL: Final[dict[str, int]] = {"segment": 1, "session": 2, "day": 3, "week": 4, "profile": 5}
TREE: Final[tuple[Kind, ...]] = ("segment", "session", "day", "week", "profile")
SCENE_VIEWS: Final = ("situation", "object", "event", "emotion")
HORIZON_VIEWS: Final = (
    "personal_arc",
    "avoidance_habit",
    "goal_arc",
    "belief_in_action",
    "legacy_anchor",
    "utterance",
)


@dataclass(frozen=True, slots=True)
class Unit:
    """One derived record.

    `start`/`end` are UTC and span its turns (for cues: its host's).  `window` is the key of the window it is
    derived with and again: the local day up to level 3 and for scenes, items and cues, the ISO week, the
    month for profiles and personas, "" for topics.  `parent` is the tree node above, the scene (or, for
    quotes and notes, the segment) of an item, the profile of a persona, or the host of a cue.  `turns` are
    the evidence, oldest first; empty above session level, where children carry it.  `title` is short,
    `text` is what is indexed and shown.  `detail` holds what only one kind needs (JSON values only):
      scene    summary, keywords, topics [ids], titles [of the topics]
      item     when, replaces, why; of quotes days [that they name]
      topic    keywords, scenes [how many]
      session  patches (what its speakers said of themselves)
      persona  patches of its month
    """

    id: str
    owner: str
    kind: Kind
    start: datetime
    end: datetime
    text: str
    title: str = ""
    family: Family = ""
    view: str = ""
    speaker: str = ""
    parent: str = ""
    window: str = ""
    turns: tuple[str, ...] = ()
    source: Source = "rules"
    status: Status = "live"
    detail: Mapping[str, Any] = field(default_factory=dict)

    @property
    def level(self) -> int:
        """1 to 5 in the time tree, 0 for themes and cues."""
        return LEVEL.get(self.kind, 0)
