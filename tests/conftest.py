"""What tests of several folders share: a clock that stands still, a memory without a model, other processes."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from mcp_memory.embed.hashing import HashingEmbedder
from mcp_memory.engine import Memory
from mcp_memory.ports import FixedClock
from mcp_memory.settings import Settings

ROOT = Path(__file__).parents[1]
WATCHDOG = 120.0  # seconds after which a process counts as hung; nothing here takes a tenth of it


@pytest.fixture(autouse=True)
def _no_settings_of_this_machine(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Neither the user's configuration nor a key in the environment takes part in a test."""
    home = tmp_path_factory.getbasetemp() / "home"
    for name in list(os.environ):
        if name.startswith("MCP_MEMORY_") or name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
            monkeypatch.delenv(name)
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(home))


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(datetime(2026, 3, 2, 9, tzinfo=UTC))


@pytest.fixture
def open_memory(tmp_path: Path, clock: FixedClock) -> Iterator[Callable[..., Memory]]:
    """Opens memories of one data folder, as several processes would; `embedder=None` is words only."""
    opened: list[Memory] = []

    def build(owner: str = "Ann", embedder: Any = "hashing", folder: Path | None = None, **more: Any) -> Memory:
        settings = Settings(
            data_dir=folder or tmp_path / "data",
            owner=owner,
            time_zone="Europe/Berlin",
            embed={"provider": "none"},
            store={"lock_timeout": 2.0},
            **more,
        )
        made = HashingEmbedder() if embedder == "hashing" else embedder
        memory = Memory(settings, clock=clock, embedder=made)
        memory.load()
        opened.append(memory)
        return memory

    yield build
    for memory in opened:
        memory.close()
        memory.store.journal.close()


@pytest.fixture
def memory(open_memory: Callable[..., Memory]) -> Memory:
    return open_memory()


@pytest.fixture
def process() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts Python on a piece of code and arguments; what still runs at the end is killed."""
    started: list[subprocess.Popen[str]] = []

    def start(code: str, *arguments: object, **environment: str) -> subprocess.Popen[str]:
        child = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", code, *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", **environment},
        )
        started.append(child)
        return child

    yield start
    for child in started:
        if child.poll() is None:
            child.kill()
        child.wait(timeout=WATCHDOG)
        for pipe in (child.stdin, child.stdout, child.stderr):
            if pipe is not None and not pipe.closed:
                with suppress(BrokenPipeError):
                    pipe.close()
