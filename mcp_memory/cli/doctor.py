"""`mcp-memory doctor`: looks at everything the memory stands on, and says how to mend what is wrong."""

import argparse
import platform
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from mcp_memory import __version__
from mcp_memory.cli.opened import opened
from mcp_memory.errors import EmbedError, MemoryFault, StoreBusyError
from mcp_memory.settings import Settings, default_config_path

if TYPE_CHECKING:
    from mcp_memory.engine import Memory

_TABLES_NEED = "lancedb has no wheels for this machine: use Linux, Windows or macOS on x86-64 with AVX2, or arm64"


class Finding(NamedTuple):
    """One line; `fix` is "" where nothing is to be done."""

    grade: Literal["ok", "warn", "fail"]
    what: str
    fix: str = ""


def add(_name: str, command: argparse.ArgumentParser) -> None:
    """Declares the command."""
    command.add_argument("--clear", action="store_true", help="take away kept notices about what was mended")
    command.set_defaults(run=run)


def run(settings: Settings, options: argparse.Namespace) -> int:
    """Prints one line per check; 1 when something is broken."""
    worst = max(map(_print, _program(options.config)))
    with opened(settings, anyhow=True) as memory:
        if options.clear:
            for name in memory.store.journal.notices():
                memory.store.journal.notice(name, "")
        for check in (_folder, _store, _lock, _embedder, _model):
            worst = max(worst, *map(_print, _guarded(check, memory)), 0)
    return worst


def _print(finding: Finding) -> int:
    print(f"{finding.grade:5s} {finding.what}", flush=True)
    if finding.fix:
        print(f"      → {finding.fix}")
    return int(finding.grade == "fail")


def _guarded(check: "Callable[[Memory], Iterable[Finding]]", memory: "Memory") -> Iterator[Finding]:
    """The findings of a check; its own failure is one of them, so that the others are still made."""
    try:
        yield from check(memory)
    except MemoryFault as fault:
        yield Finding("fail", str(fault))


def _program(config: Path | None) -> Iterator[Finding]:
    system = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
    yield Finding("ok", f"mcp-memory {__version__}, {system}, {sys.executable}")
    file = config or default_config_path()
    yield Finding("ok", f"configuration: {file if file.exists() else f'defaults (no {file})'}")
    try:
        import lancedb
    except ImportError:
        yield Finding("fail", "lancedb cannot be imported", _TABLES_NEED)
    else:
        yield Finding("ok", f"lancedb {lancedb.__version__}")


def _folder(memory: "Memory") -> Iterator[Finding]:
    folder = memory.store.folder
    if folder.is_dir():
        free = shutil.disk_usage(folder).free / 1e9
        yield Finding("ok", f"data folder {folder}, {free:.1f} GB free")


def _store(memory: "Memory") -> Iterator[Finding]:
    from mcp_memory.store.health import check

    problems = check(memory.store, deep=True)
    for problem in problems:
        yield Finding("fail", problem.what, problem.fix)
    if not problems:
        yield Finding("ok", "journal, tables and the checksums of what was said")
    if waiting := memory.store.journal.pending_count():
        yield Finding("ok", f"{waiting} turns wait to be indexed (they are found already)")


def _lock(memory: "Memory") -> Iterator[Finding]:
    if memory.store.problem:
        return
    try:
        with memory.store.lock.held("checking", 1.0):
            yield Finding("ok", "nobody holds the write lock")
    except StoreBusyError as busy:
        yield Finding("warn", str(busy), "normal for seconds while a server indexes; else end that process")


def _embedder(memory: "Memory") -> Iterator[Finding]:
    from mcp_memory.embed.factory import make_embedder

    embedder = make_embedder(memory.settings)
    if embedder is None:
        yield Finding("warn", "search is by words only", 'set embed.provider = "bundled" for meaning, too')
        return
    try:
        embedder.embed(["ready"])
    except EmbedError as error:
        yield Finding("fail", f"no embedder: {error}", "recall goes on by words; mend it, or set another provider")
        return
    yield Finding("ok", f"embedder {embedder.id}, {embedder.dimension} dimensions")
    stored = memory.store.card.embedder
    if stored not in ("", embedder.id):
        yield Finding("fail", f"the stored vectors are from {stored}", "run `mcp-memory rebuild`, or set it again")


def _model(memory: "Memory") -> Iterator[Finding]:
    from mcp_memory.llm.probe import probe
    from mcp_memory.prompts import Prompts

    chat = memory.models.chat
    if chat is None:
        yield Finding("ok", "no language model is set: rules and the assistants' own notes write the memory")
        return
    found = probe(chat, Prompts(memory.settings.prompts_dir))
    if found.structured:
        yield Finding("ok", found.says)
    elif found.reached:
        yield Finding("warn", found.says, "rules cover for what it cannot do; a larger model may be able to")
    else:
        yield Finding("fail", found.says, "check llm.provider, llm.model, llm.base_url and the key")
