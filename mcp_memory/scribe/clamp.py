"""Whatever a scribe wrote, made safe to store: pure functions over `model.notes`, for every scribe.

What is unknown is dropped, what is too much is cut, what is missing is covered by what was said; never a
lost turn, never a fact about a person that the person did not say.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Final

from mcp_memory.model.notes import (
    PERSONA_KEYS,
    Batch,
    BatchNotes,
    ItemNote,
    Period,
    PeriodNotes,
    PersonaPatch,
    SceneNote,
    SegmentNote,
)
from mcp_memory.model.turn import Turn
from mcp_memory.model.unit import HORIZON_VIEWS, SCENE_VIEWS
from mcp_memory.scribe.tiling import tile
from mcp_memory.text.clean import has_visible, plain

ITEMS: Final = 60
ITEMS_PER_TURN: Final = 4
CUES: Final = 5  # per family and item, as in T-Mem
UTTERANCES: Final = 6
TOPICS: Final = 3
KEYWORDS: Final = 12
PATCHES: Final = 40
_TITLE: Final = 120
_LINE: Final = 300
_TEXT: Final = 800
_STORY: Final = 3000
_VIEWS: Final = frozenset({*SCENE_VIEWS, *HORIZON_VIEWS} - {"utterance"})
_JOINT: Final = re.compile(r",? and |, | & ")
_WHEN: Final = re.compile("[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?")


def clamp_batch(notes: BatchNotes, batch: Batch, earlier: Mapping[str, str] | None = None) -> BatchNotes:
    """`notes` as they may be stored: scenes tile the batch's exchanges in order, all else stands on its turns.

    `earlier` names the speakers of turns outside the batch that a connected item may stand on as well.
    """
    known = dict(earlier or {}) | {turn.id: turn.speaker for turn in batch.turns}
    last = max((turn.at.date() for turn in batch.turns), default=date.min)
    return BatchNotes(
        scenes=tile([scene for given in notes.scenes if (scene := _scene(given))], batch),
        items=_items(notes.items, known, last),
        segments=_segments(notes.segments, batch.turns),
        source=notes.source,
    )


def clamp_period(notes: PeriodNotes, period: Period) -> PeriodNotes:
    """`notes` as they may be stored; patches need evidence, so they come from sessions only, and portraits are
    of speakers of whom something is known."""
    known = {turn.id: turn.speaker for turn in period.turns}
    last = max((turn.at.date() for turn in period.turns), default=date.min)
    patches = [patch for given in notes.patches if (patch := _patch(given, known, last))]
    return PeriodNotes(
        title=_cut(notes.title, _TITLE) or _cut(notes.text, _TITLE),
        text=_cut(notes.text, _STORY),
        patches=tuple(dict.fromkeys(patches))[:PATCHES],
        portraits=_portraits(notes.portraits, period.known),
        source=notes.source,
    )


def _portraits(portraits: Iterable[tuple[str, str]], known: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """The first portrait of everybody who is known, by the name as it is known."""
    names = {plain(speaker).casefold(): speaker for speaker in known}
    kept: dict[str, str] = {}
    for named, told in portraits:
        speaker, text = names.get(plain(named).casefold()), _cut(told, _STORY)
        if speaker is not None and text:
            kept.setdefault(speaker, text)
    return tuple(kept.items())


def clamp_when(when: str, last: date) -> str:
    """`when` if it is YYYY, YYYY-MM, YYYY-MM-DD or "A/B" of these in order, and not after `last`; else "".

    One day of grace: the speaker's calendar may be ahead of UTC.
    """
    ends = [_starts(part) for part in when.strip().split("/")]
    if len(ends) > 2 or None in ends:
        return ""
    days = [day for day in ends if day is not None]
    fits = days == sorted(days) and (days[-1] - last).days <= 1
    return when.strip() if fits else ""


def _starts(text: str) -> date | None:
    if not _WHEN.fullmatch(text):
        return None
    try:
        return date.fromisoformat(f"{text}-01-01"[:10])
    except ValueError:
        return None


def _items(items: Iterable[ItemNote], known: Mapping[str, str], last: date) -> tuple[ItemNote, ...]:
    kept: dict[str, ItemNote] = {}
    by_turn: dict[str, int] = {}
    for given in items:
        item = _item(given, known, last)
        if item is None or item.text.casefold() in kept or by_turn.get(item.turns[0], 0) >= ITEMS_PER_TURN:
            continue
        by_turn[item.turns[0]] = by_turn.get(item.turns[0], 0) + 1
        kept[item.text.casefold()] = item
    return tuple(kept.values())[:ITEMS]


def _item(item: ItemNote, known: Mapping[str, str], last: date) -> ItemNote | None:
    """The item on evidence that exists, told by somebody who said part of it; else None."""
    text, turns = _cut(item.text, _TEXT), _evidence(item.turns, known)
    speaker = _speaker(item.speaker, turns, known)
    if not text or not speaker:
        return None
    return ItemNote(
        text=text,
        speaker=speaker,
        turns=turns,
        when=clamp_when(item.when, last),
        entity=_lines(item.entity, CUES, apart_from=text),
        bridge=_lines(item.bridge, CUES, apart_from=text),
        why=_cut(item.why, _LINE),
        replaces=_cut(item.replaces, _TEXT),
    )


def _evidence(turns: Iterable[str], known: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(turn for turn in turns if turn in known))


def _speaker(named: str, turns: Sequence[str], known: Mapping[str, str]) -> str:
    """Who said it, as the turns spell the name; "" when nobody of that name did.  Unnamed: the first one.

    What several say together ("Ann and Bob") needs a turn of each.
    """
    said_by = {plain(speaker).casefold(): speaker for speaker in (known[turn] for turn in turns)}
    wanted = plain(named).casefold()
    if not wanted:
        return next(iter(said_by.values()), "")
    names = [wanted] if wanted in said_by else _JOINT.split(wanted)
    return " and ".join(said_by[name] for name in names) if said_by.keys() >= set(names) else ""


def _patch(patch: PersonaPatch, known: Mapping[str, str], last: date) -> PersonaPatch | None:
    value, turns = _cut(patch.value, _LINE), _evidence(patch.turns, known)
    speaker = _speaker(patch.speaker, turns, known)
    if patch.key not in PERSONA_KEYS or not value or not speaker:
        return None
    return PersonaPatch(speaker, patch.key, value, _cut(patch.name, _TITLE), clamp_when(patch.when, last), turns)


def _scene(scene: SceneNote) -> SceneNote | None:
    """The scene with what it says kept in bounds; None when it says nothing."""
    title, summary = _cut(scene.title, _TITLE), _cut(scene.summary, _TEXT)
    if not title and not summary:
        return None
    views = {name: text for name, said in scene.views.items() if name in _VIEWS and (text := _cut(said, _LINE))}
    return replace(
        scene,
        title=title or _cut(summary, _TITLE),
        summary=summary or title,
        narrative=_cut(scene.narrative, _STORY),
        views=views,
        utterances=_lines(scene.utterances, UTTERANCES),
        topics=_lines(scene.topics, TOPICS, limit=_TITLE),
        keywords=_lines(scene.keywords, KEYWORDS, limit=_TITLE),
    )


def _segments(segments: Iterable[SegmentNote], turns: Sequence[Turn]) -> tuple[SegmentNote, ...]:
    """At most one per exchange of the batch; an exchange without one keeps its own words."""
    exchanges = {turn.exchange for turn in turns}
    kept: dict[str, SegmentNote] = {}
    for given in segments:
        if given.exchange in exchanges and (text := _cut(given.text, _TEXT)):
            kept.setdefault(given.exchange, SegmentNote(given.exchange, text))
    return tuple(kept.values())


def _lines(texts: Iterable[str], most: int, limit: int = _LINE, apart_from: str = "") -> tuple[str, ...]:
    """Visible texts in order, each once whatever its case, without the one that says nothing new."""
    seen = {apart_from.casefold(): ""}
    for text in texts:
        line = _cut(text, limit)
        seen.setdefault(line.casefold(), line)
    return tuple(line for line in seen.values() if line)[:most]


def _cut(text: str, limit: int) -> str:
    """One visible line of at most `limit` characters, cut between words where there are any."""
    line = plain(text)
    if not has_visible(line):
        return ""
    if len(line) <= limit:
        return line
    head = line[: limit - 1]
    return (head.rsplit(" ", 1)[0] if " " in head[limit // 2 :] else head) + "…"
