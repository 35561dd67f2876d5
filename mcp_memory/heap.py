"""Memory that was freed, given back to the system.

Loading a model and reading tables free large blocks in pieces that glibc keeps: 60 MB after the bundled model
alone.  A server that lives as long as its client should not hold them.
"""

import ctypes
import sys
from contextlib import suppress
from typing import Final

_ARENA_MAX: Final = -8  # mallopt's names in malloc.h
_MMAP_THRESHOLD: Final = -3


def frugal() -> None:
    """Lets all threads share two heaps, and keeps large blocks out of them.

    glibc gives each of LanceDB's many threads its own, and none gives back; the first large block that is freed
    makes it take the next ones from there, where what is freed stays between what is not.
    """
    if sys.platform.startswith("linux"):
        with suppress(OSError, AttributeError):
            libc = ctypes.CDLL("libc.so.6")
            libc.mallopt(_ARENA_MAX, 2)
            libc.mallopt(_MMAP_THRESHOLD, 1 << 20)


def give_back() -> None:
    """Returns free memory to the system: Arrow's, which tables leave behind, and the C library's where it can."""
    if arrow := sys.modules.get("pyarrow"):
        arrow.default_memory_pool().release_unused()
    if sys.platform.startswith("linux"):
        with suppress(OSError, AttributeError):  # another C library: nothing lost but some memory
            ctypes.CDLL("libc.so.6").malloc_trim(0)
