"""How scenes, topics, items and cues hang together, as arrays; made anew only when one of them changed."""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Final

import numpy as np

from mcp_memory.model.unit import HORIZON_VIEWS, SCENE_VIEWS, Unit
from mcp_memory.recall.fuse import Rows, Scores
from mcp_memory.store.shelf import VIEWS, Shelf, Vector

# the views that evoke a host; entity cues name kinds of things, which helps facts and not associations
WRITTEN: Final = (*SCENE_VIEWS, *HORIZON_VIEWS, "bridge")
EVOKING: Final = (*WRITTEN, "quote")
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
    "quotes": frozenset({"quote"}),
}


@dataclass(frozen=True, slots=True)
class Cues:
    """All cues of one view: row, the row of the host they point at (item or scene), and centring terms.

    `evokes` is the position in the atlas' `hosts` of what a remark is led to: a bridge to its item's scene, any
    other cue to its host.  What a person said in a scene is a view of it as well.  `length` is |c − m| for the view's
    mean m: what the centred cosine needs.
    """

    rows: Rows
    hosts: Rows
    evokes: Rows
    mean: Vector
    length: Scores


@dataclass(frozen=True, slots=True)
class Atlas:
    """Rows of scenes, items, topics and hosts of cues; the scene of every item (-1: none); topics of scenes; cues."""

    scenes: Rows
    items: Rows
    topics: Rows
    quote_scene: Rows  # position in `scenes` by row of the shelf (-1: none)
    item_scene: Rows  # position in `scenes`
    labelled: Rows  # positions in `scenes`, one for every topic that a scene has …
    labels: Rows  # … and the position of that topic in `topics`
    hosts: Rows  # everything that some cue evokes
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
    pairs = [
        (position, topic_at[topic])
        for position, one in enumerate(scene_units)
        for topic in one.detail.get("topics", ())
        if topic in topic_at
    ]
    lifted = {int(row): int(scenes[scene]) for row, scene in zip(items, item_scene, strict=True) if scene >= 0}
    quote_scene = _quote_scenes(shelf, scene_of)
    hosts, cues = _all_cues(shelf, rows, lifted, np.append(scenes, -1)[quote_scene])
    return Atlas(
        scenes=scenes,
        items=items,
        topics=topics,
        quote_scene=quote_scene,
        item_scene=np.array(item_scene, dtype=np.int64),
        labelled=np.array([scene for scene, _ in pairs], dtype=np.int64),
        labels=np.array([topic for _, topic in pairs], dtype=np.int64),
        hosts=hosts,
        cues=cues,
        written=any(one.source != "rules" for one in scene_units),
    )


def _units(shelf: Shelf, rows: Rows) -> list[Unit]:
    return [shelf.units[shelf.ids[row]] for row in rows]


def _quote_scenes(shelf: Shelf, scene_of: Mapping[str, int]) -> Rows:
    found = np.full(len(shelf), -1, dtype=np.int64)
    rows = shelf.rows("quote")
    found[rows] = [scene_of.get(one.turns[0], -1) for one in _units(shelf, rows)]
    return found


def _all_cues(
    shelf: Shelf, rows: Mapping[str, Rows], lifted: Mapping[int, int], quoted_in: Rows
) -> tuple[Rows, dict[str, Cues]]:
    """The rows that some cue evokes, and the cues by view.

    `lifted` is the row of an item's scene, `quoted_in` that of a quote's scene by row (-1: none).
    """
    pointed = {view: _pointed(shelf, rows[view]) for view in (*EVOKING, "entity") if view != "quote"}
    said = rows["quote"]
    quotes = said[(quoted_in[said] >= 0) & shelf.embedded[said] & ~shelf.assistant[said]]
    pointed["quote"] = quotes, quoted_in[quotes]
    evoked = {view: pointed[view][1] for view in EVOKING}
    evoked["bridge"] = np.array([lifted.get(int(row), int(row)) for row in evoked["bridge"]], dtype=np.int64)
    hosts = np.unique(np.concatenate(list(evoked.values())))
    places = {view: np.searchsorted(hosts, found) for view, found in evoked.items()}
    places["entity"] = np.zeros(0, dtype=np.int64)
    return hosts, {view: Cues(*pair, places[view], *_centring(shelf, view, pair[0])) for view, pair in pointed.items()}


def _pointed(shelf: Shelf, rows: Rows) -> tuple[Rows, Rows]:
    """Those cues that have a vector and a host, and the rows of the hosts."""
    hosts = np.array([shelf.row_of.get(one.parent, -1) for one in _units(shelf, rows)], dtype=np.int64)
    known = (hosts >= 0) & shelf.embedded[rows]
    return rows[known], hosts[known]


def _centring(shelf: Shelf, view: str, rows: Rows) -> tuple[Vector, Scores]:
    """The mean of a view and every vector's length without it.

    The mean of a few cues is those cues: taken out, nothing would be left of them.  Quotes keep theirs, which is
    what the query has lost already: taken out on both sides it found less.
    """
    if view == "quote" or len(rows) < LEAST_ROWS:
        return np.zeros(shelf.vectors.shape[1], dtype=np.float32), np.ones(len(rows))
    vectors = shelf.vectors[rows]
    mean = vectors.mean(axis=0)
    towards = (vectors @ mean).astype(np.float64)
    return mean, np.sqrt(np.maximum(1.0 - 2.0 * towards + float(mean @ mean), 1e-9))
