import subprocess
import sys
from datetime import datetime

import pytest

from mcp_memory.cli import demo
from mcp_memory.text.lexical import analyze


def test_the_story_takes_weeks_and_has_several_threads() -> None:
    told = demo.exchanges()
    moments = [datetime.fromisoformat(one["at"]) for one in told]
    assert moments == sorted(moments)
    assert (moments[-1] - moments[0]).days >= 35
    assert len({one["topic"] for one in told}) >= 6


def test_the_remark_shares_no_word_with_the_memory_it_should_evoke() -> None:
    (remark,) = (one for one in demo.QUESTIONS if one.kind.startswith("a remark"))
    (evoked,) = (one for one in demo.exchanges() if any("peanut" in note["fact"] for note in one.get("notes", ())))
    said = [evoked["user"], *(text for note in evoked["notes"] for text in (note["fact"], *note["cues"]))]
    assert not set(analyze(remark.text)) & {word for text in said for word in analyze(text)}


def test_the_demo_shows_and_proves_what_it_promises() -> None:
    done = subprocess.run([sys.executable, "-m", "mcp_memory", "demo"], capture_output=True, encoding="utf-8")
    assert done.stderr == ""
    assert done.returncode == 0
    assert all(question.text in done.stdout for question in demo.QUESTIONS)
    assert all(len(line) <= 100 for line in done.stdout.splitlines())


def test_the_demo_fails_when_an_answer_lacks_what_it_must_hold() -> None:
    wrong = "demo.QUESTIONS = [demo.Question('a fact', 'Who teaches me Portuguese?', ('nobody at all',))]"
    code = f"from mcp_memory.cli import demo, main; {wrong}; raise SystemExit(main(['demo']))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8")
    assert done.returncode == 1
    assert "lacks what it must hold: a fact" in done.stderr


@pytest.mark.parametrize(
    ("lines", "holds"),
    [
        ([("facts", "you live in Rome since May"), ("associations", "Rome")], True),
        ([("associations", "you live in Rome since May")], False),
        ([("facts", "you live in Rome"), ("facts", "since May")], False),
        ([("facts", "you live in Rome since May"), ("facts", "you live in Bonn")], False),
        ([], False),
    ],
)
def test_an_answer_is_judged_by_what_it_must_and_must_not_hold(lines: list[tuple[str, str]], holds: bool) -> None:
    question = demo.Question("a correction", "Where do I live?", ("rome", "may"), where="facts", refuted="bonn")
    assert demo.proved(question, [{"section": section, "text": text} for section, text in lines]) is holds
