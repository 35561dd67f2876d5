"""Vectors for what is stored: of one embedder and one length, whichever process writes."""

import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from mcp_memory.errors import EmbedError
from mcp_memory.model.unit import Unit
from mcp_memory.ports import Embedder
from mcp_memory.store.store import Store
from mcp_memory.text.leaves import meaning

if TYPE_CHECKING:
    from mcp_memory.store.corpus import Corpus

logger = logging.getLogger(__name__)


class Vectorizer:
    """Embeds units with the store's embedder, or with the first one there is, which then becomes the store's.

    All of it under the write lock, so that two processes with different models never mix theirs.
    """

    def __init__(
        self, store: Store, corpus_of: "Callable[[str], Corpus]", loaded: Callable[[], Embedder | None]
    ) -> None:
        self._store, self._corpus_of, self._loaded = store, corpus_of, loaded

    def ready(self) -> bool:
        """Whether there is a model and it is the store's."""
        return self._embedder() is not None

    def _embedder(self) -> Embedder | None:
        loaded, stored = self._loaded(), self._store.card.embedder
        return loaded if loaded is not None and stored in ("", loaded.id) else None

    def of(self, units: Sequence[Unit]) -> list[object]:
        """A vector or None for every unit; known ones are used again, and None stays when no model is there."""
        embedder = self._embedder()
        if embedder is not None and not self._store.card.embedder:
            self._adopt(embedder)
        vectors: list[object] = [self._corpus_of(unit.owner).vector(unit) for unit in units]
        missing = [number for number, vector in enumerate(vectors) if vector is None and meaning(units[number])]
        if embedder is None or not missing:
            return vectors
        try:
            made = embedder.embed([meaning(units[number]) for number in missing])
        except EmbedError as error:
            logger.warning("stored without vectors for now: %s", error)
            return vectors
        for number, vector in zip(missing, made, strict=True):
            vectors[number] = vector
        return vectors

    def _adopt(self, embedder: Embedder) -> None:
        self._store.update_card(embedder=embedder.id, dimension=embedder.dimension)
        self.fit()

    def fit(self) -> None:
        """Makes room for vectors of the length that store.json names; those of another length are let go.

        They differ when the store's first embedder is another than was expected, or a rebuild was cut off.
        """
        stored, wanted = self._store.units.dimension(), self._store.card.dimension
        if stored in (0, wanted):
            return
        import pyarrow as pa

        rows = self._store.units.read().drop_columns(["emb"])
        column = self._store.units.schema.field("emb")
        self._store.units.replace_all(rows.append_column(column, pa.nulls(len(rows), column.type)))
        self._store.journal.bump("epoch")
        for owner in set(rows.column("owner").to_pylist()):
            self._corpus_of(owner).refresh()
