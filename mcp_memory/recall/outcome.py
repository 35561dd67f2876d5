"""What recall hands back: the lines of a page as hits, and the trace that explains them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mcp_memory.model.query import Hit, Plan, Query
from mcp_memory.recall.fit import Candidate, Page
from mcp_memory.store.corpus import Corpus


@dataclass(slots=True)
class Found:
    """Scored candidates of one query, by list."""

    facts: list[Candidate]
    evoked: list[Candidate]
    leaves: Mapping[str, float]
    above: list[Candidate]  # what stands above the best leaves
    written: bool = False  # whether somebody wrote notes: quotes alone have a flatter scale
    anything: bool = False  # whether nothing is asked but what was then: all of it is an answer
    days: tuple[str, ...] = ()  # that the query names


def hits_of(corpus: Corpus, page: Page) -> tuple[Hit, ...]:
    """The lines of a page as they are handed back."""
    hits = []
    for one in page.lines:
        unit = corpus.units[one.candidate.unit]
        sources = one.sources or unit.turns
        hits.append(
            Hit(
                id=unit.id,
                section=one.candidate.section,
                kind=unit.kind,
                line=one.text + (f" (×{one.times})" if one.times > 1 else ""),
                sources=tuple(corpus.turns[turn].source for turn in sources if turn in corpus.turns),
                start=unit.start,
                end=unit.end,
                score=one.candidate.score,
                via=one.via,
                source=unit.source,
                reserved=one.candidate.reserved,
            )
        )
    return tuple(hits)


def trace_of(query: Query, planned: Plan, found: Found, page: Page, dropped: Sequence[str]) -> dict[str, Any]:
    """How the lines of a page came about: lists, ranks, reserved ones, and what the gate dropped."""
    ranks = {one.unit: n for n, one in enumerate(found.facts, start=1)}
    evoked = {one.unit: n for n, one in enumerate(found.evoked, start=1)}
    shown = {one.candidate.unit for one in page.lines}
    rest = [one for one in (*found.facts, *found.evoked) if one.unit not in shown and one.unit not in dropped]
    told = [one for one in rest if one.sources and one.sources <= page.told]
    return {
        "query": query.text[:200],
        "at": query.at.isoformat(timespec="seconds"),
        "since": query.since.isoformat(timespec="seconds") if query.since else "",
        "until": query.until.isoformat(timespec="seconds") if query.until else "",
        "days": list(found.days),
        "complexity": f"{planned.complexity} ({planned.by})",
        "form": planned.form,
        "keywords": list(planned.keywords),
        "tokens": page.used,
        "lists": {"facts": len(found.facts), "associations": len(found.evoked), "leaves": len(found.leaves)},
        "climbed": [one.unit for one in found.above],
        "lines": [
            {
                "id": one.candidate.unit,
                "section": one.candidate.section,
                "score": round(one.candidate.score, 3),
                "fact_rank": ranks.get(one.candidate.unit, 0),
                "cue_rank": evoked.get(one.candidate.unit, 0),
                "reserved": one.candidate.reserved,
                "via": one.via,
                "times": one.times,
            }
            for one in page.lines
        ],
        "gate_dropped": list(dropped[:20]),
        "gate_dropped_count": len(dropped),
        "told_already_count": len(told),
        "no_room_count": len(rest) - len(told),
    }
