"""Records out of large files, one at a time, past those that are damaged."""

import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import islice
from typing import IO, Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from mcp_memory.importers.messages import Damaged, Entry, reason
from mcp_memory.importers.source import Source

LONGEST_LINE: Final = 24 << 20  # bytes: room for the longest text with every character escaped
LARGEST_RECORD: Final = 128 << 20  # bytes of one conversation
_CHUNK: Final = 1 << 20
_BOM: Final = b"\xef\xbb\xbf"
_TOKEN: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+"|["{}\[\],]', re.DOTALL)
_BEGUN: Final = re.compile(rb"\s*\[?\s*\{")
_LOOKED_AT: Final = 50  # records, or lines, by which a format is recognised
_CONVERSATIONS: Final = r"(?:.*/)?conversations(?:[-_]\d+)?\.json"  # those with an assistant, whichever


class Shape(BaseModel):
    """Base of what records look like; keys that nobody asked for are left alone."""

    model_config = ConfigDict(strict=True)


S = TypeVar("S", bound=Shape)


def shaped(shape: type[S], value: Any, where: str) -> S | Damaged:
    """The value in the given shape, or what is wrong with it."""
    try:
        return shape.model_validate(value)
    except ValidationError as error:
        return Damaged(where, reason(error))


def lines(file: IO[bytes]) -> Iterator[tuple[int, bytes | None]]:
    """Numbered lines, from 1, without a byte order mark; None stands for one longer than LONGEST_LINE."""
    number = 0
    while line := file.readline(LONGEST_LINE + 1):
        number += 1
        if len(line) > LONGEST_LINE:
            yield number, None
            while line and not line.endswith(b"\n"):
                line = file.readline(LONGEST_LINE)
        else:
            yield number, line.removeprefix(_BOM) if number == 1 else line


def objects(source: Source, name: str) -> Iterator[tuple[str, dict[str, Any]] | Damaged]:
    """The objects in a file's JSON array, each with its place; a file that is no array is one object."""
    with source.reading(name) as file:
        for number, raw in enumerate(_elements(file), 1):
            where = f"{name}, entry {number}"
            value = parsed(raw)
            yield (where, value) if isinstance(value, dict) else Damaged(where, "is cut off, or no JSON object")


def records(source: Source, name: str, shape: type[S]) -> Iterator[tuple[str, S] | Damaged]:
    """The objects in a file's JSON array in the given shape, each with its place."""
    for found in objects(source, name):
        if isinstance(found, Damaged):
            yield found
            continue
        where, value = found
        one = shaped(shape, value, where)
        yield one if isinstance(one, Damaged) else (where, one)


def any_has(source: Source, key: str) -> bool:
    """Whether one of the first conversations with an assistant has a key; where the first is cut off, its beginning."""
    return any(_has(source, name, key) for name in source.named(_CONVERSATIONS))


def _has(source: Source, name: str, key: str) -> bool:
    if found := first_objects(source, name):
        return any(key in one for one in found)
    with source.reading(name) as file:
        begun = file.read(_CHUNK).removeprefix(_BOM)
    return bool(_BEGUN.match(begun) and re.search(rb'"%s"\s*:\s*[\[{]' % key.encode(), begun))


def conversations(source: Source, shape: type[S], messages: Callable[[str, S], Iterator[Entry]]) -> Iterator[Entry]:
    """What `messages` gives of each conversation with an assistant, and the damaged ones."""
    for name in source.named(_CONVERSATIONS):
        for found in records(source, name, shape):
            if isinstance(found, Damaged):
                yield found
            else:
                yield from messages(*found)


def parsed(raw: bytes | None) -> Any:
    """The JSON value, None where there is none."""
    try:
        return json.loads(raw) if raw else None
    except (ValueError, RecursionError):
        return None


def first_objects(source: Source, name: str) -> list[dict[str, Any]]:
    """Objects at the beginning of a file's JSON array, to recognise it by."""
    return [found[1] for found in islice(objects(source, name), _LOOKED_AT) if not isinstance(found, Damaged)]


def first_lines(source: Source, name: str) -> list[bytes]:
    """Lines at the beginning of a file, to recognise it by."""
    found: list[bytes] = []
    with source.reading(name) as file:
        for _, line in islice(lines(file), _LOOKED_AT):
            if line is None:  # it may be all there is, and long
                break
            found.append(line)
    return found


def moment(seconds: float | None) -> str | None:
    """Seconds since 1970 in ISO 8601; "", which is no moment, where they leave the calendar."""
    if seconds is None:
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return ""


def _elements(file: IO[bytes]) -> Iterator[bytes | None]:
    """The text of each element of a JSON array, found by brackets and quotes alone; None for a last one that
    does not end."""
    data = file.read(_CHUNK).removeprefix(_BOM).lstrip()
    if not data.startswith(b"["):
        yield data + file.read(LARGEST_RECORD)
        return
    start = at = 1
    depth = 0
    while True:
        token = _TOKEN.search(data, at)
        if token is None or token.group() == b'"':  # a string may go on in what is not read yet
            at = token.start() if token else len(data)
            more = file.read(max(_CHUNK, len(data) - start)) if len(data) - start <= LARGEST_RECORD else b""
            if not more:
                yield None
                return
            data, at, start = data[start:] + more, at - start, 0
            continue
        at, sign = token.end(), token.group()[:1]
        depth += (sign in b"{[") - (sign in b"}]")
        if depth < 0 and not data[start : token.start()].strip():
            return
        if depth < 0 or (depth == 0 and sign == b","):
            yield data[start : token.start()]
            start = at
        if depth < 0:
            return
