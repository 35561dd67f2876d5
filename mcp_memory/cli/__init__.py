"""The command line: `mcp-memory COMMAND`; without a command it serves."""

import argparse
import importlib
import logging
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from mcp_memory import __version__
from mcp_memory.errors import MemoryFault, SettingsError
from mcp_memory.stdio import kept_clean

with kept_clean():  # a server is among the commands
    from mcp_memory.settings import load

# command -> module that implements it; imported only when it runs, because some pull in seconds of libraries
COMMANDS: Final[Mapping[str, tuple[str, str]]] = {
    "serve": ("serving", "speak MCP over stdio (the default)"),
    "demo": ("demo", "watch it remember five weeks of talk"),
    "install": ("install", "set up a client"),
    "hook": ("hook", "serve a hook of Claude Code: recall, remember, brief"),
    "doctor": ("doctor", "look for what is wrong, and how to mend it"),
    "remember": ("memory", "store one exchange"),
    "recall": ("memory", "find memories"),
    "persona": ("memory", "show what is known of somebody"),
    "inspect": ("memory", "look into the memory"),
    "forget": ("memory", "erase memories for good"),
    "import": ("transfer", "take in conversations from a file"),
    "export": ("transfer", "write all turns to a file"),
    "backup": ("backup", "copy the data folder while it is in use"),
    "rebuild": ("rebuilding", "make everything derived anew from what was said"),
    "models": ("models", "see to models for embed.provider = flag"),
    "eval": ("evaluating", "measure recall on a benchmark file"),
    "results": ("evaluating", "make a table of measured runs"),
    "bench": ("benching", "measure what it costs"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit status; faults become one line on stderr and status 1 (0 for a hook)."""
    try:
        return _run(list(sys.argv[1:] if arguments is None else arguments))
    except KeyboardInterrupt:
        print("mcp-memory: stopped; the same command goes on from here", file=sys.stderr)
        return 130  # as a shell says it of SIGINT
    except BrokenPipeError:
        return 0


def _run(given: list[str]) -> int:
    parser = _parser()
    # `mcp-memory --data-dir X` serves; argparse would call the missing command an error
    if not any(one in COMMANDS or one in ("-h", "--help", "--version") for one in given):
        given.append("serve")
    options = parser.parse_args(given)
    try:
        settings = load(options.config, _overrides(options.set, options.data_dir))
        logging.basicConfig(level=settings.log_level.upper(), stream=sys.stderr, format="%(name)s: %(message)s")
        return int(options.run(settings, options))
    except MemoryFault as fault:
        print(f"mcp-memory: {fault}", file=sys.stderr)
        return int(options.failed)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="mcp-memory", description="Long-term memory for MCP assistants.")
    parser.set_defaults(failed=1)
    parser.add_argument("--version", action="version", version=__version__)
    parser.add_argument("--config", type=Path, help="a TOML file instead of the one in the user's config folder")
    parser.add_argument("--data-dir", metavar="DIR", help="the data folder")
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="any setting, for example llm.provider=openai"
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, (module, summary) in COMMANDS.items():
        command = commands.add_parser(name, help=summary, description=f"{summary[0].upper()}{summary[1:]}.")
        importlib.import_module(f"mcp_memory.cli.{module}").add(name, command)
    return parser


def _overrides(pairs: Sequence[str], data_dir: str | None) -> dict[str, Any]:
    values: dict[str, Any] = {} if data_dir is None else {"data_dir": data_dir}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise SettingsError(f"--set takes KEY=VALUE; {key[:40]!r} has no =")
        *path, last = key.strip().split(".")
        place = values
        for part in path:
            place = place.setdefault(part, {})
            if not isinstance(place, dict):
                raise SettingsError(f"--set gives {part!r} a value and keys of its own: leave one out")
        place[last] = value
    return values
