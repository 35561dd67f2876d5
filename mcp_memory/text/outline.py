"""Nested values as lines for a reader."""

from collections.abc import Mapping
from typing import Any, Final

from mcp_memory.text.clean import plain

_PAD: Final = "  "
_EMPTY: Final[tuple[Any, ...]] = ("", None, [], {})


def outline(data: Any, depth: int = 0) -> list[str]:
    """Indented lines; a row of a list is one line, with its own rows below it.  What is empty is left out."""
    pad, lines = _PAD * depth, list[str]()
    if isinstance(data, Mapping):
        for key, value in data.items():
            if isinstance(value, Mapping | list) and value:
                lines += [f"{pad}{key}:", *outline(value, depth + 1)]
            elif value not in _EMPTY:
                lines.append(f"{pad}{key}: {plain(str(value))}")
    elif isinstance(data, list):
        for value in data:
            lines += [f"{pad}- {_inline(value, '; ')}", *_below(value, depth + 1)]
    return lines


def _inline(value: Any, between: str = ", ") -> str:
    """A value on one line, without the rows that go below it; what is zero is left out, too."""
    if isinstance(value, Mapping):
        parts = ((key, part) for key, part in value.items() if part not in (*_EMPTY, 0) and not _is_rows(part))
        return between.join(f"{key} {_inline(part)}" for key, part in parts)
    return between.join(map(_inline, value)) if isinstance(value, list) else plain(str(value))


def _below(value: Any, depth: int) -> list[str]:
    rows = {key: part for key, part in value.items() if _is_rows(part)} if isinstance(value, Mapping) else {}
    return outline(rows, depth)


def _is_rows(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(one, Mapping | list) for one in value)
