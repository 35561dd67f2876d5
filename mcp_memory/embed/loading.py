"""Loading in the background, so that nobody waits for a model: words are searched meanwhile."""

import logging
from collections.abc import Callable
from threading import Event, Lock, Thread

from mcp_memory.errors import EmbedError
from mcp_memory.ports import Embedder

_log = logging.getLogger(__name__)
_PROBE = "ready"


class Lazy:
    """An embedder that becomes available some time after `start`.

    `factory` constructs it; ready means that it has embedded one word, so what is missing or damaged, or a
    wrong key, shows here and not in the middle of a recall.
    """

    def __init__(self, factory: Callable[[], Embedder]) -> None:
        self._factory = factory
        self._lock = Lock()
        self._done = Event()
        self._embedder: Embedder | None = None
        self._error = ""
        self._running = False

    @property
    def ready(self) -> bool:
        """Whether `get` returns an embedder."""
        return self._embedder is not None

    @property
    def error(self) -> str:
        """Why the last try failed; "" while loading or ready."""
        return self._error

    def start(self) -> None:
        """Load in a daemon thread.  Does nothing while loading or when ready; tries anew after a failure."""
        with self._lock:
            if self._running or self.ready:
                return
            self._running, self._error = True, ""
            self._done.clear()
        Thread(target=self._load, name="embedder", daemon=True).start()

    def get(self) -> Embedder | None:
        """The embedder when ready, without waiting."""
        return self._embedder

    def wait(self, timeout: float) -> Embedder | None:
        """The embedder as soon as it is ready; None when that takes longer than `timeout` seconds or fails."""
        self._done.wait(timeout)
        return self._embedder

    def _load(self) -> None:
        try:
            embedder = self._factory()
            embedder.embed([_PROBE])
            self._embedder = embedder
        except EmbedError as error:
            self._error = str(error)
        except Exception as error:  # noqa: BLE001 - whatever a model library throws, recall goes on by words
            self._error = f"the embedding model cannot be loaded ({type(error).__name__})"
        finally:
            self._running = False
            self._done.set()
        if self._error:
            _log.warning("no vectors: %s", self._error)
