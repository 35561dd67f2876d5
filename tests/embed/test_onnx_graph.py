from collections.abc import Callable

import numpy as np
import onnxruntime
import pytest

from mcp_memory.embed.bundled import BundledEmbedder, bundled_path
from mcp_memory.embed.onnx_graph import gathered_first

Run = Callable[[bytes], np.ndarray]


@pytest.fixture
def run() -> Run:
    """What a model makes of three made-up texts of the longest kind, padded."""
    random = np.random.default_rng(1)
    ids = random.integers(0, 30_522, (3, 256))
    mask = (np.arange(256) < np.array([[256], [100], [1]])).astype(np.int64)
    feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}

    def made(model: bytes) -> np.ndarray:
        found: np.ndarray = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"]).run(None, feed)[0]
        return found

    return made


def test_the_vectors_are_the_same_to_the_bit(run: Run) -> None:
    model = bundled_path().read_bytes()
    smaller = gathered_first(model)
    assert smaller != model
    assert np.array_equal(run(smaller), run(model))


def test_what_has_been_changed_is_not_changed_again() -> None:
    smaller = gathered_first(bundled_path().read_bytes())
    assert gathered_first(smaller) == smaller


@pytest.mark.parametrize("file", [b"\xff", b"no model", b"\x3a\x7f\x0a", b"\x0d\x01\x02\x03\x04"])
def test_another_file_is_refused(file: bytes) -> None:
    with pytest.raises((ValueError, IndexError)):
        gathered_first(file)


def test_the_model_by_its_path_is_the_bundled_one() -> None:
    named, own = BundledEmbedder(str(bundled_path())), BundledEmbedder()
    assert named.id == own.id
    assert np.array_equal(named.embed(["bees"]), own.embed(["bees"]))
