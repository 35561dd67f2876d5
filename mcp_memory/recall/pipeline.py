"""Recall as six steps: plan, leaves, cascade, climb, gate, fit; each leaves a trace."""

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice
from typing import Any, Final
from zoneinfo import ZoneInfo

import numpy as np

from mcp_memory.model.query import Answer, Plan, Query
from mcp_memory.model.unit import Unit
from mcp_memory.recall.associate import FAR, NOTHING, Evoked, associations, centred
from mcp_memory.recall.atlas import EVOKING, HIDES, LEAST_ROWS, WRITTEN, Atlas, chart
from mcp_memory.recall.cascade import Themes, cascade
from mcp_memory.recall.climb import SHARES as CLIMB_SHARES
from mcp_memory.recall.climb import climb
from mcp_memory.recall.draw import LONG_QUOTES, Pen
from mcp_memory.recall.evidence import FEW, evidence
from mcp_memory.recall.fit import Candidate, Page, pack
from mcp_memory.recall.fuse import Rows, Scores, top
from mcp_memory.recall.gate import FLOOR, Judge, judged, threshold
from mcp_memory.recall.leaves import DATED, Channels, leaf_scores
from mcp_memory.recall.outcome import Found, hits_of, trace_of
from mcp_memory.recall.plan import SHARES, named_days, plan
from mcp_memory.store.corpus import Corpus
from mcp_memory.store.shelf import WORDED, Mask, Vector
from mcp_memory.text.lexical import analyze, has_words

SAMPLE: Final = 2_000  # quotes that tell the memory's theme until the background has found it
POOL: Final = 200  # candidates of each list that are looked at
QUOTE_OFFSET: Final = 0.2  # a quote against a written item of the same rank
SCENE_OFFSET: Final = 0.4  # a scene's summary only fills up

COMPONENTS: Final = (*HIDES, "cascade", "climb", "persona", "gate")

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
    without: frozenset[str] = frozenset()  # `COMPONENTS` left out, for ablations
    atlases: dict[int, Atlas] = field(default_factory=dict)


def recall(corpus: Corpus, query: Query, tools: Tools) -> tuple[Answer, dict[str, Any]]:
    """The answer to a query, and the trace of how it came about."""
    with corpus.lock:
        planned = plan(query, _people(corpus))
    if tools.planner:  # a model may take seconds: nobody else waits for it
        planned = tools.planner(query, planned)
    with corpus.lock:
        tools = _fitting(corpus, tools)
        live = _live(corpus, query)
        names = _name_terms(planned)
        asked = [term for term in analyze(query.text) if term not in names]
        channels = _channels(corpus, names, query, live, tools)
        atlas = _atlas(corpus, tools)
        found = _find(corpus, atlas, channels, planned, query, live, tools)
        pen = Pen(corpus, tools.zone, asked, channels.evoking, corpus.outdated(_asked_of(query)))
        page, dropped = _fill(found, planned, query, pen, tools)
        hits = hits_of(corpus, page)
    if tools.judge and "gate" not in tools.without:  # it too may take seconds
        doomed = _judge(page, planned, tools.judge)
        hits = tuple(one for one in hits if one.id not in doomed)
        dropped += sorted(doomed)
    shown = {one.id for one in hits}
    dropped = [one for one in dropped if one not in shown]  # left out of the facts, but evoked by a cue
    trace = trace_of(query, planned, found, page, dropped)
    return Answer(planned, hits, page.used, dropped=tuple(dropped)), trace


def evoked_scenes(corpus: Corpus, query: Query, tools: Tools) -> list[Unit]:
    """All scenes in the order in which a remark evokes them by their cues, best first."""
    with corpus.lock:
        tools = _fitting(corpus, tools)
        live = _live(corpus, query)
        channels = _channels(corpus, frozenset(), query, live, tools)
        ranked = _associations(_atlas(corpus, tools), channels, live, EVOKING)
        units = [corpus.units[corpus.shelf.ids[row]] for row in ranked.rows]
    return [one for one in units if one.kind == "scene"]


# ---------------------------------------------------------------------- channels


def _fitting(corpus: Corpus, tools: Tools) -> Tools:
    """By words only when the store took on another embedder while the query was being embedded."""
    if tools.vector is None or len(tools.vector) == corpus.shelf.vectors.shape[1]:
        return tools
    return replace(tools, vector=None)


