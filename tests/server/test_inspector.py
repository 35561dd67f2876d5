"""The MCP Inspector, an implementation that is not ours, gets along with the server in both eras."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

INSPECTOR = "@modelcontextprotocol/inspector@2.12.0"
ROOT = Path(__file__).parents[2]
WATCHDOG = 300.0
TOOL_ERROR = 5

pytestmark = pytest.mark.inspector

Inspect = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def npx() -> str:
    """npx, where it is and can have the Inspector."""
    found = shutil.which("npx")
    if not found:
        pytest.skip("needs Node.js: there is no npx")
    try:
        tried = subprocess.run(
            [found, "-y", INSPECTOR, "--version"], capture_output=True, text=True, timeout=WATCHDOG, check=False
        )
    except subprocess.TimeoutExpired:
        pytest.skip("the Inspector cannot be had: npx did not answer")
    if tried.returncode:
        pytest.skip("the Inspector cannot be had from the registry")
    return found


@pytest.fixture
def inspect(npx: str, tmp_path: Path) -> Inspect:
    """Runs the Inspector's command line on a server of its own config file."""
    arguments = ["--data-dir", str(tmp_path / "data"), "--set", "embed.provider=none"]
    server = {
        "command": sys.executable,
        "args": ["-m", "mcp_memory", *arguments],
        "env": {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
    }
    config = tmp_path / "mcp.json"
    config.write_text(json.dumps({"mcpServers": {"memory": server}}))

    def run(era: str, method: str, *more: str) -> "subprocess.CompletedProcess[str]":
        command = [npx, "-y", INSPECTOR, "--cli", "--config", str(config), "--server", "memory", "--method", method]
        return subprocess.run(
            [*command, "--protocol-era", era, *more],
            capture_output=True,
            text=True,
            timeout=WATCHDOG,
            check=False,
            env=dict(os.environ),
        )

    return run


def tool(name: str, **arguments: Any) -> tuple[str, ...]:
    return "--tool-name", name, "--tool-args-json", json.dumps(arguments)


@pytest.mark.parametrize("era", ["legacy", "auto"])
def test_it_lists_the_tools_strictly(inspect: Inspect, era: str) -> None:
    done = inspect(era, "tools/list", "--strict")
    assert done.returncode == 0, done.stderr
    names = {one["name"] for one in json.loads(done.stdout)["tools"]}
    assert names == {"remember_turn", "recall", "persona", "inspect_memory", "forget"}


@pytest.mark.parametrize("era", ["legacy", "auto"])
def test_it_stores_and_finds(inspect: Inspect, era: str) -> None:
    stored = inspect(era, "tools/call", *tool("remember_turn", user="My pearls are in the drawer"))
    assert stored.returncode == 0, stored.stderr
    found = inspect(era, "tools/call", *tool("recall", query="where are the pearls"))
    assert found.returncode == 0, found.stderr
    assert "drawer" in found.stdout


def test_it_sees_a_refused_call_as_one(inspect: Inspect) -> None:
    done = inspect("auto", "tools/call", *tool("recall", query=""))
    assert done.returncode == TOOL_ERROR
    assert "blank" in done.stdout + done.stderr
