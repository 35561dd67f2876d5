"""Associations: what a remark evokes through cues that were written in advance, sharing no words with it.

    q' = unit(q − mean of the store's quotes);  c' = unit(c − mean of the cue's own view)
    score(host) = Σ over views of weight · exp(3 · best cosine(q', c'))      no such cue: cosine 0

What was said in a scene counts as one more view: where nobody wrote cues it is the only one.

Centring takes the store's dominant theme out of both sides: without it, remarks land on whatever the person
talks about most (R@10 .64 against .74 on the development conversations).  A host without a view counts as
average there, so having a view is no merit in itself.  The ranking is a list of its own: re-ranked by words
and likeness it would lose exactly what it is for.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from mcp_memory.recall.atlas import EVOKING, Atlas
from mcp_memory.recall.fuse import Rows, Scores, best_per_host
from mcp_memory.store.shelf import Vector

SHARP: Final = 3.0
FAR: Final = 0.1  # a host whose best cue is farther (centred cosine) is not evoked
# nothing is evoked by a remark to which nothing is this near: "good morning" (of 118 meaningful ones it costs one)
CLOSE: Final = 0.27
CLOSE_QUOTE: Final = 0.15  # where the nearest is no cue but what was said
WEIGHTS: Final = {"utterance": 2.0, "bridge": 2.0}  # all other views 1


@dataclass(frozen=True, slots=True)
class Evoked:
    """Hosts best first: their rows, scores, the row of the cue that fits best, and how well it does (cosine)."""

    rows: Rows
    scores: Scores
    cues: Rows
    nearness: Scores


_NO_ROWS: Final = np.zeros(0, dtype=np.int64)
NOTHING: Final = Evoked(_NO_ROWS, np.zeros(0), _NO_ROWS, np.zeros(0))


def centred(query: Vector, mean: Vector) -> Vector:
    """The query without what the whole store is about."""
    moved = query - mean
    found: Vector = moved / max(float(np.linalg.norm(moved)), 1e-9)
    return found


def associations(
    atlas: Atlas, asked: Vector, cosines: Scores, live: np.ndarray, views: Sequence[str] = EVOKING
) -> Evoked:
    """All live hosts that have cues of `views`, ranked; `asked` is the centred query, `cosines` all rows' with it."""
    count = len(atlas.hosts)
    total, best = np.zeros(count), np.full(count, -np.inf)
    best_cue = np.zeros(count, dtype=np.int64)
    for view in views:
        cues = atlas.cues[view]
        cosine = (cosines[cues.rows] - float(cues.mean @ asked)) / cues.length
        cosine[~live[cues.rows]] = -np.inf  # what is replaced or lies outside the time asked about evokes nothing
        nearest = best_per_host(cosine, cues.evokes, count, -np.inf)
        total += WEIGHTS.get(view, 1.0) * np.exp(SHARP * np.where(np.isneginf(nearest), 0.0, nearest))
        foremost = (cosine == nearest[cues.evokes]) & live[cues.rows]
        cue = np.zeros(count, dtype=np.int64)
        cue[cues.evokes[foremost]] = cues.rows[foremost]
        better = nearest > best
        best[better], best_cue[better] = nearest[better], cue[better]
    seen = np.flatnonzero(live[atlas.hosts] & ~np.isneginf(best))
    order = seen[np.argsort(-total[seen], kind="stable")]
    return Evoked(atlas.hosts[order], total[order], best_cue[order], best[order])
