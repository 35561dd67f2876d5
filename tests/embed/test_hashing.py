import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_memory.embed.hashing import HashingEmbedder

ANY_TEXT = st.text(st.characters(), max_size=200)  # lone surrogates included


@given(st.lists(ANY_TEXT, max_size=5))
def test_every_text_gets_a_finite_unit_vector(texts: list[str]) -> None:
    rows = HashingEmbedder().embed(texts)
    assert rows.shape == (len(texts), 64)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)


@settings(max_examples=20)
@given(ANY_TEXT, ANY_TEXT)
def test_a_vector_does_not_depend_on_its_neighbours(text: str, other: str) -> None:
    embedder = HashingEmbedder()
    assert np.array_equal(embedder.embed([other, text])[1], embedder.embed([text])[0])


def test_vectors_are_the_same_on_every_machine() -> None:
    row = HashingEmbedder(8).embed(["a red bicycle"])[0]
    assert np.allclose(row, [0.3536, 0, 0.3536, 0, 0, 0.3536, 0.7071, 0.3536], atol=1e-4)


def test_shared_words_bring_texts_nearer() -> None:
    bicycle, cycling, pasta = HashingEmbedder(256).embed(
        ["my bicycle has a flat tyre", "fix the flat bicycle tyres", "dinner was pasta with basil"]
    )
    assert bicycle @ cycling > 0.4 > bicycle @ pasta


def test_case_does_not_matter() -> None:
    upper, lower = HashingEmbedder().embed(["STRASSE", "straße"])
    assert upper @ lower == pytest.approx(1)


def test_it_names_itself_by_its_dimension() -> None:
    embedder = HashingEmbedder(32)
    assert (embedder.id, embedder.dimension, embedder.weight("words")) == ("hashing-32", 32, 0.5)
