"""`mcp-memory bench`: start, memory, time and disk of the real server, beside what they are compared with."""

import argparse
import asyncio
import math
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mcp_memory.errors import InputError
from mcp_memory.settings import Settings

if TYPE_CHECKING:
    from mcp_memory.evaluation.bench import Figure


LEAST_TURNS: Final = 20  # fewer are no memory to measure
MOST_TURNS: Final = 140_000  # said from 2010 on, some dozens a day: more would lie in the future


def add(_name: str, command: argparse.ArgumentParser) -> None:
    """Declares the command."""
    command.add_argument("--turns", type=int, default=10_000, help="how large the memory grows (default 10000)")
    command.add_argument(
        "--batch", action="store_true", help="import the turns at once; for sizes that would take hours one by one"
    )
    command.set_defaults(run=bench)


def bench(_settings: Settings, options: argparse.Namespace) -> int:
    """Prints one line per figure as it is known.  Raises InputError."""
    if not LEAST_TURNS <= options.turns <= MOST_TURNS:
        raise InputError(f"--turns must be between {LEAST_TURNS} and {MOST_TURNS}; leave it out for the default")
    with tempfile.TemporaryDirectory(prefix="mcp-memory-bench-") as folder:
        figures = _at_once if options.batch else _one_by_one
        asyncio.run(_print(figures(Path(folder), options.turns)))
    return 0


async def _one_by_one(folder: Path, turns: int) -> "AsyncIterator[Figure]":
    from mcp_memory.cli.launch import server
    from mcp_memory.cli.progress import bar
    from mcp_memory.evaluation.bench import CALLS, disk, growth, resident, starts

    grown = server(folder)
    yield await starts(grown)
    with bar("remembering", "turns", turns) as shown:
        async for figure in growth(grown, turns, shown.update):
            yield figure
    held = await resident(grown, turns)
    if held:
        yield held
    _fill(folder / "batch", turns + CALLS)
    yield disk(folder / "data", folder / "batch")


async def _at_once(folder: Path, turns: int) -> "AsyncIterator[Figure]":
    from mcp_memory.cli.launch import server
    from mcp_memory.evaluation.bench import beside, few, resident

    sizes = {"few": few(turns), "many": turns}
    for name, count in sizes.items():
        (folder / name).mkdir()
        _fill(folder / name / "data", count)
    smaller, larger = (server(folder / name) for name in sizes)
    async for figure in beside(smaller, larger, turns):
        yield figure
    held = await resident(larger, turns)
    if held:
        yield held


def _fill(place: Path, turns: int) -> None:
    from mcp_memory.cli.progress import bar
    from mcp_memory.evaluation.bench import fill

    with bar("importing", "turns", turns) as shown:
        fill(Settings(data_dir=place), turns, shown.update)


async def _print(figures: "AsyncIterator[Figure]") -> None:
    print(f"{'':36s}{'measured':>10s} {'':4s}{'beside':>24s}{'':>10s}{'ratio':>8s}")
    async for one in figures:
        other = f"{one.other:.2f}" if one.other else ""
        ratio = "" if math.isnan(one.ratio) else f"{one.ratio:.2f}"
        print(f"{one.name:36s}{one.value:10.2f} {one.unit:4s}{one.other_name:>24s}{other:>10s}{ratio:>8s}", flush=True)
