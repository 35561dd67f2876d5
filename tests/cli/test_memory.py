import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def test_what_is_remembered_is_recalled(run: Callable[..., Any]) -> None:
    assert run("remember", "The spare key hangs behind the clock.", "Noted.").code == 0
    done = run("recall", "where is the spare key")
    assert done.code == 0
    assert "behind the clock" in done.out


def test_the_structured_answer_is_json(run: Callable[..., Any]) -> None:
    stored = run("remember", "My doctor is called Abe.", "--topic", "health", "--json").json
    assert stored["stored"]
    assert run("recall", "doctor", "--json").json["hits"][0]["sources"] == stored["ids"][:1]
    assert run("inspect", "--json").json["data"]["turns"] == 1
    assert run("persona", "--json").json["speaker"] == "user"


def test_a_note_is_kept_with_its_turn(run: Callable[..., Any]) -> None:
    run("remember", "He said yes!", "--note", "Ola will marry Jun", "--at", "2024-05-01")
    assert "2024-05-01" in run("recall", "Who marries Jun?").out


def test_a_refused_argument_is_one_line_and_no_success(run: Callable[..., Any]) -> None:
    done = run("recall", "  ")
    assert done.code == 1
    assert done.err.startswith("mcp-memory: `query` is blank")


def test_forgetting_shows_first_and_erases_only_when_told(run: Callable[..., Any]) -> None:
    turn = run("remember", "The safe opens with 4711.", "--json").json["ids"][0]
    shown = run("forget", turn)
    assert shown.code == 1
    assert "would erase 1 turns" in shown.out
    assert "4711" in run("recall", "safe").out
    assert run("forget", turn, "--yes").code == 0
    assert "4711" not in run("recall", "safe").out


def test_how_a_line_was_found_can_be_shown(run: Callable[..., Any]) -> None:
    run("remember", "Our cat is called Pixel.")
    traced = run("recall", "cat", "--trace").out.removeprefix(run("recall", "cat").out.rstrip("\n"))
    assert "    lines:\n      - id " in traced
    assert not set("[]{}'") & set(traced)


READING = (["recall", "keys"], ["persona"], ["inspect"], ["inspect", "--html", "page.html"], ["export"])


@pytest.mark.parametrize("command", READING, ids=" ".join)
def test_a_data_folder_that_cannot_be_opened_is_no_empty_memory(run: Callable[..., Any], command: list[str]) -> None:
    run("remember", "The keys are under the mat.")
    for folder in ("data/store.json", "data/store.json/below"):
        done = run(*command, folder=folder)
        assert (done.code, done.out) == (1, "")
        assert done.err.startswith("mcp-memory: the data folder ")
        assert "data_dir" in done.err


@pytest.mark.parametrize("command", READING, ids=" ".join)
def test_nor_is_one_whose_journal_cannot_be_opened(
    run: Callable[..., Any], tmp_path: Path, command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run("remember", "The keys are under the mat.")
    for path in (tmp_path / "data").glob("journal.*"):
        path.unlink()
    (tmp_path / "data" / "journal.sqlite3").mkdir()
    shutil.rmtree(tmp_path / "data" / "lance", ignore_errors=True)
    done = run(*command)
    assert (done.code, done.out) == (1, "")
    assert "cannot be written" in done.err


def test_what_can_be_read_without_the_journal_is_told_with_what_stands_in_the_way(
    run: Callable[..., Any], tmp_path: Path, messages: Path
) -> None:
    run("import", str(messages))
    for path in (tmp_path / "data").glob("journal.*"):
        path.unlink()
    (tmp_path / "data" / "journal.sqlite3").mkdir()
    done = run("recall", "fig tree")
    assert done.code == 0
    assert "balcony" in done.out
    assert "cannot be written" in done.out
    exported = run("export")
    assert exported.code == 0
    assert "balcony" in exported.out
    assert "cannot be written" in exported.err


@pytest.mark.parametrize("limit", ["0", "-1", "501", "100000"])
def test_a_limit_that_is_no_number_of_rows_is_refused(run: Callable[..., Any], limit: str) -> None:
    done = run("inspect", "timeline", f"--limit={limit}")
    assert done.code == 1
    assert "between 1 and 500" in done.err


def test_a_timeline_that_is_cut_says_how_to_see_the_rest(run: Callable[..., Any]) -> None:
    for day in range(1, 5):
        run("remember", f"Day {day} at sea.", "--at", f"2024-03-0{day}T10:00")
    shown = run("inspect", "timeline", "--limit", "3")
    assert shown.out.count("\n  - id ") == 3
    assert "older nodes: until=2024-03-04" in shown.out
    assert "left_out" not in run("inspect", "timeline", "--limit", "100").out
