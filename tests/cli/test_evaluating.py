import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mcp_memory.cli import evaluating
from mcp_memory.recall.pipeline import COMPONENTS

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
        {
            "id": gold,
            "text": text,
            "when": "2024-04-01T00:00:00+00:00",
            "category": "single",
            "gold": [gold],
            "answer": text,
        }
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
    assert "| locomo | mcp-memory, rules | 1.000 | 1.000 | 1.000 |" in text


def test_a_file_without_marks_is_left_alone(run: Run, cases: Path, tmp_path: Path) -> None:
    run("eval", "locomo", str(cases), "--json", str(tmp_path / "run.json"))
    readme = tmp_path / "README.md"
    readme.write_text("nothing\n", encoding="utf-8")
    assert run("results", str(tmp_path / "run.json"), "--into", str(readme)).code == 1
    assert readme.read_text(encoding="utf-8") == "nothing\n"


def test_what_was_left_out_is_told_with_the_figures(run: Run, cases: Path, tmp_path: Path) -> None:
    left_out = ["--without", "gate", "--without", "climb", "--complexity", "complex"]
    assert run("eval", "locomo", str(cases), *left_out, "--json", str(tmp_path / "run.json")).code == 0
    document = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    switches = document["switches"]
    assert (switches["scribe"], switches["without"], switches["complexity"]) == ("rules", "climb gate", "complex")
    assert document["command"].endswith("--without gate --without climb --complexity complex")


def test_level_one_is_a_run_of_its_own(run: Run, cases: Path, tmp_path: Path) -> None:
    assert run("eval", "locomo", str(cases), "--level1", "--json", str(tmp_path / "run.json")).code == 0
    assert json.loads((tmp_path / "run.json").read_text())["switches"]["without"] == "all but level 1"


def test_every_component_can_be_left_out() -> None:
    assert set(evaluating.WITHOUT) == set(COMPONENTS)


def test_the_hidden_cue_is_ranked_in_locomo_plus(run: Run, cases: Path, tmp_path: Path) -> None:
    done = run("eval", "locomo-plus", str(cases), "--json", str(tmp_path / "run.json"))
    assert "rank of the hidden cue" in done.out
    assert "mcp-memory" in json.loads((tmp_path / "run.json").read_text())["ranks"]


@pytest.mark.parametrize("more", [["--scribe", "recorded"], ["--recorded", "notes"]])
def test_recorded_notes_need_their_folder(run: Run, cases: Path, more: list[str]) -> None:
    done = run("eval", "locomo", str(cases), *more)
    assert done.code == 1
    assert "go together" in done.err


@pytest.mark.parametrize("more", [["--scribe", "llm"], ["--answer"]])
def test_a_model_that_is_not_set_is_not_asked(run: Run, cases: Path, more: list[str]) -> None:
    done = run("eval", "locomo", str(cases), *more)
    assert done.code == 1
    assert "no language model" in done.err


def test_without_a_key_nothing_is_spent(run: Run, cases: Path) -> None:
    done = run("--set", "llm.provider=openai", "eval", "locomo", str(cases), "--answer", "--calls", "5")
    assert "there is no key" in done.out
    assert "0 calls" in done.out


@pytest.mark.parametrize("more", [["--limit", "0"], ["--limit", "-3"], ["--calls", "0"]])
def test_no_question_at_all_cannot_be_asked_for(run: Run, cases: Path, more: list[str]) -> None:
    done = run("eval", "locomo", str(cases), *more)
    assert done.code == 1
    assert f"{more[0]} must be 1 or more" in done.err


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"suite": "beam"}, "different benchmark files"),
        ({"sha256": "0"}, "different benchmark files"),
        ({"systems": {}}, "no system 'mcp-memory'"),
        ({"systems": {"mcp-memory": []}}, "none of these questions"),
        ({"format": "other"}, "another format"),
    ],
)
def test_a_run_that_cannot_be_compared_is_told_before_anything_is_run(
    run: Run, cases: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: dict[str, Any], why: str
) -> None:
    path = tmp_path / "run.json"
    run("eval", "locomo", str(cases), "--level1", "--json", str(path))
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | change), encoding="utf-8")
    monkeypatch.delattr(evaluating, "_run")
    done = run("eval", "locomo", str(cases), "--against", str(path))
    assert done.code == 1
    assert why in done.err


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """A folder with notes about the conversation of `cases`."""
    scene = {"scene": "c:1.1", "first": "D1:0", "last": "D1:2", "title": "A day", "summary": "A day of news."}
    scene |= {"narrative": "They talk.", "attributes": {}, "horizon": {}, "topics": [], "utterances": [], "items": []}
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "c.jsonl").write_text(json.dumps(scene) + "\n", encoding="utf-8")
    return folder


