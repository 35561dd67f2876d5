"""Recall as six steps: plan, leaves, cascade, climb, gate, fit; each leaves a trace."""

from collections.abc import Sequence
from itertools import islice
from typing import Any, Final

import numpy as np

from mcp_memory.model.query import Answer, Plan, Query
from mcp_memory.model.unit import Unit
from mcp_memory.recall.associate import CLOSE, CLOSE_QUOTE, FAR, NOTHING, Evoked, associations
from mcp_memory.recall.atlas import EVOKING, HIDES, WRITTEN, Atlas, chart
from mcp_memory.recall.cascade import Themes, cascade
from mcp_memory.recall.climb import SHARES as CLIMB_SHARES
from mcp_memory.recall.climb import climb
from mcp_memory.recall.draw import LONG_QUOTES, Pen
from mcp_memory.recall.evidence import FEW, evidence
from mcp_memory.recall.fit import Candidate, Page, pack
from mcp_memory.recall.fuse import Rows, Scores, top
from mcp_memory.recall.gate import FLOOR, Judge, judged, threshold
from mcp_memory.recall.leaves import Channels, leaf_scores
from mcp_memory.recall.listen import Tools, asked_of, listen, visible
from mcp_memory.recall.outcome import Found, hits_of, trace_of
from mcp_memory.recall.plan import SHARES, asks, plan
from mcp_memory.store.corpus import Corpus
from mcp_memory.store.shelf import Mask
from mcp_memory.text.facts import COVERAGE
from mcp_memory.text.lexical import has_words, term_set

POOL: Final = 200  # candidates of each list that are looked at
QUOTE_OFFSET: Final = 0.2  # a quote against a written item of the same rank
SCENE_OFFSET: Final = 0.4  # a scene's summary only fills up

COMPONENTS: Final = (*HIDES, "cascade", "climb", "persona", "gate")


def recall(corpus: Corpus, query: Query, tools: Tools) -> tuple[Answer, dict[str, Any]]:
    """The answer to a query, and the trace of how it came about."""
    with corpus.lock:
        planned = plan(query, _people(corpus))
    if tools.planner:  # a model may take seconds: nobody else waits for it
        planned = tools.planner(query, planned)
    with corpus.lock:
        live = visible(corpus, query)
        channels = listen(corpus, planned.speakers, query, live, tools)
        found = _find(corpus, _atlas(corpus, tools), channels, planned, query, live, tools)
        pen = Pen(corpus, tools.zone, channels.asked, channels.evoking, corpus.outdated(asked_of(query)))
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
        live = visible(corpus, query)
        channels = listen(corpus, (), query, live, tools)
        ranked = _associations(_atlas(corpus, tools), channels, live, EVOKING)
        units = [corpus.units[corpus.shelf.ids[row]] for row in ranked.rows]
    return [one for one in units if one.kind == "scene"]


def _people(corpus: Corpus) -> list[str]:
    """Speakers with names: roles are nobody."""
    return [one for one in corpus.shelf.speakers if one and one not in ("user", "assistant")]


def _atlas(corpus: Corpus, tools: Tools) -> Atlas:
    """The atlas of the shelf's present themes, drawn once per state."""
    key = hash((id(corpus.shelf), corpus.shelf.themes, tools.without))
    if key not in tools.atlases:
        tools.atlases.clear()
        hidden = (HIDES.get(one, frozenset()) for one in tools.without)
        tools.atlases[key] = chart(corpus.shelf, frozenset().union(*hidden))
    return tools.atlases[key]


# ---------------------------------------------------------------------- finding


def _find(
    corpus: Corpus, atlas: Atlas, channels: Channels, planned: Plan, query: Query, live: Mask, tools: Tools
) -> Found:
    shelf = corpus.shelf
    quotes = shelf.rows("quote", live)
    shown = evidence(shelf, atlas, channels, live, told=planned.form == "remark")
    said = channels.asked or channels.days_only or planned.speakers or (asks(query.text) and has_words(query.text))
    if not said or not (shown.rows.any() or planned.form == "remark"):
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
    if planned.form == "remark" and not evoked:
        facts = facts[:FEW]
    above = [] if "climb" in tools.without else climb(corpus, by_unit, planned.complexity, planned.speakers, query)
    if "persona" in tools.without:
        above = [one for one in above if one.section != "profile"]
    return Found(facts, evoked, by_unit, above, atlas.written, channels.days_only, channels.days)


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
    sources = frozenset() if _says_more(corpus, unit) else frozenset(unit.turns)
    return Candidate(unit.id, section, score, sources, "words and meaning")  # type: ignore[arg-type]


def _says_more(corpus: Corpus, unit: Unit) -> bool:
    """Whether a caller's note holds more than its message: it is worth a line beside it."""
    if unit.view != "note" or not unit.turns or unit.turns[0] not in corpus.turns:
        return False
    noted, said = term_set(unit.text), term_set(corpus.turns[unit.turns[0]].text)
    return len(noted & said) < COVERAGE * len(noted)


def _associations(atlas: Atlas, channels: Channels, live: Mask, views: Sequence[str]) -> Evoked:
    if channels.sense is None or channels.evoking is None:
        return NOTHING
    return associations(atlas, channels.sense, channels.evoking, live, views)


def _evoked(corpus: Corpus, evoked: Evoked) -> list[Candidate]:
    """Associative candidates, best first, each with the cue that evoked it."""
    found, ids = list[Candidate](), corpus.shelf.ids
    if not len(evoked.rows):
        return found
    best = int(np.argmax(evoked.nearness))
    by_quote = corpus.units[ids[evoked.cues[best]]].view == "quote"
    if evoked.nearness[best] < (CLOSE_QUOTE if by_quote else CLOSE):
        return found
    ranked = zip(evoked.rows, evoked.scores, evoked.cues, evoked.nearness, strict=True)
    for row, score, cue, near in islice(ranked, POOL):
        if near < FAR:
            continue
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
    least = 0 if planned.form == "remark" else FLOOR[planned.complexity]
    space = query.max_tokens - page.used - (room if planned.form == "question" else 0)
    open_gate = found.anything or "gate" in tools.without
    gate = 0.0 if open_gate else threshold(query.max_tokens, found.written or planned.form == "remark")
    dropped = pack(page, found.facts, pen.draw, space, gate, least)
    if planned.form == "question":
        pack(page, found.evoked, pen.draw, room, 0.0, 0)
    if not page.lines and found.facts and (first := pen.draw(found.facts[0], LONG_QUOTES)):
        page.force(found.facts[0], first)
    pack(page, found.above, pen.draw, int(query.max_tokens * CLIMB_SHARES[planned.complexity]), 0.0, 0)
    return page, dropped


def _judge(page: Page, planned: Plan, judge: Judge) -> set[str]:
    """Lets a judge drop lines; what a cue evoked is not for it to drop."""
    lines = [(one.candidate.unit, one.text, one.via) for one in page.lines if not one.candidate.reserved]
    doomed = judged(lines, planned.complexity, judge)
    page.drop(doomed)
    return doomed
