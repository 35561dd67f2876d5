"""Progress bars on stderr; silent where stderr is no terminal."""

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from mcp_memory.engine import Memory

_AS_LONG_AS_IT_TAKES: Final = 30 * 24 * 3600.0


def bar(what: str, unit: str, total: int | None = None) -> Any:
    """A tqdm bar; `total` None is not known beforehand."""
    from tqdm import tqdm

    return tqdm(desc=what, unit=f" {unit}", total=total, disable=None, dynamic_ncols=True)


def drain(memory: "Memory") -> None:
    """Indexes and derives all that waits.  Raises StoreError."""
    journal = memory.store.journal
    with bar("indexing", "turns", journal.pending_count()) as turns, bar("deriving", "days") as days:

        def derived(count: int) -> None:
            days.total = days.total or count + len(journal.dirty())
            days.update(count)

        memory.drain(_AS_LONG_AS_IT_TAKES, memory.store.lock_timeout, turns.update, derived)
