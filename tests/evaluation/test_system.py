import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from mcp_memory.embed.hashing import HashingEmbedder
from mcp_memory.evaluation.cases import Case, Line, Talk
from mcp_memory.evaluation.run import evaluate, rank_report
from mcp_memory.evaluation.system import LEVEL_ONE, Ours
from mcp_memory.settings import Settings


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "folders"
    place.mkdir()
    return place


@pytest.fixture
def ours(folder: Path) -> Iterator[Ours]:
    made = Ours(Settings(), folder, HashingEmbedder())
    yield made
    made.close()


@pytest.fixture
def recordings(tmp_path: Path) -> Path:
    """What a strong reader wrote about the talk: one scene, one fact."""
    views = {"situation": "Ben tells of his sister", "object": "", "event": "", "emotion": ""}
    horizon = dict.fromkeys(("personal_arc", "avoidance_habit", "goal_arc", "belief_in_action", "legacy_anchor"))
    item = {"text": "Ben's sister emigrates to Portugal", "who": "Ben", "when": "", "sources": ["D1:4"]}
    scene = {
        "scene": "talk:1.1", "first": "D1:1", "last": "D1:6", "title": "News", "summary": "News of the week",
        "narrative": "They tell each other news.", "attributes": views, "horizon": horizon, "topics": ["family"],
        "utterances": ["We need somebody who knows Lisbon"],
        "items": [{**item, "entity": [], "bridge": [], "why": ""}],
    }  # fmt: skip
    place = tmp_path / "recordings"
    place.mkdir()
    (place / "talk.jsonl").write_text(json.dumps(scene) + "\n", encoding="utf-8")
    return place


def test_the_memory_names_the_lines_by_the_benchmarks_ids(case: Case, ours: Ours) -> None:
    report = evaluate([case], ours.build, budgets=(512,))
    assert [row.recall for row in report.rows[:2]] == [1.0, 1.0]


def test_each_budget_is_a_question_of_its_own(case: Case, ours: Ours) -> None:
    report = evaluate([case], ours.build, budgets=(64, 512))
    assert all(row.returned <= row.budget for row in report.rows)


def test_nothing_that_was_said_later_is_recalled(talk: Talk, ours: Ours) -> None:
    before = talk.lines[3].at
    named = {name for names, _ in ours.build(talk)("peppers, Lisbon, bees", before, 512) for name in names}
    assert named <= {line.id for line in talk.lines if line.at <= before}


def test_talks_do_not_mix(talk: Talk, ours: Ours) -> None:
    ours.build(talk)
    other = Talk("other", (Line("X1", "user", "user", "I have a parrot.", talk.lines[0].at, 1),))
    recall = ours.build(other)
    assert {name for names, _ in recall("hailstorm parrot", talk.lines[-1].at, 512) for name in names} <= {"X1"}


def test_a_talk_is_taken_in_once(case: Case, ours: Ours, folder: Path) -> None:
    evaluate([case], ours.build, budgets=(64,))
    rank_report([case], ours.scenes)
    assert [entry.name for entry in folder.iterdir()] == ["talk0"]


def test_recorded_notes_stand_in_for_a_language_model(talk: Talk, folder: Path, recordings: Path) -> None:
    ours = Ours(Settings(), folder, HashingEmbedder(), recordings)
    found = ours.build(talk)("Who emigrates to Portugal?", talk.lines[-1].at + timedelta(days=30), 512)
    assert any("Ben's sister emigrates to Portugal" in line for _, line in found)
    ours.close()


def test_the_scene_that_a_cue_evokes_is_ranked(case: Case, folder: Path, recordings: Path) -> None:
    ours = Ours(Settings(), folder, HashingEmbedder(), recordings)
    assert [rank.rank for rank in rank_report([case], ours.scenes).ranks] == [1, 1, 0]
    ours.close()


def test_level_one_is_quotes_alone(talk: Talk, folder: Path, recordings: Path) -> None:
    ours = Ours(Settings(), folder, HashingEmbedder(), recordings, without=LEVEL_ONE)
    asked = talk.lines[-1].at + timedelta(days=30)
    found = ours.build(talk)("Who emigrates to Portugal? Why would they move?", asked, 512)
    assert found
    said = {line.text[:20] for line in talk.lines}
    assert all(any(text in line for text in said) for _, line in found)
    assert ours.scenes(talk)("sister", asked) == []
    ours.close()
