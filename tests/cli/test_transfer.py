import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mcp_memory.store.journal import Journal

Run = Callable[..., Any]


def test_a_file_is_imported_once(run: Run, messages: Path) -> None:
    first, second = run("import", str(messages)), run("import", str(messages))
    assert "6 messages read: 6 stored, 0 were there already" in first.out
    assert "6 messages read: 0 stored, 6 were there already" in second.out
    assert run("inspect", "--json").json["data"]["turns"] == 6


def test_what_was_imported_is_found_by_its_own_id(run: Run, messages: Path) -> None:
    run("import", str(messages))
    assert ["a1"] in [hit["sources"] for hit in run("recall", "fig tree balcony", "--json").json["hits"]]


def test_what_is_exported_is_imported_without_loss(run: Run, messages: Path, tmp_path: Path) -> None:
    run("import", str(messages))
    file = tmp_path / "out.jsonl"
    assert "6 messages" in run("export", str(file)).out
    assert run("import", str(file), folder="other").code == 0
    assert run("export", folder="other").out == file.read_text(encoding="utf-8")
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert lines[4]["topic"] == "Sado trip"
    assert lines[4]["notes"][0]["cues"] == ["when do I have to get up"]
    assert lines[1]["exchange"] == lines[0]["exchange"] != lines[2]["exchange"]


def test_an_export_is_private(run: Run, messages: Path, tmp_path: Path) -> None:
    run("import", str(messages))
    run("export", str(tmp_path / "out.jsonl"))
    assert (tmp_path / "out.jsonl").stat().st_mode & 0o077 == 0


def test_an_export_that_cannot_be_written_leaves_the_old_one(run: Run, messages: Path, tmp_path: Path) -> None:
    run("import", str(messages))
    done = run("export", str(tmp_path / "nowhere" / "out.jsonl"))
    assert done.code == 1
    assert "cannot write" in done.err


def test_a_line_that_cannot_be_used_is_named_and_what_came_before_counted(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "bad.jsonl"
    good = [{"at": f"2024-01-01T00:{n // 60:02}:{n % 60:02}", "role": "user", "text": f"line {n}"} for n in range(300)]
    file.write_text("".join(json.dumps(one) + "\n" for one in good) + '{"at": "yesterday"}\n', encoding="utf-8")
    done = run("import", str(file))
    assert done.code == 1
    assert "line 301" in done.err
    assert "Before it: 300 messages read: 300 stored" in done.err
    assert "Before it: 300 messages read: 0 stored, 300 were there already" in run("import", str(file)).err
    file.write_text("".join(json.dumps(one) + "\n" for one in good), encoding="utf-8")
    assert "0 stored, 300 were there already" in run("import", str(file)).out


def test_what_was_forgotten_is_not_imported_again(run: Run, messages: Path) -> None:
    run("import", str(messages))
    assert run("forget", "a1", "--yes").code == 0
    done = run("import", str(messages))
    assert "0 stored" in done.out
    assert "2 had been forgotten" in done.out
    assert "fig tree" not in run("export").out


def test_an_import_that_was_stopped_goes_on(run: Run, messages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    append = Journal.append

    def stopped(*arguments: Any, **keywords: Any) -> Any:
        append(*arguments, **keywords)
        raise KeyboardInterrupt

    monkeypatch.setattr(Journal, "append", stopped)
    done = run("import", str(messages))
    assert done.code == 130
    assert "goes on from here" in done.err
    monkeypatch.undo()
    assert "6 were there already" in run("import", str(messages)).out
    assert run("inspect", "--json").json["data"]["tree"]["L3"] == 3


def lines_of(path: Path, *records: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps({"at": "2024-03-04T09:00", **one}) + "\n" for one in records), encoding="utf-8")
    return path


def test_what_was_said_twice_is_kept_twice_and_imported_once(run: Run, tmp_path: Path) -> None:
    said = [{"role": "user", "text": "ping"}, {"role": "assistant", "text": "pong"}, {"role": "user", "text": "ping"}]
    path = lines_of(tmp_path / "pings.jsonl", *said)
    assert "3 messages read: 3 stored, 0 were there already" in run("import", str(path)).out
    assert "3 messages read: 0 stored, 3 were there already" in run("import", str(path)).out
    exported = run("export").out
    assert [json.loads(line)["text"] for line in exported.splitlines()] == ["ping", "pong", "ping"]
    (tmp_path / "back.jsonl").write_text(exported, encoding="utf-8")
    assert "0 stored, 3 were there already" in run("import", str(tmp_path / "back.jsonl")).out
    run("import", str(tmp_path / "back.jsonl"), folder="other")
    assert run("export", folder="other").out == exported


def test_what_comes_twice_under_one_id_is_one_message_and_not_counted_as_stored(run: Run, tmp_path: Path) -> None:
    said = [{"role": "user", "text": "ping", "id": "a"}, {"role": "user", "text": "ping", "id": "a"}, {"role": "user"}]
    done = run("import", str(lines_of(tmp_path / "pings.jsonl", *said)))
    assert "line 3: `text`: field required" in done.err
    assert "Before it: 2 messages read: 1 stored, 1 were there already" in done.err


def test_what_lies_in_the_future_is_told(run: Run, tmp_path: Path) -> None:
    path = lines_of(
        tmp_path / "talk.jsonl", {"role": "user", "text": "now"}, {"role": "user", "text": "then", "at": "2924-01-01"}
    )
    assert "1 of them lie in the future" in run("import", str(path)).out
    assert "in the future" not in run("import", str(lines_of(path, {"role": "user", "text": "later"}))).out
