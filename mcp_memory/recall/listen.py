"""Listening: a query held against every row of the shelf, by words, by meaning and by the days it names."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

import numpy as np

from mcp_memory.model.query import Plan, Query
from mcp_memory.recall.associate import centred
from mcp_memory.recall.atlas import LEAST_ROWS, Atlas
from mcp_memory.recall.fuse import Scores
from mcp_memory.recall.gate import Judge
from mcp_memory.recall.leaves import DATED, Channels
from mcp_memory.recall.plan import Named, asks, asks_anything, named_days
from mcp_memory.store.corpus import Corpus
from mcp_memory.store.shelf import WORDED, Mask, Shelf, Vector
from mcp_memory.text.lexical import analyze

SAMPLE: Final = 2_000  # quotes that tell the memory's theme until the background has found it
FEW_WORDS: Final = 3  # of a query that something may be expected to hold all of

Planner = Callable[[Query, Plan], Plan]


@dataclass(slots=True)
class Tools:
    """What a recall works with beside the corpus."""

    zone: ZoneInfo
    weight: float  # λ of the embedder
    reserved: int  # least number of lines kept for associations of a remark
    vector: Vector | None = None  # the query's
    planner: Planner | None = None
    judge: Judge | None = None
    without: frozenset[str] = frozenset()  # components left out, for ablations
    atlases: dict[int, Atlas] = field(default_factory=dict)


def in_first_person(text: str, owner: str) -> str:
    """A query about the owner as they would put it.

    Their own lines say "I"; the name is in front of everything they say, and so like all of it.
    """
    name = r"the user" if owner.casefold() in ("user", "me") else rf"(?:the user|{re.escape(owner)})"
    mine = re.sub(rf"\b{name}['’]s?(?!\w)", "my", text, flags=re.IGNORECASE)
    return re.sub(rf"\b{name}\b", "I", mine, flags=re.IGNORECASE)


def visible(corpus: Corpus, query: Query) -> Mask:
    """What may be seen: of the time asked about, nothing after the moment of asking, and not superseded by then."""
    shelf = corpus.shelf
    live = shelf.alive & shelf.between(query.since, query.until, query.at)
    live[[row for one in corpus.outdated(asked_of(query)) if (row := shelf.row_of.get(one.id)) is not None]] = False
    return live


def asked_of(query: Query) -> datetime:
    """The latest moment that may show through."""
    return min(query.at, query.until) if query.until else query.at


def listen(corpus: Corpus, speakers: Sequence[str], query: Query, live: Mask, tools: Tools) -> Channels:
    """Names are no keywords among quotes, which the speaker's boost serves; notes are about whom they name."""
    shelf, named = corpus.shelf, named_days(query, tools.zone)
    in_window = bool(query.since or query.until) and asks_anything(query.text)
    dates = [value for value, _, _ in named.days if "/" not in value]
    names = {term for name in speakers for term in analyze(name)}
    terms = [] if named.only or in_window else analyze(query.text)
    own = [term for term in terms if term not in names]
    words = {view: shelf.words(view, [*(own if view == "quote" else terms), *dates]) for view in WORDED}
    dense, sense, evoking = np.zeros(len(shelf)), None, None
    # words only as well when the store took on another embedder while the query was being embedded
    if tools.vector is not None and len(tools.vector) == shelf.vectors.shape[1]:
        sense = _sense(corpus, tools.vector, live)
        # one after the other: for a product with a matrix the library keeps 30 MB of buffers, and is no faster
        dense, evoking = ((shelf.vectors @ one).astype(np.float64) for one in (tools.vector, sense))
    return Channels(
        dense=dense,
        words=words,
        weight=tools.weight if sense is not None else 0.0,
        dated=np.full(len(shelf), DATED) if in_window else _dated(shelf, named, query),
        named=_holding(shelf, () if asks(query.text) else own),
        asked=tuple(own),
        days=tuple(value for value, _, _ in named.days),
        days_only=named.only or in_window,
        sense=sense,
        evoking=evoking,
    )


def _dated(shelf: Shelf, named: Named, query: Query) -> Scores:
    """`DATED` for what was said on a named day, or tells of it."""
    found = np.zeros(len(shelf))
    for _, first, after in named.days:
        if first.date() == date.min and not named.only:
            continue  # "before May" says little about what something else was
        found[shelf.between(first, after, query.at)] = DATED
        found[shelf.telling_of(first.date(), (after - timedelta(microseconds=1)).date())] = DATED
    return found


def _holding(shelf: Shelf, terms: Sequence[str]) -> Mask:
    """What was said or noted with every word of a query of few; nothing for longer ones and for questions."""
    wanted = set(terms)
    held = np.full(len(shelf), 0 < len(wanted) <= FEW_WORDS)
    for term in wanted if held.any() else ():
        held &= (shelf.words("quote", [term]) > 0) | (shelf.words("item", [term]) > 0)
    return held


def _sense(corpus: Corpus, vector: Vector, live: Mask) -> Vector:
    """The query without the store's dominant theme."""
    if corpus.centre is not None:
        return centred(vector, corpus.centre)
    rows = corpus.shelf.rows("quote", live & corpus.shelf.embedded)
    if len(rows) < LEAST_ROWS:
        return vector
    sample = rows[:: max(1, len(rows) // SAMPLE)]
    return centred(vector, corpus.shelf.vectors[sample].mean(axis=0))
