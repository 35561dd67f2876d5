"""The scribe that is always there: no model, no network, nothing made up.

It cuts where time, topic or meaning breaks, names by key phrases, sums up by quoting, and keeps who said
what about themselves.  It writes no triggers: association needs understanding it does not have.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from mcp_memory.model.notes import Batch, BatchNotes, Period, PeriodNotes, PersonaPatch, SceneNote
from mcp_memory.model.turn import Turn, exchanges
from mcp_memory.scribe.segmenting import cut
from mcp_memory.scribe.selfsaid import said_of_self, to_listener
from mcp_memory.text.clean import has_visible, plain
from mcp_memory.text.dates import resolve_dates
from mcp_memory.text.sentences import salient
from mcp_memory.text.titles import extract, keyphrases, title_of
from mcp_memory.text.tokens import count_tokens, cut_tokens

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

VectorOf = Callable[[Sequence[Turn]], "NDArray[np.float32] | None"]

SCENE_GAP: Final = timedelta(minutes=30)
SCENE_TOKENS: Final = 80
SUMMARY_TOKENS: Final = {"session": 120, "day": 160, "week": 200, "profile": 240}
_SPEAKER: Final = re.compile(r"^[^:\n]{1,40}: ")  # of a quote in a summary
_LONGEST_QUOTE: Final = 60
_UTC: Final = ZoneInfo("UTC")
_CAPTION: Final = re.compile(r"\[[^\]]*\]")  # what an importer wrote about a picture names no scene


class RulesScribe:
    """Implements `ports.Scribe`; `vector_of` gives an exchange's vector where there is one, `zone` is the owner's."""

    def __init__(self, vector_of: VectorOf = lambda _: None, zone: ZoneInfo = _UTC) -> None:
        self._vector_of, self._zone = vector_of, zone

    def close_batch(self, batch: Batch) -> BatchNotes:
        """Scenes by gap, topic label, drift and size; no items (quotes are leaves already) and no cues."""
        return BatchNotes(scenes=tuple(_scene(run) for run in self._runs(batch.turns)), source="rules")

    def close_session(self, period: Period) -> PeriodNotes:
        """A session's or a day's extract, and what its speakers said of themselves."""
        patches = tuple(patch for turn in period.turns for patch in persona_patches(turn, self._zone))
        return _summed_up(period, patches)

    def close_period(self, period: Period) -> PeriodNotes:
        """A week's extract; for a month and a speaker the same over what they said of themselves."""
        return _summed_up(period, ())

    def _runs(self, turns: Sequence[Turn]) -> Iterator[list[Turn]]:
        for stretch in _stretches(exchanges(turns)):
            tokens = [sum(count_tokens(turn.text) for turn in exchange) for exchange in stretch]
            begins = cut([self._vector_of(exchange) for exchange in stretch], tokens)
            for first, last in zip(begins, [*begins[1:], len(stretch)], strict=True):
                yield [turn for exchange in stretch[first:last] for turn in exchange]


def _stretches(groups: Iterable[list[Turn]]) -> Iterator[list[list[Turn]]]:
    """Exchanges between which neither silence nor another topic label says that something new begins."""
    stretch: list[list[Turn]] = []
    label = ""
    for exchange in groups:
        named = exchange[0].topic.casefold()
        if stretch and (exchange[0].at - stretch[-1][-1].at > SCENE_GAP or (named and label and named != label)):
            yield stretch
            stretch, label = [], ""
        stretch.append(exchange)
        label = next((turn.topic.casefold() for turn in reversed(exchange) if turn.topic), label)
    if stretch:
        yield stretch


def _scene(turns: Sequence[Turn]) -> SceneNote:
    texts = _own_words(turns)
    labels = tuple(dict.fromkeys(turn.topic for turn in turns if turn.topic))
    return SceneNote(
        turns=tuple(turn.id for turn in turns),
        title=labels[0] if labels else title_of(texts),
        summary=_gist(turns, SCENE_TOKENS),
        topics=labels,
        keywords=tuple(keyphrases(texts)),
    )


def _own_words(turns: Sequence[Turn]) -> list[str]:
    """What names a stretch of talk: people's words, without captions; an assistant's only where nobody else speaks."""
    people = [turn for turn in turns if turn.role != "assistant"] or turns
    bare = [_CAPTION.sub(" ", turn.text) for turn in people]
    return bare if any(map(has_visible, bare)) else [turn.text for turn in turns]


def _summed_up(period: Period, patches: tuple[PersonaPatch, ...]) -> PeriodNotes:
    limit = SUMMARY_TOKENS[period.grain]
    lines = [line for _, text in period.children for line in text.split("\n") if line.strip()]
    text = _gist(period.turns, limit) or "\n".join(_extracted(lines, limit))
    titles = [title for title, _ in period.children if title]
    title = title_of(_own_words(period.turns) or [_SPEAKER.sub("", line) for line in lines]) or (
        titles[0] if titles else period.window
    )
    return PeriodNotes(title, text, patches, source="rules")


def _gist(turns: Sequence[Turn], limit: int) -> str:
    """Quotes in order: what people tell counts first, then what they say to each other, then an assistant."""
    ranked: list[list[tuple[int, str]]] = [[], [], []]
    said = [(turn, quote) for turn in turns for quote in _quotes(turn.text)]
    for place, (turn, quote) in enumerate(said):
        rank = 2 if turn.role == "assistant" else int(to_listener(quote))
        ranked[rank].append((place, f"{turn.speaker}: {quote}"))
    chosen: list[tuple[int, str]] = []
    for group in ranked:
        taken = extract([line for _, line in group], limit)
        limit -= sum(count_tokens(group[index][1]) for index in taken)
        chosen += [group[index] for index in taken]
    return "\n".join(line for _, line in sorted(chosen))


def _quotes(text: str) -> list[str]:
    return [cut_tokens(plain(sentence), _LONGEST_QUOTE) for sentence in salient(text)]


def _extracted(lines: Sequence[str], limit: int) -> list[str]:
    return [lines[index] for index in extract(lines, limit)]


def persona_patches(turn: Turn, zone: ZoneInfo) -> Iterator[PersonaPatch]:
    """What a person says of themselves in one turn, as quotes; events with the date they name."""
    for speaker, key, quote in said_of_self(turn):
        dates = resolve_dates(quote, turn.at, zone) if key == "timeline" else ()
        when = dates[0].value if dates else ""
        yield PersonaPatch(speaker, key, quote, when=when, turns=(turn.id,))
