"""Drawing: a candidate becomes one dated line with its id, and says which turns it really tells.

What is no longer true is left out, whatever the line: a scene's turns, a sentence of a message, a line of a summary.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final
from zoneinfo import ZoneInfo

from mcp_memory.model.ids import short
from mcp_memory.model.turn import Turn
from mcp_memory.model.unit import Unit
from mcp_memory.recall.fit import Candidate, Drawn
from mcp_memory.recall.fuse import Scores
from mcp_memory.store.corpus import Corpus
from mcp_memory.text.clean import plain
from mcp_memory.text.dates import annotate, resolve_dates
from mcp_memory.text.facts import fact_terms, tells
from mcp_memory.text.leaves import quote_id
from mcp_memory.text.lexical import all_words, term_set
from mcp_memory.text.quote import quote
from mcp_memory.text.render import local_day
from mcp_memory.text.sentences import sentences
from mcp_memory.text.tokens import count_tokens, cut_tokens

LONG_QUOTE: Final = 80  # tokens of the first few quotes
LONG_QUOTES: Final = 4
SHORT_QUOTE: Final = 32
EVOKED_QUOTE: Final = 16  # of each of the two turns that stand for an evoked scene
EVOKED_TURNS: Final = 2
LONG_EVOKED: Final = 2  # scenes whose turns are quoted as facts are
VIA: Final = 24  # of a quote that evoked
NODE: Final = 60  # tokens of a tree node
CARRIES: Final = 0.1  # idf²-weighted share of a turn's terms from which a line tells it
TOKENS_PER_TURN: Final = 10  # a line tells at most one turn per so many tokens
_DATE: Final = re.compile(r"^[\d/-]+ ")  # in front of a line
_ISO: Final = re.compile(r"\b(?:19|20)\d\d-\d\d")


class Pen:
    """Draws the lines of one answer; `asked` are the query's terms, `nearness` the rows' to the remark or None."""

    def __init__(
        self,
        corpus: Corpus,
        zone: ZoneInfo,
        asked: Sequence[str],
        nearness: Scores | None,
        outdated: Sequence[Unit] = (),
    ) -> None:
        self._corpus, self._zone, self._near = corpus, zone, nearness
        self._outdated = [plain(unit.text) for unit in outdated]
        self._gone = {unit.turns[0] for unit in outdated if unit.view == "quote"}
        self._replaced: dict[str, list[frozenset[str]]] = defaultdict(list)
        for unit in outdated:
            for turn in unit.turns:
                self._replaced[turn].append(fact_terms(unit.text, unit.start, zone))
        self._asked = frozenset(asked)

    def draw(self, candidate: Candidate, before: int) -> Drawn | None:
        """The line for a candidate that would stand behind `before` others; None when nothing of it holds any more."""
        drawn = self._draw(self._corpus.units[candidate.unit], candidate, before)
        if drawn is None or not candidate.cue:
            return drawn
        return replace(drawn, via=_via(self._corpus.units[candidate.cue]))

    def _draw(self, unit: Unit, candidate: Candidate, before: int) -> Drawn | None:
        if candidate.reserved and unit.kind == "scene":
            return self._evoked(unit, SHORT_QUOTE if before < LONG_EVOKED else EVOKED_QUOTE)
        if unit.view == "quote":
            limit = LONG_QUOTE if before < LONG_QUOTES and not candidate.reserved else SHORT_QUOTE
            said = self._quote(self._corpus.turns[unit.turns[0]], limit)
            line = f"{local_day(unit.start, self._zone)} {plain(unit.speaker)}: {said}"
            return self._drawn(unit, line, unit.turns) if said else None
        if unit.kind == "scene":
            return self._dated(unit, str(unit.detail.get("summary") or unit.text))
        if unit.kind == "item":
            return self._dated(unit, unit.text, str(unit.detail.get("when", "")))
        return self._node(unit)

    def _quote(self, turn: Turn, limit: int) -> str:
        return self._with_dates(quote(self._present(turn), self._asked, self._corpus.shelf.weight, limit), turn)

    def _present(self, turn: Turn) -> str:
        """What was said without the sentences that tell what has been replaced since."""
        if turn.id not in self._replaced:
            return turn.text
        facts, said = self._replaced[turn.id], sentences(turn.text)
        kept = [one for one in said if not any(tells(one, fact, turn.at, self._zone) for fact in facts)]
        return turn.text if len(kept) == len(said) else " … ".join(kept)

    def _with_dates(self, said: str, turn: Turn) -> str:
        """Relative days with the day they meant, as of when it was said."""
        return annotate(said, resolve_dates(said, turn.at, self._zone))

    def _evoked(self, scene: Unit, limit: int) -> Drawn | None:
        """The two turns of a scene that are nearest to the remark, in order."""
        known = [one for one in scene.turns if one in self._corpus.turns and one not in self._gone]
        turns = [self._corpus.turns[one] for one in known]
        if not turns:
            return None
        ranked = sorted(turns, key=self._nearness, reverse=True)
        nearest = [one for one in ranked if _stands_beside(one, ranked[0])][:EVOKED_TURNS]
        chosen = [number for number, turn in enumerate(turns) if turn in nearest]
        said = ""
        for place, number in enumerate(chosen):
            gap = "" if not place else " — " if number == chosen[place - 1] + 1 else " … "
            said += f"{gap}{plain(turns[number].speaker)}: {self._quote(turns[number], limit)}"
        sources = tuple(turns[number].id for number in chosen)
        return _line(scene, f"{local_day(scene.start, self._zone)} {said}", frozenset(sources), sources)

    def _nearness(self, turn: Turn) -> float:
        row = self._corpus.shelf.row_of.get(quote_id(self._corpus.owner, turn.id))
        return 0.0 if row is None or self._near is None else float(self._near[row])

    def _dated(self, unit: Unit, text: str, when: str = "") -> Drawn | None:
        """A note with its date in front, unless it names one itself."""
        shown = plain(text)
        if not shown:
            return None
        if not _ISO.search(shown):
            shown = f"{when or local_day(unit.start, self._zone)} {shown}"
        return self._drawn(unit, shown, unit.turns)

    def _node(self, unit: Unit) -> Drawn | None:
        first, last = local_day(unit.start, self._zone), local_day(unit.end, self._zone)
        when = first if first == last else f"{first}/{last}"
        who = f"{plain(unit.speaker)}: " if unit.kind == "persona" else ""
        text = plain(" ".join(line for line in unit.text.split("\n") if not self._is_outdated(line)))
        return self._drawn(unit, f"{when} {who}{cut_tokens(text, NODE)}", unit.turns) if text else None

    def _is_outdated(self, line: str) -> bool:
        """Whether a summary quotes what has been replaced since."""
        said = plain(line).partition(": ")[2] or plain(line)
        return any(said and said in text for text in self._outdated)

    def _drawn(self, unit: Unit, text: str, sources: Iterable[str]) -> Drawn:
        own = unit.view == "quote"
        return _line(unit, text, frozenset(sources) if own else self._told(term_set(text), count_tokens(text), sources))

    def _told(self, terms: frozenset[str], size: int, sources: Iterable[str]) -> frozenset[str]:
        """The turns whose content a note carries: what its author claims as evidence is not enough."""
        carried = {one: self._carried(terms, self._corpus.turns[one]) for one in sources if one in self._corpus.turns}
        best = sorted((one for one in carried if carried[one] >= CARRIES), key=carried.__getitem__, reverse=True)
        return frozenset(best[: max(1, size // TOKENS_PER_TURN)])

    def _carried(self, terms: frozenset[str], turn: Turn) -> float:
        said = term_set(turn.text)
        weights = {term: self._corpus.shelf.weight(term) ** 2 for term in said}
        whole = sum(weights.values())
        return sum(weights[term] for term in said & terms) / whole if whole else 1.0


def _stands_beside(turn: Turn, nearest: Turn) -> bool:
    """Whether a turn makes sense beside another: not an assistant's answer to something else."""
    return turn.role != "assistant" or turn.exchange == nearest.exchange


def _line(unit: Unit, text: str, told: frozenset[str], sources: tuple[str, ...] = ()) -> Drawn:
    return Drawn(f"{text} #{short(unit.id)}", all_words(_DATE.sub("", text)), told, sources)


def _via(cue: Unit) -> str:
    """What evoked a line, in words."""
    if cue.kind == "item":
        return f"alike in meaning: {cut_tokens(plain(cue.text), VIA)}"
    view = "" if cue.view in (cue.family, "") else f" ({cue.view})"
    return f"{cue.family} cue{view}: {cue.text}"
