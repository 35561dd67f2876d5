"""Files that commands write: private, and never half written."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mcp_memory.errors import InputError


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A file beside `path` to write to, which becomes `path` when all went well.

    Only the user may read it, as it may hold memories.  Raises InputError when it cannot be written.
    """
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        fresh.touch(mode=0o600)
        yield fresh
        fresh.replace(path)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from None
    finally:
        fresh.unlink(missing_ok=True)
