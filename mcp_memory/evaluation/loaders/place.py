"""Where in a benchmark's file something is wrong, and what, without what was said there."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, TypeVar

_KINDS: Final[Mapping[type, str]] = {str: "text", list: "a list", dict: "an object", int: "a number"}
_KEY: Final = re.compile(r"[A-Za-z]\w{0,40}")
_LONGEST_NAME: Final = 40
T = TypeVar("T")


class MisshapenError(ValueError):
    """A file is not as its format says: `fault` at `place`."""

    def __init__(self, fault: str, place: str = "") -> None:
        super().__init__(f"{place}: {fault}" if place else fault)
        self.fault, self.place = fault, place


@contextmanager
def within(place: str, fault: str = "") -> Iterator[None]:
    """Names the place of whatever is found wrong meanwhile; `fault` is what it is then, where it can be one thing."""
    try:
        yield
    except MisshapenError as error:
        inner = f"{place}, {error.place}" if place and error.place else place or error.place
        raise MisshapenError(error.fault, inner) from None
    except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
        raise MisshapenError(fault or _fault(error), place) from None


def taken(raw: Any, key: str, kind: type[T]) -> T:
    """The value of a key that must be there and of that kind."""
    if not isinstance(raw, dict):
        raise MisshapenError("is no object")
    if key not in raw:
        raise MisshapenError(f"has no `{key}`")
    value = raw[key]
    if not isinstance(value, kind):
        raise MisshapenError(f"`{key}` is not {_KINDS[kind]}")
    return value


def each(place: str, entries: Any, make: Callable[[int, Any], T], name: str = "") -> list[T]:
    """What `make` makes of the number and the value of each entry of a list; `name` is the key of its id."""
    with within(place):
        if not isinstance(entries, list):
            raise MisshapenError("is not a list")
    made = []
    for number, entry in enumerate(entries):
        with within(f"{place}[{number}]{_called(entry, name)}"):
            made.append(make(number, entry))
    return made


def _called(entry: Any, name: str) -> str:
    called = entry.get(name) if name and isinstance(entry, dict) else None
    return f" ({called})" if isinstance(called, str) and len(called) <= _LONGEST_NAME else ""


def _fault(error: Exception) -> str:
    if isinstance(error, KeyError):
        key = str(error.args[0]) if error.args else ""
        return f"has no `{key}`" if _KEY.fullmatch(key) else "refers to what is not there"
    if isinstance(error, json.JSONDecodeError):
        return "is not valid JSON"
    if isinstance(error, UnicodeDecodeError):
        return "is not text in UTF-8"
    return "is not as expected"
