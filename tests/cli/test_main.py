import subprocess
import sys
from pathlib import Path

import pytest

from mcp_memory import __version__
from mcp_memory.cli import COMMANDS, main


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--help"])
    printed = capsys.readouterr().out
    assert all(f"\n    {name} " in printed for name in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main([command, "--help"])
    assert COMMANDS[command][1][1:] in " ".join(capsys.readouterr().out.split())


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--version"])
    assert capsys.readouterr().out.strip() == __version__


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        ("llm.modle=x", "llm.modle: no such setting"),
        ("owner", "KEY=VALUE"),
        ("data_dir=", "data_dir: must not be empty"),
        ("data_dir=~nobody-of-that-name/x", "data_dir: begins with the home of a user who is not known"),
        ("embed.threads=many", "embed.threads"),
        ("time_zone=Mars/Olympus", "time_zone: not an IANA time zone"),
    ],
)
def test_a_wrong_setting_is_one_line_that_names_it(pair: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--set", pair, "inspect"]) == 1
    printed = capsys.readouterr()
    assert said in printed.err
    assert printed.err.startswith("mcp-memory: ")
    assert printed.err.count("\n") == 1
    assert printed.out == ""


def test_a_file_that_is_named_must_be_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--config", str(tmp_path / "none.toml"), "inspect"]) == 1
    assert "cannot read" in capsys.readouterr().err


def test_the_command_line_is_stronger_than_environment_and_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "config.toml"
    file.write_text('owner = "file"\ntime_zone = "Asia/Tokyo"\n[embed]\nprovider = "none"\n', encoding="utf-8")
    monkeypatch.setenv("MCP_MEMORY_OWNER", "environment")
    monkeypatch.setenv("MCP_MEMORY_DATA_DIR", str(tmp_path / "data"))
    for given, owner in (([], "environment"), (["--set", "owner=line"], "line")):
        assert main(["--config", str(file), *given, "inspect"]) == 0
        printed = capsys.readouterr().out
        assert f"owner: {owner}\n" in printed
        assert "time_zone: Asia/Tokyo\n" in printed


def test_an_empty_data_folder_is_not_the_current_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data-dir", "", "inspect"]) == 1
    assert "data_dir: must not be empty" in capsys.readouterr().err


def test_a_setting_cannot_be_a_value_and_a_section(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--set", "llm=x", "--set", "llm.model=y", "inspect"]) == 1
    assert "'llm'" in capsys.readouterr().err


@pytest.mark.parametrize("turns", ["0", "-5", "19", "140001"])
def test_too_few_or_too_many_turns_are_not_measured(turns: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", f"--turns={turns}"]) == 1
    assert "--turns must be between 20 and 140000" in capsys.readouterr().err


@pytest.mark.parametrize("module", ["argparse", "mcp_memory.settings", "mcp_memory.cli.doctor"])
def test_an_interrupt_while_it_starts_is_no_traceback(module: str) -> None:
    script = f"""
import runpy, sys
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupting())
sys.argv = ["mcp-memory", "--version"]
runpy.run_module("mcp_memory", run_name="__main__")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 130
    assert "Traceback" not in done.stderr
