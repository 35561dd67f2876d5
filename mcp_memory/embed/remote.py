"""Vectors from any OpenAI-compatible /embeddings endpoint, through the official SDK."""

import logging
from collections.abc import Sequence
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

import numpy as np

from mcp_memory.embed.guard import readable, unit_rows
from mcp_memory.errors import EmbedError

if TYPE_CHECKING:
    from mcp_memory.ports import Vectors

DEFAULT_MODEL = "text-embedding-3-small"
OFFICIAL_URL = "https://api.openai.com/v1"
BATCH_TEXTS = 64
# UTF-8 bytes, and no tokenizer makes more tokens than bytes: the official 8,192 is never exceeded.  Local
# servers with a 512-token model answer 400 or 413 instead of cutting, and then get less.
BYTE_LIMITS = (8000, 1500, 400)
_DUMMY_KEY = "none"  # local servers want one, but not which
_BLANK = "(empty)"  # the endpoint refuses empty strings
_TOO_LONG = {400, 413}
_ADVICE = {
    401: "check embed.api_key",
    403: "check embed.api_key",
    404: "check embed.model and embed.base_url",
    429: "the rate limit or the quota is reached",
}


def cut(text: str, limit: int) -> str:
    """The start of a text, at most `limit` UTF-8 bytes, never empty."""
    start = readable(text).encode()[:limit].decode(errors="ignore")
    return start if start.strip() else _BLANK


class RemoteEmbedder:
    """An embeddings endpoint; `base_url` "" is the official one, `key` may be "" for local servers.

    `deadline` is in seconds for one request of up to 64 texts, retry included.  Thread-safe.
    """

    def __init__(self, model: str = "", key: str = "", base_url: str = "", deadline: float = 30.0) -> None:
        self._model = model or DEFAULT_MODEL
        self._key = key
        self._url = base_url or OFFICIAL_URL
        self._deadline = deadline
        self._lock = Lock()
        self._client: Any = None
        self._dimension = 0
        self._rung = 0  # which of BYTE_LIMITS this server takes

    @property
    def id(self) -> str:
        """The model's name."""
        return self._model

    @property
    def dimension(self) -> int:
        """Length of a vector, learned from the first reply: may call the endpoint.  Raises EmbedError."""
        if not self._dimension:
            self.embed(["dimension"])
        return self._dimension

    def weight(self, _query: str) -> float:
        """Even: not measured for any endpoint."""
        return 0.5

    def embed(self, texts: Sequence[str]) -> "Vectors":
        """One unit row per text, shape (n, dimension).

        Raises EmbedError by error class and status when the endpoint does not answer usably in time.
        """
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        starts = range(0, len(texts), BATCH_TEXTS)
        return np.concatenate([self._batch(texts[start : start + BATCH_TEXTS]) for start in starts])

    def _batch(self, texts: Sequence[str]) -> "Vectors":
        reply = self._shorter_until_taken(texts)
        rows = unit_rows(_in_order(reply, len(texts)), len(texts))
        self._dimension = self._dimension or rows.shape[1]
        if rows.shape[1] != self._dimension:
            raise EmbedError(f"the endpoint changed its dimension from {self._dimension} to {rows.shape[1]}")
        return rows

    def _shorter_until_taken(self, texts: Sequence[str]) -> Any:
        import openai

        for rung in range(self._rung, len(BYTE_LIMITS)):
            try:
                reply = self._request([cut(text, BYTE_LIMITS[rung]) for text in texts])
            except openai.APIStatusError as error:
                if error.status_code not in _TOO_LONG or rung == len(BYTE_LIMITS) - 1:
                    raise _refused(error) from None
            except openai.OpenAIError as error:
                raise EmbedError(f"no answer from {self._url} ({type(error).__name__}): check embed.base_url") from None
            else:
                self._rung = rung
                return reply
        raise AssertionError("the last rung returns or raises")

    def _request(self, texts: list[str]) -> Any:
        """One request within the deadline, whatever the server drips meanwhile: SDK timeouts are per read."""
        client = self._connected()
        outcome: list[Any] = []

        def ask() -> None:
            try:
                reply = client.embeddings.create(model=self._model, input=texts, encoding_format="float")
            except Exception as error:  # noqa: BLE001 - handed to the caller's thread
                outcome.append(error)
            else:
                outcome.append(reply)

        worker = Thread(target=ask, name="embeddings", daemon=True)
        worker.start()
        worker.join(self._deadline)
        if not outcome:
            self._drop(client)
            raise EmbedError(f"no answer from the embeddings endpoint within {self._deadline:g} s")
        return _returned(outcome[0])

    def _connected(self) -> Any:
        import openai

        if not self._key and self._url == OFFICIAL_URL:
            raise EmbedError("no key for the embeddings endpoint: set embed.api_key or OPENAI_API_KEY")
        for name in ("openai", "httpx2", "httpcore2"):  # at DEBUG they log what is sent
            logging.getLogger(name).setLevel(logging.WARNING)
        with self._lock:
            if self._client is None:
                self._client = openai.OpenAI(
                    api_key=self._key or _DUMMY_KEY, base_url=self._url, max_retries=1, timeout=self._deadline
                )
            return self._client

    def _drop(self, client: Any) -> None:
        """Close the connection that still drips, which ends its thread."""
        with self._lock:
            if self._client is client:
                self._client = None
        client.close()


def _returned(outcome: Any) -> Any:
    import openai

    if isinstance(outcome, openai.OpenAIError):
        raise outcome
    if isinstance(outcome, Exception):  # unreadable JSON and the like; the message may quote the reply
        raise EmbedError(f"the embeddings endpoint's reply cannot be read ({type(outcome).__name__})") from None
    return outcome


def _refused(error: Any) -> EmbedError:
    advice = _ADVICE.get(error.status_code, "the server refused; see its log")
    return EmbedError(f"the embeddings endpoint answered {error.status_code} ({type(error).__name__}): {advice}")


def _in_order(reply: Any, count: int) -> list[Any]:
    """The vectors by the index the server gave them.  Raises EmbedError when there is not one for each text."""
    data = getattr(reply, "data", None)
    if not isinstance(data, list):
        raise EmbedError("the endpoint's reply holds no vectors: check embed.base_url")
    placed = {
        one.index: getattr(one, "embedding", None) for one in data if isinstance(getattr(one, "index", None), int)
    }
    if len(data) != count or placed.keys() != set(range(count)):
        raise EmbedError(f"the endpoint returned {len(data)} vectors, or not one each, for {count} texts")
    return [placed[index] for index in range(count)]
