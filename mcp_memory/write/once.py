"""Whether a turn that somebody else may have stored as well is there already."""

from mcp_memory.model.turn import Turn
from mcp_memory.store.store import Store


def is_kept(store: Store, turn: Turn) -> bool:
    """Whether the memory holds what a turn says, under whatever session, or was told to forget it.

    The same words from the turn's moment on are this turn: nobody can have stored them before they were said.  The same
    words before it were another one.
    """
    words = turn.text.split()
    return turn.id in store.journal.forgotten() or any(text.split() == words for text in _since(store, turn))


def _since(store: Store, turn: Turn) -> list[str]:
    """What this speaker said from the turn's moment on."""
    from lancedb.expr import col, lit

    from mcp_memory.store.health import readable
    from mcp_memory.store.lance import all_of, equals

    # the journal first: what is indexed meanwhile is in the table by then
    waiting = [one for one in store.journal.pending(turn.owner) if one.speaker == turn.speaker and one.at >= turn.at]
    later = all_of([equals(owner=turn.owner, speaker=turn.speaker), col("at") >= lit(turn.at)])
    indexed = readable(store, "turns", later).column("text").to_pylist()
    return [*(one.text for one in waiting), *indexed]
