import os
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


def test_an_unpacked_backup_is_the_same_memory(run: Run, messages: Path, tmp_path: Path) -> None:
    run("import", str(messages))
    run("remember", "This one is only in the journal.", "--at", "2024-04-01")
    file = tmp_path / "backup.tar.gz"
    assert run("backup", str(file)).code == 0
    with tarfile.open(file) as archive:
        archive.extractall(tmp_path / "restored", filter="data")
    assert run("export", folder="restored").out == run("export").out
    assert "only in the journal" in run("recall", "journal", folder="restored").out


def test_a_backup_is_private_and_holds_no_locks(run: Run, messages: Path, tmp_path: Path) -> None:
    run("import", str(messages))
    file = tmp_path / "backup.tar.gz"
    run("backup", str(file))
    assert file.stat().st_mode & 0o077 == 0
    with tarfile.open(file) as archive:
        assert {name.split("/")[0] for name in archive.getnames()} == {"journal.sqlite3", "lance", "store.json"}


def test_a_backup_does_not_go_into_what_it_copies(run: Run, messages: Path, tmp_path: Path) -> None:
    run("import", str(messages))
    done = run("backup", str(tmp_path / "data" / "backup.tar.gz"))
    assert done.code == 1
    assert "inside the data folder" in done.err


def test_a_folder_that_cannot_be_written_is_backed_up(
    run: Run, messages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("import", str(messages))
    run("remember", "This one is only in the journal.", "--at", "2024-04-01")
    data = tmp_path / "data"
    before = {path: path.stat().st_mtime_ns for path in data.rglob("*")}
    writable = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != data and writable(path, mode))
    file = tmp_path / "backup.tar.gz"
    assert run("backup", str(file)).code == 0
    assert {path: path.stat().st_mtime_ns for path in data.rglob("*")} == before
    monkeypatch.undo()
    with tarfile.open(file) as archive:
        archive.extractall(tmp_path / "restored", filter="data")
    assert run("export", folder="restored").out == run("export").out
    assert "only in the journal" in run("export", folder="restored").out


def test_nothing_is_no_backup(run: Run, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("no folder")
    done = run("backup", str(tmp_path / "backup.tar.gz"))
    assert done.code == 1
    assert not (tmp_path / "backup.tar.gz").exists()
