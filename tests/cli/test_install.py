import json
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mcp_memory.cli.install import CLIENTS, NAME

Run = Callable[..., Any]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    (folder / "project").mkdir(parents=True)
    for name in ("HOME", "USERPROFILE", "APPDATA"):
        monkeypatch.setenv(name, str(folder))
    monkeypatch.chdir(folder / "project")
    return folder


def entry(client: str) -> Any:
    """What stands in the client's file under its key and our name."""
    file = CLIENTS[client].file()
    text = file.read_text(encoding="utf-8")
    content = tomllib.loads(text) if file.suffix == ".toml" else json.loads(text)
    return content[CLIENTS[client].key][NAME]


@pytest.mark.parametrize("client", CLIENTS)
def test_an_entry_starts_this_installation_from_anywhere(run: Run, client: str, tmp_path: Path) -> None:
    assert run("install", client, "--write").code == 0
    written = entry(client)
    command = written["command"] if isinstance(written["command"], list) else [written["command"], *written["args"]]
    assert command[:3] == [sys.executable, "-m", "mcp_memory"]
    assert command[command.index("--data-dir") + 1] == str(tmp_path / "data")


@pytest.mark.parametrize("client", CLIENTS)
def test_what_is_shown_is_what_would_be_written(run: Run, client: str) -> None:
    shown = run("install", client).out
    file = CLIENTS[client].file()
    assert shown.startswith(f"# {file}\n")
    assert not file.exists()
    run("install", client, "--write")
    body = "\n".join(line for line in shown.splitlines() if not line.startswith("#"))
    parsed = tomllib.loads(body) if file.suffix == ".toml" else json.loads(body)
    assert parsed[CLIENTS[client].key][NAME] == entry(client)


def test_other_entries_stay_and_the_old_file_is_kept(run: Run) -> None:
    file = CLIENTS["cursor"].file()
    file.parent.mkdir()
    old = {"theme": "dark", "mcpServers": {"other": {"command": "x"}, NAME: {"command": "old"}}}
    file.write_text(json.dumps(old), encoding="utf-8")
    run("install", "cursor", "--write")
    new = json.loads(file.read_text(encoding="utf-8"))
    assert new["theme"] == "dark"
    assert new["mcpServers"]["other"] == {"command": "x"}
    assert json.loads(file.with_name("mcp.json.bak").read_text(encoding="utf-8")) == old


def test_an_older_copy_is_never_overwritten(run: Run) -> None:
    file = CLIENTS["cursor"].file()
    file.parent.mkdir()
    for round_ in ("first", "second"):
        file.write_text(json.dumps({"round": round_}), encoding="utf-8")
        run("install", "cursor", "--write")
    assert "first" in file.with_name("mcp.json.bak").read_text(encoding="utf-8")
    assert "second" in file.with_name("mcp.json.bak1").read_text(encoding="utf-8")


@pytest.mark.parametrize("client", ["zed", "codex"])
def test_what_is_there_already_is_left_alone(run: Run, client: str) -> None:
    run("install", client, "--write")
    before = CLIENTS[client].file().read_bytes()
    assert "nothing to do" in run("install", client, "--write").out
    assert CLIENTS[client].file().read_bytes() == before


@pytest.mark.parametrize("text", ["// a comment\n{}", "[]", '{"context_servers": []}', "{"])
def test_a_file_that_cannot_be_merged_into_is_left_alone(run: Run, text: str) -> None:
    file = CLIENTS["zed"].file()
    file.parent.mkdir(parents=True)
    file.write_text(text, encoding="utf-8")
    done = run("install", "zed", "--write")
    assert done.code == 1
    assert "by hand" in done.err
    assert file.read_text(encoding="utf-8") == text


def test_toml_is_added_to_as_it_is(run: Run) -> None:
    file = CLIENTS["codex"].file()
    file.parent.mkdir()
    old = '# mine\nmodel = "x"\n\n[mcp_servers.other]\ncommand = "y"\n'
    file.write_text(old, encoding="utf-8")
    run("install", "codex", "--write")
    assert file.read_text(encoding="utf-8").startswith(old)
    assert tomllib.loads(file.read_text(encoding="utf-8"))["mcp_servers"]["other"] == {"command": "y"}


def test_another_toml_entry_of_the_name_is_not_replaced(run: Run) -> None:
    file = CLIENTS["codex"].file()
    file.parent.mkdir()
    file.write_text(f'[mcp_servers.{NAME}]\ncommand = "y"\n', encoding="utf-8")
    assert run("install", "codex", "--write").code == 1
    assert entry("codex") == {"command": "y"}


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("[1]", "holds a list, not an object"),
        ("null", "holds null, not an object"),
        ('{"mcpServers": []}', "`mcpServers` in"),
        ('{"mcpServers": "x"}', "is text, not an object"),
        ("{// none\n}", "not plain JSON (it may have comments)"),
    ],
)
def test_a_file_of_another_shape_is_left_alone_and_told(run: Run, home: Path, content: str, why: str) -> None:
    path = home / ".cursor" / "mcp.json"
    path.parent.mkdir(parents=True)
    path.write_text(content, encoding="utf-8")
    done = run("install", "cursor", "--write")
    assert done.code == 1
    assert why in done.err
    assert path.read_text(encoding="utf-8") == content


def test_a_table_of_another_shape_is_left_alone_and_told(run: Run, home: Path) -> None:
    path = home / ".codex" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text("mcp_servers = []\n", encoding="utf-8")
    done = run("install", "codex", "--write")
    assert done.code == 1
    assert "`mcp_servers` in" in done.err
    assert "is a list, not a table" in done.err
