"""Whatever writes a file that a person names says in one sentence why it cannot, and loses nothing."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mcp_memory.cli import evaluating
from mcp_memory.cli.files import check_writable, replacing
from mcp_memory.errors import InputError

Run = Callable[..., Any]
WRITING = (["export"], ["backup"], ["inspect", "--html"])
PLACES = {
    "folder": ("", "it is a folder"),
    "gone/out": ("gone/out", "there is no folder"),
    "file/out": ("file/out", "there is no folder"),
    "long": ("x" * 300, "too long"),
} | ({"pipe": ("pipe", "no ordinary file")} if hasattr(os, "mkfifo") else {})


@pytest.fixture
def place(tmp_path: Path) -> Path:
    folder = tmp_path / "place"
    folder.mkdir()
    (folder / "file").write_text("mine")
    if "pipe" in PLACES:
        os.mkfifo(folder / "pipe")
    return folder


def refused(done: Any, *said: str) -> bool:
    assert done.code == 1
    assert len(done.err.splitlines()) == 1
    assert all(one in done.err for one in said), done.err
    return True


@pytest.mark.parametrize(("name", "why"), PLACES.values(), ids=PLACES)
@pytest.mark.parametrize("command", WRITING, ids=" ".join)
def test_a_file_that_cannot_be_written_is_told(run: Run, place: Path, command: list[str], name: str, why: str) -> None:
    run("remember", "Hi")
    assert refused(run(*command, str(place / name)), "cannot write", why)
    assert {one.name for one in place.iterdir()} <= {"file", "pipe"}


@pytest.mark.parametrize("command", WRITING, ids=" ".join)
def test_a_file_with_something_in_it_is_not_lost(run: Run, place: Path, command: list[str]) -> None:
    run("remember", "Hi")
    assert refused(run(*command, str(place / "file")), "is there", "name another file")
    assert (place / "file").read_text() == "mine"


@pytest.mark.parametrize("command", WRITING, ids=" ".join)
def test_an_empty_file_may_be_filled(run: Run, place: Path, command: list[str]) -> None:
    run("remember", "Hi")
    (place / "empty").touch()
    assert run(*command, str(place / "empty")).code == 0
    assert (place / "empty").stat().st_size


def test_a_page_takes_the_place_of_an_earlier_one(run: Run, place: Path) -> None:
    assert [run("inspect", "--html", str(place / "page.html")).code for _ in range(2)] == [0, 0]


@pytest.mark.parametrize(("name", "why"), PLACES.values(), ids=PLACES)
def test_where_results_cannot_be_written_nothing_is_run(
    run: Run, place: Path, monkeypatch: pytest.MonkeyPatch, name: str, why: str
) -> None:
    monkeypatch.delattr(evaluating, "_run")
    assert refused(run("eval", "locomo", str(place / "file"), "--json", str(place / name)), "cannot write", why)


def test_results_do_not_take_the_place_of_the_benchmark(run: Run, place: Path) -> None:
    (place / "file").write_text("[]")
    assert refused(run("eval", "locomo", str(place / "file"), "--json", str(place / "file")), "holds no run")
    assert (place / "file").read_text() == "[]"


@pytest.mark.parametrize(("name", "why"), PLACES.values(), ids=PLACES)
def test_where_the_table_cannot_be_put_is_told(run: Run, place: Path, name: str, why: str) -> None:
    empty = {"format": "mcp-memory-eval/1", "suite": "locomo", "file": "f", "sha256": "0", "command": "c"}
    more = {"version": "1", "conversations": [], "switches": {}, "systems": {}, "ranks": {}, "grades": []}
    (place.parent / "run.json").write_text(json.dumps(empty | more))
    into = ["results", str(place.parent / "run.json"), "--into"]
    assert refused(run(*into, str(place / name)), "cannot write", why)
    (place.parent / "latin").write_bytes(b"\xfc")
    assert refused(run(*into, str(place.parent / "latin")), "UTF-8")
    assert refused(run(*into, str(place.parent / "missing")), "cannot read")


def test_links_and_permissions_stay(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    (tmp_path / "file").chmod(0o644)
    (tmp_path / "link").symlink_to("file")
    with replacing(tmp_path / "link") as fresh:
        fresh.write_text("new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "new"
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o644


def test_links_in_a_circle_are_told(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(InputError, match="cannot write"):
        check_writable(tmp_path / "a")


@pytest.mark.skipif(os.access("/", os.W_OK), reason="this user may write everywhere")
def test_a_folder_that_is_not_ones_own_is_told(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(InputError, match="nothing can be written"):
        check_writable(tmp_path / "a")
