"""Evidence: which records have anything to do with a query at all.

All other scores are relative to the best of the query, so that without this the best of what has nothing to do
with a question would pass.
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from mcp_memory.recall.atlas import Atlas
from mcp_memory.recall.leaves import Channels
from mcp_memory.store.shelf import Mask, Shelf

NOISE: Final = 0.06  # spread of the cosines of nonsense with what people say, as measured with the bundled encoder
SURE: Final = 1.6  # times what chance reaches, from which likeness alone is an answer
LEAST_ROWS: Final = 100  # of a smaller memory too the best is like anything
FEW: Final = 3  # lines shown of what is only faintly alike


@dataclass(frozen=True, slots=True)
class Evidence:
    """`rows` have something to do with the query; `sure` when one of them more than faintly."""

    rows: Mask
    sure: bool


def evidence(shelf: Shelf, atlas: Atlas, channels: Channels, live: Mask, *, told: bool) -> Evidence:
    """What shares a word with the query, lies on a day it names, or is more alike than by chance.

    Beside such a line of a person's the next ones count too, and an item whose cue is such a one.  Where something
    holds every word of the query, or nothing is asked but something `told`, faint likeness is no evidence.
    """
    seen = live & shelf.embedded
    chance = nothing(int(np.count_nonzero(seen)))
    likeness = np.where(seen, channels.dense, 0.0)
    alike = likeness >= chance * (SURE if told or channels.named.any() else 1.0)
    if told:  # a greeting is like any other
        alike &= ~shelf.assistant
    worded = live & (channels.dated > 0)
    for scores in channels.words.values():
        worded |= live & (scores > 0)
    if channels.days_only:
        return Evidence(worded, sure=True)
    found: Mask = alike | worded
    for view in ("entity", "bridge"):
        cues = atlas.cues[view]
        found[cues.hosts[alike[cues.rows]]] = True
    if not found.any():
        return Evidence(found, sure=False)
    own = np.append(found, False)
    for beside in shelf.links.around(len(shelf)):
        found |= own[beside] & ~shelf.assistant
    return Evidence(found, sure=bool(worded.any()) or float(likeness.max(initial=0.0)) >= SURE * chance)


def nothing(rows: int) -> float:
    """The cosine below which, without a common word, the best of `rows` rows is like the query by chance only.

    √(2 ln n) deviations are what the greatest of n chance values reaches.
    """
    return NOISE * math.sqrt(2 * math.log(max(LEAST_ROWS, rows)))
