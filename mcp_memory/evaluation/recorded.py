"""A scribe that answers from recordings: the language model's path, measured without a model.

Recordings know the whole conversation; what is handed out is only what the turns seen so far bear out.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from mcp_memory.errors import InputError
from mcp_memory.evaluation.recording import Fact, Recording, Scene, read_recording
from mcp_memory.model.notes import (
    Batch,
    BatchNotes,
    ItemNote,
    Period,
    PeriodNotes,
    SceneNote,
    SegmentNote,
    TopicHint,
)
from mcp_memory.model.turn import Turn
from mcp_memory.model.window import day_key, month_key, week_key
from mcp_memory.scribe.rules import RulesScribe
from mcp_memory.text.tokens import cut_tokens

_UTC: Final = ZoneInfo("UTC")
JOINED_TOKENS: Final = 400  # of a day or a week, shared by its parts


class RecordedScribe:
    """Implements `ports.Scribe` over recordings of conversations whose turns carry their names in `Turn.ref`.

    It remembers which turns it has been shown: an item comes with the batch that shows the last of its
    sources, so that one over several scenes waits for the latest of them, and comes again when that turn is
    carried into the next batch.  `zone` is the owner's, for the month in which a recording ends.
    """

    def __init__(self, recordings: Sequence[Recording], zone: ZoneInfo = _UTC) -> None:
        """Raises InputError when two recordings are about the same turns."""
        self._recordings = recordings
        self._zone = zone
        self._by_prefix: dict[str, list[tuple[Recording, Scene]]] = {}
        self._facts: list[tuple[Fact, Scene]] = []
        self._facts_on: dict[str, list[int]] = {}  # by the name of a source, or of the whole scene
        self._seen: dict[str, Turn] = {}
        self._rank: dict[str, int] = {}
        self._rules = RulesScribe()
        for recording in recordings:
            for scene in recording.scenes:
                self._place(recording, scene)

    @classmethod
    def load(cls, paths: Iterable[Path], zone: ZoneInfo = _UTC) -> "RecordedScribe":
        """From the files of one conversation: its own, and those of cues hidden in it.  Raises InputError."""
        return cls([read_recording(path) for path in paths], zone)

    def knows(self, name: str) -> bool:
        """Whether a turn of this name belongs to a recorded scene."""
        return self._find(name) is not None

    def close_batch(self, batch: Batch) -> BatchNotes:
        """The recorded scenes, cut to the batch; only the last one may be unfinished."""
        self._see(batch.turns)
        scenes = self._scenes_of(batch.turns)
        facts = list(self._due({turn.ref for turn in batch.turns}, scenes))
        return BatchNotes(
            scenes=tuple(self._scene_note(scene, batch) for scene in scenes),
            items=tuple(self._item_note(fact, names) for fact, names in facts),
            segments=tuple(self._segment_notes(facts)),
            source="llm",
        )

    def close_session(self, period: Period) -> PeriodNotes:
        """The recorded session where all of it is in the period, else its scenes, else its parts joined.

        Recordings hold no dated patches: those are the rules'.
        """
        notes = self._recorded_session(period.turns) or _joined(period)
        return PeriodNotes(notes.title, notes.text, self._rules.close_session(period).patches, source="llm")

    def close_period(self, period: Period) -> PeriodNotes:
        """A week's parts joined; portraits only for the month in which the recording ends, since they are drawn
        from all of it.  Otherwise no text, so that the rules cover."""
        if period.grain != "profile":
            return _joined(period)
        recorded = dict(pair for one in self._ended_in(period) for pair in one.portraits.items())
        portraits = tuple((speaker, recorded[speaker]) for speaker in period.known if speaker in recorded)
        return PeriodNotes("", "", portraits=portraits, source="llm")

    # ------------------------------------------------------------------ what there is

    def _place(self, recording: Recording, scene: Scene) -> None:
        neighbours = self._by_prefix.setdefault(scene.prefix, [])
        if any(one.covers(f"{scene.prefix}:{scene.first}") for _, one in neighbours):
            raise InputError(f"two recorded scenes cover {scene.prefix}:{scene.first}: load one conversation at a time")
        neighbours.append((recording, scene))
        for fact in scene.facts:
            for name in fact.sources or (scene.name,):
                self._facts_on.setdefault(name, []).append(len(self._facts))
            self._facts.append((fact, scene))

    def _see(self, turns: Iterable[Turn]) -> None:
        for turn in turns:
            if turn.ref:
                self._seen[turn.ref] = turn
                self._rank.setdefault(turn.ref, len(self._rank))

    def _find(self, name: str) -> tuple[Recording, Scene] | None:
        candidates = self._by_prefix.get(name.rpartition(":")[0], ())
        return next((pair for pair in candidates if pair[1].covers(name)), None)

    def _scenes_of(self, turns: Iterable[Turn]) -> list[Scene]:
        found = {pair[1].name: pair[1] for turn in turns if (pair := self._find(turn.ref))}
        return list(found.values())

    # ------------------------------------------------------------------ batches

    def _scene_note(self, scene: Scene, batch: Batch) -> SceneNote:
        turns = [turn for turn in batch.turns if scene.covers(turn.ref)]
        open_end = scene.end not in {"", *(turn.ref for turn in turns)}
        return SceneNote(
            turns=tuple(turn.id for turn in turns),
            title=scene.title,
            summary=scene.summary,
            narrative=scene.narrative,
            views=scene.views,
            utterances=scene.utterances,
            topics=_topics(scene.topics, batch.topics),
            finished=not (open_end and turns[-1] == batch.turns[-1]),
        )

    def _due(self, shown: set[str], scenes: Iterable[Scene]) -> Iterator[tuple[Fact, tuple[str, ...]]]:
        """Facts all of whose sources have been seen, the latest-seen one in this batch, with their sources."""
        names = shown | {scene.name for scene in scenes}
        for number in sorted({number for name in names for number in self._facts_on.get(name, ())}):
            fact, scene = self._facts[number]
            sources = fact.sources or tuple(name for name in self._seen if scene.covers(name))
            if self._seen.keys() >= set(sources) and self._latest(sources) in shown:
                yield fact, sources

    def _latest(self, names: Iterable[str]) -> str:
        return max(names, key=self._rank.__getitem__)

    def _item_note(self, fact: Fact, names: Sequence[str]) -> ItemNote:
        speakers = [self._seen[name].speaker for name in names]
        return ItemNote(
            text=fact.text,
            # "Jon and Gina", or who only listened, is nobody that the evidence can vouch for
            speaker=fact.who if fact.who in speakers else speakers[0],
            turns=tuple(self._seen[name].id for name in names),
            when=fact.when,
            entity=fact.entity,
            bridge=fact.bridge,
            why=fact.why,
            replaces=fact.replaces,
        )

    def _segment_notes(self, facts: Iterable[tuple[Fact, Sequence[str]]]) -> Iterator[SegmentNote]:
        """What an exchange added, in the recorded words; nothing where nothing was recorded."""
        texts: dict[str, list[str]] = {}
        for fact, names in facts:
            texts.setdefault(self._seen[self._latest(names)].exchange, []).append(fact.text)
        return (SegmentNote(exchange, " ".join(lines)) for exchange, lines in texts.items())

    # ------------------------------------------------------------------ periods

    def _recorded_session(self, turns: Sequence[Turn]) -> PeriodNotes | None:
        found = {pair[1].name: pair for turn in turns if (pair := self._find(turn.ref))}
        shown = {turn.ref for turn in turns}
        if not found or not all(_whole(scene, shown) for _, scene in found.values()):
            return None
        recording, first = next(iter(found.values()))
        session = recording.session_of(first)
        if session and {scene.name for scene in recording.scenes_of(session)} == found.keys():
            return PeriodNotes(*recording.sessions[session])
        return PeriodNotes(first.title, " ".join(scene.summary for _, scene in found.values()))

    def _ended_in(self, period: Period) -> Iterator[Recording]:
        """The recordings whose last turn has been seen and lies in a period's month."""
        for recording in self._recordings:
            last = self._seen.get(recording.end)
            if last and month_key(week_key(day_key(last.at, self._zone))) == period.window:
                yield recording


def _whole(scene: Scene, shown: set[str]) -> bool:
    return f"{scene.prefix}:{scene.first}" in shown and (not scene.last or scene.end in shown)


def _topics(titles: Iterable[str], offered: Iterable[TopicHint]) -> tuple[str, ...]:
    """Titles as they are recorded; the id where a topic of that title is offered."""
    known: Mapping[str, str] = {hint.title.casefold(): hint.id for hint in offered}
    return tuple(known.get(title.casefold(), title) for title in titles)


def _joined(period: Period) -> PeriodNotes:
    """The parts one after the other, each cut to its share."""
    share = JOINED_TOKENS // max(1, len(period.children))
    texts = [cut_tokens(f"{title}: {text}" if title else text, share) for title, text in period.children]
    title = next((title for title, _ in period.children if title), period.window)
    return PeriodNotes(title, "\n".join(texts), source="llm")
