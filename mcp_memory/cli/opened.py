"""A memory for the length of one command."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mcp_memory.errors import StoreError
from mcp_memory.settings import Settings

if TYPE_CHECKING:
    from mcp_memory.engine import Memory


def _is_empty(memory: "Memory") -> bool:
    memory.corpus.refresh()
    return not memory.corpus.turns


@contextmanager
def opened(settings: Settings, *, to_write: bool = False, anyhow: bool = False) -> "Iterator[Memory]":
    """The memory that the settings name, let go of at the end; `anyhow` is for who looks for what is wrong.

    Raises StoreError when it cannot be written and that is what it is opened for, and when nothing can be read
    because of what stands in the way: that is no empty memory.
    """
    from mcp_memory.engine import Memory

    memory = Memory(settings)
    try:
        if memory.store.problem and not anyhow and (to_write or _is_empty(memory)):
            raise StoreError(memory.store.problem)
        yield memory
    finally:
        memory.close()
        memory.store.journal.close()
