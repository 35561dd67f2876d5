from threading import Event

import pytest

from mcp_memory.embed.hashing import HashingEmbedder
from mcp_memory.embed.loading import Lazy
from mcp_memory.errors import EmbedError
from mcp_memory.ports import Embedder


def test_nothing_waits_while_it_loads() -> None:
    may_load = Event()

    def slow() -> Embedder:
        may_load.wait(10)
        return HashingEmbedder()

    lazy = Lazy(slow)
    assert (lazy.ready, lazy.get(), lazy.error) == (False, None, "")
    lazy.start()
    assert lazy.get() is None
    assert lazy.wait(0) is None
    may_load.set()
    assert lazy.wait(10) is lazy.get() is not None
    assert lazy.ready


def test_waiting_for_what_was_not_started_ends() -> None:
    assert Lazy(HashingEmbedder).wait(0.01) is None


def test_a_failure_is_kept_and_the_next_start_tries_anew() -> None:
    tries: list[str] = []

    def second_time_lucky() -> Embedder:
        tries.append("try")
        if len(tries) == 1:
            raise EmbedError("the model is not here: get it")
        return HashingEmbedder()

    lazy = Lazy(second_time_lucky)
    lazy.start()
    assert lazy.wait(10) is None
    assert lazy.error == "the model is not here: get it"
    lazy.start()
    assert lazy.wait(10) is not None
    assert lazy.error == ""


def test_a_model_that_fails_on_its_first_word_is_not_ready() -> None:
    class Broken(HashingEmbedder):
        def embed(self, texts: object) -> object:
            raise EmbedError("damaged")

    lazy = Lazy(Broken)
    lazy.start()
    assert lazy.wait(10) is None
    assert lazy.error == "damaged"


def test_unforeseen_failures_are_told_by_class_only() -> None:
    def fails() -> Embedder:
        raise RuntimeError("some private words")

    lazy = Lazy(fails)
    lazy.start()
    lazy.wait(10)
    assert lazy.error == "the embedding model cannot be loaded (RuntimeError)"


@pytest.mark.parametrize("starts", [1, 5])
def test_starting_often_loads_once(starts: int) -> None:
    loads: list[str] = []

    def counted() -> Embedder:
        loads.append("load")
        return HashingEmbedder()

    lazy = Lazy(counted)
    for _ in range(starts):
        lazy.start()
    lazy.wait(10)
    lazy.start()
    assert loads == ["load"]
