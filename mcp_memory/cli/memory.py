"""The tools as commands: remember, recall, persona, inspect, forget."""

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp_memory.cli.files import beginning, check_writable, replacing
from mcp_memory.cli.opened import opened
from mcp_memory.errors import InputError
from mcp_memory.settings import Settings

if TYPE_CHECKING:
    from pydantic import BaseModel

    from mcp_memory.engine import Memory


def add(name: str, command: argparse.ArgumentParser) -> None:
    """Declares one of the commands."""
    command.add_argument("--json", action="store_true", help="print the structured answer")
    match name:
        case "remember":
            command.add_argument("user", help='what the person said; "-" reads it from standard input')
            command.add_argument("assistant", nargs="?", default="", help="the reply")
            command.add_argument("--topic", default="", help="two to five words")
            command.add_argument("--at", default="", help="when it was said, if not now")
            command.add_argument("--session", default="", help="the chat it belongs to")
            command.add_argument("--note", action="append", default=[], help="a fact to keep with it")
        case "recall":
            command.add_argument("query", help="a question or a remark")
            command.add_argument("--complexity", choices=("auto", "simple", "hybrid", "complex"), default="auto")
            command.add_argument("--since", default="", help="only what was said from then on")
            command.add_argument("--until", default="", help="only what was said before")
            command.add_argument("--max-tokens", type=int, default=1024, help="the size of the answer")
            command.add_argument("--trace", action="store_true", help="show how each line was found")
        case "persona":
            command.add_argument("speaker", nargs="?", default="", help="a name; the owner by default")
            command.add_argument("--at", default="", help="as known at that time")
        case "inspect":
            views = ("overview", "timeline", "node", "pending", "topics")
            command.add_argument("view", nargs="?", choices=views, default="overview")
            command.add_argument("id", nargs="?", default="", help="for node: the id of a record")
            command.add_argument("--since", default="")
            command.add_argument("--until", default="")
            command.add_argument("--limit", type=int, default=20, help="rows of each list, 1 to 500")
            command.add_argument("--html", type=Path, metavar="FILE", help="write all of it as a page for a browser")
        case "forget":
            command.add_argument("ids", nargs="+", help="ids as shown by the other commands")
            command.add_argument("--yes", action="store_true", help="erase without asking")
    command.set_defaults(run=run, command=name)


def run(settings: Settings, options: argparse.Namespace) -> int:
    """Runs one of the commands on the data folder, beside any running server."""
    if options.command == "inspect" and options.html:
        _check_page(options.html)
    if options.command == "inspect":
        _check_limit(options.limit)
    with opened(settings) as memory:
        if options.command != "remember":
            memory.load()
        if options.command == "forget":
            return _forget(memory, options)
        if options.command == "inspect" and options.html:
            return _page(memory, options.html)
        _show(*_answer(memory, options), options)
    return 0


def _answer(memory: "Memory", options: argparse.Namespace) -> "tuple[str, BaseModel]":
    from mcp_memory import views
    from mcp_memory.answers import Note
    from mcp_memory.text.outline import outline

    match options.command:
        case "remember":
            said = sys.stdin.read() if options.user == "-" else options.user
            notes = [Note(fact=fact) for fact in options.note]
            return views.remembered(memory, said, options.assistant, options.topic, notes, options.at, options.session)
        case "recall":
            text, answer = views.recalled(
                memory, options.query, options.complexity, options.since, options.until, options.max_tokens
            )
            if options.trace:
                traced = memory.inspect("trace", "", None, None, 1)
                text = "\n".join([text, "", *outline(traced)])
            return text, answer
        case "persona":
            return views.persona(memory, options.speaker, options.at)
        case _:
            return views.inspected(memory, options.view, options.id, options.since, options.until, options.limit)


def _check_limit(limit: int) -> None:
    """Raises InputError for what the tool would take as its most."""
    from mcp_memory.views import MOST_ROWS

    if not 1 <= limit <= MOST_ROWS:
        raise InputError(f"--limit must be between 1 and {MOST_ROWS}")


def _check_page(path: Path) -> None:
    """Raises InputError where no page can be written, or something else than an earlier one would be lost."""
    from mcp_memory.report import GENERATOR

    check_writable(path)
    if (begun := beginning(path, 2_000)) and GENERATOR not in begun:
        raise InputError(f"{path} is there and is no page of ours: name another file")


def _page(memory: "Memory", path: Path) -> int:
    from mcp_memory.report import build_report

    memory.inspect("overview", "", None, None, 1)  # what was just said is in the tree
    page = build_report(memory.corpus, memory.zone, memory.notices())
    with replacing(path) as fresh:
        fresh.write_text(page, encoding="utf-8")
    print(f"Wrote {path}; open it in a browser. It holds everything remembered: keep it to yourself.")
    return 0


def _forget(memory: "Memory", options: argparse.Namespace) -> int:
    from mcp_memory import views

    text, data = views.forgotten(memory, options.ids, False)
    if not options.yes:
        print(text.rsplit("\n", 1)[0])
        if not sys.stdin.isatty() or input("Erase for good? [y/N] ").strip().lower() not in ("y", "yes"):
            print("Nothing was erased; --yes erases without asking.")
            return 1
    text, data = views.forgotten(memory, options.ids, True)
    _show(text, data, options)
    return 0


def _show(text: str, data: "BaseModel", options: argparse.Namespace) -> None:
    shown: Any = json.dumps(data.model_dump(mode="json"), ensure_ascii=False, indent=1) if options.json else text
    print(shown)