def _live(corpus: Corpus, query: Query) -> Mask:
    """What may be seen: of the time asked about, nothing after the moment of asking, and not superseded by then."""
    shelf = corpus.shelf
    live = shelf.alive & shelf.between(query.since, query.until, query.at)
    live[[row for one in corpus.outdated(_asked_of(query)) if (row := shelf.row_of.get(one.id)) is not None]] = False
    return live


def _asked_of(query: Query) -> datetime:
    """The latest moment that may show through."""
    return min(query.at, query.until) if query.until else query.at


def _people(corpus: Corpus) -> list[str]:
    """Speakers with names: roles are nobody."""
    return [one for one in corpus.shelf.speakers if one and one not in ("user", "assistant")]


def _name_terms(planned: Plan) -> set[str]:
    return {term for name in planned.speakers for term in analyze(name)}


def _channels(corpus: Corpus, names: Set[str], query: Query, live: Mask, tools: Tools) -> Channels:
    """Names are no keywords among quotes, which the speaker's boost serves; notes are about whom they name."""
    shelf, named = corpus.shelf, named_days(query, tools.zone)
    dated, dates = np.zeros(len(shelf)), [value for value, _, _ in named.days if "/" not in value]
    for _, first, after in named.days:
        dated[shelf.between(first, after, query.at)] = DATED
    terms = [] if named.only else analyze(query.text)
    own = [term for term in terms if term not in names]
    words = {view: shelf.words(view, [*(own if view == "quote" else terms), *dates]) for view in WORDED}
    if tools.vector is None:
        return Channels(np.zeros(len(shelf)), words, 0.0, dated, named.only)
    sense = _sense(corpus, tools.vector, live)
    # one after the other: for a product with a matrix the library keeps 30 MB of buffers, and is no faster
    dense, evoking = ((shelf.vectors @ one).astype(np.float64) for one in (tools.vector, sense))
    return Channels(dense, words, tools.weight, dated, named.only, sense, evoking)


def _atlas(corpus: Corpus, tools: Tools) -> Atlas:
    """The atlas of the shelf's present themes, drawn once per state."""
    key = hash((id(corpus.shelf), corpus.shelf.themes, tools.without))
    if key not in tools.atlases:
        tools.atlases.clear()
        hidden = (HIDES.get(one, frozenset()) for one in tools.without)
        tools.atlases[key] = chart(corpus.shelf, frozenset().union(*hidden))
    return tools.atlases[key]


