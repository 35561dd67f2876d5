"""Leaves: every message scored by words and meaning, with what its neighbours lend (TiMem §3.3, k₁).

match_i = λ · minmax(cos_i) + (1 − λ) · bm25_i / max bm25        names of speakers are no keywords
match_i + .3 when it was said on a day that the query names, or tells of it
match_i halves when an assistant said it                          people ask about what they said
score_i = match_i + .2 (match_i±1) + .04 (match_i±2)              same session
score_i × 1.3 when the query names one person and it is theirs
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from mcp_memory.model.query import Plan
from mcp_memory.recall.fuse import Rows, Scores, balanced
from mcp_memory.store.links import borrow
from mcp_memory.store.shelf import Mask, Shelf, Vector

NEAR: Final = 0.2
ASSISTANT: Final = 0.5
NAMED: Final = 1.3
DATED: Final = 0.3


@dataclass(frozen=True, slots=True)
class Channels:
    """A query against every row of the shelf: cosines (zero without vectors) and BM25 by view.

    `sense` is the query without the memory's theme and `evoking` its cosines; None without vectors.
    """

    dense: Scores
    words: dict[str, Scores]
    weight: float  # λ; 0 when there are no vectors
    dated: Scores  # `DATED` for what was said on, or tells of, a day, week, month or year that the query names
    named: Mask  # what holds all of a few words that are looked for
    asked: tuple[str, ...] = ()  # the query's terms but for names
    days: tuple[str, ...] = ()  # that it names, as dates
    days_only: bool = False  # the query asks for nothing but what was then
    sense: Vector | None = None
    evoking: Scores | None = None


def leaf_scores(shelf: Shelf, rows: Rows, channels: Channels, plan: Plan) -> Scores:
    """One score per quote in `rows`."""
    match = np.zeros(len(shelf))
    match[rows] = balanced(channels.dense[rows], channels.words["quote"][rows], channels.weight)
    match[rows] += channels.dated[rows]
    if not plan.of_assistant:
        match *= np.where(shelf.assistant, ASSISTANT, 1.0)
    before, after = shelf.links.around(len(shelf))
    scores = borrow(match, before, after, NEAR)[rows]
    if len(plan.speakers) == 1:
        scores = scores * np.where(shelf.speaker[rows] == shelf.speakers.get(plan.speakers[0], -1), NAMED, 1.0)
    return scores
