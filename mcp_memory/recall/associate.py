"""Associations: what a remark evokes through cues that were written in advance, sharing no words with it.

    q' = unit(q − mean of the store's quotes);  c' = unit(c − mean of the cue's own view)
    score(host) = Σ over views of weight · exp(3 · best cosine(q', c'))      no such cue: cosine 0

Centring takes the store's dominant theme out of both sides: without it, remarks land on whatever the person
talks about most (R@10 .64 against .74 on the development conversations).  A host without a view counts as
average there, so having a view is no merit in itself.  The ranking is a list of its own: re-ranked by words
and likeness it would lose exactly what it is for.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from mcp_memory.recall.atlas import EVOKING, Atlas
from mcp_memory.recall.fuse import Rows, Scores, best_per_host
from mcp_memory.store.shelf import Shelf, Vector

SHARP: Final = 3.0
FAR: Final = (
    0.15  # a host whose best cue is farther (centred cosine) is not evoked; 96 % of the hidden scenes are nearer
)
WEIGHTS: Final = {"utterance": 2.0, "bridge": 2.0}  # all other views 1


@dataclass(frozen=True, slots=True)
class Evoked:
    """Hosts best first: their rows, scores, the row of the cue that fits best, and how well it does (cosine)."""

    rows: Rows
    scores: Scores
    cues: Rows
    nearness: Scores


def centred(query: Vector, mean: Vector) -> Vector:
    """The query without what the whole store is about."""
    moved = query - mean
    found: Vector = moved / max(float(np.linalg.norm(moved)), 1e-9)
    return found


def associations(shelf: Shelf, atlas: Atlas, asked: Vector, live: np.ndarray) -> Evoked:
    """All hosts that have cues, ranked; `asked` is the centred query."""
    hosts, place = _hosts(shelf, atlas, live)
    total = np.zeros(len(hosts))
    best, best_cue = np.full(len(hosts), -np.inf), np.zeros(len(hosts), dtype=np.int64)
    for view in EVOKING:
        cues = atlas.cues[view]
        where = place[_host_rows(atlas, view)] if len(cues.rows) else cues.rows
        known = where >= 0
        rows, where = cues.rows[known], where[known]
        cosine = (shelf.vectors[rows] @ asked - float(cues.mean @ asked)) / cues.length[known]
        total += WEIGHTS.get(view, 1.0) * np.exp(SHARP * best_per_host(cosine, where, len(hosts), 0.0))
        for position in np.argsort(cosine, kind="stable"):
            if cosine[position] > best[where[position]]:
                best[where[position]], best_cue[where[position]] = cosine[position], rows[position]
    order = np.argsort(-total, kind="stable")
    return Evoked(hosts[order], total[order], best_cue[order], best[order])


def _host_rows(atlas: Atlas, view: str) -> Rows:
    """The row each cue of a view evokes: a bridge its item's scene, all others the host they were written for."""
    hosts = atlas.cues[view].hosts
    if view != "bridge":
        return hosts
    scene_row = np.append(atlas.scenes, -1)
    lifted = {int(row): int(scene_row[scene]) for row, scene in zip(atlas.items, atlas.item_scene, strict=True)}
    return np.array([up if (up := lifted.get(int(row), -1)) >= 0 else row for row in hosts], dtype=np.int64)


def _hosts(shelf: Shelf, atlas: Atlas, live: np.ndarray) -> tuple[Rows, Rows]:
    """Rows of all live hosts, and the position of every row among them (-1: none)."""
    named = [_host_rows(atlas, view) for view in EVOKING]
    hosts = np.unique(np.concatenate(named)) if named else np.zeros(0, dtype=np.int64)
    hosts = hosts[live[hosts]] if len(hosts) else hosts
    place = np.full(len(shelf) + 1, -1, dtype=np.int64)
    place[hosts] = np.arange(len(hosts))
    return hosts, place
