"""From a scribe's notes to rows: scenes, items and cues of one session.

Several replies may cover a turn, because an open scene is carried into the next batch: for every turn the
latest reply counts, whole scenes are cut down to the turns they still own, and scenes tile the session.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from mcp_memory.model.ids import make_id
from mcp_memory.model.notes import BatchNotes, ItemNote, SceneNote
from mcp_memory.model.turn import Turn
from mcp_memory.model.unit import HORIZON_VIEWS, SCENE_VIEWS, Family, Source, Unit
from mcp_memory.text.clean import plain


@dataclass(frozen=True, slots=True)
class Covered:
    """A batch reply and the turns it was asked about."""

    turns: tuple[str, ...]
    notes: BatchNotes


@dataclass(frozen=True, slots=True)
class Themes:
    """What one session's notes come to: rows, and the texts that replace raw segments."""

    units: tuple[Unit, ...]
    segments: Mapping[str, str]


def winners(replies: Sequence[Covered]) -> dict[str, int]:
    """For every covered turn the number of the reply that counts: the last one."""
    return {turn: number for number, reply in enumerate(replies) for turn in reply.turns}


def uncovered(turns: Sequence[Turn], replies: Sequence[Covered]) -> list[list[Turn]]:
    """Runs of turns that no reply covers, in order."""
    owned, runs, open_run = winners(replies), list[list[Turn]](), False
    for turn in turns:
        if turn.id in owned:
            open_run = False
        elif open_run:
            runs[-1].append(turn)
        else:
            runs.append([turn])
            open_run = True
    return runs


def themes(turns: Sequence[Turn], replies: Sequence[Covered], known: Mapping[str, Turn], window: str) -> Themes:
    """Scenes, items and cues of one session's turns.  `known` are all turns, for evidence from earlier."""
    owned, here = winners(replies), {turn.id: turn for turn in turns}
    scenes: list[Unit] = []
    items: dict[str, Unit] = {}
    cues: list[Unit] = []
    for number, reply in enumerate(replies):
        mine = {turn for turn, winner in owned.items() if winner == number and turn in here}
        if not mine:
            continue
        for note in reply.notes.scenes:
            scene = _scene(note, [here[turn] for turn in note.turns if turn in mine], reply.notes.source, window)
            if scene:
                scenes.append(scene)
                cues += _scene_cues(note, scene)
        for item_note in reply.notes.items:
            item = _item(item_note, reply, mine, known, window)
            if item:
                items[item.id] = item
                cues += _item_cues(item_note, item)
    settled = _settled(items.values(), scenes)
    return Themes((*scenes, *settled, *_unique(cues)), _segments(replies, owned, here))


def _scene(note: SceneNote, turns: Sequence[Turn], source: Source, window: str) -> Unit | None:
    if not turns:
        return None
    return Unit(
        id=make_id("scene", turns[0].owner, turns[0].id),
        owner=turns[0].owner,
        kind="scene",
        start=turns[0].at,
        end=turns[-1].at,
        title=note.title,
        text=note.narrative or note.summary,
        window=window,
        turns=tuple(turn.id for turn in turns),
        source=source,
        detail={"summary": note.summary, "topics": list(note.topics), "keywords": list(note.keywords)},
    )


def _scene_cues(note: SceneNote, scene: Unit) -> Iterator[Unit]:
    for view, text in note.views.items():
        if text and view in (*SCENE_VIEWS, *HORIZON_VIEWS):
            yield cue(scene, "scene" if view in SCENE_VIEWS else "horizon", view, text)
    for remark in dict.fromkeys(note.utterances):
        yield cue(scene, "horizon", "utterance", remark)


def _item(note: ItemNote, reply: Covered, mine: set[str], known: Mapping[str, Turn], window: str) -> Unit | None:
    evidence = [known[turn] for turn in dict.fromkeys(note.turns) if turn in known]
    asked = set(reply.turns)
    inside = [turn for turn in evidence if turn.id in asked]
    if not evidence or (inside and not any(turn.id in mine for turn in inside)):
        return None
    first, last = min(evidence, key=_moment), max(evidence, key=_moment)
    extra = {"when": note.when, "why": note.why, "replaces": note.replaces}
    return Unit(
        id=make_id("item", first.owner, first.id, plain(note.text)),
        owner=first.owner,
        kind="item",
        view="connected" if len({turn.exchange for turn in evidence}) > 1 else "atomic",
        start=first.at,
        end=last.at,
        text=note.text,
        speaker=note.speaker,
        window=window,
        turns=tuple(turn.id for turn in sorted(evidence, key=_moment)),
        source=reply.notes.source,
        detail={name: value for name, value in extra.items() if value},
    )


def _item_cues(note: ItemNote, item: Unit) -> Iterator[Unit]:
    for text in dict.fromkeys(note.entity):
        yield cue(item, "entity", "entity", text)
    for text in dict.fromkeys(note.bridge):
        yield cue(item, "bridge", "bridge", text)


def cue(host: Unit, family: Family, view: str, text: str) -> Unit:
    """One view of a trigger that points at its host."""
    return Unit(
        id=make_id("cue", host.id, view, text),
        owner=host.owner,
        kind="cue",
        family=family,
        view=view,
        start=host.start,
        end=host.end,
        text=text,
        parent=host.id,
        window=host.window,
        turns=host.turns,
        source=host.source,
    )


def _settled(items: Iterable[Unit], scenes: Sequence[Unit]) -> Iterator[Unit]:
    """Items put into the scene of their latest evidence, or the session's last one."""
    home = {turn: scene.id for scene in scenes for turn in scene.turns}
    for item in items:
        inside = [home[turn] for turn in item.turns if turn in home]
        parent = inside[-1] if inside else (scenes[-1].id if scenes else "")
        yield replace(item, parent=parent)


def _segments(replies: Sequence[Covered], owned: Mapping[str, int], here: Mapping[str, Turn]) -> dict[str, str]:
    return {
        segment.exchange: segment.text
        for number, reply in enumerate(replies)
        for segment in reply.notes.segments
        if segment.text and segment.exchange in here and owned.get(segment.exchange) == number
    }


def _unique(units: Iterable[Unit]) -> Iterator[Unit]:
    return iter({unit.id: unit for unit in units}.values())


def _moment(turn: Turn) -> tuple[object, int]:
    return turn.at, turn.position
