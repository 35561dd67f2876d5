import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_memory.embed.batching import by_length
from mcp_memory.embed.guard import readable, unit_rows
from mcp_memory.errors import EmbedError


@given(st.text(st.characters()))
def test_readable_text_can_always_be_encoded(text: str) -> None:
    assert "\n" + readable(text).encode().decode() == "\n" + readable(text)


def test_readable_keeps_the_start_of_what_is_said_behind_blanks() -> None:
    assert readable(" " * 50_000 + "hello " * 10_000) == ("hello " * 10_000)[:10_000]


@pytest.mark.parametrize(
    "rows",
    [
        [[0.0, 0.0]],
        [[float("nan"), 1.0]],
        [[float("inf"), 1.0]],
        [[1.0], [1.0]],
        [[]],
        [1.0],
        [["x"]],
        [None],
        [[1e308, 1e308]],
    ],
)
def test_what_is_not_one_usable_vector_is_refused(rows: object) -> None:
    with pytest.raises(EmbedError):
        unit_rows(rows, 1)


def test_rows_of_unequal_length_are_refused() -> None:
    with pytest.raises(EmbedError, match="unequal length"):
        unit_rows([[1.0, 2.0], [1.0]], 2)


def test_very_small_vectors_keep_their_direction() -> None:
    assert np.allclose(unit_rows([[3e-30, 4e-30]], 1), [[0.6, 0.8]])


@given(st.lists(st.integers(1, 300), max_size=100), st.integers(1, 1024))
def test_batches_hold_every_text_once_and_keep_to_the_budget(lengths: list[int], budget: int) -> None:
    batches = list(by_length(lengths, budget))
    assert sorted(position for batch in batches for position in batch) == list(range(len(lengths)))
    for batch in batches:
        assert len(batch) == 1 or (len(batch) <= 32 and len(batch) * max(lengths[at] for at in batch) <= budget)
