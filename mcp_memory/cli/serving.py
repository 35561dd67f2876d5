"""`mcp-memory serve`."""

import argparse
import sys

from mcp_memory.settings import Settings


def add(_name: str, command: argparse.ArgumentParser) -> None:
    """Declares the command."""
    command.set_defaults(run=serve)


def serve(settings: Settings, _options: argparse.Namespace) -> int:
    """Speaks MCP over stdio until the client is gone."""
    from mcp_memory.stdio import kept_clean

    with kept_clean():
        from mcp_memory.server import serve as serve_stdio

    if sys.stdin.isatty():
        print(
            "mcp-memory waits for a client to speak MCP; `mcp-memory --help` lists commands for people", file=sys.stderr
        )
    serve_stdio(settings)
    return 0
