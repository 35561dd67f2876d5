"""The scribe that is always there: no model, no network, nothing made up.

It cuts where time, topic or meaning breaks, names by key phrases, sums up by quoting, and keeps who said
what about themselves.  It writes no triggers: association needs understanding it does not have.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from mcp_memory.model.notes import Batch, BatchNotes, Period, PeriodNotes, PersonaPatch, SceneNote
from mcp_memory.model.turn import Turn, exchanges
from mcp_memory.scribe.segmenting import cut
from mcp_memory.text.clean import plain
from mcp_memory.text.sentences import salient, sentences
from mcp_memory.text.titles import extract, keyphrases, title_of
from mcp_memory.text.tokens import count_tokens, cut_tokens

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

VectorOf = Callable[[Sequence[Turn]], "NDArray[np.float32] | None"]

SCENE_GAP: Final = timedelta(minutes=30)
SUMMARY_TOKENS: Final = {"session": 120, "day": 160, "week": 200, "profile": 240}
_LONGEST_QUOTE: Final = 60

# what people say of themselves, by persona key; only first-person statements are taken
_PERSONA: Final[dict[str, re.Pattern[str]]] = {
    key: re.compile(pattern, re.IGNORECASE)
    for key, pattern in {
        "identity": r"\b(?:my name is|call me|i(?:'m| am) (?:a|an|from|based in|originally|\d+)\b"
        r"|i (?:live|work|study|grew up|was born|moved)\b|my (?:job|work|birthday|age|address|hometown|diet|allergy)\b"
        r"|i(?:'m| am) allergic|i speak\b|i have (?:a|an|two|three|\d+) (?:kids?|children|dogs?|cats?|pets?|sons?|daughters?)\b)",
        "preferences": r"\b(?:i (?:really |just |absolutely |also )?(?:love|like|enjoy|prefer|adore|hate|dislike|can't stand|don't like)\b"
        r"|my favou?rite\b|i(?:'m| am) (?:a big|a huge|really into|into|fond of)\b|i(?:'d| would) rather\b)",
        "traits": r"\b(?:i (?:always|never|usually|tend to|believe|value)\b|i(?:'m| am) (?:afraid|scared|proud|passionate|bad at|good at|trying)\b"
        r"|i (?:want|hope|plan|dream)\b|my (?:goal|dream|habit)\b)",
        "relations": r"\bmy (?:wife|husband|partner|girlfriend|boyfriend|fianc[eé]e?|mom|mum|mother|dad|father|parents|sister|brother|son"
        r"|daughter|kids|children|family|grandma|grandmother|grandpa|grandfather|aunt|uncle|cousin|niece|nephew|friend|best friend"
        r"|boss|colleague|coworker|neighbou?r|mentor|teacher|dog|cat|pet)\b",
        "timeline": r"\bi (?:just |finally |recently )?(?:went|got|started|finished|bought|moved|met|visited|adopted|joined|quit|lost"
        r"|won|signed up|passed|graduated|married|broke|made|attended|took|launched|opened|learned)\b",
    }.items()
}


class RulesScribe:
    """Implements `ports.Scribe`; `vector_of` gives an exchange's vector where there is one."""

    def __init__(self, vector_of: VectorOf = lambda _: None) -> None:
        self._vector_of = vector_of

    def close_batch(self, batch: Batch) -> BatchNotes:
        """Scenes by gap, topic label, drift and size; no items (quotes are leaves already) and no cues."""
        return BatchNotes(scenes=tuple(_scene(run) for run in self._runs(batch.turns)), source="rules")

    def close_session(self, period: Period) -> PeriodNotes:
        """A session's or a day's extract, and what its speakers said of themselves."""
        patches = tuple(patch for turn in period.turns for patch in persona_patches(turn))
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
    texts = [turn.text for turn in turns]
    labels = tuple(dict.fromkeys(turn.topic for turn in turns if turn.topic))
    return SceneNote(
        turns=tuple(turn.id for turn in turns),
        title=labels[0] if labels else title_of(texts),
        summary=_extract([f"{turn.speaker}: {quote}" for turn in turns for quote in _quotes(turn.text)], 80),
        topics=labels,
        keywords=tuple(keyphrases(texts)),
    )


def _summed_up(period: Period, patches: tuple[PersonaPatch, ...]) -> PeriodNotes:
    lines = [f"{turn.speaker}: {quote}" for turn in period.turns for quote in _quotes(turn.text)]
    if not lines:
        lines = [line for _, text in period.children for line in text.split("\n") if line.strip()]
    titles = [title for title, _ in period.children if title]
    title = title_of(lines) or (titles[0] if titles else period.window)
    return PeriodNotes(title, _extract(lines, SUMMARY_TOKENS[period.grain]), patches, source="rules")


def _quotes(text: str) -> list[str]:
    return [cut_tokens(plain(sentence), _LONGEST_QUOTE) for sentence in salient(text)]


def _extract(lines: Sequence[str], limit: int) -> str:
    return "\n".join(lines[index] for index in extract(lines, limit))


def persona_patches(turn: Turn) -> Iterator[PersonaPatch]:
    """What a person says of themselves in one turn, as quotes; an assistant is nobody."""
    if turn.role == "assistant":
        return
    for sentence in sentences(turn.text):
        if sentence.rstrip().endswith("?"):
            continue
        key = next((key for key, pattern in _PERSONA.items() if pattern.search(sentence.replace("’", "'"))), None)
        if key:
            yield PersonaPatch(turn.speaker, key, cut_tokens(plain(sentence), _LONGEST_QUOTE), turns=(turn.id,))
