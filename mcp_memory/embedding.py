"""The embedder's side of the engine: loaded in the background, used only where it speaks the store's vectors."""

from mcp_memory.embed.loading import Lazy
from mcp_memory.ports import Embedder
from mcp_memory.settings import Settings
from mcp_memory.store.card import UNKNOWN, Card


class Embedding:
    """What the settings name, or a given embedder; nothing at all for provider none."""

    def __init__(self, settings: Settings, given: Embedder | None = None) -> None:
        self._settings = settings
        self._lazy: Lazy | None = None
        if given is not None:
            embedder = given
            self._lazy = Lazy(lambda: embedder)
        elif settings.embed.provider != "none":
            self._lazy = Lazy(self._make)

    def _make(self) -> Embedder:
        from mcp_memory.embed.factory import make_embedder

        made = make_embedder(self._settings)
        assert made is not None
        return made

    def start(self) -> None:
        """Begins loading; nothing waits for it."""
        if self._lazy:
            self._lazy.start()

    def wait(self, seconds: float) -> Embedder | None:
        """The embedder once it is there, or None after some seconds."""
        return self._lazy.wait(seconds) if self._lazy else None

    def loaded(self) -> Embedder | None:
        """The embedder if it is there."""
        return self._lazy.get() if self._lazy else None

    def usable(self, card: Card) -> Embedder | None:
        """The embedder if it is there and made the store's vectors, or would make the first ones."""
        loaded = self.loaded()
        if loaded is None or card.embedder not in ("", loaded.id) or card.dimension != loaded.dimension:
            return None
        return loaded

    def notices(self, card: Card, serving: bool) -> list[str]:
        """Why search is by words only at the moment, in whole sentences; nothing when it is meant to be."""
        if self._lazy is None:
            return []
        if self._lazy.error:
            return [f"Search is by words only: {self._lazy.error}"]
        loaded = self._lazy.get()
        if loaded is None:
            return ["The embedding model is still loading: this search was by words only."] if serving else []
        if card.embedder in ("", loaded.id):
            return []
        why = f"This memory was embedded with {card.embedder}, now {loaded.id} is set"
        if card.embedder == UNKNOWN:
            why = "It is not known any more which model embedded this memory"
        return [f"{why}: search is by words only until `mcp-memory rebuild` has run."]
