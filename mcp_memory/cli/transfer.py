"""Conversations in and out: import, export."""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from mcp_memory.cli.files import replacing
from mcp_memory.cli.opened import opened
from mcp_memory.errors import InputError
from mcp_memory.settings import Settings

if TYPE_CHECKING:
    from mcp_memory.engine import Memory
    from mcp_memory.model.turn import Turn

BATCH: Final = 256  # messages per journal commit
T = TypeVar("T")


def add(name: str, command: argparse.ArgumentParser) -> None:
    """Declares one of the commands."""
    match name:
        case "import":
            command.add_argument("file", type=Path, help='JSON lines: {"at": …, "role" or "name": …, "text": …}')
            command.set_defaults(run=import_messages)
        case "export":
            command.add_argument("file", nargs="?", default="-", help='where to; "-", the default, is standard output')
            command.set_defaults(run=export)


def import_messages(settings: Settings, options: argparse.Namespace) -> int:
    """Stores what is new in a file, then indexes and derives; may be stopped and repeated at any time."""
    from mcp_memory.cli.progress import drain
    from mcp_memory.importers.jsonl import read_messages

    counted: Counter[str] = Counter()
    with opened(settings, to_write=True) as memory:
        messages = read_messages(options.file, memory.owner, memory.zone, secrets_out=settings.redact)
        try:
            _append(memory, messages, counted)
        except InputError as error:
            stored = f"{counted['stored']} messages before it were stored: mend the line, repeat"
            raise InputError(f"{error}; {stored}") from None
        memory.load()
        drain(memory)
        _report(memory, counted)
    return 0


def _append(memory: "Memory", messages: "Iterator[Turn]", counted: Counter[str]) -> None:
    from mcp_memory.cli.progress import bar

    with bar("reading", "messages") as shown:
        for batch in _batches(messages):
            receipt = memory.store.journal.append(batch, revive=False)
            counted.update(stored=len(receipt.new), forgotten=len(receipt.forgotten), read=len(batch))
            shown.update(len(batch))


def _report(memory: "Memory", counted: Counter[str]) -> None:
    duplicates = counted["read"] - counted["stored"] - counted["forgotten"]
    print(
        f"{counted['read']} messages read: {counted['stored']} stored, {duplicates} were there already, "
        f"{counted['forgotten']} had been forgotten and stay so."
    )
    if waiting := memory.waiting():
        print(f"{waiting} are found by words until the process that holds the memory has indexed them.")


def _batches(values: Iterator[T]) -> Iterator[list[T]]:
    while batch := list(islice(values, BATCH)):
        yield batch


def export(settings: Settings, options: argparse.Namespace) -> int:
    """Writes all turns of the owner as JSON lines that `import` reads back without loss."""
    from mcp_memory.importers.jsonl import write_messages
    from mcp_memory.model.turn import in_order

    with opened(settings) as memory:
        memory.corpus.refresh()
        turns = in_order(memory.corpus.turns.values())
    if options.file == "-":
        write_messages(turns, sys.stdout)
        return 0
    path = Path(options.file)
    with replacing(path) as fresh, fresh.open("w", encoding="utf-8") as file:
        written = write_messages(turns, file)
    print(f"{written} messages written to {path}")
    return 0
