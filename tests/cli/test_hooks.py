import json
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mcp_memory.cli.hooks import settings_file

Run = Callable[..., Any]
OTHERS = {
    "model": "opus",
    "hooks": {
        "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}],
        "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "mcp-memory doctor"}]}],
    },
}


@pytest.fixture(autouse=True)
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path / "a home"))
    return settings_file()


def hooks(settings: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(settings.read_text(encoding="utf-8"))["hooks"]
    return found


def put(settings: Path, content: Any) -> None:
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")


def test_what_is_shown_is_what_would_be_written(run: Run, settings: Path) -> None:
    shown = run("install", "claude-code", "--hooks").out
    assert shown.startswith(f"# {settings}\n")
    assert not settings.exists()
    run("install", "claude-code", "--hooks", "--write")
    assert json.loads(shown.split("\n", 1)[1])["hooks"] == hooks(settings)
    assert hooks(settings).keys() == {"UserPromptSubmit", "Stop", "SessionStart"}


def test_the_line_starts_this_installation_on_this_memory(run: Run, settings: Path, tmp_path: Path) -> None:
    run("install", "claude-code", "--hooks", "--write", folder="my data")
    line = hooks(settings)["UserPromptSubmit"][0]["hooks"][0]["command"]
    words = shlex.split(line)
    assert words[:3] == [sys.executable, "-m", "mcp_memory"]
    assert words[words.index("--data-dir") + 1] == str(tmp_path / "my data")
    assert words[-1] == "hook"
    done = subprocess.run(line, shell=True, input=b"{}", capture_output=True, check=True)
    assert done.stdout == b""


def test_other_peoples_hooks_stay_and_the_old_file_is_kept(run: Run, settings: Path) -> None:
    put(settings, OTHERS)
    run("install", "claude-code", "--hooks", "--write")
    assert hooks(settings)["PreToolUse"] == OTHERS["hooks"]["PreToolUse"]
    assert hooks(settings)["Stop"][0] == OTHERS["hooks"]["Stop"][0]
    assert len(hooks(settings)["Stop"]) == 2
    assert json.loads(settings.read_text(encoding="utf-8"))["model"] == "opus"
    assert json.loads(settings.with_name("settings.json.bak").read_text(encoding="utf-8")) == OTHERS


def test_what_is_there_already_is_left_alone(run: Run, settings: Path) -> None:
    put(settings, OTHERS)
    run("install", "claude-code", "--hooks", "--write")
    before = hooks(settings)
    before["Stop"].append({"hooks": [{"type": "command", "command": "say later"}]})
    put(settings, {"hooks": before})
    text = settings.read_bytes()
    assert "nothing to do" in run("install", "claude-code", "--hooks", "--write").out
    assert settings.read_bytes() == text


def test_an_older_installation_is_replaced(run: Run, settings: Path) -> None:
    old = [{"type": "command", "command": "/old/python -m mcp_memory hook"}, {"type": "command", "command": "say done"}]
    put(settings, {"hooks": {"Stop": [{"hooks": old}, {"hooks": old[:1]}]}})
    run("install", "claude-code", "--hooks", "--write")
    groups = hooks(settings)["Stop"]
    assert [len(group["hooks"]) for group in groups] == [1, 1]
    assert groups[0]["hooks"] == old[1:]


@pytest.mark.parametrize(
    "text",
    ["// a comment\n{}", "[]", "{",
     '{"hooks": []}', '{"hooks": {"Stop": {}}}', '{"hooks": {"Stop": [{"matcher": ""}]}}',
     '{"hooks": {"Stop": ["x"]}}', '{"hooks": {"Stop": [{"hooks": ["x"]}]}}', '{"hooks": {"Stop": 1}}'],
)  # fmt: skip
def test_a_file_that_cannot_be_merged_into_is_left_alone(run: Run, settings: Path, text: str) -> None:
    put(settings, text)
    done = run("install", "claude-code", "--hooks", "--write")
    assert (done.code, "by hand" in done.err) == (1, True)
    assert settings.read_text(encoding="utf-8") == text


def test_other_clients_have_no_hooks(run: Run) -> None:
    done = run("install", "cursor", "--hooks")
    assert (done.code, done.out) == (1, "")
