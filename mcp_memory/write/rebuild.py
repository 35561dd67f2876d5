"""`rebuild`: everything derived is made again from turns and replies, without new calls.

The table of units starts empty (with room for the present embedder's vectors) and every day is marked;
then it is an ordinary drain, so it can be interrupted and goes on where it was.  The counter "epoch" says how
many rebuilds were begun, "rebuilt" which of them was completed.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from mcp_memory.errors import StoreDamagedError
from mcp_memory.model.window import day_key, window_of
from mcp_memory.write.drain import Drain, windows_of

if TYPE_CHECKING:
    from mcp_memory.model.turn import Turn
    from mcp_memory.ports import Embedder
    from mcp_memory.store.store import Store

RESCRIBING: Final = "rescribing"  # counter: 1 from letting go of all answers until all are there again


def start_over(drain: Drain, embedder: "Embedder | None", timeout: float, *, rescribe: bool = False) -> int:
    """Empties what is derived and marks all days, unless a rebuild for the same embedder was stopped: then its
    rest is left to do.  Returns how many days that is.  Raises StoreBusyError, StoreError.

    `rescribe` also lets go of what scribes answered, so that the present one is asked about everything; where
    such an asking was stopped, it goes on.
    """
    from mcp_memory.store.health import check_rebuildable
    from mcp_memory.store.rows import turn_from_row

    store = drain.store
    with store.lock.held("rebuilding", timeout):
        store.reread_card()
        left = 0 if rescribe else _left_of_stopped(drain, embedder)
        if left:
            return left
        drain.recover()
        check_rebuildable(store)
        turns = [turn_from_row(row) for row in store.turns.read().to_pylist()]
        days = {(turn.owner, day_key(turn.at, drain.zone)) for turn in turns}
        if rescribe and not store.journal.counter(RESCRIBING):
            _let_go_of_answers(drain, turns)
        # in this order a rebuild that is cut off leaves days to derive and no vector under a wrong name
        store.journal.mark_dirty(days)
        dimension = embedder.dimension if embedder else store.card.dimension
        _empty_units(store, dimension)
        store.update_card(embedder=embedder.id if embedder else "", dimension=dimension)
        store.journal.bump("epoch")
    return len(days)


def _let_go_of_answers(drain: Drain, turns: Sequence["Turn"]) -> None:
    drain.work.open(windows_of(turns, drain.zone))
    drain.work.forget_failures()
    for owner in {turn.owner for turn in turns}:
        _, notebook = drain.consolidator(owner)
        notebook.refresh()
        notebook.drop()
    drain.store.journal.set_counter(RESCRIBING, 1)


def rescribed(drain: Drain) -> None:
    """To be called after asking: an asking about everything is done, unless windows that are over are left."""
    if not drain.store.journal.counter(RESCRIBING):
        return
    now, work = drain.clock.now(), drain.work
    left = (window for owner in work.owners() for window in work.windows(owner))
    if all(window_of(window, drain.zone).end > now for window in left):
        drain.store.journal.set_counter(RESCRIBING, 0)


def _empty_units(store: "Store", dimension: int) -> None:
    from mcp_memory.store import schema

    empty = schema.units(dimension).empty_table()
    try:
        store.units.replace_all(empty)
    except StoreDamagedError:
        if store.units.folder is None:
            raise
        store.quarantine(store.units.folder)
        store.units.reopen()
        store.units.replace_all(empty)
    store.damage.pop("units", None)


def complete(drain: Drain) -> None:
    """To be called after deriving: the last rebuild is done, unless days are left."""
    journal = drain.store.journal
    while not _open_days(drain) and journal.counter("rebuilt") < journal.counter("epoch"):
        journal.bump("rebuilt")


def _left_of_stopped(drain: Drain, embedder: "Embedder | None") -> int:
    journal, stored = drain.store.journal, drain.store.card.embedder
    if drain.store.unreadable():
        return 0
    stopped = journal.counter("rebuilt") < journal.counter("epoch")
    return _open_days(drain) if stopped and stored == (embedder.id if embedder else "") else 0


def _open_days(drain: Drain) -> int:
    """How many days that are over wait to be derived."""
    today = day_key(drain.clock.now(), drain.zone)
    return sum(day < today for _, day in drain.store.journal.dirty())
