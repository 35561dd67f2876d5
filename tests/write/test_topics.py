"""Topics: threads that scenes join by meaning, and that a rebuild finds again."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from mcp_memory.model.ids import make_id
from mcp_memory.model.unit import Unit
from mcp_memory.write.topics import MOST_TOPICS, assign, topic_units

RNG = np.random.default_rng(3)
COMMON = RNG.normal(size=48)
THINGS = RNG.normal(size=(8, 48)) * 0.4
START = datetime(2026, 1, 5, 12, tzinfo=UTC)
Vectors = Mapping[str, np.ndarray]


def scene(number: int, title: str, **detail: Any) -> Unit:
    at = START + timedelta(days=number)
    return Unit(make_id("scene", str(number)), "Ann", "scene", at, at, title, title=title, detail=detail)


def meanings(subjects: Mapping[str, tuple[int, ...]]) -> Vectors:
    """Vectors by scene: what all scenes share is far longer than what tells them apart."""
    rows = {one: COMMON + sum(THINGS[subject] for subject in about) for one, about in subjects.items()}
    return {one: (row / np.linalg.norm(row)).astype(np.float32) for one, row in rows.items()}


def threads(scenes: list[Unit], about: list[tuple[int, ...]], known: Mapping[str, Unit] | None = None) -> list[Unit]:
    vectors = meanings({one.id: subjects for one, subjects in zip(scenes, about, strict=True)})
    background = (COMMON / np.linalg.norm(COMMON)).astype(np.float32)
    wanted = [one for one in scenes if one.id not in (known or {})]
    return assign(wanted, known or {}, lambda one: vectors.get(one.id), lambda _: background)


def topics(scenes: list[Unit]) -> list[list[str]]:
    return [one.detail["titles"] for one in scenes]


def test_scenes_about_one_thing_share_a_topic_and_others_do_not() -> None:
    talk = [scene(1, "Pottery"), scene(2, "Adoption"), scene(3, "Clay bowls"), scene(4, "Agencies")]
    assert topics(threads(talk, [(1,), (2,), (1,), (2,)])) == [["Pottery"], ["Adoption"], ["Pottery"], ["Adoption"]]


def test_a_scene_about_two_things_joins_two_threads_but_never_more() -> None:
    talk = [scene(number, title) for number, title in enumerate(["Pottery", "Adoption", "Both", "Music", "All"])]
    found = topics(threads(talk, [(1,), (2,), (1, 2), (3,), (1, 2, 3)]))
    assert sorted(found[2]) == ["Adoption", "Pottery"]
    assert len(found[4]) == MOST_TOPICS


def test_a_shared_key_phrase_helps_a_likeness_that_is_not_enough() -> None:
    about = [(1,), (1, 2, 3, 4, 5)]
    bare = [scene(1, "Pottery"), scene(2, "Party")]
    named = [scene(1, "Pottery", keywords=["clay bowl"]), scene(2, "Party", keywords=["bowls"])]
    assert topics(threads(bare, about)) == [["Pottery"], ["Party"]]
    assert topics(threads(named, about)) == [["Pottery"], ["Pottery"]]


def test_deriving_one_after_the_other_gives_the_same_as_all_at_once() -> None:
    talk = [scene(number, f"Scene {number}") for number in range(30)]
    about = [(number * 5 % 7,) for number in range(30)]
    known: dict[str, Unit] = {}
    for number in range(30):
        known |= {one.id: one for one in threads(talk[: number + 1], about[: number + 1], known)}
    assert [known[one.id] for one in talk] == threads(talk[::-1], about[::-1])


def test_a_scene_keeps_the_topics_it_has() -> None:
    first = threads([scene(1, "Pottery")], [(1,)])
    renamed = scene(1, "Clay")
    again = assign([renamed], {one.id: one for one in first}, lambda _: None, lambda _: COMMON)
    assert topics(again) == [["Pottery"]]


def test_a_named_topic_is_found_again_whatever_its_case_and_spacing() -> None:
    talk = [scene(1, "A", topics=["Sado trip"]), scene(2, "B", topics=["sado  Trip"])]
    first, second = threads(talk, [(1,), (2,)])
    assert first.detail["topics"] == second.detail["topics"]
    assert topic_units([first, second])[0].title == "Sado trip"


def test_a_scene_by_rules_joins_a_topic_that_a_scribe_named() -> None:
    talk = [scene(1, "A", topics=["Pottery classes"]), scene(2, "Clay")]
    assert topics(threads(talk, [(1,), (1,)])) == [["Pottery classes"], ["Pottery classes"]]


def test_without_vectors_each_scene_opens_its_own() -> None:
    talk = [scene(1, "Pottery"), scene(2, "Clay")]
    assert topics(assign(talk, {}, lambda _: None, lambda _: COMMON)) == [["Pottery"], ["Clay"]]


def test_a_scene_that_nothing_names_has_no_topic() -> None:
    (only,) = threads([scene(1, "")], [(1,)])
    assert only.detail["topics"] == []


def test_a_topic_sums_up_its_scenes() -> None:
    talk = threads([scene(1, "Pottery", keywords=["clay"]), scene(4, "Bowls", keywords=["bowl", "clay"])], [(1,), (1,)])
    (topic,) = topic_units(talk)
    assert (topic.title, topic.detail["keywords"], topic.detail["scenes"]) == ("Pottery", ["clay", "bowl"], 2)
    assert topic.text.count("clay") == 1
    assert (topic.start, topic.end) == (talk[0].start, talk[1].end)


@pytest.mark.parametrize("count", [65, 200])
def test_many_topics_are_told_apart(count: int) -> None:
    talk = [scene(number, f"Scene {number}") for number in range(count)]
    vectors = dict(zip((one.id for one in talk), np.eye(count, dtype=np.float32), strict=True))
    found = assign(talk, {}, lambda one: vectors[one.id], lambda _: np.zeros(count, dtype=np.float32))
    assert len({topic for one in found for topic in one.detail["topics"]}) == count