def _sense(corpus: Corpus, vector: Vector, live: Mask) -> Vector:
    """The query without the store's dominant theme."""
    if corpus.centre is not None:
        return centred(vector, corpus.centre)
    rows = corpus.shelf.rows("quote", live & corpus.shelf.embedded)
    if len(rows) < LEAST_ROWS:
        return vector
    sample = rows[:: max(1, len(rows) // SAMPLE)]
    return centred(vector, corpus.shelf.vectors[sample].mean(axis=0))


# ---------------------------------------------------------------------- finding


def _find(
    corpus: Corpus, atlas: Atlas, channels: Channels, planned: Plan, query: Query, live: Mask, tools: Tools
) -> Found:
    shelf = corpus.shelf
    quotes = shelf.rows("quote", live)
    shown = evidence(shelf, atlas, channels, live)
    if not has_words(query.text) or not shown.rows.any():
        return Found([], [], {}, [])
    leaves = leaf_scores(shelf, quotes, channels, planned)
    themes = cascade(atlas, channels, live, flat="cascade" in tools.without)
    facts = _facts(corpus, atlas, themes, quotes, leaves, live)
    facts = [one for one in facts if shown.rows[shelf.row_of[one.unit]]][: None if shown.sure else FEW]
    best = float(leaves.max(initial=0.0)) or 1.0
    chosen = top(leaves, POOL)
    by_unit = {shelf.ids[quotes[n]]: float(leaves[n]) / best for n in chosen}
    views = WRITTEN if planned.form == "question" else EVOKING  # what was said is among a question's facts anyway
    evoked = _evoked(corpus, _associations(atlas, channels, live, views))
    above = [] if "climb" in tools.without else climb(corpus, by_unit, planned.complexity, planned.speakers, query)
    if "persona" in tools.without:
        above = [one for one in above if one.section != "profile"]
    return Found(facts, evoked, by_unit, above, atlas.written)


def _facts(corpus: Corpus, atlas: Atlas, themes: Themes, quotes: Rows, leaves: Scores, live: Mask) -> list[Candidate]:
    """Quotes, written items and scene summaries in one list, scores comparable, 1 for the best."""
    alive = live[atlas.items]
    items, item_scores = atlas.items[alive], themes.items[alive]
    if atlas.written:
        leaves = leaves + _above(atlas, themes, quotes)
    lists: list[tuple[Rows, Scores]] = [(quotes, _relative(leaves) - (QUOTE_OFFSET if atlas.written else 0.0))]
    if len(items):
        lists.append((items, _relative(item_scores) if atlas.written else _against(item_scores, leaves)))
    if atlas.written:
        seen = live[atlas.scenes]
        lists.append((atlas.scenes[seen], _relative(themes.scenes[seen]) - SCENE_OFFSET))
    found = [_candidate(corpus, int(rows[n]), float(scores[n])) for rows, scores in lists for n in top(scores, POOL)]
    return sorted(found, key=lambda one: -one.score)


def _relative(scores: Scores) -> Scores:
    low, high = float(scores.min(initial=0.0)), float(scores.max(initial=0.0))
    return (scores - low) / (high - low) if high > low else np.zeros_like(scores)


def _against(items: Scores, leaves: Scores) -> Scores:
    """Items on the scale of the quotes: a few notes among many quotes have no scale of their own."""
    return items / (float(leaves.max(initial=0.0)) or 1.0)


def _above(atlas: Atlas, themes: Themes, quotes: Rows) -> Scores:
    """What the scene of each quote lends it; quotes that came after the atlas was drawn have none."""
    scene = np.full(int(quotes.max(initial=-1)) + 1, -1, dtype=np.int64)
    drawn = min(len(scene), len(atlas.quote_scene))
    scene[:drawn] = atlas.quote_scene[:drawn]
    found: Scores = np.append(themes.above, 0.0)[scene[quotes]]
    return found


def _candidate(corpus: Corpus, row: int, score: float) -> Candidate:
    unit = corpus.units[corpus.shelf.ids[row]]
    section = "scenes" if unit.kind == "scene" else "facts"
    return Candidate(unit.id, section, score, frozenset(unit.turns), "words and meaning")  # type: ignore[arg-type]


def _associations(atlas: Atlas, channels: Channels, live: Mask, views: Sequence[str]) -> Evoked:
    if channels.sense is None or channels.evoking is None:
        return NOTHING
    return associations(atlas, channels.sense, channels.evoking, live, views)


def _evoked(corpus: Corpus, evoked: Evoked) -> list[Candidate]:
    """Associative candidates, best first, each with the cue that evoked it."""
    found = []
    ranked = zip(evoked.rows, evoked.scores, evoked.cues, evoked.nearness, strict=True)
    for row, score, cue, near in islice(ranked, POOL):
        if near < FAR:
            continue
        ids = corpus.shelf.ids
        found.append(Candidate(ids[row], "associations", float(score), frozenset(), cue=ids[cue], reserved=True))
    return found


# ---------------------------------------------------------------------- filling


def _fill(found: Found, planned: Plan, query: Query, pen: Pen, tools: Tools) -> tuple[Page, list[str]]:
    """Facts first for a question, associations first for a remark; then what stands above."""
    page = Page(query.max_tokens)
    room = int(query.max_tokens * SHARES[planned.form]) if found.evoked else 0
    if planned.form != "question":
        pack(page, found.evoked[: tools.reserved], pen.draw, page.budget, 0.0, 0)
        pack(page, found.evoked[tools.reserved :], pen.draw, room - page.used, 0.0, 0)
    least = FLOOR[planned.complexity]
    space = query.max_tokens - page.used - (room if planned.form == "question" else 0)
    gate = 0.0 if "gate" in tools.without else threshold(query.max_tokens, found.written)
    dropped = pack(page, found.facts, pen.draw, space, gate, least)
    if planned.form == "question":
        pack(page, found.evoked, pen.draw, room, 0.0, 0)
    if not page.lines and found.facts:
        page.force(found.facts[0], pen.draw(found.facts[0], LONG_QUOTES))
    pack(page, found.above, pen.draw, int(query.max_tokens * CLIMB_SHARES[planned.complexity]), 0.0, 0)
    return page, dropped


def _judge(page: Page, planned: Plan, judge: Judge) -> set[str]:
    """Lets a judge drop lines; what a cue evoked is not for it to drop."""
    lines = [(one.candidate.unit, one.text, one.via) for one in page.lines if not one.candidate.reserved]
    doomed = judged(lines, planned.complexity, judge)
    page.drop(doomed)
    return doomed
