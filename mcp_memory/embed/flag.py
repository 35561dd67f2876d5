"""Strong local encoders and rerankers by FlagEmbedding (the `flag` extra): bge-m3, bge-reranker-v2-m3 and kin.

Loading takes seconds and hundreds of MB, so nothing is imported before `load`.  Models come from a folder
or from the hub's cache; nothing here downloads (see `hub.pull`).
"""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

import numpy as np

from mcp_memory.embed.batching import MAX_TEXTS, by_length
from mcp_memory.embed.guard import readable, unit_rows
from mcp_memory.embed.hub import NEED_EXTRA, find_model, fingerprint, local_folder, read_json
from mcp_memory.errors import EmbedError, MemoryFault

if TYPE_CHECKING:
    from mcp_memory.ports import Vectors

DEFAULT_MODEL = "BAAI/bge-m3"
DEFAULT_RERANKER = "BAAI/bge-reranker-v2-m3"
MAX_TOKENS = 512
MAX_QUERY_TOKENS = 256  # what a query leaves free of MAX_TOKENS is the text's; the library fails when that is nothing
BATCH_CHARS = 16_000
_M3_HEADS = ("colbert_linear.pt", "sparse_linear.pt")
# The library shows a bar for a batch that is full; ours never are.
_QUIET_BATCH = MAX_TEXTS + 1


def model_id(name: str) -> str:
    """The hub name, or for a folder its name and fingerprint.  Raises EmbedError for an incomplete folder."""
    folder = local_folder(name)
    return f"{folder.resolve().name}-{fingerprint(folder)}" if folder else name


def is_bge_m3(folder: Path) -> bool:
    """Whether a model has bge-m3's three heads (Chen et al. 2024); only the dense one is used."""
    return all((folder / head).is_file() for head in _M3_HEADS)


def pooling_method(folder: Path) -> str:
    """How token vectors become one: "mean" or "cls", as the folder's configuration says; "cls" where it is silent."""
    config = folder / "1_Pooling" / "config.json"
    return "mean" if config.is_file() and read_json(config).get("pooling_mode_mean_tokens") else "cls"


def window(folder: Path) -> int:
    """Tokens of a text that count: what the folder's sentence-transformers configuration says, at most 512."""
    config = folder / "sentence_bert_config.json"
    said = read_json(config).get("max_seq_length") if config.is_file() else None
    return min(said, MAX_TOKENS) if isinstance(said, int) and said > 0 else MAX_TOKENS


class FlagEmbedder:
    """Dense vectors of a FlagEmbedding model; loaded by `load`, `dimension` or the first `embed`.

    `model` is a hub name or a folder ("" is BAAI/bge-m3).  Runs on the first GPU (half precision) or on
    the CPU.  Thread-safe: one batch at a time.
    """

    def __init__(self, model: str = "") -> None:
        self._name = model or DEFAULT_MODEL
        self._lock = RLock()
        self._model: Any = None
        self._dimension = 0
        self._m3 = False
        self._window = MAX_TOKENS

    @property
    def id(self) -> str:
        """The hub name, or folder name and fingerprint.  Raises EmbedError for an incomplete folder."""
        return model_id(self._name)

    @property
    def dimension(self) -> int:
        """Length of a vector; loads the model.  Raises EmbedError as `load` does."""
        self.load()
        return self._dimension

    def weight(self, _query: str) -> float:
        """λ = .9 for bge-m3 as in TiMem, which used an encoder of that strength; an even .5 for others."""
        return 0.9 if self._m3 or "bge-m3" in self._name else 0.5

    @property
    def loaded(self) -> bool:
        """Whether `embed` answers without loading first."""
        return self._model is not None

    def load(self) -> None:
        """Import FlagEmbedding and start the model.

        Raises EmbedError when the extra or the model is missing or the model is damaged.
        """
        with self._lock:
            if self._model is None:
                folder = find_model(self._name)
                self._m3, self._window = is_bge_m3(folder), window(folder)
                model = _open_embedder(folder, self._m3)
                self._dimension = self._encode(model, ["dimension"]).shape[1]
                self._model = model

    def embed(self, texts: Sequence[str]) -> "Vectors":
        """One unit row per text, shape (n, dimension); only the first `window` tokens count.

        Raises EmbedError as `load` does, or when the model fails on a batch.
        """
        self.load()
        clean = [readable(text) for text in texts]
        rows = np.zeros((len(texts), self._dimension), dtype=np.float32)
        with self._lock:
            for batch in by_length([len(text) for text in clean], BATCH_CHARS):
                rows[batch] = self._encode(self._model, [clean[position] for position in batch])
        return rows

    def _encode(self, model: Any, texts: list[str]) -> "Vectors":
        with _named_failures("the embedding model failed on a batch"):
            encoded = model.encode(texts, batch_size=_QUIET_BATCH, max_length=self._window)
            return unit_rows(encoded["dense_vecs"] if self._m3 else encoded, len(texts))


