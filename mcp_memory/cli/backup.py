"""`mcp-memory backup`: a copy of the data folder that is whole, also while servers run."""

import argparse
import shutil
import sqlite3
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mcp_memory.cli.files import check_writable, replacing
from mcp_memory.cli.opened import opened
from mcp_memory.errors import InputError, StoreError
from mcp_memory.settings import Settings

if TYPE_CHECKING:
    from mcp_memory.store.store import Store

_JOURNAL: Final = "journal.sqlite3"
_OF_THIS_MOMENT: Final = (_JOURNAL, "write.", "maintenance.", "quarantine")


def add(_name: str, command: argparse.ArgumentParser) -> None:
    """Declares the command."""
    command.add_argument("file", type=Path, help="the .tar.gz to write")
    command.set_defaults(run=backup)


def backup(settings: Settings, options: argparse.Namespace) -> int:
    """Packs the data folder, under the write lock if it can be written.  Raises InputError, StoreError."""
    if settings.store.uri:
        raise InputError(f"the tables are at {settings.store.uri}: back them up there; `export` writes all turns")
    file: Path = options.file
    check_writable(file, new=True)
    if file.resolve().is_relative_to(settings.data_dir.resolve()):
        raise InputError(f"{file} is inside the data folder: write the backup to another place")
    with opened(settings) as memory, replacing(file, new=True) as fresh, _still(memory.store):
        _pack(memory.store, fresh)
    print(
        f"{file}: {file.stat().st_size / 1e6:.1f} MB.  To restore it: stop the servers, unpack it into an empty folder"
    )
    print(f"  mkdir -p FOLDER && tar -xzf {file} -C FOLDER")
    print("and put it in the place of the data folder, or set data_dir = FOLDER.")
    return 0


@contextmanager
def _still(store: "Store") -> Iterator[None]:
    """Nobody commits meanwhile; where nothing can be written, nobody can be kept from it, nor need be."""
    if store.problem:
        yield
        return
    with store.lock.held("backing up", store.lock_timeout):
        yield


def _pack(store: "Store", file: Path) -> None:
    """Tables as they are (nobody commits under the lock), and the journal by way of sqlite, which may be
    written to meanwhile."""
    with tarfile.open(file, "w:gz", compresslevel=1) as archive, tempfile.TemporaryDirectory() as place:
        copy = Path(place) / _JOURNAL
        with (
            closing(sqlite3.connect(_journal(store, Path(place)))) as journal,
            closing(sqlite3.connect(copy)) as target,
        ):
            journal.backup(target)
        archive.add(copy, _JOURNAL)
        for entry in sorted(store.folder.iterdir()):
            if not entry.name.startswith(_OF_THIS_MOMENT):
                archive.add(entry, entry.name)


def _journal(store: "Store", place: Path) -> Path:
    """The journal to read; a copy below `place` where sqlite could not write beside it, as it must."""
    from mcp_memory.store.salvage import COMPANIONS

    found = store.folder / _JOURNAL
    if not store.problem:
        return found
    if not found.is_file():
        raise StoreError(store.problem)
    copied = place / "as-it-is"
    copied.mkdir()
    for suffix in COMPANIONS[:2]:
        companion = found.with_name(found.name + suffix)
        if companion.exists():
            shutil.copy(companion, copied)
    return copied / _JOURNAL
