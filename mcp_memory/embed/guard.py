"""What goes into every model and what comes out of it: readable text, unit vectors."""

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from mcp_memory.errors import EmbedError

if TYPE_CHECKING:
    from mcp_memory.ports import Vectors

MAX_CHARS = 10_000  # 256 word pieces of running text are about 1,200 characters
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def readable(text: str, limit: int = MAX_CHARS) -> str:
    """The start of a text, valid Unicode: lone surrogates, which no tokenizer takes, become U+FFFD."""
    return _SURROGATE.sub("\ufffd", text[: limit * 10].lstrip()[:limit])


def unit_rows(rows: Any, count: int) -> "Vectors":
    """`rows` as float32 of shape (count, dimension), each divided by its length.

    Raises EmbedError when the shape is another or a row is zero or not finite: such a vector would be
    stored as if it meant something.
    """
    try:
        matrix = np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError):
        raise EmbedError("the embedding model returned rows of unequal length or something not a number") from None
    if matrix.ndim != 2 or matrix.shape[0] != count or matrix.shape[1] == 0:
        raise EmbedError(f"the embedding model returned shape {matrix.shape} for {count} texts")
    with np.errstate(over="ignore", invalid="ignore"):  # refused just below
        lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or not (lengths > 0).all():
        raise EmbedError("the embedding model returned a zero or non-finite vector")
    unit: Vectors = (matrix / lengths).astype(np.float32)
    return unit
