"""Memory that was freed, given back to the system.

Loading a model and reading tables free large blocks in pieces that glibc keeps: 60 MB after the bundled model
alone.  A server that lives as long as its client should not hold them.
"""

import ctypes
import sys


def give_back() -> None:
    """Returns free memory to the system, where the C library can."""
    if not sys.platform.startswith("linux"):
        return
    try:
        ctypes.CDLL("libc.so.6").malloc_trim(0)
    except (OSError, AttributeError):
        return  # another C library: nothing lost but some memory
