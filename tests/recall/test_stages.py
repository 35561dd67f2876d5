"""Leaves, cascade and associations over a handful of records with vectors that are chosen by hand."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np

from mcp_memory.model.query import Plan
from mcp_memory.model.turn import Turn
from mcp_memory.model.unit import Unit
from mcp_memory.recall.associate import associations
from mcp_memory.recall.atlas import HIDES, chart
from mcp_memory.recall.cascade import OUTSIDE, cascade
from mcp_memory.recall.leaves import Channels, leaf_scores
from mcp_memory.store.shelf import WORDED, Shelf

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)
EAST, NORTH, UP = np.eye(3, dtype=np.float32)
PLAN = Plan("simple", ())


def unit(name: str, kind: str, text: str, **more: object) -> Unit:
    return Unit(name, "Ann", kind, AT, AT, text, source="llm", **more)  # type: ignore[arg-type]


def shelf_of(*entries: tuple[Unit, np.ndarray], turns: Sequence[Turn] = ()) -> Shelf:
    shelf = Shelf(3)
    shelf.put(
        [one for one, _ in entries],
        {turn.id: turn for turn in turns},
        np.array([vector for _, vector in entries], dtype=np.float32),
        np.ones(len(entries), dtype=bool),
    )
    return shelf


def channels(shelf: Shelf, asked: np.ndarray) -> Channels:
    words = {view: np.zeros(len(shelf)) for view in WORDED}
    return Channels((shelf.vectors @ asked).astype(float), words, 0.5, np.zeros(len(shelf)), np.zeros(len(shelf), bool))


def told(name: str, minutes: int, speaker: str = "Ann", session: str = "s") -> tuple[Unit, Turn]:
    at = AT + timedelta(minutes=minutes)
    role = "assistant" if speaker == "assistant" else "user"
    turn = Turn(name, "Ann", session, name, 0, at, speaker, role, name)
    return unit(f"q-{name}", "item", name, view="quote", speaker=speaker, turns=(name,)), turn


def leaves(*said: tuple[Unit, Turn], hit: str, plan: Plan = PLAN) -> dict[str, float]:
    shelf = shelf_of(
        *((one, EAST if turn.id == hit else NORTH) for one, turn in said), turns=[turn for _, turn in said]
    )
    rows = shelf.rows("quote")
    scores = leaf_scores(shelf, rows, channels(shelf, EAST), plan)
    return {shelf.units[shelf.ids[row]].text: round(float(score), 3) for row, score in zip(rows, scores, strict=True)}


def test_neighbours_lend_within_their_session_only() -> None:
    found = leaves(told("a", 0), told("b", 1), told("c", 2), told("x", 3, session="other"), hit="b")
    assert found == {"a": 0.1, "b": 0.5, "c": 0.1, "x": 0.0}


def test_neighbours_of_neighbours_lend_less() -> None:
    assert leaves(told("a", 0), told("b", 1), told("c", 2), hit="c") == {"a": 0.02, "b": 0.1, "c": 0.5}


def test_a_long_silence_parts_neighbours() -> None:
    assert leaves(told("a", 0), told("b", 31), hit="a") == {"a": 0.5, "b": 0.0}


def test_the_order_of_arrival_does_not_matter() -> None:
    said = [told("a", 0), told("b", 1), told("c", 2)]
    assert leaves(said[2], said[0], said[1], hit="b") == leaves(*said, hit="b")


def test_an_assistants_line_counts_half_unless_it_is_asked_for() -> None:
    line = told("a", 0, "assistant"), told("b", 90)
    assert leaves(*line, hit="a")["a"] == 0.25
    assert leaves(*line, hit="a", plan=Plan("simple", (), of_assistant=True))["a"] == 0.5


def test_the_person_that_is_named_counts_more() -> None:
    assert leaves(told("a", 0, "Ben"), told("b", 90), hit="a", plan=Plan("simple", (), speakers=("Ben",)))["a"] == 0.65


def test_a_cue_lets_an_item_of_a_far_topic_in() -> None:
    topics = [(unit(f"topic{n}", "topic", "", title=f"t{n}"), EAST) for n in range(16)]
    scenes = [
        (unit(f"scene{n}", "scene", "", title="s", turns=(f"t{n}",), detail={"topics": [f"topic{n}"]}), EAST)
        for n in range(16)
    ]
    items = [(unit(f"item{n}", "item", "fact", view="atomic", turns=("t15",)), NORTH) for n in range(2)]
    topics[15] = (topics[15][0], NORTH)  # the sixteenth topic is not among the best fifteen
    cue = (unit("cue", "cue", "kind", family="entity", view="entity", parent="item1"), EAST)
    shelf = shelf_of(*topics, *scenes, *items, cue)
    themes = cascade(chart(shelf), channels(shelf, EAST), shelf.alive)
    assert themes.inside.tolist() == [False, True]
    assert themes.items[1] - themes.items[0] > OUTSIDE
    assert cascade(chart(shelf), channels(shelf, EAST), shelf.alive, flat=True).inside.all()


def evoking() -> Shelf:
    """Two scenes: of the first the situation lies east and the event up, of the second both lie north."""
    cues = [
        ("c1", "situation", "scene1", EAST),
        ("c2", "situation", "scene2", NORTH),
        ("c3", "event", "scene1", UP),
        ("c4", "event", "scene2", NORTH),
    ]
    return shelf_of(
        *((unit(f"scene{n}", "scene", "", title="s", turns=(f"t{n}",)), UP) for n in (1, 2)),
        *((unit(one, "cue", one, family="scene", view=view, parent=host), at) for one, view, host, at in cues),
    )


def ranking(shelf: Shelf, asked: np.ndarray, without: frozenset[str] = frozenset()) -> list[str]:
    found = associations(chart(shelf, without), asked, shelf.vectors @ asked, shelf.alive)
    return [shelf.ids[row] for row in found.rows]


def test_a_scene_is_evoked_by_any_view_of_it() -> None:
    assert ranking(evoking(), EAST)[0] == "scene1"
    assert ranking(evoking(), UP)[0] == "scene1"
    assert ranking(evoking(), NORTH)[0] == "scene2"


def test_the_cue_that_fits_best_is_named() -> None:
    shelf = evoking()
    found = associations(chart(shelf), UP, shelf.vectors @ UP, shelf.alive)
    assert shelf.ids[found.cues[0]] == "c3"


def test_a_scene_without_a_view_is_neither_better_nor_worse_for_it() -> None:
    shelf = evoking()
    extra = unit("scene3", "scene", "", title="s", turns=("t3",))
    cue = unit("c5", "cue", "c5", family="scene", view="situation", parent="scene3")
    shelf.put([extra, cue], {}, np.array([UP, EAST]), np.ones(2, dtype=bool))
    found = associations(chart(shelf), EAST, shelf.vectors @ EAST, shelf.alive)
    scores = {shelf.ids[row]: score for row, score in zip(found.rows, found.scores, strict=True)}
    assert scores["scene2"] < min(scores["scene1"], scores["scene3"])


def test_views_can_be_left_out() -> None:
    assert ranking(evoking(), EAST, HIDES["scene-cues"]) == []


def test_a_bridge_evokes_the_scene_of_its_item() -> None:
    scene = unit("scene", "scene", "", title="s", turns=("t",))
    item = unit("item", "item", "fact", view="atomic", turns=("t",))
    cue = unit("cue", "cue", "a -> b", family="bridge", view="bridge", parent="item")
    assert ranking(shelf_of((scene, UP), (item, UP), (cue, EAST)), EAST) == ["scene"]
