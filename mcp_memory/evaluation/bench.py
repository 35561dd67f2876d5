"""What the memory costs: start, memory, time and disk, each beside something measured in the same run.

Everything but imports in one batch goes through the real server over stdio, as a client would have it.
"""

import os
import random
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from mcp_memory.engine import Memory
from mcp_memory.evaluation.report import percentile
from mcp_memory.settings import Settings
from mcp_memory.write.remember import Said, exchange_turns

if TYPE_CHECKING:
    from mcp import Client, StdioServerParameters

STARTS: Final = 7
CALLS: Final = 100  # timed calls of each kind at each size
FEW: Final = 1_000
_PER_DAY: Final = 24
_BEGIN: Final = datetime(2010, 1, 4, 8, 0, tzinfo=UTC)
_WAIT_SECONDS: Final = 1800.0
_FILL_SECONDS: Final = 24 * 3600.0
_BARE: Final = "from mcp.server.mcpserver import MCPServer; MCPServer('bare').run('stdio')"
_VOCABULARY: Final = (
    "garden bicycle letter winter doctor piano market ferry brother recipe mountain ticket station kitchen camera "
    "festival neighbour contract teacher harbour violin passport cousin bakery exam marathon theatre holiday engine "
    "bought lost promised repaired visited forgot planned sold finished painted cancelled found missed learned "
    "yesterday tomorrow slowly finally again together early almost never always secretly gladly"
)
_WORDS: Final = _VOCABULARY.split()
Progress = Callable[[int], object]


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured value beside what it is compared with; `ratio` is value / other."""

    name: str
    value: float
    unit: str
    other_name: str = ""
    other: float = 0.0

    @property
    def ratio(self) -> float:
        """How many times the other; NaN when there is none."""
        return self.value / self.other if self.other else float("nan")


def sentence(number: int) -> str:
    """A sentence that is unlike the others, always the same for a number."""
    chosen = random.Random(number)  # noqa: S311 - test data, not secrets
    return f"I {' '.join(chosen.choices(_WORDS, k=14))} in {1900 + number % 120} with number {number}."


def moment(number: int) -> datetime:
    """When sentence `number` is said: some dozens a day."""
    return _BEGIN + timedelta(days=number // _PER_DAY, minutes=20 * (number % _PER_DAY))


async def starts(server: "StdioServerParameters") -> Figure:
    """Seconds from start to an answered tools/list, beside a bare server of the same SDK, medians."""
    from mcp import StdioServerParameters

    bare = StdioServerParameters(command=sys.executable, args=["-c", _BARE])
    seconds: dict[bool, list[float]] = {True: [], False: []}
    for _ in range(STARTS):
        for ours, which in ((False, bare), (True, server)):
            seconds[ours].append(await _start(which))
    return Figure("start to tools/list", median(seconds[True]), "s", "bare server", median(seconds[False]))


async def _start(server: "StdioServerParameters") -> float:
    from mcp import Client

    began = time.perf_counter()
    async with Client(server) as client:
        await client.list_tools()
        return time.perf_counter() - began


async def growth(server: "StdioServerParameters", turns: int, progress: Progress) -> AsyncIterator[Figure]:
    """Remembers `turns` turns one by one; times the calls when few are stored and when all are."""
    from mcp import Client

    async with Client(server) as client:
        small = few(turns)
        await _remember(client, range(small), progress)
        before = await _timed(client, small)
        await _remember(client, range(small + CALLS, turns), progress)
        for figure in _compared(before, small, await _timed(client, turns), turns):
            yield figure


async def beside(
    smaller: "StdioServerParameters", larger: "StdioServerParameters", turns: int
) -> AsyncIterator[Figure]:
    """Times the calls of two memories that were filled in one batch each, with few turns and with `turns`."""
    from mcp import Client

    timed = []
    for which, count in ((smaller, few(turns)), (larger, turns)):
        async with Client(which) as client:
            await _settled(client)
            timed.append(await _timed(client, count))
    for figure in _compared(timed[0], few(turns), timed[1], turns):
        yield figure


def few(turns: int) -> int:
    """How many turns the full size is compared with."""
    return min(FEW, turns // 2)


def _compared(
    before: Mapping[str, Sequence[float]], small: int, now: Mapping[str, Sequence[float]], turns: int
) -> Iterator[Figure]:
    for name, milliseconds in now.items():
        for share in (0.5, 0.95):
            label, other = f"{name} p{share * 100:.0f} at {turns} turns", percentile(before[name], share)
            yield Figure(label, percentile(milliseconds, share), "ms", f"at {small} turns", other)


async def _remember(client: "Client", numbers: Sequence[int], progress: Progress) -> None:
    for number in numbers:
        await _call(client, "remember_turn", {"user": sentence(number), "at": moment(number).isoformat()})
        progress(1)
    await _settled(client)


async def _timed(client: "Client", first: int) -> dict[str, list[float]]:
    """Milliseconds of each call, warm and with nothing going on beside it."""
    await _call(client, "recall", {"query": sentence(1)})
    found: dict[str, list[float]] = {"recall question": [], "recall remark": [], "remember_turn": []}
    for number in range(first, first + CALLS):
        words = sentence(number * 7 % first).split()[1:]
        asked, told = f"When did I say {' '.join(words[:3])}?", f"I {' '.join(words[:8])}"
        found["recall question"].append(await _call(client, "recall", {"query": asked}))
        found["recall remark"].append(await _call(client, "recall", {"query": told}))
    for number in range(first, first + CALLS):
        arguments = {"user": sentence(number), "at": moment(number).isoformat()}
        found["remember_turn"].append(await _call(client, "remember_turn", arguments))
    return found


async def _call(client: "Client", tool: str, arguments: dict[str, Any]) -> float:
    began = time.perf_counter()
    result = await client.call_tool(tool, arguments)
    if result.is_error:
        raise RuntimeError(f"{tool} failed")
    return (time.perf_counter() - began) * 1e3


async def _settled(client: "Client") -> None:
    """Until what was stored is indexed and derived; looking at it helps."""
    import anyio

    deadline = time.monotonic() + _WAIT_SECONDS
    while time.monotonic() < deadline:
        result = await client.call_tool("inspect_memory", {"view": "pending", "limit": 5})
        pending = dict(result.structured_content or {})["data"]
        if not pending["turns_to_index"] and not pending["days_to_derive"]:
            return
        await anyio.sleep(0.5)


async def resident(server: "StdioServerParameters", turns: int) -> Figure | None:
    """Megabytes the server holds when it has just recalled from `turns` turns; None where /proc is not."""
    from mcp import Client

    async with Client(server) as client:
        await _settled(client)
        await _call(client, "recall", {"query": sentence(1)})
        held = _resident_children()
    return Figure(f"resident at {turns} turns", held / 1e6, "MB") if held else None


def _resident_children() -> int:
    """Bytes of memory of this process's largest child; 0 where /proc is not."""
    found = [0]
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # ended meanwhile
            continue
        if int(fields[1]) == os.getpid():
            found.append(int(fields[21]) * os.sysconf("SC_PAGE_SIZE"))
    return max(found)


def disk(one_by_one: Path, batch: Path) -> Figure:
    """Megabytes on disk after remembering one by one, beside the same turns imported at once."""
    return Figure("disk, one by one", size(one_by_one), "MB", "in one batch", size(batch))


def fill(settings: Settings, turns: int, progress: Progress) -> None:
    """Takes `turns` turns into an empty memory at once, as an import does."""
    memory = Memory(settings)
    memory.load()
    said = (Said(sentence(number), at=moment(number)) for number in range(turns))
    memory.store.journal.append([turn for one in said for turn in exchange_turns(one, memory.owner, one.at or _BEGIN)])
    memory.drain(_FILL_SECONDS, memory.store.lock_timeout, progress)
    memory.close()
    memory.store.journal.close()


def size(folder: Path) -> float:
    """Megabytes of all files below a folder."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6
