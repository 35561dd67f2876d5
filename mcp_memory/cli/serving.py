"""`mcp-memory serve`."""

import argparse

from mcp_memory.settings import Settings


def add(_name: str, command: argparse.ArgumentParser) -> None:
    """Declares the command."""
    command.set_defaults(run=serve)


def serve(settings: Settings, _options: argparse.Namespace) -> int:
    """Speaks MCP over stdio until the client is gone."""
    from mcp_memory.server import serve as serve_stdio

    serve_stdio(settings)
    return 0
