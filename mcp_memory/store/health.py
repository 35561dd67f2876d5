"""What is wrong with a data folder, and what can be done about it.

Reading goes on with what can be read: of a table whose newest version is broken the one before is used, and
a table that cannot be read at all is as good as empty, which is said in a notice.
"""

import logging
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mcp_memory.errors import StoreDamagedError, StoreError

if TYPE_CHECKING:
    import pyarrow as pa
    from lancedb.expr import Expr

    from mcp_memory.store.lance import Table
    from mcp_memory.store.store import Store

logger = logging.getLogger(__name__)

LEAST_FREE: Final = 100 << 20
_STEPS_BACK: Final = 3
_RESTORE: Final = (
    "stop all servers and put back a backup of the data folder; without one, `mcp-memory export FILE` writes what is"
    " still readable, to be imported into a new data folder"
)
_AGAIN: Final = "run `mcp-memory rebuild`: it stores them again from the quotes of them"
_REBUILD: Final = "run `mcp-memory rebuild`: it makes everything derived anew from what was said"
_SAID: Final = {
    "turns": "Some of what was said cannot be read from the table of turns; recall goes on with what is left: put back"
    " a backup",
    "units": "The derived records cannot be read; recall goes on with what was said, by words: `mcp-memory rebuild`"
    " makes them anew",
    "units too": "Nor can the derived records be read, and without what was said nothing can make them anew",
    "replies": "What scribes answered cannot be read; rules cover for it",
}


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, and what a person can do about it."""

    what: str
    fix: str


def readable(store: "Store", name: str, where: "Expr | None" = None) -> "pa.Table":
    """The rows of a table, or none with a notice in `store.damage` where they cannot be read."""
    table: Table = getattr(store, name)
    try:
        found = table.read(where)
    except StoreDamagedError:
        if store.problem and not (table.folder and table.folder.exists()):
            return table.schema.empty_table()
        stepped = _step_back(store, table)
        if stepped is None:
            said = _SAID["units too" if name == "units" and "turns" in store.damage else name]
            store.damage[name] = f"{said} (`mcp-memory doctor` says more)."
            return table.schema.empty_table()
        found = stepped
    store.damage.pop(name, None)
    return found


def _step_back(store: "Store", table: "Table") -> "pa.Table | None":
    """All rows of the last good version, after moving broken newer ones to quarantine."""
    if store.problem or table.folder is None or table.name in store.damage:
        return None
    try:
        with store.lock.held("repairing a table", store.lock_timeout):
            moved = _drop_broken_versions(store, table)
            found = table.read()
    except StoreError:
        return None
    if moved:
        store.journal.notice(
            f"table {table.name}",
            f"The newest version of the table {table.name} was broken (a power cut can do that): the one before is"
            " used, the broken file is kept in quarantine; `mcp-memory doctor` says whether anything is missing.",
        )
    return found


def _drop_broken_versions(store: "Store", table: "Table") -> int:
    assert table.folder is not None
    for moved in range(_STEPS_BACK):
        table.reopen()
        try:
            table.count()
        except StoreDamagedError:
            # names count downwards, so that the newest version comes first
            manifests = sorted((table.folder / "_versions").glob("*.manifest"))
            if len(manifests) < 2:
                raise
            store.quarantine(manifests[0])
        else:
            return moved
    return _STEPS_BACK


def note_missing(store: "Store", recovered: int) -> None:
    """Keeps in `store.damage` that turns are gone which had been acknowledged; `recovered` are known otherwise."""
    if "turns" in store.damage:
        return
    try:
        lost = store.journal.settled_count() - store.turns.count() - recovered
    except StoreDamagedError:
        return
    if lost > 0:
        store.damage["missing"] = (
            f"{lost} turns that were acknowledged are missing from the table of turns (files were deleted or damaged):"
            " put back a backup; `mcp-memory doctor` says more."
        )


def unquoted(store: "Store") -> set[str]:
    """Turns that only their quotes tell of, because the table of turns has lost them.  Raises StoreDamagedError."""
    quoted, said = _quoted_and_said(store)
    return quoted - said - store.journal.forgotten()


def check_rebuildable(store: "Store") -> None:
    """Raises StoreError, with what helps, where turns cannot be read that all else is to be made of."""
    try:
        store.turns.read()
    except StoreDamagedError:
        raise StoreError(f"what was said cannot be read, and nothing can be made anew without it: {_RESTORE}") from None


def _quoted_and_said(store: "Store") -> tuple[set[str], set[str]]:
    from mcp_memory.store.lance import equals

    quoted = store.units.read(equals(view="quote"), ["turns"]).column("turns").to_pylist()
    said = store.turns.read(None, ["id"]).column("id").to_pylist()
    return {turn for turns in quoted for turn in turns}, set(said)


# ------------------------------------------------------------------ checking


def check(store: "Store", deep: bool) -> list[Problem]:
    """Everything that is wrong; `deep` also reads every row and compares checksums."""
    found = [*_of_folder(store), *_of_tables(store)]
    if deep and not any(isinstance(one, _Unreadable) for one in found):
        found += [*_of_turns(store), *_of_units(store)]
    return [Problem(one.what, one.fix) for one in found]


class _Unreadable(Problem):
    """A table that cannot be read at all."""


def _of_folder(store: "Store") -> Iterator[Problem]:
    if store.problem:
        yield Problem(store.problem, "then start again; nothing that was acknowledged is lost")
        return
    if store.folder.stat().st_mode & 0o077:
        yield Problem(f"{store.folder} can be read by others", f"run `chmod 700 {store.folder}`")
    if (free := shutil.disk_usage(store.folder).free) < LEAST_FREE:
        yield Problem(f"only {free >> 20} MB are free on the disk of {store.folder}", "free some space")
    for text in store.journal.notices().values():
        yield Problem(text, "when all is well again, `mcp-memory doctor --clear` takes this notice away")
    if store.journal.erasing():
        yield Problem("what was forgotten is not swept from all files yet", "start the server, or any command")
    quarantine = store.folder / "quarantine"
    if quarantine.exists() and any(quarantine.iterdir()):
        yield Problem(f"damaged files are kept in {quarantine}", "delete that folder when nothing is missed")


def _of_tables(store: "Store") -> Iterator[Problem]:
    broken = set[str]()
    for table in store.tables():
        try:
            table.read(None, ["id"])
        except StoreDamagedError:
            broken.add(table.name)
            fix = _REBUILD if table.name == "units" and "turns" not in broken else _RESTORE
            yield _Unreadable(f"the table {table.name} cannot be read", fix)
            continue
        if table.name == "turns" and (lost := store.journal.settled_count() - table.count()) > 0:
            fix = _AGAIN if _still_quoted(store) >= lost else _RESTORE
            yield Problem(f"{lost} turns that were acknowledged are missing from the table of turns", fix)
        if table.name == "units" and table.dimension() not in (0, store.card.dimension):
            yield Problem("the stored vectors have another length than store.json says", _REBUILD)


def _still_quoted(store: "Store") -> int:
    try:
        return len(unquoted(store))
    except StoreDamagedError:
        return 0


def _of_turns(store: "Store") -> Iterator[Problem]:
    from mcp_memory.store.rows import checksum, turn_from_row

    try:
        rows = store.turns.read().to_pylist()
    except StoreDamagedError:
        yield Problem("some turns cannot be read", _RESTORE)
        return
    changed = 0
    for row in rows:
        try:
            changed += checksum(turn_from_row(row)) != row["checksum"]
        except (ValueError, TypeError, KeyError):
            changed += 1
    if changed:
        yield Problem(f"{changed} turns were changed by the disk: their checksums do not fit", _RESTORE)
    if len({row["id"] for row in rows}) < len(rows):
        yield Problem("some turns are stored twice", _RESTORE)


def _of_units(store: "Store") -> Iterator[Problem]:
    try:
        quoted, said = _quoted_and_said(store)
    except StoreDamagedError:
        yield Problem("some derived records cannot be read", _REBUILD)
        return
    if bare := len(said - quoted):
        yield Problem(f"{bare} turns have no derived records", _REBUILD)
