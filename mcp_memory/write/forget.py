"""`forget`: a turn and all that stands on it goes, and its bytes with it.

First the journal writes down what must go (a crash after that is finished by the next drain), then the
windows it was in are derived again without it, then every table is written anew so that no old version or
deleted row keeps a word.
"""

import logging
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final
from zoneinfo import ZoneInfo

from mcp_memory.errors import InputError
from mcp_memory.model.ids import is_handle, is_id
from mcp_memory.model.turn import Turn
from mcp_memory.model.unit import Unit
from mcp_memory.model.window import day_key, month_key, week_key
from mcp_memory.store.rows import turn_from_row
from mcp_memory.write.drain import Drain
from mcp_memory.write.echoes import Echo, echo_of

if TYPE_CHECKING:
    from mcp_memory.store.corpus import Corpus

logger = logging.getLogger(__name__)

_TOLD: Final = ["id", "kind", "view", "turns", "start", "end", "title", "text", "window", "detail"]


@dataclass(frozen=True, slots=True)
class Doomed:
    """What forgetting would take: turns, and how many derived records stand on them by kind."""

    turns: tuple[Turn, ...]
    derived: dict[str, int]


def resolve(corpus: "Corpus", name: str) -> Turn | Unit:
    """What an id, the beginning of one, or an imported id names.  Raises InputError when nothing or several."""
    with corpus.lock:
        name = name.strip("#()[] ")
    everything: dict[str, Turn | Unit] = {**corpus.turns, **corpus.units}
    if is_id(name) and name in everything:
        return everything[name]
    turns = [one for one in everything.values() if isinstance(one, Turn)]
    # most turns have no imported id: an empty name must not find them
    found: list[Turn | Unit] = [turn for turn in turns if name and turn.ref == name]
    if not found and is_handle(name):
        found = [one for key, one in everything.items() if key.startswith(name)]
    if len(found) > 1:
        choices = ", ".join(one.id for one in found[:5])
        raise InputError(f"that id could mean {len(found)} records: use one of {choices}")
    if not found:
        raise InputError(
            "no memory has that id: copy it from recall (behind the #) or inspect_memory; four letters are the least"
        )
    return found[0]


def doomed(corpus: "Corpus", names: Sequence[str]) -> Doomed:
    """What would go with these ids.

    A unit takes the turns it stands on; what the person said takes the assistant's reply to it along, which
    is likely to repeat it.  Raises InputError.
    """
    if not names:
        raise InputError("give the ids to forget, as recall (behind the #) or inspect_memory shows them")
    with corpus.lock:
        ids = {turn for name in names for turn in _turns_of(corpus, resolve(corpus, name))}
        turns = {*corpus.whole_exchanges(ids)}
        gone = [turn for turn in turns if turn.id in ids or turn.role == "assistant"]
        ids = {turn.id for turn in gone}
        derived: Counter[str] = Counter(unit.kind for unit in corpus.units.values() if not ids.isdisjoint(unit.turns))
    return Doomed(tuple(sorted(gone, key=lambda turn: (turn.at, turn.position, turn.id))), dict(derived))


def _turns_of(corpus: "Corpus", found: Turn | Unit) -> Iterable[str]:
    if isinstance(found, Turn):
        return [found.id]
    if found.kind == "topic":
        scenes = [one for one in corpus.units.values() if found.id in one.detail.get("topics", ())]
        return [turn for scene in scenes for turn in scene.turns]
    if found.kind in ("day", "week", "profile"):
        below = [one for one in corpus.units.values() if one.parent == found.id and one.kind != "persona"]
        return [turn for child in below for turn in _turns_of(corpus, child)]
    if found.kind == "persona":
        raise InputError("a persona is drawn from many turns: inspect_memory(view=node) lists them; forget those")
    return [turn for turn in found.turns if turn in corpus.turns]


def forget(drain: Drain, corpus: "Corpus", target: Doomed, timeout: float) -> None:
    """Erases for good.  Raises StoreBusyError, StoreError; what was begun is finished by the next drain."""
    store = drain.store
    with drain.writing("forgetting", timeout):
        ids = [turn.id for turn in target.turns]
        days = {(corpus.owner, day_key(turn.at, drain.zone)) for turn in corpus.whole_exchanges(ids)}
        store.journal.erase(ids, drain.clock.now(), days)
        finish(drain)


def finish(drain: Drain) -> None:
    """Carries out what the journal says is to be erased; under the write lock."""
    store = drain.store
    ids = set(store.journal.erasing())
    if not ids:
        return
    days: dict[str, set[str]] = {}
    for owner, day in store.journal.dirty():
        days.setdefault(owner, set()).add(day)
    for owner, touched in days.items():
        standing = _forget_of(drain, owner, ids, touched)
        store.units.delete(standing)
        store.journal.published(standing)
    store.turns.erase(sorted(ids))
    store.journal.published(sorted(ids))
    drain.derive_dirty(store.lock_timeout)
    for table in (store.units, store.replies):
        table.erase(())
    shutil.rmtree(store.folder / "quarantine", ignore_errors=True)
    store.journal.scrub()
    store.journal.erased(sorted(ids))


def _forget_of(drain: Drain, owner: str, ids: set[str], days: set[str]) -> list[str]:
    """Drops an owner's replies that tell of these turns, and marks what is to be derived and written anew.

    Returns the ids of the units that tell of them: by evidence, by summing up one of these days, or by their words.
    """
    from mcp_memory.store.lance import equals

    turns = [turn_from_row(row) for row in drain.store.turns.read(equals(owner=owner)).to_pylist()]
    echo = echo_of((turn for turn in turns if turn.id in ids), (turn for turn in turns if turn.id not in ids))
    rows = [
        row
        for row in drain.store.units.read(equals(owner=owner), _TOLD).to_pylist()
        if not ids.isdisjoint(row["turns"]) or _sums_up(row, days, drain.zone) or _repeats(row, echo)
    ]
    standing = [row["id"] for row in rows]
    _, notebook = drain.consolidator(owner)
    dropped = notebook.forget(ids, days, set(standing), echo, drain.zone)
    spans = [(one.start, one.end) for one in dropped] + [(row["start"], row["start"]) for row in rows if row["window"]]
    again = {day for start, end in spans for day in _days(start, end, drain.zone)}
    drain.store.journal.mark_dirty({(owner, day) for day in again})
    weeks = {week_key(day) for day in again}
    drain.open({(owner, window) for window in again | weeks | {month_key(week) for week in weeks}})
    return standing


def _days(start: datetime, end: datetime, zone: ZoneInfo) -> set[str]:
    first, last = (date.fromisoformat(day_key(moment, zone)) for moment in (start, end))
    return {(first + timedelta(days=number)).isoformat() for number in range((last - first).days + 1)}


def _sums_up(row: Mapping[str, Any], days: set[str], zone: ZoneInfo) -> bool:
    if row["turns"]:
        return False
    first, last = day_key(row["start"], zone), day_key(row["end"], zone)
    return any(first <= day <= last for day in days)


def _repeats(row: Mapping[str, Any], echo: Echo | None) -> bool:
    if echo is None or row["kind"] == "segment" or row["view"] in ("quote", "note"):
        return False
    return echo.in_any((row["title"], row["text"], row["detail"]), row["end"])
