"""What inspect_memory says about the machinery: work not done yet, and what is switched on."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from mcp_memory.errors import StoreError
from mcp_memory.models import Models
from mcp_memory.ports import Embedder

if TYPE_CHECKING:
    from mcp_memory.store.corpus import Corpus
    from mcp_memory.store.store import Store
    from mcp_memory.write.drain import Drain

NOBODY: Final = (
    "none: the rules write. A language model that is set later (llm.provider) writes what is said from then on;"
    " `mcp-memory rebuild --rescribe` asks it about the past as well"
)


def strange(store: "Store", corpus: "Corpus") -> list[str]:
    """What to say when a folder holds memories that can be read, and none of this owner."""
    if corpus.turns or not (store.journal.pending_count() or _any_stored(store)):
        return []
    return [f'Nothing is stored for the owner "{corpus.owner}"; this folder has another: set `owner`.']


def _any_stored(store: "Store") -> bool:
    if store.journal.settled_count() <= 0 or "turns" in store.damage:
        return False
    try:
        return store.turns.count() > 0
    except StoreError:
        return False


def pending(drain: "Drain", corpus: "Corpus", models: Models, limit: int) -> dict[str, Any]:
    """Work that is waiting, and why some of it failed."""
    journal, owner = drain.store.journal, corpus.owner
    return {
        "turns_to_index": journal.pending_count(owner),
        "days_to_derive": [day for whose, day in journal.dirty() if whose == owner][:limit],
        "units_without_vector": len(corpus.without_vector()),
        "windows_to_scribe": drain.work.windows(owner)[:limit] if models.scribing else [],
        "scribe": "" if models.scribing else NOBODY,
        "corrections_that_fit_nothing": corpus.unmatched()[:limit],
        "failed_questions": [asdict(one) for one in drain.work.failures(owner)[:limit]],
    }


def state(drain: "Drain", owner: str, embedder: Embedder | None, models: Models) -> dict[str, Any]:
    """Whose memory this is, where it lies, and what works on it."""
    return {
        "owner": owner,
        "time_zone": str(drain.zone),
        "data_dir": str(drain.store.folder),
        "embedder": embedder.id if embedder else "none (words only)",
        "pending_turns": drain.store.journal.pending_count(owner),
        **models.state(),
    }
