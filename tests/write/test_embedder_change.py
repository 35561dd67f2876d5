"""Another embedder on an existing store: said, searched by words meanwhile, and mended by a rebuild."""

import subprocess
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from mcp_memory.embed.hashing import HashingEmbedder
from mcp_memory.engine import Memory
from mcp_memory.errors import EmbedError
from mcp_memory.model.query import Query
from mcp_memory.ports import FixedClock
from mcp_memory.write.remember import Said

Open = Callable[..., Memory]


class Failing(HashingEmbedder):
    """Answers until it has embedded so many texts."""

    def __init__(self, dimension: int, after: int) -> None:
        super().__init__(dimension)
        self.left = after

    def embed(self, texts: Sequence[str]) -> Any:
        self.left -= len(texts)
        if self.left < 0:
            raise EmbedError("the model was switched off")
        return super().embed(texts)


def vectors(memory: Memory) -> tuple[int, int]:
    """How many stored units have a vector, and how many wait for one."""
    memory.corpus.refresh()
    return int(np.count_nonzero(memory.corpus.shelf.embedded & memory.corpus.shelf.alive)), len(
        memory.corpus.without_vector()
    )


def found(memory: Memory, text: str) -> list[str]:
    answer = memory.recall(Query(text=text, owner="Ann", at=memory.now() + timedelta(days=1)))
    return [hit.line for hit in answer.hits]


@pytest.fixture
def first(open_memory: Open, clock: FixedClock) -> Memory:
    memory = open_memory(embedder=HashingEmbedder(64))
    for number in range(5):
        memory.remember(Said(f"I love pearl number {number}", "Noted."))
        clock.advance(timedelta(hours=10))
    memory.drain()
    return memory


def test_the_first_embedder_becomes_the_stores_whatever_its_length(open_memory: Open) -> None:
    memory = open_memory(embedder=HashingEmbedder(48))
    memory.remember(Said("I love pearls"))
    memory.drain()
    assert (memory.store.card.embedder, memory.store.card.dimension) == ("hashing-48", 48)
    assert vectors(memory)[1] == 0


def test_turns_indexed_without_a_model_get_vectors_once_there_is_one(open_memory: Open) -> None:
    words_only = open_memory(embedder=None)
    words_only.remember(Said("I love pearls"))
    words_only.drain()
    assert vectors(words_only)[0] == 0
    later = open_memory(embedder=HashingEmbedder(48))
    later.drain()
    assert vectors(later)[1] == 0
    assert vectors(words_only) == vectors(open_memory(embedder=HashingEmbedder(48)))


def test_another_embedder_is_told_and_words_go_on(first: Memory, open_memory: Open) -> None:
    other = open_memory(embedder=HashingEmbedder(96))
    assert "mcp-memory rebuild" in " ".join(other.notices())
    assert any("pearl number 3" in line for line in found(other, "pearl number 3"))
    other.remember(Said("I love a stone"))
    other.drain()
    assert any("stone" in line for line in found(other, "stone"))
    assert other.store.card.embedder == "hashing-64"
    assert first.notices() == ()


def test_two_processes_with_different_models_never_mix_their_vectors(open_memory: Open) -> None:
    one, other = open_memory(embedder=HashingEmbedder(64)), open_memory(embedder=HashingEmbedder(96))
    one.remember(Said("I love pearls"))
    other.remember(Said("I love stones"))
    one.drain()
    other.remember(Said("I love sand"))
    other.drain()
    assert other.store.card.embedder == "hashing-64"
    assert "mcp-memory rebuild" in " ".join(other.notices())
    one.drain()
    assert vectors(one)[1] == 0


def test_rebuild_embeds_everything_anew_for_all_processes(first: Memory, open_memory: Open) -> None:
    other = open_memory(embedder=HashingEmbedder(96))
    assert other.rebuild() == 3
    assert any("pearl number 3" in line for line in found(other, "pearl number 3"))
    other.drain()
    assert other.notices() == ()
    assert vectors(other)[1] == 0
    assert other.corpus.shelf.vectors.shape[1] == 96
    first.corpus.refresh()
    assert "mcp-memory rebuild" in " ".join(first.notices())
    assert any("pearl number 3" in line for line in found(first, "pearl number 3"))
    first.remember(Said("written by the old one"))
    first.drain()
    other.drain()
    assert vectors(other)[1] == 0


def test_a_rebuild_changes_nothing_but_vectors(first: Memory) -> None:
    first.corpus.refresh()
    before = first.corpus.stored()
    first.rebuild()
    first.drain()
    assert first.corpus.stored() == before


@pytest.mark.parametrize("cut", ["replace_all", "update_card", "bump"])
def test_a_rebuild_that_is_cut_off_goes_on(
    first: Memory, open_memory: Open, monkeypatch: pytest.MonkeyPatch, cut: str
) -> None:
    other = open_memory(embedder=HashingEmbedder(96))

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    target: object = {"replace_all": other.store.units, "update_card": other.store, "bump": other.store.journal}[cut]
    with monkeypatch.context() as broken:
        broken.setattr(target, cut, stop)
        with pytest.raises(KeyboardInterrupt):
            other.rebuild()
    again = open_memory(embedder=HashingEmbedder(96))
    assert any("pearl number 3" in line for line in found(again, "pearl number 3"))
    again.drain()
    again.rebuild()
    again.drain()
    assert vectors(again)[1] == 0
    assert len(again.corpus.turns) == 10
    assert again.notices() == ()


def test_a_model_that_fails_half_way_is_taken_up_where_it_stopped(first: Memory, open_memory: Open) -> None:
    stopped = open_memory(embedder=Failing(96, after=8))
    stopped.rebuild()
    stopped.drain()
    have, wait = vectors(stopped)
    assert wait > 0
    fresh = open_memory(embedder=HashingEmbedder(96))
    fresh.drain()
    assert vectors(fresh) == (have + wait, 0)


REBUILDER = """
import sys
from pathlib import Path
from mcp_memory.embed.hashing import HashingEmbedder
from mcp_memory.engine import Memory
from mcp_memory.settings import Settings
settings = Settings(data_dir=Path(sys.argv[1]), owner="Ann", time_zone="Europe/Berlin")
memory = Memory(settings, embedder=HashingEmbedder(96))
memory.load()
memory.rebuild()
print("begun", flush=True)
sys.stdin.readline()
memory.drain()
"""


def test_a_killed_rebuild_is_finished_by_the_next_process(
    first: Memory, open_memory: Open, process: Callable[..., subprocess.Popen[str]]
) -> None:
    child = process(REBUILDER, first.store.folder)
    assert child.stdout is not None
    assert child.stdout.readline().strip() == "begun"
    child.kill()
    fresh = open_memory(embedder=HashingEmbedder(96))
    assert any("pearl number 3" in line for line in found(fresh, "pearl number 3"))
    fresh.drain()
    assert vectors(fresh)[1] == 0
    assert fresh.notices() == ()


def test_a_store_that_has_lost_its_card_is_not_said_to_be_of_a_model_called_unknown(
    first: Memory, open_memory: Open
) -> None:
    (first.store.folder / "store.json").unlink()
    again = open_memory(embedder=HashingEmbedder(64))
    again.load()
    (notice,) = [one for one in again.notices() if "rebuild" in one]
    assert notice.startswith("It is not known any more which model")
