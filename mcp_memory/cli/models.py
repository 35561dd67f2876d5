"""`mcp-memory models`: models for embed.provider = "flag" and the reranker, downloaded only when told to."""

import argparse
from pathlib import Path

from mcp_memory.errors import EmbedError
from mcp_memory.settings import Settings


def add(_name: str, command: argparse.ArgumentParser) -> None:
    """Declares the command."""
    actions = command.add_subparsers(required=True, metavar="ACTION")
    pull = actions.add_parser("pull", help="download a model by its name on the hub")
    pull.add_argument("model", help="for example BAAI/bge-m3 or BAAI/bge-reranker-v2-m3")
    pull.add_argument("--into", type=Path, help="a folder instead of the hub's own cache")
    pull.set_defaults(run=pull_model)
    listed = actions.add_parser("list", help="show what the settings use and whether it is on this machine")
    listed.set_defaults(run=list_models)


def pull_model(_settings: Settings, options: argparse.Namespace) -> int:
    """Downloads with the hub's progress bars.  Raises EmbedError."""
    from mcp_memory.embed.hub import pull

    print(pull(options.model, options.into))
    return 0


def list_models(settings: Settings, _options: argparse.Namespace) -> int:
    """One line per model that the settings or the defaults name: where it lies, or how to get it."""
    from mcp_memory.embed.flag import DEFAULT_MODEL, DEFAULT_RERANKER
    from mcp_memory.embed.hub import find_model

    named = [settings.embed.model] if settings.embed.provider == "flag" else []
    for name in dict.fromkeys((*named, settings.recall.reranker, DEFAULT_MODEL, DEFAULT_RERANKER)):
        if name:
            try:
                print(f"{name}: {find_model(name)}")
            except EmbedError as missing:
                print(f"{name}: {missing}")
    return 0
