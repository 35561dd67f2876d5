"""Whether an exchange that somebody else may have stored as well is there already."""

from datetime import datetime

from mcp_memory.model.turn import Turn
from mcp_memory.store.store import Store
from mcp_memory.text.clean import clean, plain
from mcp_memory.text.redact import redact
from mcp_memory.write.remember import Said, exchange_turns


def is_kept(store: Store, said: Said, owner: str, at: datetime, *, secrets_out: bool) -> bool:
    """Whether the memory holds what the person says in an exchange of the moment `at`, or was told to forget it.

    The same words from that moment on are this exchange, whatever session they were stored under and whatever
    was taken for the reply: nobody can have stored them before they were said.  The same words before it were
    another exchange.
    """
    text = redact(clean(said.user))[0] if secrets_out else clean(said.user)
    turn = exchange_turns(Said(user=text, session=plain(said.session)), owner, at)[0]
    return turn.id in store.journal.forgotten() or any(_same(one, turn.text) for one in _since(store, turn))


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


def _same(text: str, other: str) -> bool:
    return text.split() == other.split()
