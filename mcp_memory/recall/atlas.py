"""How scenes, topics, items and cues hang together, as arrays; made anew only when one of them changed."""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Final

import numpy as np

from mcp_memory.model.unit import HORIZON_VIEWS, SCENE_VIEWS, Unit
from mcp_memory.recall.fuse import Rows, Scores
from mcp_memory.store.shelf import VIEWS, Shelf, Vector

# the views that evoke a host; entity cues name kinds of things, which helps facts and not associations
EVOKING: Final = (*SCENE_VIEWS, *HORIZON_VIEWS, "bridge")
LEAST_ROWS: Final = 20  # from which vectors have a theme that can be taken out
# the views of each component of the papers' ablations
HIDES: Final[Mapping[str, frozenset[str]]] = {
    "scenes": frozenset({"scene"}),
    "topics": frozenset({"topic"}),
    "items": frozenset({"item"}),
    "entity-bridge": frozenset({"entity", "bridge"}),
    "scene-cues": frozenset(SCENE_VIEWS),
    "horizon": frozenset(HORIZON_VIEWS) - {"utterance"},
    "utterances": frozenset({"utterance"}),
}


@dataclass(frozen=True, slots=True)
class Cues:
    """All cues of one view: row, the row of the host they point at (item or scene), and centring terms.

    `towards` is c·m and `length` |c − m| for the view's mean m: what the centred cosine needs.
    """

    rows: Rows
    hosts: Rows
    mean: Vector
    towards: Scores
    length: Scores


@dataclass(frozen=True, slots=True)
class Atlas:
    """Rows of scenes, items and topics; the scene of every item (-1: none); topics of every scene; cues by view."""

    scenes: Rows
    items: Rows
    topics: Rows
    scene_of: dict[str, int]  # turn id -> position in `scenes`
    item_scene: Rows  # position in `scenes`
    scene_topics: tuple[tuple[int, ...], ...]  # positions in `topics`
    cues: dict[str, Cues]
    written: bool  # whether anybody but the rules wrote scenes


def chart(shelf: Shelf, without: Set[str] = frozenset()) -> Atlas:
    """Draws the atlas of what is on the shelf now; views in `without` are left out."""
    nobody = np.zeros(len(shelf), dtype=bool)
    rows = {view: shelf.rows(view, nobody if view in without else None) for view in VIEWS}
    scenes, items, topics = rows["scene"], rows["item"], rows["topic"]
    scene_units = _units(shelf, scenes)
    scene_of = {turn: position for position, one in enumerate(scene_units) for turn in one.turns}
    topic_at = {one.id: position for position, one in enumerate(_units(shelf, topics))}
    item_scene = [next((scene_of[t] for t in reversed(one.turns) if t in scene_of), -1) for one in _units(shelf, items)]
    return Atlas(
        scenes=scenes,
        items=items,
        topics=topics,
        scene_of=scene_of,
        item_scene=np.array(item_scene, dtype=np.int64),
        scene_topics=tuple(
            tuple(topic_at[topic] for topic in one.detail.get("topics", ()) if topic in topic_at) for one in scene_units
        ),
        cues={view: _cues(shelf, rows[view]) for view in (*EVOKING, "entity")},
        written=any(one.source != "rules" for one in scene_units),
    )


def _units(shelf: Shelf, rows: Rows) -> list[Unit]:
    return [shelf.units[shelf.ids[row]] for row in rows]


def _cues(shelf: Shelf, rows: Rows) -> Cues:
    hosts = np.array([shelf.row_of.get(one.parent, -1) for one in _units(shelf, rows)], dtype=np.int64)
    known = (hosts >= 0) & shelf.embedded[rows]
    rows, hosts = rows[known], hosts[known]
    vectors = shelf.vectors[rows]
    enough = len(rows) >= LEAST_ROWS  # the mean of a few cues is those cues: taken out, nothing would be left of them
    mean = vectors.mean(axis=0) if enough else np.zeros(shelf.vectors.shape[1], dtype=np.float32)
    towards = (vectors @ mean).astype(np.float64)
    length = np.sqrt(np.maximum(1.0 - 2.0 * towards + float(mean @ mean), 1e-9))
    return Cues(rows, hosts, mean, towards, length)
