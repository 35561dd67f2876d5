"""Scenes that tile a batch: each exchange in exactly one scene, scenes in order, none torn or lost."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final

from mcp_memory.model.notes import SceneNote
from mcp_memory.model.turn import Turn, exchanges
from mcp_memory.text.clean import plain

_NOBODY: Final = -1
_RAW_TITLE: Final = 60
_RAW_SUMMARY: Final = 300


def tile(scenes: Sequence[SceneNote], turns: Sequence[Turn]) -> tuple[SceneNote, ...]:
    """`scenes` with their turns set right.

    An exchange goes to the scene that claims its first claimed turn first; a scene keeps its longest run;
    what is left joins the scene before it, or becomes a raw scene at the start.  Only the last scene may be
    unfinished.
    """
    groups = exchanges(turns)
    owners = _one_run_each(_fill(_claims(scenes, groups)))
    tiled = []
    for owner, run in groupby(range(len(groups)), key=owners.__getitem__):
        members = [turn for index in run for turn in groups[index]]
        scene = _raw(members) if owner == _NOBODY else scenes[owner]
        tiled.append(replace(scene, turns=tuple(turn.id for turn in members)))
    return tuple(replace(scene, finished=scene.finished or scene is not tiled[-1]) for scene in tiled)


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
