"""The data folder as a whole: journal, tables, locks and the card (store.json) that says what they are."""

import json
import logging
import os
import shutil
import sqlite3
import tempfile
import threading
import uuid
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mcp_memory.errors import StoreDamagedError, StoreError, StoreTooNewError
from mcp_memory.model.turn import Turn
from mcp_memory.model.unit import Unit
from mcp_memory.store.journal import Journal
from mcp_memory.store.lock import WriteLock

if TYPE_CHECKING:  # LanceDB takes seconds to import: only what reads or writes tables pays for it
    from mcp_memory.store.lance import Table

logger = logging.getLogger(__name__)

SCHEMA_VERSION: Final = 1
DEFAULT_DIMENSION: Final = 384
_LEAST_LANCEDB: Final = "0.40"


@dataclass(frozen=True, slots=True)
class Card:
    """What store.json says: `embedder` is "" until the first vector is stored."""

    store_id: str
    schema: int = SCHEMA_VERSION
    lancedb: str = _LEAST_LANCEDB
    time_zone: str = ""
    embedder: str = ""
    dimension: int = DEFAULT_DIMENSION


class Store:
    """Opens what is there, creates what is missing, and serves what can be read of what is damaged.

    `problem` is "" or one sentence about why nothing can be written at the moment.
    """

    def __init__(self, folder: Path, uri: str = "", lock_timeout: float = 10.0, time_zone: str = "UTC") -> None:
        """Raises StoreTooNewError; any other trouble is kept in `problem`."""
        self.folder, self.lock_timeout, self.problem = folder, lock_timeout, ""
        self._uri, self._guard = uri, threading.RLock()
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            self.problem = f"the data folder {folder} cannot be made ({error.strerror}): set data_dir to another place"
        self.card = self._read_card(time_zone)
        self.lock = WriteLock(folder)
        self.journal = self._open_journal()

    # ------------------------------------------------------------------ opening

    def _read_card(self, time_zone: str) -> Card:
        path = self.folder / "store.json"
        try:
            card = Card(**json.loads(path.read_text(encoding="utf-8")))
        except FileNotFoundError:
            card = Card(uuid.uuid4().hex, time_zone=time_zone)
            if not self.problem:
                self._write_card(card)
        except (OSError, ValueError, TypeError):
            self._quarantine(path)
            card = self._card_from_tables(time_zone)
            self._write_card(card)
        if card.schema > SCHEMA_VERSION:
            raise StoreTooNewError(f"{self.folder} was written by a newer mcp-memory: update this one")
        return card

    def _card_from_tables(self, time_zone: str) -> Card:
        """A damaged card is made anew; the embedder stays unknown, so its vectors are made anew as well."""
        return Card(uuid.uuid4().hex, time_zone=time_zone)

    def _write_card(self, card: Card) -> None:
        try:
            fresh = self.folder / f"store.json.{os.getpid()}"
            with fresh.open("w", encoding="utf-8") as file:
                json.dump(asdict(card), file, indent=1)
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(self.folder / "store.json")
        except OSError as error:
            self.problem = self.problem or f"the data folder {self.folder} cannot be written ({error.strerror})"

    def update_card(self, **changes: str | int) -> None:
        """Changes what store.json says, atomically."""
        self.card = replace(self.card, **changes)  # type: ignore[arg-type]
        self._write_card(self.card)

    def reread_card(self) -> None:
        """Sees what another process changed."""
        self.card = self._read_card(self.card.time_zone)

    def _open_journal(self) -> Journal:
        path = self.folder / "journal.sqlite3"
        try:
            journal = Journal(path)
        except StoreTooNewError:
            raise
        except StoreDamagedError:
            return self._replace_journal(path)
        except StoreError as error:
            self.problem = self.problem or str(error)
            return _readable_copy(path)
        return journal

    def _replace_journal(self, path: Path) -> Journal:
        """Moves a damaged journal away and carries over every turn that can still be read from it."""
        aside = self._quarantine(path)
        for suffix in ("-wal", "-shm"):
            self._quarantine(path.with_name(path.name + suffix))
        journal = Journal(path)
        saved, complete = _salvage(aside)
        if saved:
            journal.append(saved)
        lost = "" if complete else " Some turns that were not yet indexed may be unreadable."
        journal.notice(
            "journal",
            f"The journal was damaged and has been replaced; {len(saved)} waiting turns were carried over.{lost}"
            f" The damaged file is kept in {aside.parent}; `mcp-memory doctor` says more.",
        )
        return journal

    def _quarantine(self, path: Path) -> Path:
        aside = self.folder / "quarantine" / f"{path.name}.{uuid.uuid4().hex[:8]}"
        try:
            aside.parent.mkdir(exist_ok=True, mode=0o700)
            if path.exists():
                path.replace(aside)
        except OSError as error:
            self.problem = self.problem or f"{path} is damaged and cannot be moved ({error.strerror})"
        return aside

    # ------------------------------------------------------------------ tables

    @cached_property
    def _connection(self) -> object:
        from mcp_memory.store.lance import connect

        return connect(self._uri or str(self.folder / "lance"))

    def _table(self, name: str) -> "Table":
        from mcp_memory.store import schema
        from mcp_memory.store.lance import Table

        columns = {"turns": schema.TURNS, "replies": schema.REPLIES}.get(name) or schema.units(self.card.dimension)
        return Table(self._connection, name, columns, None if self._uri else self.folder / "lance")

    @cached_property
    def turns(self) -> "Table":
        """What was said."""
        return self._table("turns")

    @cached_property
    def units(self) -> "Table":
        """What was derived."""
        return self._table("units")

    @cached_property
    def replies(self) -> "Table":
        """What scribes answered."""
        return self._table("replies")

    def upkeep(self, *, force: bool = False) -> None:
        """Merges small files and prunes old versions where it is due; under the write lock."""
        for table in (self.turns, self.units, self.replies):
            table.upkeep(force=force)

    def next_rev(self) -> int:
        """The revision that rows of the commit being made carry; under the write lock."""
        return self.journal.counter("rev") + 1


def _readable_copy(path: Path) -> Journal:
    """A journal that cannot be opened in place (read-only or full disk), as a private copy to read from."""
    folder = Path(tempfile.mkdtemp(prefix="mcp-memory-"))
    try:
        for name in (path.name, f"{path.name}-wal"):
            if path.with_name(name).exists():
                shutil.copy(path.with_name(name), folder / name)
        return Journal(folder / path.name)
    except (OSError, StoreError):
        return Journal(Path(":memory:"))


def _salvage(path: Path) -> tuple[list[Turn], bool]:
    """The waiting turns that can still be read from a damaged journal, and whether that were all."""
    from mcp_memory.store.rows import turn_from_json

    saved: list[Turn] = []
    try:
        database = sqlite3.connect(path)
    except sqlite3.DatabaseError:
        return saved, False
    try:
        for (body,) in database.execute("SELECT body FROM pending ORDER BY seq"):
            saved.append(turn_from_json(body))
    except (sqlite3.DatabaseError, ValueError, TypeError, KeyError):
        return saved, False
    finally:
        database.close()
    return saved, True


def published(store: Store, upserts: Sequence[tuple[Unit, object]], removed: Sequence[str]) -> None:
    """One atomic commit of units with their vectors (or None), visible to every process afterwards."""
    from mcp_memory.store.rows import unit_to_row

    rev = store.next_rev()
    store.units.upsert([unit_to_row(unit, rev, emb) for unit, emb in upserts], removed)
    store.journal.published(removed)
