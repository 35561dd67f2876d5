import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from mcp_memory.embed.hashing import HashingEmbedder
from mcp_memory.evaluation.cases import Case, Line, Talk
from mcp_memory.evaluation.run import Build, evaluate
from mcp_memory.evaluation.system import ours
from mcp_memory.settings import Settings


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "folders"
    place.mkdir()
    return place


@pytest.fixture
def build(folder: Path) -> Iterator[Build]:
    with ours(Settings(), folder, HashingEmbedder()) as built:
        yield built


def test_the_memory_names_the_lines_by_the_benchmarks_ids(case: Case, build: Build) -> None:
    report = evaluate([case], build, budgets=(512,))
    assert [row.recall for row in report.rows[:2]] == [1.0, 1.0]


def test_nothing_that_was_said_later_is_recalled(talk: Talk, build: Build) -> None:
    recall = build(talk)
    before = talk.lines[3].at
    named = {name for names, _ in recall("peppers, Lisbon, bees", before) for name in names}
    assert named <= {line.id for line in talk.lines if line.at <= before}


def test_talks_do_not_mix(talk: Talk, build: Build) -> None:
    build(talk)
    other = Talk("other", (Line("X1", "user", "user", "I have a parrot.", talk.lines[0].at, 1),))
    recall = build(other)
    assert {name for names, _ in recall("hailstorm parrot", talk.lines[-1].at) for name in names} <= {"X1"}


def test_recorded_notes_stand_in_for_a_language_model(talk: Talk, folder: Path, tmp_path: Path) -> None:
    views = {"situation": "Ben tells of his sister", "object": "", "event": "", "emotion": ""}
    horizon = dict.fromkeys(("personal_arc", "avoidance_habit", "goal_arc", "belief_in_action", "legacy_anchor"))
    item = {"text": "Ben's sister emigrates to Portugal", "who": "Ben", "when": "", "sources": ["D1:4"]}
    scene = {
        "scene": "talk:1.1", "first": "D1:1", "last": "D1:6", "title": "News", "summary": "News of the week",
        "narrative": "They tell each other news.", "attributes": views, "horizon": horizon, "topics": ["family"],
        "utterances": ["We need somebody who knows Lisbon"],
        "items": [{**item, "entity": [], "bridge": [], "why": ""}],
    }  # fmt: skip
    recordings = tmp_path / "recordings"
    recordings.mkdir()
    (recordings / "talk.jsonl").write_text(json.dumps(scene) + "\n", encoding="utf-8")
    with ours(Settings(), folder, HashingEmbedder(), recordings) as build:
        found = build(talk)("Who emigrates to Portugal?", talk.lines[-1].at + timedelta(days=30))
        lines = [line for _, line in found]
    assert any("Ben's sister emigrates to Portugal" in line for line in lines)
