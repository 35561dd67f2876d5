import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

SAID = (
    ("Ada", "I repaired the greenhouse roof."),
    ("Ben", "My sister moves to Lisbon in October."),
    ("Ada", "The hailstorm ruined all the peppers."),
)


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    turns = [
        {"id": f"D1:{n}", "speaker": who, "text": text, "at": f"2024-03-04T09:0{n}:00+00:00", "session": 1}
        for n, (who, text) in enumerate(SAID)
    ]
    asked = [("Where does Ben's sister move?", "D1:1"), ("What ruined the peppers?", "D1:2")]
    questions = [
        {"id": gold, "text": text, "when": "2024-04-01T00:00:00+00:00", "category": "single", "gold": [gold]}
        for text, gold in asked
    ]
    file = tmp_path / "cases.jsonl"
    file.write_text(json.dumps({"conversation": {"id": "c", "turns": turns}, "questions": questions}) + "\n")
    return file


def test_the_memory_is_measured_beside_bm25(run: Run, cases: Path, tmp_path: Path) -> None:
    done = run("eval", "locomo", str(cases), "--json", str(tmp_path / "run.json"))
    assert done.code == 0
    assert "cases.jsonl: mcp-memory" in done.out
    assert "cases.jsonl: BM25" in done.out
    document = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    found = [row["recall"] for row in document["systems"]["mcp-memory"] if row["budget"] == 512]
    assert found == [1.0, 1.0]
    assert str(tmp_path) not in json.dumps(document)


def test_only_the_first_questions_are_asked(run: Run, cases: Path, tmp_path: Path) -> None:
    run("eval", "locomo", str(cases), "--limit", "1", "--json", str(tmp_path / "run.json"))
    document = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    assert {row["question"] for row in document["systems"]["BM25"]} == {"D1:1"}


def test_a_run_is_compared_with_an_earlier_one(run: Run, cases: Path, tmp_path: Path) -> None:
    run("eval", "locomo", str(cases), "--json", str(tmp_path / "run.json"))
    done = run("eval", "locomo", str(cases), "--against", str(tmp_path / "run.json"))
    assert "against the earlier run" in done.out
    assert "recall +0.000" in done.out


def test_results_fill_a_marked_table_and_nothing_else(run: Run, cases: Path, tmp_path: Path) -> None:
    run("eval", "locomo", str(cases), "--json", str(tmp_path / "run.json"))
    readme = tmp_path / "README.md"
    readme.write_text("before\n<!-- results: begin -->\nold\n<!-- results: end -->\nafter\n", encoding="utf-8")
    assert run("results", str(tmp_path / "run.json"), "--into", str(readme)).code == 0
    text = readme.read_text(encoding="utf-8")
    assert text.startswith("before\n<!-- results: begin -->\n")
    assert text.endswith("<!-- results: end -->\nafter\n")
    assert "old" not in text
    assert "| locomo | mcp-memory | 1.000 | 1.000 |" in text


def test_a_file_without_marks_is_left_alone(run: Run, cases: Path, tmp_path: Path) -> None:
    run("eval", "locomo", str(cases), "--json", str(tmp_path / "run.json"))
    readme = tmp_path / "README.md"
    readme.write_text("nothing\n", encoding="utf-8")
    assert run("results", str(tmp_path / "run.json"), "--into", str(readme)).code == 1
    assert readme.read_text(encoding="utf-8") == "nothing\n"
