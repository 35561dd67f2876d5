"""The data folder as a whole: journal, tables, locks and the card (store.json) that says what they are."""

import logging
import os
import threading
import uuid
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mcp_memory.errors import StoreDamagedError, StoreError, StoreTooNewError
from mcp_memory.store.card import DEFAULT_DIMENSION, UNKNOWN, Card, create_card, new_card, read_card, write_card
from mcp_memory.store.journal import Journal
from mcp_memory.store.lock import WriteLock

if TYPE_CHECKING:  # LanceDB takes seconds to import: only what reads or writes tables pays for it
    from mcp_memory.store.lance import Table

__all__ = ["DEFAULT_DIMENSION", "Card", "Store"]
logger = logging.getLogger(__name__)

TABLES: Final = ("turns", "units", "replies")
COMMITS_BEFORE_UPKEEP: Final = 50
COMMITS_WHEN_IDLE: Final = 10


class Store:
    """Opens what is there, creates what is missing, and serves what can be read of what is damaged.

    `problem` is "" or one sentence about why nothing can be written at the moment; `damage` has one sentence
    for every table that cannot be read whole, and for what is missing.
    """

    def __init__(self, folder: Path, uri: str = "", lock_timeout: float = 10.0, time_zone: str = "UTC") -> None:
        """Raises StoreTooNewError; any other trouble is kept in `problem`."""
        self.folder, self.lock_timeout, self.problem = folder, lock_timeout, ""
        self.damage: dict[str, str] = {}
        self._uri, self._guard = uri, threading.RLock()
        self.card = new_card(time_zone)
        self.lock = WriteLock(folder)
        self._open()

    # ------------------------------------------------------------------ opening

    def _open(self) -> None:
        self._probe()
        self.card = self._read_or_make_card()
        self.journal = self._open_journal()

    def retry(self) -> None:
        """Looks again whether what stood in the way of writing has gone; `problem` says."""
        with self._guard:
            if self.problem:
                self.problem = ""
                self._open()

    def _probe(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            self._hinder(f"the data folder {self.folder} cannot be made ({error.strerror}): set data_dir elsewhere")
            return
        if not os.access(self.folder, os.W_OK | os.X_OK):
            self._hinder(
                f"the data folder {self.folder} is read-only: nothing new can be stored; check its permissions or set"
                " data_dir elsewhere"
            )

    def _hinder(self, problem: str) -> None:
        self.problem = self.problem or problem

    def _read_or_make_card(self) -> Card:
        try:
            return read_card(self.folder)
        except (FileNotFoundError, NotADirectoryError):
            held = (self.folder / "lance" / "units.lance").exists()
        except (OSError, ValueError, TypeError, KeyError):
            self.quarantine(self.folder / "store.json")
            held = True
        # vectors of an unknown embedder are never mixed with others
        card = replace(self.card, embedder=UNKNOWN if held else "")
        if self.problem:
            return card
        try:
            return create_card(self.folder, card)
        except OSError as error:
            self._hinder(
                f"the data folder {self.folder} cannot be used ({error.strerror}): it needs free space and a file"
                " system with hard links; set data_dir elsewhere"
            )
            return card

    def update_card(self, **changes: str | int) -> None:
        """Changes what store.json says, atomically; under the write lock.  Raises StoreError."""
        self.reread_card()
        self._take_card(replace(self.card, **changes))  # type: ignore[arg-type]
        try:
            write_card(self.folder, self.card)
        except OSError as error:
            raise StoreError(f"{self.folder / 'store.json'} cannot be written ({error.strerror})") from None

    def reread_card(self) -> None:
        """Sees what another process changed."""
        try:
            self._take_card(read_card(self.folder))
        except (OSError, ValueError, TypeError, KeyError):
            logger.debug("store.json cannot be read: going on with what it said before")

    def _take_card(self, card: Card) -> None:
        if card.dimension != self.card.dimension:
            self.__dict__.pop("units", None)  # its columns are others now
        self.card = card

    def _open_journal(self) -> Journal:
        path = self.folder / "journal.sqlite3"
        if not self.problem:
            try:
                return Journal(path)
            except StoreTooNewError:
                raise
            except StoreDamagedError:
                return self._replace_journal(path)
            except StoreError as error:
                self._hinder(str(error))
        from mcp_memory.store.salvage import memory_copy

        return memory_copy(path)

    def _replace_journal(self, path: Path) -> Journal:
        """Moves a damaged journal away and carries over everything that can still be read from it."""
        from mcp_memory.store.salvage import COMPANIONS, memory_copy, salvage

        with self.lock.held("replacing the damaged journal", self.lock_timeout):
            try:
                return Journal(path)  # another process was faster
            except StoreDamagedError:
                aside = self.quarantine(path, COMPANIONS)
            if self.problem:
                return memory_copy(path)
            journal = Journal(path)
            saved, complete = salvage(aside, journal)
        lost = "" if complete else " Some turns that were not yet indexed may be unreadable."
        journal.notice(
            "journal",
            f"The journal was damaged and has been replaced; {saved} waiting turns were carried over.{lost}"
            f" The damaged file is kept in {aside.parent}; `mcp-memory doctor` says more.",
        )
        return journal

    def quarantine(self, path: Path, suffixes: tuple[str, ...] = ("",)) -> Path:
        """Moves a damaged file or folder (with companions of these suffixes) out of the way, losing nothing."""
        aside = self.folder / "quarantine" / f"{uuid.uuid4().hex[:8]}.{path.name}"
        try:
            aside.parent.mkdir(exist_ok=True, mode=0o700)
            for suffix in suffixes:
                companion = path.with_name(path.name + suffix)
                if companion.exists():
                    companion.replace(aside.with_name(aside.name + suffix))
        except OSError as error:
            self._hinder(f"{path} is damaged and cannot be moved away ({error.strerror})")
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
        return Table(lambda: self._connection, name, columns, None if self._uri else self.folder / "lance")

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

    def tables(self) -> "list[Table]":
        """All three."""
        return [self.turns, self.units, self.replies]

    def upkeep_due(self, *, idle: bool = False) -> bool:
        """Whether enough commits of all processes have come together; fewer are enough when nothing waits."""
        since = self.journal.counter("rev") - self.journal.counter("upkeep")
        return since >= (COMMITS_WHEN_IDLE if idle else COMMITS_BEFORE_UPKEEP)

    def upkeep(self) -> None:
        """Merges small files and prunes old versions; under the write lock."""
        for table in self.tables():
            table.upkeep()
        self.journal.set_counter("upkeep", self.journal.counter("rev"))

    def next_rev(self) -> int:
        """The revision that rows of the commit being made carry; under the write lock."""
        return self.journal.counter("rev") + 1

    # ------------------------------------------------------------------ what to tell

    def unreadable(self) -> str:
        """ "" or one sentence about a table that cannot be read whole."""
        return next((self.damage[name] for name in TABLES if name in self.damage), "")

    def notices(self) -> list[str]:
        """What a person must be told of this store, in whole sentences."""
        return [one for one in (self.problem, *self.damage.values(), *self.journal.notices().values()) if one]
