"""Scenes that tile the sessions of a batch: each piece of talk in exactly one scene, in order, none torn or lost."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final

from mcp_memory.model.notes import Batch, SceneNote
from mcp_memory.model.turn import Turn, pieces
from mcp_memory.text.clean import plain

_NOBODY: Final = -1
_RAW_TITLE: Final = 60
_RAW_SUMMARY: Final = 300


def tile(scenes: Sequence[SceneNote], batch: Batch) -> tuple[SceneNote, ...]:
    """`scenes` with their turns set right.

    An exchange goes to the scene that claims its first claimed turn first; a scene keeps its longest run
    within a session, and one that spans two sessions becomes two; what is left joins the scene before it, or
    becomes a raw scene at the start.  Only the last scene may be unfinished, and none when nothing can follow.
    """
    tiled = [scene for part in batch.parts() for scene in _tile_session(scenes, part)]
    last = len(tiled) if batch.ended else len(tiled) - 1
    return tuple(replace(scene, finished=scene.finished or number < last) for number, scene in enumerate(tiled))


def _tile_session(scenes: Sequence[SceneNote], turns: Sequence[Turn]) -> Iterator[SceneNote]:
    groups = pieces(turns)
    owners = _one_run_each(_fill(_claims(scenes, groups)))
    for owner, run in groupby(range(len(groups)), key=owners.__getitem__):
        members = [turn for index in run for turn in groups[index]]
        scene = _raw(members) if owner == _NOBODY else scenes[owner]
        yield replace(scene, turns=tuple(turn.id for turn in members))


def _claims(scenes: Sequence[SceneNote], groups: Sequence[Sequence[Turn]]) -> list[int]:
    owner_of: dict[str, int] = {}
    for index, scene in enumerate(scenes):
        for turn in scene.turns:
            owner_of.setdefault(turn, index)
    return [next((owner_of[turn.id] for turn in group if turn.id in owner_of), _NOBODY) for group in groups]


def _fill(owners: list[int]) -> list[int]:
    """Unclaimed exchanges go to the scene before them."""
    filled: list[int] = []
    for owner in owners:
        filled.append(filled[-1] if owner == _NOBODY and filled else owner)
    return filled


def _one_run_each(owners: list[int]) -> list[int]:
    """A scene named again after another keeps its longest run only; the others join what precedes them."""
    runs = [(owner, len(list(run))) for owner, run in groupby(owners)]
    home: dict[int, int] = {}
    for index, (owner, length) in enumerate(runs):
        if owner not in home or length > runs[home[owner]][1]:
            home[owner] = index
    whole: list[int] = []
    for index, (owner, length) in enumerate(runs):
        stays = home[owner] == index
        whole += [owner if stays else (whole[-1] if whole else _NOBODY)] * length
    return whole


def _raw(turns: Sequence[Turn]) -> SceneNote:
    """What was said, where no scribe had a word for it."""
    said = plain(" ".join(f"{turn.speaker}: {turn.text}" for turn in turns))
    return SceneNote(turns=(), title=said[:_RAW_TITLE], summary=said[:_RAW_SUMMARY])
