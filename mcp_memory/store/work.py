"""Work for a scribe, kept in the journal: which windows nobody better than the rules has looked at, which
questions failed and when to ask again, who is asking right now, and what it has cost."""

import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from typing import Final

from mcp_memory.store.journal import Journal

LEASE_SECONDS: Final = 600.0  # how long a question is one process's, if it does not come back sooner
BACK_OFF: Final = (60.0, 300.0, 1_800.0)  # seconds after the first, second and every later failure
ATTEMPTS: Final = 6
DAY: Final = 86_400.0
NEVER: Final = 1e18  # longer than any store lives: given up, the rules' words stay
_TABLE: Final = """
CREATE TABLE IF NOT EXISTS unscribed (
    owner TEXT NOT NULL, window TEXT NOT NULL, PRIMARY KEY (owner, window)) WITHOUT ROWID
"""


@dataclass(frozen=True, slots=True)
class Failure:
    """A question that failed: how often, why, and the moment (epoch seconds) from which to ask again."""

    key: str
    kind: str
    attempts: int
    not_before: float
    given_up: bool
    reason: str


class Work:
    """Shared by all processes of a store; a lease ends by itself when its holder dies."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._holder = f"{os.getpid()}-{time.monotonic_ns()}"
        with journal.transaction() as db:
            db.execute(_TABLE)

    # ------------------------------------------------------------------ windows

    def open(self, windows: Iterable[tuple[str, str]]) -> None:
        """(owner, window)s in which something new was said."""
        with self._journal.transaction() as db:
            db.executemany("INSERT OR IGNORE INTO unscribed VALUES (?, ?)", list(windows))

    def done(self, owner: str, window: str) -> None:
        """Everything in this window is written, or nobody will be asked about it."""
        with self._journal.transaction() as db:
            db.execute("DELETE FROM unscribed WHERE owner = ? AND window = ?", (owner, window))

    def windows(self, owner: str) -> list[str]:
        """What is left: days, then weeks, then months, each in order of time."""
        rows = self._journal.query("SELECT window FROM unscribed WHERE owner = ? ORDER BY window", (owner,))
        found = [str(window) for (window,) in rows]
        return sorted(found, key=lambda window: (grain_of(window), window))

    def let_go(self, over: Callable[[str], bool]) -> None:
        """Drops windows that are over, of which nobody is there to write."""
        gone = [(owner, window) for owner in self.owners() for window in self.windows(owner) if over(window)]
        with self._journal.transaction() as db:
            db.executemany("DELETE FROM unscribed WHERE owner = ? AND window = ?", gone)

    def owners(self) -> list[str]:
        """Owners with something left."""
        return [str(owner) for (owner,) in self._journal.query("SELECT DISTINCT owner FROM unscribed ORDER BY owner")]

    # ------------------------------------------------------------------ questions

    def take(self, key: str, owner: str, kind: str, now: float, seconds: float) -> bool:
        """Leases a question to this process; False while it is another's, too early, or given up."""
        with self._journal.transaction() as db:
            row = db.execute("SELECT not_before, holder, lease FROM jobs WHERE key = ?", (key,)).fetchone()
            if row and (row[0] > now or (row[1] != self._holder and row[2] > now)):
                return False
            sql = (
                "INSERT INTO jobs (key, owner, kind, holder, lease) VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT (key) DO UPDATE SET holder = excluded.holder, lease = excluded.lease"
            )
            db.execute(sql, (key, owner, kind, self._holder, now + seconds))
        return True

    def answered(self, key: str) -> None:
        """The question has its answer."""
        with self._journal.transaction() as db:
            db.execute("DELETE FROM jobs WHERE key = ?", (key,))

    def release(self, key: str) -> None:
        """Gives a leased question back as it was."""
        with self._journal.transaction() as db:
            db.execute("DELETE FROM jobs WHERE key = ? AND attempts = 0", (key,))
            db.execute("UPDATE jobs SET lease = 0 WHERE key = ?", (key,))

    def failed(self, key: str, now: float, reason: str, at_last: float) -> None:
        """Asks again later, and later still the more often it failed; in the end every `at_last` seconds."""
        with self._journal.transaction() as db:
            attempts = db.execute("SELECT attempts FROM jobs WHERE key = ?", (key,)).fetchone()[0] + 1
            wait = BACK_OFF[min(attempts, len(BACK_OFF)) - 1] if attempts < ATTEMPTS else at_last
            sql = "UPDATE jobs SET attempts = ?, not_before = ?, lease = 0, reason = ? WHERE key = ?"
            db.execute(sql, (attempts, now + wait, reason, key))

    def give_up(self, key: str, reason: str) -> None:
        """Leaves a leased question to the rules for good."""
        with self._journal.transaction() as db:
            sql = "UPDATE jobs SET attempts = attempts + 1, not_before = ?, lease = 0, reason = ? WHERE key = ?"
            db.execute(sql, (NEVER, reason, key))

    def leave(self, keys: Iterable[str], owner: str, kind: str) -> None:
        """Never asks these either, which go with a question that was given up."""
        sql = "INSERT OR IGNORE INTO jobs (key, owner, kind, not_before) VALUES (?, ?, ?, ?)"
        with self._journal.transaction() as db:
            db.executemany(sql, [(key, owner, kind, NEVER) for key in keys])

    def given_up(self, key: str) -> bool:
        """Whether a question failed for good."""
        return bool(self._journal.query("SELECT 1 FROM jobs WHERE key = ? AND not_before >= ?", (key, NEVER)))

    def due(self, now: float) -> bool:
        """Whether the time to ask again has come for something that failed."""
        return bool(self._journal.query("SELECT 1 FROM jobs WHERE attempts > 0 AND not_before <= ?", (now,)))

    def failures(self, owner: str) -> list[Failure]:
        """Questions that failed, soonest first."""
        sql = (
            "SELECT key, kind, attempts, not_before, reason FROM jobs WHERE owner = ? AND attempts > 0"
            " ORDER BY not_before"
        )
        return [
            Failure(str(key), str(kind), int(str(attempts)), float(str(when)), float(str(when)) >= NEVER, str(reason))
            for key, kind, attempts, when, reason in self._journal.query(sql, (owner,))
        ]

    def forget_failures(self) -> None:
        """Starts counting anew, for a scribe that is asked about everything again."""
        with self._journal.transaction() as db:
            db.execute("DELETE FROM jobs")

    # ------------------------------------------------------------------ spending (llm.budget.SpendLog)

    def add(self, day: date, kind: str, model: str, calls: int, input_tokens: int, output_tokens: int) -> None:
        """Adds to the day's counts."""
        sql = (
            "INSERT INTO spend VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (day, kind, model) DO UPDATE SET"
            " calls = calls + excluded.calls, input_tokens = input_tokens + excluded.input_tokens,"
            " output_tokens = output_tokens + excluded.output_tokens"
        )
        with self._journal.transaction() as db:
            db.execute(sql, (day.isoformat(), kind, model, calls, input_tokens, output_tokens))

    def today(self, day: date) -> tuple[int, int]:
        """Calls and tokens of a day over all kinds and models."""
        sql = "SELECT coalesce(sum(calls), 0), coalesce(sum(input_tokens + output_tokens), 0) FROM spend WHERE day = ?"
        calls, tokens = self._journal.query(sql, (day.isoformat(),))[0]
        return int(str(calls)), int(str(tokens))

    def spending(self, days: int) -> list[dict[str, object]]:
        """The newest rows of spending by day, kind and model."""
        sql = "SELECT day, kind, model, calls, input_tokens, output_tokens FROM spend ORDER BY day DESC, kind LIMIT ?"
        names = ("day", "kind", "model", "calls", "input_tokens", "output_tokens")
        return [dict(zip(names, row, strict=True)) for row in self._journal.query(sql, (days,))]


def grain_of(window: str) -> int:
    """0 for a day, 1 for a week, 2 for a month."""
    return 1 if "W" in window else {10: 0, 7: 2}[len(window)]
