"""A memory for the length of one command."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mcp_memory.errors import StoreError
from mcp_memory.settings import Settings

if TYPE_CHECKING:
    from mcp_memory.engine import Memory


@contextmanager
def opened(settings: Settings, *, to_write: bool = False) -> "Iterator[Memory]":
    """The memory that the settings name, let go of at the end.

    Raises StoreError when it cannot be written and that is what it is opened for.
    """
    from mcp_memory.engine import Memory

    memory = Memory(settings)
    try:
        if to_write and memory.store.problem:
            raise StoreError(memory.store.problem)
        yield memory
    finally:
        memory.close()
        memory.store.journal.close()