def test_recorded_notes_are_used(run: Run, cases: Path, recorded: Path) -> None:
    assert run("eval", "locomo", str(cases), "--scribe", "recorded", "--recorded", str(recorded)).code == 0


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda folder: folder.rename(folder.with_name("elsewhere")), "there is no folder"),
        (lambda folder: (folder / "c.jsonl").rename(folder / "d.jsonl"), "c.jsonl is missing"),
        (lambda folder: (folder / "c.jsonl").write_text(""), "records nothing of c"),
        (lambda folder: (folder / "c.jsonl").write_text("no scene"), "line 1: neither a recorded scene"),
    ],
)
def test_missing_recordings_are_told_before_anything_is_run(
    run: Run, cases: Path, recorded: Path, monkeypatch: pytest.MonkeyPatch, spoil: Callable[[Path], Any], why: str
) -> None:
    spoil(recorded)
    monkeypatch.delattr(evaluating, "_run")
    done = run("eval", "locomo", str(cases), "--scribe", "recorded", "--recorded", str(recorded))
    assert done.code == 1
    assert why in done.err


def test_hidden_cues_need_their_recordings_as_well(run: Run, cases: Path, recorded: Path) -> None:
    cases.write_text(cases.read_text(encoding="utf-8").replace("D1:2", "cue7:1"), encoding="utf-8")
    done = run("eval", "locomo-plus", str(cases), "--scribe", "recorded", "--recorded", str(recorded))
    assert done.code == 1
    assert "cues.jsonl is missing" in done.err


@pytest.mark.parametrize(
    ("suite", "category", "other"),
    [("beam", "single-hop", "locomo"), ("locomo", "causal", "locomo-plus"), ("longmemeval", "summarization", "beam")],
)
def test_a_file_of_another_suite_is_not_run_under_this_one_s_name(
    run: Run, cases: Path, suite: str, category: str, other: str
) -> None:
    cases.write_text(cases.read_text(encoding="utf-8").replace('"single"', f'"{category}"'), encoding="utf-8")
    done = run("eval", suite, str(cases))
    assert done.code == 1
    assert f"not of {suite}, but of {other}" in done.err


def test_questions_without_evidence_alone_cannot_be_measured(run: Run, cases: Path) -> None:
    cases.write_text(cases.read_text(encoding="utf-8").replace('"single"', '"adversarial"', 1), encoding="utf-8")
    done = run("eval", "locomo", str(cases), "--limit", "1")
    assert done.code == 1
    assert "none of the questions that --limit 1 chooses" in done.err
    assert "no recall can be measured" in done.err


def test_an_earlier_run_must_share_a_question_with_evidence(run: Run, cases: Path, tmp_path: Path) -> None:
    text = cases.read_text(encoding="utf-8").replace('"single"', '"adversarial"', 1)
    cases.write_text(text, encoding="utf-8")
    run("eval", "locomo", str(cases), "--level1", "--json", str(tmp_path / "run.json"))
    document = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    document["systems"]["mcp-memory"] = [
        row for row in document["systems"]["mcp-memory"] if row["category"] == "adversarial"
    ]
    (tmp_path / "run.json").write_text(json.dumps(document), encoding="utf-8")
    done = run("eval", "locomo", str(cases), "--against", str(tmp_path / "run.json"))
    assert done.code == 1
    assert "none of these questions" in done.err
