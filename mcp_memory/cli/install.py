"""`mcp-memory install CLIENT`: the client's configuration entry, or its hooks, shown or merged into its file."""

import argparse
import json
import os
import shlex
import shutil
import sys
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from mcp_memory.cli import hooks
from mcp_memory.cli.files import replacing
from mcp_memory.errors import InputError
from mcp_memory.settings import Settings

NAME: Final = "memory"

Entry = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Client:
    """Where a client keeps its servers: the file, the key they are under, and the shape of one."""

    file: Callable[[], Path]
    key: str
    entry: Callable[[list[str]], Entry]


def add(_name: str, command: argparse.ArgumentParser) -> None:
    """Declares the command."""
    command.add_argument("client", choices=sorted(CLIENTS))
    command.add_argument("--write", action="store_true", help="merge it into the client's file; the old one is kept")
    command.add_argument("--hooks", action="store_true", help="claude-code: recall and remember without being called")
    command.set_defaults(run=install)


def install(_settings: Settings, options: argparse.Namespace) -> int:
    """Shows the entry and its place, or writes it.  Raises InputError where the file cannot be merged into."""
    launch = _launch(options)
    if options.hooks:
        return _install_hooks(options, launch)
    client = CLIENTS[options.client]
    path, entry = client.file(), client.entry(launch)
    if options.write:
        print(_merge(path, client.key, entry))
    else:
        print(f"# {path}\n{_snippet(path, client.key, entry)}")
    if options.client == "claude-code":
        print(f"# for all projects: claude mcp add --scope user {NAME} -- {shlex.join(launch)}")
    return 0


def _install_hooks(options: argparse.Namespace, launch: list[str]) -> int:
    if options.client != "claude-code":
        raise InputError(f"--hooks are for claude-code; for {options.client} leave them out")
    path = hooks.settings_file()
    if options.write:
        print(_rewrite(path, lambda old: hooks.merged(old, path, launch), "the hooks"))
    else:
        print(f"# {path}\n{json.dumps({'hooks': hooks.entries(launch)}, indent=2, ensure_ascii=False)}")
    return 0


def _launch(options: argparse.Namespace) -> list[str]:
    """How to start this installation: clients start with a bare PATH and in any folder, so paths are whole."""
    places = [("--config", options.config), ("--data-dir", options.data_dir)]
    given = [part for flag, path in places if path for part in (flag, str(Path(path).expanduser().resolve()))]
    return [sys.executable, "-m", "mcp_memory", *given, *(part for one in options.set for part in ("--set", one))]


# ---------------------------------------------------------------------- clients


def _plain(launch: list[str]) -> Entry:
    return {"command": launch[0], "args": launch[1:]}


def _vscode(launch: list[str]) -> Entry:
    return {"type": "stdio", **_plain(launch)}


def _zed(launch: list[str]) -> Entry:
    return {"source": "custom", **_plain(launch), "env": {}}


def _opencode(launch: list[str]) -> Entry:
    return {"type": "local", "command": launch, "enabled": True}


def _home(*parts: str) -> Callable[[], Path]:
    return lambda: Path.home().joinpath(*parts)


def _application(folder: str, unix: str, name: str) -> Callable[[], Path]:
    """A file in the platform's place for applications; `unix` is the folder's name below ~/.config."""

    def place() -> Path:
        if sys.platform == "win32":
            return Path(os.environ.get("APPDATA", Path.home() / "AppData" / "Roaming")) / folder / name
        if sys.platform == "darwin" and unix == folder:
            return Path.home() / "Library" / "Application Support" / folder / name
        return Path.home() / ".config" / unix / name

    return place


CLIENTS: Final[Mapping[str, Client]] = {
    "claude-desktop": Client(_application("Claude", "Claude", "claude_desktop_config.json"), "mcpServers", _plain),
    "claude-code": Client(lambda: Path.cwd() / ".mcp.json", "mcpServers", _plain),
    "cursor": Client(_home(".cursor", "mcp.json"), "mcpServers", _plain),
    "vscode": Client(lambda: Path.cwd() / ".vscode" / "mcp.json", "servers", _vscode),
    "windsurf": Client(_home(".codeium", "windsurf", "mcp_config.json"), "mcpServers", _plain),
    "zed": Client(_application("Zed", "zed", "settings.json"), "context_servers", _zed),
    "gemini": Client(_home(".gemini", "settings.json"), "mcpServers", _plain),
    "opencode": Client(_home(".config", "opencode", "opencode.json"), "mcp", _opencode),
    "codex": Client(_home(".codex", "config.toml"), "mcp_servers", _plain),
}


# ---------------------------------------------------------------------- files


def _snippet(path: Path, key: str, entry: Entry) -> str:
    if path.suffix == ".toml":
        # JSON strings and arrays of strings are TOML as well
        lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in entry.items()]
        return "\n".join([f"[{key}.{NAME}]", *lines])
    return json.dumps({key: {NAME: entry}}, indent=2, ensure_ascii=False)


def _merge(path: Path, key: str, entry: Entry) -> str:
    """Adds or replaces our entry and nothing else; says what was done."""
    merged = _merged_toml if path.suffix == ".toml" else _merged_json
    return _rewrite(path, lambda old: merged(old, path, key, entry), f"the entry {NAME!r}")


def _rewrite(path: Path, merged: Callable[[str], str], what: str) -> str:
    """Makes a new text of the file's old one, which is kept beside it; says what was done."""
    path = path.resolve()  # a linked settings file stays a link
    old = path.read_text(encoding="utf-8") if path.exists() else ""
    new = merged(old)
    if new == old:
        return f"{path}: nothing to do, it has {what}"
    kept = _keep(path) if old else None
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as fresh:
        fresh.write_text(new, encoding="utf-8")
    return f"{path}: {what} written" + (f"; the old file is {kept}" if kept else "")


def _merged_json(old: str, path: Path, key: str, entry: Entry) -> str:
    content = hooks.parsed(old, path)
    servers = content.setdefault(key, {})
    if not isinstance(servers, dict):
        raise InputError(f"`{key}` in {path} is {hooks.kind(servers)}, not an object: add the entry by hand")
    if servers.get(NAME) == entry:
        return old
    servers[NAME] = entry
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _merged_toml(old: str, path: Path, key: str, entry: Entry) -> str:
    try:
        servers = tomllib.loads(old).get(key, {})
    except tomllib.TOMLDecodeError:
        raise InputError(f"{path} is not valid TOML: mend it first") from None
    if not isinstance(servers, dict):
        raise InputError(f"`{key}` in {path} is {hooks.kind(servers)}, not a table: mend it first")
    there = servers.get(NAME)
    if there == entry:
        return old
    if there is not None:
        raise InputError(f"{path} has another [{key}.{NAME}]: change it by hand, or take it out and repeat")
    return f"{old.rstrip()}\n\n{_snippet(path, key, entry)}\n".lstrip()


def _keep(path: Path) -> Path:
    """A copy of the file beside it, under a name that is free."""
    names = (path.with_name(f"{path.name}.bak{number or ''}") for number in range(1000))
    kept = next(name for name in names if not name.exists())
    shutil.copy2(path, kept)
    return kept
