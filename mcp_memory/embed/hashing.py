"""An embedder without a model: the double for tests, demos of the engine, and machines that need none.

Feature hashing (Weinberger et al. 2009) of words and character trigrams: texts that share words or stems
come out near each other, nothing more.
"""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from mcp_memory.embed.guard import readable, unit_rows

if TYPE_CHECKING:
    from mcp_memory.ports import Vectors

_WORD = re.compile(r"\w+")
_GRAM = 3


def features(text: str) -> Iterator[str]:
    """Words, then the trigrams of each word with its edges marked."""
    for word in _WORD.findall(text.casefold()):
        yield word
        edged = f"<{word}>"
        yield from (edged[at : at + _GRAM] for at in range(len(edged) - _GRAM + 1))


class HashingEmbedder:
    """Deterministic on every machine: the same text is the same vector for ever.

    `dimension` is the length of the vectors.
    """

    def __init__(self, dimension: int = 64) -> None:
        self._dimension = dimension

    @property
    def id(self) -> str:
        """Name and dimension."""
        return f"hashing-{self._dimension}"

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._dimension

    def weight(self, _query: str) -> float:
        """Half meaning, half words: it knows no meaning of its own."""
        return 0.5

    def embed(self, texts: Sequence[str]) -> "Vectors":
        """One unit row per text, shape (n, dimension); texts without a word share one direction."""
        rows = np.zeros((len(texts), self._dimension))
        for row, text in zip(rows, texts, strict=True):
            for feature in features(readable(text)):
                code = crc32(feature.encode())
                row[code % self._dimension] += 1.0 if code >> 31 else -1.0
            if not row.any():
                row[0] = 1.0
        return unit_rows(rows, len(texts))
