"""Commands that ask a language model on the way: the real ones, against the stub server."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mcp_memory.cli import main

if TYPE_CHECKING:
    from tests.llm.conftest import Answer, Lab

TEXTS = (
    *("title", "summary", "narrative", "situation", "object", "event", "emotion", "personal_arc"),
    *("avoidance_habit", "goal_arc", "belief_in_action", "legacy_anchor"),
)
SCENE = dict.fromkeys(TEXTS, "Remarks") | {"first_turn": 1, "last_turn": 5, "finished": True}
SCENE |= {name: ["remarks"] for name in ("topics", "keywords", "utterances")}
REPLIES = {  # by what only their schema names
    "first_turn": {"scenes": [SCENE], "memories": [], "items": []},
    "patches": {"title": "Talk", "text": "They talked.", "patches": []},
    "portraits": {"title": "Talk", "text": "They talked.", "portraits": []},
    "correct": {"correct": True, "reason": "It is."},
    "answer": {"answer": "bees"},
}
Run = Callable[..., str]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], lab: "Lab") -> Run:
    """Runs a command on a data folder of the test with the stub as language model; gives what it printed."""
    path = "" if lab.provider == "anthropic" else "/v1"
    model = {"provider": lab.provider, "model": "stub", "base_url": lab.stub.url + path, "api_key": lab.secret}
    settings = [part for key, value in model.items() for part in ("--set", f"llm.{key}={value}")]
    place = ["--data-dir", str(tmp_path / "data"), "--set", "embed.provider=none", "--set", "time_zone=UTC"]

    def run(*arguments: str) -> str:
        assert main([*place, *settings, *arguments]) == 0
        return capsys.readouterr().out

    return run


@pytest.fixture
def willing(lab: "Lab", monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Has the stub answer every question in its shape from now on."""

    def answer() -> "Answer":
        asked = json.dumps(lab.stub.bodies[-1])
        return lab.said(json.dumps(next(reply for name, reply in REPLIES.items() if name in asked)))

    return lambda: monkeypatch.setattr(lab.stub, "next", answer)


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    path = tmp_path / "talk.jsonl"
    lines = [
        {"at": f"2024-03-0{day}T09:{minute:02}", "role": "user", "text": f"Remark {minute} of day {day}."}
        for day in (4, 5, 6)
        for minute in range(5)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_an_import_asks_about_what_it_stored_and_says_so(
    run: Run, talk: Path, lab: "Lab", willing: Callable[[], None]
) -> None:
    willing()
    asked = len(lab.stub.bodies)
    printed = run("import", str(talk))
    calls = len(lab.stub.bodies) - asked
    assert calls > 0
    assert f"{calls} questions asked, {calls} answered; 0 days" in printed
    assert "asked" not in run("import", str(talk))


def test_rescribe_asks_about_everything_again(run: Run, talk: Path, lab: "Lab", willing: Callable[[], None]) -> None:
    willing()
    run("import", str(talk))
    first = len(lab.stub.bodies)
    assert "questions asked" not in run("rebuild")
    assert f"{first} questions asked" in run("rebuild", "--rescribe")
    assert len(lab.stub.bodies) == 2 * first


def test_a_model_that_refuses_is_named_and_nothing_is_lost(
    run: Run, talk: Path, lab: "Lab", willing: Callable[[], None]
) -> None:
    lab.answers(lab.failed(401))
    printed = run("import", str(talk))
    assert "15 stored" in printed
    assert "The rules cover for what has no answer: the key was refused." in printed
    willing()
    assert "0 days" in run("rebuild", "--rescribe")


def test_an_evaluation_lets_the_model_write_and_answer(
    run: Run, tmp_path: Path, lab: "Lab", willing: Callable[[], None]
) -> None:
    turns = [
        {"id": f"D1:{n}", "speaker": "Ada", "text": f"Remark {n} on bees.", "at": f"2024-03-04T09:{n:02}", "session": 1}
        for n in range(6)
    ]
    question = {
        "id": "q1",
        "text": "What is remark 3 on?",
        "when": "2024-04-01T00:00:00+00:00",
        "category": "single",
        "gold": ["D1:3"],
        "answer": "bees",
    }
    file, rows = tmp_path / "cases.jsonl", tmp_path / "run.json"
    file.write_text(json.dumps({"conversation": {"id": "c", "turns": turns}, "questions": [question]}) + "\n")
    willing()
    printed = run("eval", "locomo", str(file), "--scribe", "llm", "--answer", "--calls", "2", "--json", str(rows))
    document = json.loads(rows.read_text(encoding="utf-8"))
    assert document["switches"]["scribe"] == f"{lab.provider} stub"
    assert [grade["question"] for grade in document["grades"]] == ["q1"]
    assert "2 calls, 20 tokens read, 10 written" in printed
    written = [body for body in lab.stub.bodies if "first_turn" in json.dumps(body)]
    assert written, "the model was asked to take notes of the conversation"
