"""What a person gives to import: a file, a folder, or a .zip, of which single files are read without unpacking it."""

import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, Final
from zipfile import BadZipFile, ZipFile

from mcp_memory.errors import InputError

MOST_UNPACKED: Final = 2 << 30  # bytes of one file in a .zip: an export of decades stays below
_DEEPEST: Final = 3  # folders below the one that is given
KINDS: Final = (".json", ".jsonl", ".txt")
_ZIP: Final = (b"PK\x03\x04", b"PK\x05\x06")


@dataclass(frozen=True, slots=True)
class Source:
    """The files of an export by name, oldest first.  One that is given `alone` may be called anything.

    `remarks` are left by who reads them: sentences about what had to be decided without being sure.
    """

    path: Path
    names: tuple[str, ...]
    alone: bool
    open_file: Callable[[str], IO[bytes]]
    remarks: list[str] = field(default_factory=list)

    def named(self, pattern: str) -> tuple[str, ...]:
        """The names that match a regular expression as a whole."""
        return self.names if self.alone else tuple(name for name in self.names if re.fullmatch(pattern, name))

    @contextmanager
    def reading(self, name: str) -> Iterator[IO[bytes]]:
        """One of the files, to be read from its beginning.  Raises InputError when it cannot be read."""
        inside = str(self.path) if self.alone else f"{name} in {self.path}"
        try:
            file = self.open_file(name)
        except (RuntimeError, NotImplementedError):
            raise InputError(f"cannot read {inside}: it is encrypted or packed unusually; unpack the .zip") from None
        except OSError as error:
            raise InputError(f"cannot read {inside}: {error.strerror}") from None
        try:
            with file:
                yield file
        except (BadZipFile, zlib.error, EOFError):
            raise InputError(f"cannot read {inside}: the .zip is damaged; download it again") from None
        except OSError as error:
            raise InputError(f"cannot read {inside}: {error.strerror}") from None


@contextmanager
def opened(path: Path) -> Iterator[Source]:
    """The export at `path`.  Raises InputError when there is none, or when it cannot be opened."""
    try:
        folder, archive = path.is_dir(), path.is_file() and _begins(path) in _ZIP
        missing = not path.exists()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None
    if missing:
        raise InputError(f"there is no file {path}; give the export as it was downloaded")
    if folder:
        yield Source(path, _below(path), False, lambda name: (path / name).open("rb"))
    elif archive:
        with _archive(path) as packed:
            yield Source(path, _members(packed), False, lambda name: _member(packed, path, name))
    else:
        yield Source(path, (path.name,), True, lambda _: path.open("rb"))


def _below(folder: Path) -> tuple[str, ...]:
    found: list[tuple[float, str]] = []
    for depth in range(_DEEPEST):
        for file in folder.glob("*/" * depth + "*"):
            name = file.relative_to(folder).as_posix()
            if _of_use(name) and file.is_file():
                found.append((file.stat().st_mtime, name))
    return tuple(name for _, name in sorted(found))


def _members(archive: ZipFile) -> tuple[str, ...]:
    found = sorted({(one.date_time, one.filename) for one in archive.infolist() if _of_use(one.filename)})
    return tuple(dict.fromkeys(name for _, name in found))


def _of_use(name: str) -> bool:
    """Whether a file may be part of an export; systems put hidden ones beside them."""
    hidden = any(part.startswith(".") or part == "__MACOSX" for part in PurePosixPath(name).parts)
    return name.endswith(KINDS) and not hidden


def _begins(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(4)


def _archive(path: Path) -> ZipFile:
    try:
        return ZipFile(path)
    except (BadZipFile, OSError, ValueError, NotImplementedError):
        raise InputError(f"cannot open {path}: the .zip is damaged or incomplete; download it again") from None


def _member(archive: ZipFile, path: Path, name: str) -> IO[bytes]:
    size = archive.getinfo(name).file_size
    if size > MOST_UNPACKED:
        raise InputError(f"{name} in {path} would unpack to {size >> 20} MB; unpack it yourself and import the file")
    return archive.open(name)
