"""Climbing: from the best leaves to what stands above them (TiMem §3.3, propagation).

Best score first, not earliest first; which levels are reached depends on complexity: simple L1–2 and L5,
hybrid also L3, complex L3 and L4.  Measured, these lines add nothing to evidence recall of questions, so they
only take what facts and associations leave; they are there to make the answer readable.
"""

from collections.abc import Mapping
from typing import Final

from mcp_memory.model.query import Complexity, Section
from mcp_memory.model.unit import Unit
from mcp_memory.recall.fit import Candidate
from mcp_memory.store.corpus import Corpus

LEAVES: Final = 20  # k₁
LEVELS: Final[Mapping[Complexity, Mapping[str, int]]] = {
    "simple": {"session": 1, "persona": 1},
    "hybrid": {"session": 4, "day": 2, "persona": 1},
    "complex": {"session": 4, "day": 4, "week": 2, "persona": 1},
}
# of the budget; a simple question is answered by its facts
SHARES: Final[Mapping[Complexity, float]] = {"simple": 0.0, "hybrid": 0.1, "complex": 0.2}
SECTIONS: Final[Mapping[str, Section]] = {
    "session": "scenes",
    "day": "patterns",
    "week": "patterns",
    "persona": "profile",
}


def climb(
    corpus: Corpus, leaves: Mapping[str, float], complexity: Complexity, speakers: tuple[str, ...]
) -> list[Candidate]:
    """Candidates above the best leaves, at the levels that the complexity allows.

    `leaves` are scores by turn id, 1 for the best.
    """
    scores: dict[str, float] = {}
    segments = _segments(corpus, leaves)
    for segment, score in sorted(segments.items(), key=lambda one: -one[1])[:LEAVES]:
        above = corpus.units.get(corpus.units[segment].parent)
        while above is not None and above.id not in scores:
            scores[above.id] = score
            above = corpus.units.get(above.parent)
    found: list[Candidate] = []
    for kind, most in LEVELS[complexity].items():
        level = [corpus.units[one] for one in scores if corpus.units[one].kind == kind]
        if kind == "persona":
            level = _personas(corpus, scores, speakers)
        ranked = sorted(level, key=lambda one: (-scores.get(one.id, 0.0), one.start))[:most]
        found += [_candidate(one, scores.get(one.id, 0.0)) for one in ranked]
    return found


def _segments(corpus: Corpus, leaves: Mapping[str, float]) -> dict[str, float]:
    best: dict[str, float] = {}
    for turn, score in leaves.items():
        quote = corpus.units.get(turn)
        if quote is not None and quote.parent in corpus.units:
            best[quote.parent] = max(best.get(quote.parent, 0.0), score)
    return best


def _personas(corpus: Corpus, scores: Mapping[str, float], speakers: tuple[str, ...]) -> list[Unit]:
    """The latest personas of the people asked about, else of the owner."""
    wanted = speakers or (corpus.owner,)
    mine = [one for one in corpus.units.values() if one.kind == "persona" and one.speaker in wanted]
    return sorted(mine, key=lambda one: one.end, reverse=True)[:1] if scores else []


def _candidate(unit: Unit, score: float) -> Candidate:
    return Candidate(unit.id, SECTIONS[unit.kind], score, frozenset(unit.turns), "tree")
