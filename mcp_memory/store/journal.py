"""The journal: an fsynced sqlite file whose commit is the acknowledgement.

It holds turns that are not in LanceDB yet, the ids of all that ever were stored, which days must be
derived again, work for a language model, spending, and revision counters by which every process sees
that another one wrote.  Several processes append at once; sqlite serialises them.
"""

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from mcp_memory.errors import StoreBusyError, StoreDamagedError, StoreError, StoreTooNewError
from mcp_memory.model.turn import Turn
from mcp_memory.store.rows import turn_from_json, turn_to_json

SCHEMA_VERSION: Final = 1
_BUSY_SECONDS: Final = 10.0
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS pending (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, owner TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS seen (id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS removed (rev INTEGER NOT NULL, id TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS forgotten (
    id TEXT PRIMARY KEY, at TEXT NOT NULL, done INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS latest (
    owner TEXT NOT NULL, session TEXT NOT NULL, fingerprint TEXT NOT NULL, received REAL NOT NULL,
    ids TEXT NOT NULL, PRIMARY KEY (owner, session)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS dirty (
    owner TEXT NOT NULL, day TEXT NOT NULL, PRIMARY KEY (owner, day)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS notices (name TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS jobs (
    key TEXT PRIMARY KEY, owner TEXT NOT NULL, kind TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0,
    not_before REAL NOT NULL DEFAULT 0, holder TEXT NOT NULL DEFAULT '', lease REAL NOT NULL DEFAULT 0,
    reason TEXT NOT NULL DEFAULT '') WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS spend (
    day TEXT NOT NULL, kind TEXT NOT NULL, model TEXT NOT NULL, calls INTEGER NOT NULL,
    input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL, PRIMARY KEY (day, kind, model)) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What an append did: the ids, and which of them were there already."""

    ids: tuple[str, ...]
    new: tuple[str, ...]
    forgotten: tuple[str, ...] = ()

    @property
    def duplicate(self) -> bool:
        """Whether nothing was added because all of it was there."""
        return not self.new


class Journal:
    """One process's connection; safe to share between threads."""

    def __init__(self, path: Path) -> None:
        """Opens or creates the file.

        Raises StoreDamagedError (not a database), StoreTooNewError, StoreError (folder not writable).
        """
        self.path = path
        self._lock = threading.RLock()
        try:
            self._db = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
            self._configure()
        except sqlite3.DatabaseError as error:
            raise _fault(error, path) from None

    def _configure(self) -> None:
        # DELETE-safe order: secure_delete before anything is written, so that erased pages are zeroed
        for pragma in ("secure_delete=ON", "journal_mode=WAL", "synchronous=FULL", "wal_autocheckpoint=256"):
            self._db.execute(f"PRAGMA {pragma}")
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        if version > SCHEMA_VERSION:
            raise StoreTooNewError(f"{self.path.parent} was written by a newer mcp-memory: update this one")
        if version < SCHEMA_VERSION:
            with self.transaction():
                for statement in _SCHEMA.split(";"):
                    self._db.execute(statement)
                self._db.execute(f"PRAGMA user_version={SCHEMA_VERSION}")

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """One atomic, durable change; raises StoreBusyError or StoreError (disk full, read-only)."""
        with self._lock:
            try:
                self._db.execute("BEGIN IMMEDIATE")
                try:
                    yield self._db
                except BaseException:
                    self._db.execute("ROLLBACK")
                    raise
                self._db.execute("COMMIT")
            except sqlite3.DatabaseError as error:
                raise _fault(error, self.path) from None

    def query(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[object, ...]]:
        """All rows of one read."""
        with self._lock:
            try:
                return self._db.execute(sql, parameters).fetchall()
            except sqlite3.DatabaseError as error:
                raise _fault(error, self.path) from None

    def close(self) -> None:
        """Lets go of the file."""
        with self._lock:
            self._db.close()

    # ------------------------------------------------------------------ turns

    def append(self, turns: Sequence[Turn], *, revive: bool = True) -> Receipt:
        """Stores what is new of `turns`, durably.

        `revive` says whether turns that were forgotten may come back (said again: yes; imported: no).
        """
        with self.transaction() as db:
            return _insert(db, turns, revive=revive)

    def append_unless_repeated(
        self, turns: Sequence[Turn], fingerprint: str, received: datetime, within: float
    ) -> Receipt:
        """As `append`, unless `fingerprint` is that of the session's latest append within `within` seconds."""
        owner, session = turns[0].owner, turns[0].session
        with self.transaction() as db:
            row = db.execute(
                "SELECT fingerprint, received, ids FROM latest WHERE owner = ? AND session = ?", (owner, session)
            ).fetchone()
            if row and row[0] == fingerprint and 0 <= received.timestamp() - row[1] <= within:
                return Receipt(tuple(row[2].split()), ())
            receipt = _insert(db, turns, revive=True)
            db.execute(
                "INSERT OR REPLACE INTO latest VALUES (?, ?, ?, ?, ?)",
                (owner, session, fingerprint, received.timestamp(), " ".join(receipt.ids)),
            )
            # only retries within minutes are looked for: older rows are of no use
            db.execute("DELETE FROM latest WHERE received < ?", (received.timestamp() - 10 * within,))
            return receipt

    def pending(self, owner: str = "", limit: int = -1) -> list[Turn]:
        """Turns not yet in LanceDB, in order of arrival; of all owners for ""."""
        sql = "SELECT body FROM pending WHERE owner = ? OR ? = '' ORDER BY seq LIMIT ?"
        return [turn_from_json(str(body)) for (body,) in self.query(sql, (owner, owner, limit))]

    def pending_count(self, owner: str = "") -> int:
        """How many turns are not yet in LanceDB."""
        return _int(self.query("SELECT count(*) FROM pending WHERE owner = ? OR ? = ''", (owner, owner)))

    def settle(self, ids: Sequence[str], dirty: Iterable[tuple[str, str]]) -> None:
        """Turns are in LanceDB now: drop them here and mark their (owner, day)s for derivation."""
        with self.transaction() as db:
            db.executemany("DELETE FROM pending WHERE id = ?", [(one,) for one in ids])
            db.executemany("INSERT OR IGNORE INTO dirty VALUES (?, ?)", list(dirty))
            _bump(db, "pending")

    def mark_dirty(self, days: Iterable[tuple[str, str]]) -> None:
        """(owner, day)s whose derived records must be made again."""
        with self.transaction() as db:
            db.executemany("INSERT OR IGNORE INTO dirty VALUES (?, ?)", list(days))

    def dirty(self) -> list[tuple[str, str]]:
        """(owner, day)s to derive again, oldest day first."""
        return [(str(o), str(d)) for o, d in self.query("SELECT owner, day FROM dirty ORDER BY owner, day")]

    def clean(self, owner: str, days: Sequence[str]) -> None:
        """These days have been derived for good."""
        with self.transaction() as db:
            db.executemany("DELETE FROM dirty WHERE owner = ? AND day = ?", [(owner, day) for day in days])

    # ------------------------------------------------------------------ counters, notices

    def counter(self, name: str) -> int:
        """A counter's value, 0 when never bumped."""
        return _int(self.query("SELECT coalesce(max(value), 0) FROM counters WHERE name = ?", (name,)))

    def bump(self, name: str) -> int:
        """One more, for every process to see."""
        with self.transaction() as db:
            return _bump(db, name)

    def published(self, removed: Sequence[str]) -> None:
        """A commit to LanceDB is complete: its revision becomes visible, with the unit ids it took away."""
        with self.transaction() as db:
            rev = _bump(db, "rev")
            db.executemany("INSERT INTO removed VALUES (?, ?)", [(rev, one) for one in removed])

    def removed_since(self, rev: int) -> list[str]:
        """Unit ids taken away by commits after `rev`."""
        return [str(one) for (one,) in self.query("SELECT id FROM removed WHERE rev > ?", (rev,))]

    def seed(self, ids: Iterable[str]) -> None:
        """Makes known what LanceDB holds, after the journal was lost or replaced."""
        with self.transaction() as db:
            db.executemany("INSERT OR IGNORE INTO seen VALUES (?)", ((one,) for one in ids))
            db.execute("INSERT OR REPLACE INTO counters VALUES ('seeded', 1)")

    def notice(self, name: str, text: str) -> None:
        """Keeps something a person must be told until it is mended; "" takes it away."""
        with self.transaction() as db:
            db.execute("DELETE FROM notices WHERE name = ?", (name,))
            if text:
                db.execute("INSERT INTO notices VALUES (?, ?)", (name, text))

    def notices(self) -> dict[str, str]:
        """All kept notices by name."""
        return {str(name): str(text) for name, text in self.query("SELECT name, text FROM notices ORDER BY name")}

    # ------------------------------------------------------------------ forgetting

    def erase(self, ids: Sequence[str], at: datetime, dirty: Iterable[tuple[str, str]]) -> None:
        """Drops every trace of turns but a tombstone that holds no content; marks what must be derived again.

        `erasing` lists them until `erased` says that the tables are done too.
        """
        rows = [(one,) for one in ids]
        with self.transaction() as db:
            db.executemany("DELETE FROM pending WHERE id = ?", rows)
            db.executemany("DELETE FROM seen WHERE id = ?", rows)
            db.execute("DELETE FROM latest")
            db.executemany("INSERT OR REPLACE INTO forgotten VALUES (?, ?, 0)", [(one, at.isoformat()) for one in ids])
            db.executemany("INSERT OR IGNORE INTO dirty VALUES (?, ?)", list(dirty))
            _bump(db, "pending")

    def erasing(self) -> list[str]:
        """Forgotten turns that may still be in the tables."""
        return [str(one) for (one,) in self.query("SELECT id FROM forgotten WHERE done = 0")]

    def erased(self, ids: Sequence[str]) -> None:
        """These are in no table any more."""
        with self.transaction() as db:
            db.executemany("UPDATE forgotten SET done = 1 WHERE id = ?", [(one,) for one in ids])

    def scrub(self) -> None:
        """Copies the log into the file and empties it, so that erased bytes are gone from both."""
        with self._lock:
            self._db.execute("VACUUM")
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _insert(db: sqlite3.Connection, turns: Sequence[Turn], *, revive: bool) -> Receipt:
    new, forgotten = [], []
    for turn in turns:
        known = db.execute("SELECT 1 FROM seen WHERE id = ?", (turn.id,)).fetchone()
        gone = db.execute("SELECT 1 FROM forgotten WHERE id = ?", (turn.id,)).fetchone()
        if gone and not revive:
            forgotten.append(turn.id)
        elif not known:
            db.execute("DELETE FROM forgotten WHERE id = ?", (turn.id,))
            db.execute("INSERT INTO seen VALUES (?)", (turn.id,))
            db.execute(
                "INSERT INTO pending (id, owner, body) VALUES (?, ?, ?)", (turn.id, turn.owner, turn_to_json(turn))
            )
            new.append(turn.id)
    if new:
        _bump(db, "pending")
    return Receipt(tuple(turn.id for turn in turns), tuple(new), tuple(forgotten))


def _bump(db: sqlite3.Connection, name: str) -> int:
    sql = "INSERT INTO counters VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET value = value + 1 RETURNING value"
    return int(db.execute(sql, (name,)).fetchone()[0])


def _int(rows: list[tuple[object, ...]]) -> int:
    return int(str(rows[0][0]))


def _fault(error: sqlite3.DatabaseError, path: Path) -> StoreError:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreBusyError("another process is writing to the journal for very long: try again in a moment")
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return StoreDamagedError(f"{path} is damaged: run `mcp-memory doctor`")
    if code == sqlite3.SQLITE_FULL:
        return StoreError(f"the disk that holds {path.parent} is full: nothing was stored; free some space and repeat")
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return StoreError(f"{path.parent} cannot be written: nothing was stored; check its permissions or set data_dir")
    return StoreError(f"the journal at {path} failed ({type(error).__name__} {code}): nothing was stored")
