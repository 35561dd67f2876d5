"""`rebuild`: everything derived is made again from turns and replies, without new calls.

The table of units starts empty (with room for the present embedder's vectors) and every day is marked;
then it is an ordinary drain, so it can be interrupted and goes on where it was.
"""

from typing import TYPE_CHECKING

from mcp_memory.model.window import day_key
from mcp_memory.write.drain import Drain

if TYPE_CHECKING:
    from mcp_memory.ports import Embedder


def start_over(drain: Drain, embedder: "Embedder | None", timeout: float, *, rescribe: bool = False) -> int:
    """Empties what is derived and marks all days; returns how many.  Raises StoreBusyError, StoreError.

    `rescribe` also lets go of what scribes answered, so that the present one is asked again.
    """
    from mcp_memory.store import schema
    from mcp_memory.store.rows import turn_from_row

    store = drain.store
    with store.lock.held("rebuilding", timeout):
        turns = [turn_from_row(row) for row in store.turns.read().to_pylist()]
        days = {(turn.owner, day_key(turn.at, drain.zone)) for turn in turns}
        if rescribe:
            for owner in {owner for owner, _ in days}:
                _, notebook = drain.consolidator(owner)
                notebook.refresh()
                notebook.drop()
        dimension = embedder.dimension if embedder else store.card.dimension
        store.update_card(embedder=embedder.id if embedder else "", dimension=dimension)
        store.units.replace_all(schema.units(dimension).empty_table())
        store.journal.mark_dirty(days)
        store.journal.bump("epoch")
    return len(days)
