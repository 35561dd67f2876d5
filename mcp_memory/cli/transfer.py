"""Conversations in and out: import, export."""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from mcp_memory.cli.files import check_writable, replacing
from mcp_memory.cli.opened import opened
from mcp_memory.errors import InputError
from mcp_memory.settings import Settings

if TYPE_CHECKING:
    from mcp_memory.engine import Memory
    from mcp_memory.importers.messages import Damaged
    from mcp_memory.model.turn import Turn

FORMATS: Final = "chatgpt, claude, claude-code, slack, whatsapp or jsonl"
BATCH: Final = 256  # messages per journal commit
SHOWN: Final = 5  # of what could not be used
T = TypeVar("T")


def add(name: str, command: argparse.ArgumentParser) -> None:
    """Declares one of the commands."""
    match name:
        case "import":
            command.add_argument("file", type=Path, help="an export as it was downloaded, or JSON lines")
            command.add_argument(
                "--format", default="", metavar="NAME", help=f"{FORMATS}; by default what it looks like"
            )
            command.set_defaults(run=import_messages)
        case "export":
            command.add_argument("file", nargs="?", default="-", help='where to; "-", the default, is standard output')
            command.set_defaults(run=export)


def import_messages(settings: Settings, options: argparse.Namespace) -> int:
    """Stores what is new in an export, indexes, derives, asks the scribe; may be stopped and repeated at any time."""
    from mcp_memory.cli.progress import ask, drain
    from mcp_memory.importers.formats import chosen
    from mcp_memory.importers.source import opened as opened_source

    counted: Counter[str] = Counter()
    damaged: list[Damaged] = []
    with opened_source(options.file) as source:
        format = chosen(source, options.format)
        print(f"{options.file} is read as {format.title}.", flush=True)
        with opened(settings, to_write=True) as memory:
            turns = format.read(source, memory.owner, memory.zone, secrets_out=settings.redact)
            _append(memory, _sound(turns, counted, damaged), counted)
            if not counted.total() and format.name != "jsonl":  # what `export` writes of an empty memory is empty, too
                raise InputError(
                    f"{options.file}, read as {format.title}, holds no message of a person or an assistant; --format"
                    f" takes {FORMATS}"
                )
            memory.load()
            drain(memory)
            _report(memory, counted, damaged)
            print("".join(f"{remark}\n" for remark in source.remarks), end="")
            ask(memory)
    return 0 if counted["read"] or not damaged else 1


def _append(memory: "Memory", messages: "Iterator[Turn]", counted: Counter[str]) -> None:
    from mcp_memory.cli.progress import bar
    from mcp_memory.write.remember import MOST_AHEAD

    reached = memory.now() + timedelta(seconds=MOST_AHEAD)  # by `memory.present`
    try:
        with bar("reading", "messages") as shown:
            for batch in _batches(messages):
                receipt = memory.store.journal.append(batch, revive=False)
                counted.update(stored=len(receipt.new), forgotten=len(receipt.forgotten), read=len(batch))
                counted["ahead"] += sum(turn.at > reached for turn in batch)
                shown.update(len(batch))
    except InputError as error:
        raise InputError(f"{error}.  Before it: {_tally(counted)}.  Mend it, then repeat the command") from None


def _sound(found: "Iterator[Turn | Damaged]", counted: Counter[str], damaged: "list[Damaged]") -> "Iterator[Turn]":
    """The turns; what is none is counted, and the first few are kept."""
    from mcp_memory.importers.messages import Damaged

    for one in found:
        if not isinstance(one, Damaged):
            yield one
            continue
        counted["damaged"] += 1
        if len(damaged) < SHOWN:
            damaged.append(one)


def _report(memory: "Memory", counted: Counter[str], damaged: "list[Damaged]") -> None:
    print(f"{_tally(counted)}.")
    if ahead := counted["ahead"]:
        print(f"{ahead} of them lie in the future: recall finds each only when its day has come.")
    if damaged:
        print(f"{counted['damaged']} entries could not be used and were left out:")
        print("\n".join(f"  {one.where}: {one.why}" for one in damaged))
    if waiting := memory.waiting():
        print(f"{waiting} are found by words until the process that holds the memory has indexed them.")


def _tally(counted: Counter[str]) -> str:
    duplicates = counted["read"] - counted["stored"] - counted["forgotten"]
    return (
        f"{counted['read']} messages read: {counted['stored']} stored, {duplicates} were there already, "
        f"{counted['forgotten']} had been forgotten and stay so"
    )


def _batches(values: Iterator[T]) -> Iterator[list[T]]:
    """Lists of so many values; those before a fault are handed out before it is raised."""
    batch: list[T] = []
    try:
        for value in values:
            batch.append(value)
            if len(batch) == BATCH:
                yield batch
                batch = []
    except InputError:
        yield batch
        raise
    if batch:
        yield batch


def export(settings: Settings, options: argparse.Namespace) -> int:
    """Writes all turns of the owner as JSON lines that `import` reads back without loss."""
    from mcp_memory.importers.jsonl import write_messages
    from mcp_memory.model.turn import in_order

    path = None if options.file == "-" else Path(options.file)
    if path:
        check_writable(path, new=True)
    with opened(settings) as memory:
        memory.corpus.refresh()
        turns = in_order(memory.corpus.turns.values())
        notices = memory.store.notices()
    for notice in notices:  # what cannot be read is not in the file
        print(f"mcp-memory: {notice}", file=sys.stderr)
    if path is None:
        write_messages(turns, sys.stdout)
        return 0
    with replacing(path, new=True) as fresh, fresh.open("w", encoding="utf-8") as file:
        written = write_messages(turns, file)
    print(f"{written} messages written to {path}")
    return 0
