from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mcp_memory.store.lock import WriteLock

Run = Callable[..., Any]


def grades(out: str) -> set[str]:
    return {line.split()[0] for line in out.splitlines() if not line.startswith(" ")}


def test_a_healthy_memory_gets_no_fail(run: Run, messages: Path) -> None:
    run("import", str(messages))
    done = run("doctor")
    assert done.code == 0
    assert "fail" not in grades(done.out)
    assert "the checksums of what was said" in done.out


def test_an_empty_folder_is_healthy(run: Run) -> None:
    assert run("doctor").code == 0


def test_what_search_lacks_is_a_warning_with_the_fix(run: Run) -> None:
    assert "warn  search is by words only\n      → set embed.provider" in run("doctor").out


def test_the_file_the_settings_come_from_is_named(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('owner = "Ann"\n', encoding="utf-8")
    assert f"configuration: {file}" in run("--config", str(file), "doctor").out


def test_a_lost_table_is_a_failure_with_the_fix(run: Run, messages: Path, tmp_path: Path) -> None:
    run("import", str(messages))
    for file in (tmp_path / "data" / "lance" / "turns.lance" / "data").iterdir():
        file.unlink()
    done = run("doctor")
    assert done.code == 1
    assert "fail" in grades(done.out)
    assert "      → " in done.out


def test_a_folder_that_others_can_read_is_told(run: Run, messages: Path, tmp_path: Path) -> None:
    run("import", str(messages))
    (tmp_path / "data").chmod(0o755)
    done = run("doctor")
    assert done.code == 1
    assert "chmod 700" in done.out


def test_a_kept_notice_can_be_taken_away(run: Run, messages: Path, tmp_path: Path) -> None:
    run("import", str(messages))
    (tmp_path / "data" / "journal.sqlite3").write_bytes(b"not a database at all")
    for suffix in ("-wal", "-shm"):
        (tmp_path / "data" / f"journal.sqlite3{suffix}").unlink(missing_ok=True)
    assert "journal was damaged" in run("doctor").out
    assert "journal was damaged" not in run("doctor", "--clear").out


def test_a_busy_memory_is_a_warning_that_names_the_holder(run: Run, messages: Path, tmp_path: Path) -> None:
    run("import", str(messages))
    with WriteLock(tmp_path / "data").held("testing", 1):
        done = run("doctor")
    assert "(testing) is writing" in done.out
    assert done.code == 0


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
def test_a_language_model_without_a_key_is_a_failure_that_names_it(run: Run, provider: str) -> None:
    done = run("--set", f"llm.provider={provider}", "doctor")
    assert done.code == 1
    assert f"{provider.upper()}_API_KEY" in done.out
