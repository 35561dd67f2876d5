"""`mcp-memory demo`: the real server, the real client and five weeks of talk, in a folder that is thrown away."""

import argparse
import asyncio
import itertools
import json
import shutil
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mcp_memory.errors import MemoryFault
from mcp_memory.settings import Settings

if TYPE_CHECKING:
    from mcp import Client

OWNER: Final = "Nora"
ZONE: Final = "Europe/Berlin"
LAST_DAY: Final = "2025-04-12"  # the day after the last exchange
PATIENCE: Final = 45.0  # seconds until the model is there and everything is indexed
_WIDTH: Final = 92
_SHOWN: Final = 4  # list entries shown of one section


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked and why; `proof` are words of which one line of the answer must hold all, in the section
    `where` if one is named, and `refuted` words that no line may hold."""

    kind: str
    text: str
    proof: tuple[str, ...]
    complexity: str = "auto"
    where: str = ""
    refuted: str = ""


QUESTIONS: Final = (
    Question("a fact", "Who teaches me Portuguese, and when?", ("beatriz", "19:30")),
    Question(
        "a moment: it was said as “yesterday”", "When was the premiere of Mia's play?", ("2025-04-03", "premiere")
    ),
    Question(
        "a correction: an earlier plan fell through",
        "Which address are we moving to?",
        ("12 garden lane",),
        refuted="48 linden street on 29",
    ),
    Question("several facts", "What is done and what is left to do for the move?", ("ramp",), "hybrid"),
    Question(
        "a remark that shares no word with the memory it should evoke",
        "Might make satay skewers with that creamy sauce for the whole cast.",
        ("peanuts",),
        where="associations",
    ),
)


def add(_name: str, command: argparse.ArgumentParser) -> None:
    """Declares the command."""
    command.add_argument("--keep", action="store_true", help="leave the data folder, to look into it")
    command.set_defaults(run=run)


def run(_settings: Settings, options: argparse.Namespace) -> int:
    """Tells the story and checks it; 1 when an answer lacks what it must hold."""
    folder = Path(tempfile.mkdtemp(prefix="mcp-memory-demo-"))
    try:
        missing = asyncio.run(_tell(folder))
    finally:
        if options.keep:
            print(f"\nThe data folder is {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    for kind in missing:
        print(f"mcp-memory: the demo's answer lacks what it must hold: {kind}", file=sys.stderr)
    return 1 if missing else 0


def exchanges() -> list[dict[str, Any]]:
    """The conversation, as the arguments of `remember_turn`."""
    lines = files("mcp_memory").joinpath("data", "demo.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in lines.splitlines()]


async def _tell(folder: Path) -> list[str]:
    from mcp import Client

    from mcp_memory.cli.launch import server

    began = time.monotonic()
    async with Client(server(folder, f"owner={OWNER}", f"time_zone={ZONE}")) as client:
        tools = (await client.list_tools()).tools
        told = exchanges()
        _say(
            f"mcp-memory demo: {OWNER} and an assistant, {told[0]['at'][:10]} to {told[-1]['at'][:10]}. "
            f"A real server over stdio, a real client, no key, no network. "
            f"Its tools: {', '.join(tool.name for tool in tools)}."
        )
        for exchange in told:
            await _call(client, "remember_turn", exchange)
        stored = time.monotonic() - began
        await _until_ready(client)
        ready = time.monotonic() - began
        _say(f"{len(told)} exchanges remembered in {stored:.1f} s; indexed after {ready:.1f} s.")
        missing = [question.kind for question in QUESTIONS if not await _ask(client, question)]
        await _show(client, "persona", {"at": LAST_DAY}, "who Nora is, as known on that day")
        await _show(client, "inspect_memory", {}, "the memory itself")
    return missing


async def _call(client: "Client", tool: str, arguments: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The text and the structure a tool returns; raises MemoryFault with its words when it refuses."""
    result = await client.call_tool(tool, arguments)
    text = "\n".join(getattr(part, "text", "") for part in result.content)
    if result.is_error:
        raise MemoryFault(f"{tool}: {text}")
    return text, dict(result.structured_content or {})


async def _until_ready(client: "Client") -> None:
    """Asks until the model is loaded and everything is in the tables."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        _, shown = await _call(client, "inspect_memory", {})
        _, pending = await _call(client, "inspect_memory", {"view": "pending"})
        work = pending["data"]
        loaded = not shown["data"]["embedder"].startswith("none")
        if loaded and not work["turns_to_index"] and not work["units_without_vector"]:
            return
        await asyncio.sleep(0.2)


async def _ask(client: "Client", question: Question) -> bool:
    """Shows one answer; whether it holds what it must."""
    arguments = {"query": question.text, "complexity": question.complexity, "max_tokens": 512}
    text, shown = await _call(client, "recall", arguments)
    _block(f"recall: {question.text}", question.kind, text)
    return proved(question, shown["hits"])


def proved(question: Question, hits: Sequence[Mapping[str, Any]]) -> bool:
    """Whether an answer holds what it must and nothing that is refuted."""
    lines = [hit["text"].casefold() for hit in hits if question.where in ("", hit["section"])]
    held = any(all(word in line for word in question.proof) for line in lines)
    return held and not (question.refuted and any(question.refuted in hit["text"].casefold() for hit in hits))


async def _show(client: "Client", tool: str, arguments: dict[str, Any], what: str) -> None:
    text, _ = await _call(client, tool, arguments)
    _block(tool, what, text)


def _block(head: str, what: str, text: str) -> None:
    print(f"\n─── {head}\n    {what}\n")
    for line in _shortened(text.splitlines()):
        print("\n".join(_wrapped(line)))


def _shortened(lines: Iterable[str]) -> Iterator[str]:
    """The lines with long lists cut; what was cut is counted."""
    for is_list, group in itertools.groupby(filter(str.strip, lines), lambda line: line.lstrip().startswith("- ")):
        run = list(group)
        yield from run[:_SHOWN] if is_list else run
        if is_list and len(run) > _SHOWN:
            yield f"  … and {len(run) - _SHOWN} more"


def _wrapped(line: str) -> Iterator[str]:
    indent = " " * (len(line) - len(line.lstrip()) + 6)
    yield from textwrap.wrap(f"    {line}", _WIDTH, subsequent_indent=indent)


def _say(text: str) -> None:
    print("\n".join(textwrap.wrap(text, _WIDTH)), flush=True)
