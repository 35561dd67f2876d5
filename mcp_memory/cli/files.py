"""Files that commands write: private, and never half written."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mcp_memory.errors import InputError

_PRIVATE = 0o600


def check_writable(path: Path, *, new: bool = False) -> None:
    """Raises InputError where `path` cannot be written, and with `new` where something is in it already."""
    if reason := _hindrance(path):
        raise InputError(f"cannot write {path}: {reason}")
    if new and path.exists() and path.stat().st_size:
        raise InputError(f"{path} is there already: name another file, or move this one away")


def beginning(path: Path, count: int) -> str:
    """The first `count` characters of a file that is to be replaced; "" where there is none.  Raises InputError."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(count)
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None


@contextmanager
def replacing(path: Path, *, new: bool = False) -> Iterator[Path]:
    """A file beside `path` to write to, which becomes `path` when all went well.

    Only the user may read it, as it may hold memories; one that was there keeps its permissions.  Raises
    InputError when it cannot be written, and with `new` where something is in it already.
    """
    check_writable(path, new=new)
    place = path.resolve()  # a link goes on leading to the file
    fresh = place.with_name(f".{place.name}.{os.getpid()}")
    try:
        fresh.touch(mode=_PRIVATE)
        yield fresh
        fresh.chmod(place.stat().st_mode & 0o777 if place.exists() else _PRIVATE)
        fresh.replace(place)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from None
    finally:
        fresh.unlink(missing_ok=True)


def _hindrance(path: Path) -> str:
    """What stands in the way of writing a file; "" for nothing."""
    try:
        if path.is_dir():
            return "it is a folder; name a file in it"
        folder = path.resolve().parent
        if not folder.is_dir():
            return f"there is no folder {path.parent}; make it first"
        if not os.access(folder, os.W_OK | os.X_OK):
            return f"nothing can be written in the folder {path.parent}"
        if path.exists() and not path.is_file():
            return "it is no ordinary file"
    except (OSError, RuntimeError) as error:  # RuntimeError: links that lead in a circle
        return str(getattr(error, "strerror", "") or error)
    return ""
