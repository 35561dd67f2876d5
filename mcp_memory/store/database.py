"""One sqlite file that several processes append to: WAL, every commit on the disk before it returns.

What is deleted is overwritten (`secure_delete`), and what sqlite reports becomes this package's faults.
"""

import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final

from mcp_memory.errors import StoreBusyError, StoreDamagedError, StoreError, StoreTooNewError

BUSY_SECONDS: Final = 10.0
# secure_delete comes before anything is written, so that erased pages are zeroed from the first one on
_PRAGMAS: Final = (
    "secure_delete=ON",
    "journal_mode=WAL",
    "synchronous=FULL",
    "wal_autocheckpoint=256",
    "temp_store=MEMORY",
)


class Database:
    """One process's connection; safe to share between threads."""

    def __init__(self, path: Path, schema: str, version: int) -> None:
        """Opens or creates the file.

        Raises StoreDamagedError (not a database, or broken inside), StoreTooNewError (written with a higher
        `version`), StoreError (the folder cannot be written).
        """
        self.path = path
        self._lock = threading.RLock()
        with _faults(path):
            self._db = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            with _faults(path):
                self._prepare(schema, version)
        except StoreError:
            self._db.close()
            raise
        self._identity = _identity(path)

    def _prepare(self, schema: str, version: int) -> None:
        found = self._db.execute("PRAGMA user_version").fetchone()[0]
        if found > version:
            raise StoreTooNewError(f"{self.path.parent} was written by a newer mcp-memory: update this one")
        for pragma in _PRAGMAS:
            self._db.execute(f"PRAGMA {pragma}")
        if self._db.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
            raise _damaged(self.path)
        if found < version:
            self._create(schema, version)

    def _create(self, schema: str, version: int) -> None:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            for statement in schema.split(";"):
                self._db.execute(statement)
            self._db.execute(f"PRAGMA user_version={version}")
            self._db.execute("COMMIT")
        except BaseException:
            self._rollback()
            raise

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """One atomic, durable change.

        Raises StoreBusyError, or StoreError (disk full, read-only, the file is gone): then nothing changed.
        """
        with self._lock, _faults(self.path):
            self._check_identity()
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                self._rollback()
                raise
            self._check_identity()

    def _rollback(self) -> None:
        # sqlite has rolled back by itself after some faults, a full disk among them
        if self._db.in_transaction:
            with suppress(sqlite3.Error):
                self._db.execute("ROLLBACK")

    def _check_identity(self) -> None:
        """An open file that was deleted or replaced takes every write and keeps none."""
        if _identity(self.path) != self._identity:
            raise StoreError(
                f"{self.path} was removed or replaced while in use: nothing was stored; restart this server"
            )

    def query(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[object, ...]]:
        """All rows of one read."""
        with self._lock, _faults(self.path):
            return self._db.execute(sql, parameters).fetchall()

    def scrub(self) -> None:
        """Writes the file anew and empties its log, so that erased bytes are gone from both.

        Raises StoreBusyError while another process is in the middle of a long read.
        """
        with self._lock, _faults(self.path):
            self._db.execute("VACUUM")
            busy = self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        if busy:
            raise StoreBusyError("another process is reading the journal: what was erased is swept a little later")

    def load(self, path: Path) -> None:
        """Takes over the whole content of another file of the same schema.  Raises StoreError."""
        with self._lock, _faults(path), closing(sqlite3.connect(path)) as source:
            source.backup(self._db)

    def close(self) -> None:
        """Lets go of the file."""
        with self._lock:
            self._db.close()


def _identity(path: Path) -> tuple[int, int]:
    try:
        found = os.stat(path)
    except OSError:
        return (0, 0)
    return found.st_dev, found.st_ino


@contextmanager
def _faults(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise fault(error, path) from None


def fault(error: sqlite3.DatabaseError, path: Path) -> StoreError:
    """What to tell of an sqlite error; never quotes what was being written."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreBusyError("another process is writing to the journal for very long: try again in a moment")
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return _damaged(path)
    if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
        return StoreError(
            f"the disk that holds {path.parent} is full or failing: nothing was stored; free some space and repeat"
        )
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return StoreError(f"{path.parent} cannot be written: nothing was stored; check its permissions or set data_dir")
    return StoreError(f"the journal at {path} failed ({type(error).__name__} {code}): nothing was stored")


def _damaged(path: Path) -> StoreDamagedError:
    return StoreDamagedError(f"{path} is damaged: run `mcp-memory doctor`")