class FlagReranking:
    """Cross-encoder scores by FlagReranker; loaded by `load` or the first `scores`.

    `model` is a hub name or a folder ("" is BAAI/bge-reranker-v2-m3).  Thread-safe: one query at a time.
    """

    def __init__(self, model: str = "") -> None:
        self._name = model or DEFAULT_RERANKER
        self._lock = RLock()
        self._model: Any = None

    @property
    def id(self) -> str:
        """The hub name, or folder name and fingerprint.  Raises EmbedError for an incomplete folder."""
        return model_id(self._name)

    @property
    def loaded(self) -> bool:
        """Whether `scores` answers without loading first."""
        return self._model is not None

    def load(self) -> None:
        """Import FlagEmbedding and start the model.

        Raises EmbedError when the extra or the model is missing or the model is damaged.
        """
        with self._lock:
            if self._model is None:
                self._model = _open_reranker(find_model(self._name))

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """One score in 0..1 (the sigmoid of the logit) per text, in the order of `texts`.

        Raises EmbedError as `load` does, or when the model fails.
        """
        self.load()
        asked = readable(query)
        pairs = [(asked, readable(text)) for text in texts]
        found = np.zeros(len(pairs))
        with self._lock:
            for batch in by_length([len(asked) + len(text) for _, text in pairs], BATCH_CHARS):
                found[batch] = self._score([pairs[position] for position in batch])
        return [float(score) for score in found]

    def _score(self, pairs: list[tuple[str, str]]) -> Any:
        with _named_failures("the reranker failed on a batch"):
            # The library returns a bare float for a single pair in some versions.
            found = self._model.compute_score(
                pairs,
                batch_size=_QUIET_BATCH,
                query_max_length=MAX_QUERY_TOKENS,
                max_length=MAX_TOKENS,
                normalize=True,
            )
            scores = np.atleast_1d(found)
        if scores.shape != (len(pairs),) or not np.isfinite(scores).all():
            raise EmbedError(f"the reranker returned shape {scores.shape} or non-finite scores for {len(pairs)} texts")
        return scores


def _open_embedder(folder: Path, m3: bool) -> Any:
    library = _library()
    device = _device()
    given = {"use_fp16": device != "cpu", "devices": [device], "normalize_embeddings": True}
    with _named_failures(f"the model in {folder} cannot be loaded; if it is incomplete: mcp-memory models pull"):
        if m3:
            return library.BGEM3FlagModel(str(folder), **given)
        return library.FlagModel(str(folder), pooling_method=pooling_method(folder), **given)


def _open_reranker(folder: Path) -> Any:
    library = _library()
    device = _device()
    with _named_failures(f"the reranker in {folder} cannot be loaded; if it is incomplete: mcp-memory models pull"):
        return library.FlagReranker(str(folder), use_fp16=device != "cpu", devices=[device])


def _library() -> Any:
    """FlagEmbedding, with the bars and chatter of what it stands on switched off."""
    try:
        import FlagEmbedding
        from transformers.utils import logging as chatter
    except ImportError:
        raise EmbedError(NEED_EXTRA) from None
    chatter.set_verbosity_error()
    chatter.disable_progress_bar()
    logging.getLogger("FlagEmbedding").setLevel(logging.WARNING)
    return FlagEmbedding


def _device() -> str:
    """One device, named: given several the library starts a process for each."""
    import torch

    return "cuda:0" if torch.cuda.is_available() else "cpu"


@contextmanager
def _named_failures(what: str) -> Iterator[None]:
    """Whatever torch and transformers throw becomes an EmbedError by class: their messages may quote input."""
    try:
        yield
    except MemoryFault:
        raise
    except Exception as error:  # noqa: BLE001 - no common base
        raise EmbedError(f"{what} ({type(error).__name__})") from None
