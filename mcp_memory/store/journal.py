"""The journal: an fsynced sqlite file whose commit is the acknowledgement.

It holds turns that are not in LanceDB yet, the ids of all that ever were stored, which days must be
derived again, work for a language model, spending, and revision counters by which every process sees
that another one wrote.  Several processes append at once; sqlite serialises them.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from mcp_memory.model.turn import Turn
from mcp_memory.store.database import Database
from mcp_memory.store.rows import turn_from_json, turn_to_json

SCHEMA_VERSION: Final = 1
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS pending (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, owner TEXT NOT NULL, body TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS pending_of ON pending (owner);
CREATE TABLE IF NOT EXISTS seen (id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS removed (rev INTEGER NOT NULL, id TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS forgotten (
    id TEXT PRIMARY KEY, at TEXT NOT NULL, done INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS latest (
    owner TEXT NOT NULL, session TEXT NOT NULL, fingerprint TEXT NOT NULL, said REAL NOT NULL,
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
    said: float | None = None  # when the exchange was said that this one repeats

    @property
    def duplicate(self) -> bool:
        """Whether nothing was added because all of it was there."""
        return not self.new


class Journal(Database):
    """One process's connection; safe to share between threads."""

    def __init__(self, path: Path) -> None:
        """Opens or creates the file; raises as `Database` does."""
        super().__init__(path, _SCHEMA, SCHEMA_VERSION)

    # ------------------------------------------------------------------ turns

    def append(self, turns: Sequence[Turn], *, revive: bool = True) -> Receipt:
        """Stores what is new of `turns`, durably.

        `revive` says whether turns that were forgotten may come back (said again: yes; imported: no).
        """
        with self.transaction() as db:
            return _insert(db, turns, revive=revive)

    def restore(self, turns: Sequence[Turn]) -> None:
        """Puts turns that the tables have lost among the waiting ones again."""
        rows = [(turn.id, turn.owner, turn_to_json(turn)) for turn in turns]
        with self.transaction() as db:
            db.executemany("INSERT OR IGNORE INTO pending (id, owner, body) VALUES (?, ?, ?)", rows)
            db.executemany("INSERT OR IGNORE INTO seen VALUES (?)", [(turn.id,) for turn in turns])
            _bump(db, "pending")

    def append_said(
        self, turns: Sequence[Turn], fingerprint: str, moment: datetime, within: float | None = None
    ) -> Receipt:
        """As `append`, unless `fingerprint` is that of the session's latest exchange, said less than `within`
        seconds from `moment`; None appends in any case and only becomes the latest."""
        owner, session, said = turns[0].owner, turns[0].session, moment.timestamp()
        with self.transaction() as db:
            row = db.execute(
                "SELECT fingerprint, said, ids FROM latest WHERE owner = ? AND session = ?", (owner, session)
            ).fetchone()
            if within is not None and row and row[0] == fingerprint and abs(said - row[1]) <= within:
                return Receipt(tuple(row[2].split()), (), said=row[1])
            receipt = _insert(db, turns, revive=True)
            db.execute(
                "INSERT OR REPLACE INTO latest VALUES (?, ?, ?, ?, ?)",
                (owner, session, fingerprint, said, " ".join(receipt.ids)),
            )
            if within is not None:  # only retries within minutes are looked for: older rows are of no use
                db.execute("DELETE FROM latest WHERE said < ?", (said - 10 * within,))
            return receipt

    def pending(self, owner: str = "", limit: int = -1) -> list[Turn]:
        """Turns not yet in LanceDB, in order of arrival; of all owners for ""."""
        sql = f"SELECT body FROM pending {_of(owner)} ORDER BY seq LIMIT ?"  # noqa: S608 - one of two constants
        return [turn_from_json(str(body)) for (body,) in self.query(sql, (*_owners(owner), limit))]

    def arrived(self, owner: str, after: int) -> tuple[list[Turn], int]:
        """Waiting turns that came after number `after`, and the number of the last one."""
        rows = self.query("SELECT seq, body FROM pending WHERE owner = ? AND seq > ? ORDER BY seq", (owner, after))
        return [turn_from_json(str(body)) for _, body in rows], int(str(rows[-1][0])) if rows else after

    def pending_ids(self, owner: str) -> set[str]:
        """Ids of all turns not yet in LanceDB."""
        return {str(one) for (one,) in self.query("SELECT id FROM pending WHERE owner = ?", (owner,))}

    def pending_count(self, owner: str = "") -> int:
        """How many turns are not yet in LanceDB."""
        sql = f"SELECT count(*) FROM pending {_of(owner)}"  # noqa: S608 - one of two constants
        return _int(self.query(sql, _owners(owner)))

    def settled_count(self) -> int:
        """How many turns ought to be in LanceDB."""
        return _int(self.query("SELECT (SELECT count(*) FROM seen) - (SELECT count(*) FROM pending)"))

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

    def set_counter(self, name: str, value: int) -> None:
        """Puts a counter to a value, for every process to see."""
        with self.transaction() as db:
            db.execute("INSERT OR REPLACE INTO counters VALUES (?, ?)", (name, value))

    def published(self, removed: Sequence[str]) -> None:
        """A commit to LanceDB is complete: its revision becomes visible, with the unit ids it took away."""
        with self.transaction() as db:
            rev = _bump(db, "rev")
            db.executemany("INSERT INTO removed VALUES (?, ?)", [(rev, one) for one in removed])

    def removed_since(self, rev: int) -> list[str]:
        """Unit ids taken away by commits after `rev`."""
        return [str(one) for (one,) in self.query("SELECT id FROM removed WHERE rev > ?", (rev,))]

    def seed(self, ids: Iterable[str], rev: int, dirty: Iterable[tuple[str, str]]) -> None:
        """Makes known what LanceDB holds up to revision `rev`, after the journal was lost or replaced.

        What was marked for derivation is not known any more, so all (owner, day)s are.
        """
        with self.transaction() as db:
            db.executemany("INSERT OR IGNORE INTO seen VALUES (?)", ((one,) for one in ids))
            db.executemany("INSERT OR IGNORE INTO dirty VALUES (?, ?)", list(dirty))
            sql = "INSERT INTO counters VALUES (?, ?) ON CONFLICT DO UPDATE SET value = max(value, excluded.value)"
            db.executemany(sql, [("seeded", 1), ("rev", rev)])

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

    def forgotten(self) -> set[str]:
        """All turns that were ever forgotten and not said again."""
        return {str(one) for (one,) in self.query("SELECT id FROM forgotten")}

    def erased(self, ids: Sequence[str]) -> None:
        """These are in no table any more."""
        with self.transaction() as db:
            db.executemany("UPDATE forgotten SET done = 1 WHERE id = ?", [(one,) for one in ids])


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


def _of(owner: str) -> str:
    return "WHERE owner = ?" if owner else ""


def _owners(owner: str) -> tuple[str, ...]:
    return (owner,) if owner else ()


def _bump(db: sqlite3.Connection, name: str) -> int:
    sql = "INSERT INTO counters VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET value = value + 1 RETURNING value"
    return int(db.execute(sql, (name,)).fetchone()[0])


def _int(rows: list[tuple[object, ...]]) -> int:
    return int(str(rows[0][0]))
