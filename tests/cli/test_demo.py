from collections.abc import Callable
from datetime import datetime
from typing import Any

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


def test_the_demo_shows_and_proves_what_it_promises(run: Callable[..., Any]) -> None:
    done = run("demo")
    assert done.err == ""
    assert done.code == 0
    assert all(question.text in done.out for question in demo.QUESTIONS)
    assert all(len(line) <= 100 for line in done.out.splitlines())


def test_the_demo_fails_when_an_answer_lacks_what_it_must_hold(
    run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = demo.Question("a fact", "Who teaches me Portuguese?", ("nobody at all",))
    monkeypatch.setattr(demo, "QUESTIONS", (wrong,))
    done = run("demo")
    assert done.code == 1
    assert "lacks what it must hold: a fact" in done.err
