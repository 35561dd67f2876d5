"""`mcp-memory bench`: start, memory, time and disk of the real server, beside what they are compared with."""

import argparse
import asyncio
import math
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING

from mcp_memory.settings import Settings

if TYPE_CHECKING:
    from mcp_memory.evaluation.bench import Figure


def add(_name: str, command: argparse.ArgumentParser) -> None:
    """Declares the command."""
    command.add_argument("--turns", type=int, default=10_000, help="how large the memory grows (default 10000)")
    command.set_defaults(run=bench)


def bench(_settings: Settings, options: argparse.Namespace) -> int:
    """Prints one line per figure as it is known."""
    with tempfile.TemporaryDirectory(prefix="mcp-memory-bench-") as folder:
        asyncio.run(_print(_figures(Path(folder), max(options.turns, 20))))
    return 0


async def _figures(folder: Path, turns: int) -> "AsyncIterator[Figure]":
    from mcp_memory.cli.launch import server
    from mcp_memory.cli.progress import bar
    from mcp_memory.evaluation.bench import disk, growth, resident, starts

    grown = server(folder)
    yield await starts(grown)
    with bar("remembering", "turns", turns) as shown:
        async for figure in growth(grown, turns, shown.update):
            yield figure
    held = await resident(grown, turns)
    if held:
        yield held
    with bar("importing", "turns", turns) as shown:
        yield disk(folder / "data", Settings(data_dir=folder / "batch"), turns, shown.update)


async def _print(figures: "AsyncIterator[Figure]") -> None:
    print(f"{'':32s}{'measured':>10s} {'':4s}{'beside':>24s}{'':>10s}{'ratio':>8s}")
    async for one in figures:
        other = f"{one.other:.2f}" if one.other else ""
        ratio = "" if math.isnan(one.ratio) else f"{one.ratio:.2f}"
        print(f"{one.name:32s}{one.value:10.2f} {one.unit:4s}{one.other_name:>24s}{other:>10s}{ratio:>8s}", flush=True)
