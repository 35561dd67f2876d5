"""Climbing: from the best leaves to what stands above them (TiMem §3.3, propagation).

Best score first, not earliest first; which levels are reached depends on complexity: simple L1–2 and L5,
hybrid also L3, complex L3 and L4.  Measured, these lines add nothing to evidence recall of questions, so they
only take what facts and associations leave; they are there to make the answer readable.
"""

from collections.abc import Mapping
from typing import Final

from mcp_memory.model.query import Complexity, Query, Section
from mcp_memory.model.unit import Unit
from mcp_memory.recall.fit import Candidate
from mcp_memory.store.corpus import Corpus

LEAVES: Final = 20  # k₁
# most nodes of each kind; of those with one score, the kind named first is shown first
LEVELS: Final[Mapping[Complexity, Mapping[str, int]]] = {
    "simple": {"session": 4, "persona": 1},
    "hybrid": {"session": 4, "day": 2, "persona": 1},
    "complex": {"persona": 1, "week": 2, "day": 4, "session": 4},
}
# of the budget; a simple question is answered by its facts, what it climbs to is in the trace only
SHARES: Final[Mapping[Complexity, float]] = {"simple": 0.0, "hybrid": 0.1, "complex": 0.2}
SECTIONS: Final[Mapping[str, Section]] = {
    "session": "scenes",
    "day": "patterns",
    "week": "patterns",
    "persona": "profile",
}


def climb(
    corpus: Corpus, leaves: Mapping[str, float], complexity: Complexity, speakers: tuple[str, ...], query: Query
) -> list[Candidate]:
    """Candidates above the best leaves, at the levels that the complexity allows, best first.

    `leaves` are scores by turn id, 1 for the best; nodes that sum up what `query` must not see are left out.
    """
    scores: dict[str, float] = {}
    segments = _segments(corpus, leaves)
    for segment, score in sorted(segments.items(), key=lambda one: -one[1])[:LEAVES]:
        above = corpus.units.get(corpus.units[segment].parent)
        while above is not None and above.id not in scores:
            scores[above.id] = score
            above = corpus.units.get(above.parent)
    if not scores:
        return []
    best, found = max(scores.values()), list[Candidate]()
    for kind, most in LEVELS[complexity].items():
        known = (corpus.units[one] for one in scores)
        level = _personas(corpus, speakers) if kind == "persona" else [one for one in known if one.kind == kind]
        seen = [one for one in level if query.admits(one.end)]
        ranked = sorted(seen, key=lambda one: (-scores.get(one.id, best), -one.end.timestamp(), one.id))[:most]
        found += [_candidate(one, scores.get(one.id, best)) for one in ranked]
    return sorted(found, key=lambda one: -one.score)


def _segments(corpus: Corpus, leaves: Mapping[str, float]) -> dict[str, float]:
    best: dict[str, float] = {}
    for turn, score in leaves.items():
        quote = corpus.units.get(turn)
        if quote is not None and quote.parent in corpus.units:
            best[quote.parent] = max(best.get(quote.parent, 0.0), score)
    return best


def _personas(corpus: Corpus, speakers: tuple[str, ...]) -> list[Unit]:
    """All personas of the people asked about, else of the owner: one a month."""
    wanted = speakers or (corpus.owner,)
    personas = (corpus.units[one] for one in corpus.shelf.personas)
    return [one for one in personas if one.speaker in wanted]


def _candidate(unit: Unit, score: float) -> Candidate:
    return Candidate(unit.id, SECTIONS[unit.kind], score, frozenset(unit.turns), "tree")
