"""`mcp-memory rebuild`: everything derived is made again from what was said."""

import argparse
from typing import Final

from mcp_memory.cli.opened import opened
from mcp_memory.settings import Settings

_LOADING_SECONDS: Final = 300.0


def add(_name: str, command: argparse.ArgumentParser) -> None:
    """Declares the command."""
    command.add_argument("--rescribe", action="store_true", help="forget what a language model wrote and ask it again")
    command.set_defaults(run=rebuild)


def rebuild(settings: Settings, options: argparse.Namespace) -> int:
    """Rebuilds, or goes on where a rebuild was stopped.  Raises StoreError."""
    from mcp_memory.cli.progress import ask, drain

    with opened(settings, to_write=True) as memory:
        memory.load(_LOADING_SECONDS)
        days = memory.rebuild(rescribe=options.rescribe)
        print(f"{days} {'day' if days == 1 else 'days'} to derive.", flush=True)
        drain(memory)
        if options.rescribe:
            ask(memory)
        for notice in memory.notices():
            print(notice)
    return 0
