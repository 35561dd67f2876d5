"""The corpus equals a plain dictionary of what was said, whoever said, indexed or forgot it."""

import random
from collections.abc import Callable
from datetime import timedelta

import numpy as np
import pytest

from mcp_memory.engine import Memory
from mcp_memory.model.turn import Note
from mcp_memory.ports import FixedClock
from mcp_memory.store.corpus import Corpus
from mcp_memory.write.remember import Said

Open = Callable[..., Memory]
WORDS = ["pearl", "drawer", "garden", "violin", "storm", "bakery", "lantern", "mountain"]


def refreshed(memory: Memory) -> Corpus:
    memory.corpus.refresh()
    return memory.corpus


def quotes(corpus: Corpus) -> dict[str, str]:
    return {unit.turns[0]: unit.text for unit in corpus.units.values() if unit.view == "quote"}


def rows_agree(corpus: Corpus) -> None:
    """Rows, masks and vectors tell of the same units."""
    shelf = corpus.shelf
    for one, row in shelf.row_of.items():
        assert shelf.ids[row] == one
        assert shelf.alive[row]
        assert one in corpus.units
    assert np.count_nonzero(shelf.alive) == len(shelf.row_of)
    assert not shelf.vectors[~shelf.embedded].any()
    assert np.allclose(np.linalg.norm(shelf.vectors[shelf.embedded], axis=1), 1, atol=1e-5)


@pytest.mark.parametrize("seed", range(4))
def test_it_equals_a_dictionary_under_a_random_history(open_memory: Open, clock: FixedClock, seed: int) -> None:
    chance = random.Random(seed)
    one, other, stranger = open_memory(), open_memory(), open_memory(owner="Ben")
    expected: dict[str, str] = {}
    for step in range(40):
        memory = chance.choice([one, other])
        match chance.choice(["say", "say", "say", "late", "drain", "forget", "stranger", "look"]):
            case "say":
                text = f"{step} {' '.join(chance.sample(WORDS, 3))}"
                expected[memory.remember(Said(text)).ids[0]] = text
            case "late":
                text = f"{step} long ago"
                at = clock.now() - timedelta(days=chance.randint(0, 40))
                expected[memory.remember(Said(text, at=at)).ids[0]] = text
            case "drain":
                memory.drain()
            case "forget" if expected and step % 3 == 0:
                gone = chance.choice(sorted(expected))
                memory.forget([gone], confirm=True)
                del expected[gone]
            case "stranger":
                stranger.remember(Said(f"{step} none of Ann's business"))
            case "look":
                assert quotes(refreshed(chance.choice([one, other]))) == expected
        clock.advance(timedelta(minutes=chance.choice([1, 5, 50, 600])))
    fresh = open_memory()
    for memory in (one, other, fresh):
        assert quotes(refreshed(memory)) == expected
        assert {turn.id: turn.text for turn in memory.corpus.turns.values()} == expected
        rows_agree(memory.corpus)
    other.drain()
    assert quotes(refreshed(one)) == expected
    assert one.corpus.stored() == refreshed(open_memory()).stored()


def test_what_was_acknowledged_is_there_at_once_for_every_process(open_memory: Open) -> None:
    one, other = open_memory(), open_memory()
    assert quotes(refreshed(other)) == {}
    kept = one.remember(Said("said a moment ago"))
    assert quotes(refreshed(other)) == {kept.ids[0]: "said a moment ago"}


def test_an_unchanged_store_is_not_read_again(open_memory: Open, memory: Memory) -> None:
    memory.remember(Said("once"))
    memory.drain()
    corpus = refreshed(memory)
    before = corpus.shelf.ids.copy()
    corpus.refresh()
    assert corpus.shelf.ids == before


def test_a_correction_supersedes_from_the_moment_it_was_said(memory: Memory, clock: FixedClock) -> None:
    old = memory.remember(Said("I live in Lisbon near the river", notes=[Note("Ann lives in Lisbon")]))
    clock.advance(timedelta(days=3))
    memory.remember(Said("We moved", notes=[Note("Ann lives in Porto", replaces="Ann lives in Lisbon")]))
    corpus = refreshed(memory)
    superseded = {corpus.units[one].text for one in corpus.superseded}
    assert "Ann lives in Lisbon" in superseded
    assert "Ann lives in Porto" not in superseded
    memory.drain()
    assert {corpus.units[one].text for one in refreshed(memory).superseded} == superseded
    memory.forget([old.ids[0]], confirm=True)
    assert refreshed(memory).superseded == {}


def test_a_correction_finds_an_older_fact_that_arrives_late(memory: Memory, clock: FixedClock) -> None:
    memory.remember(Said("We moved", notes=[Note("Ann lives in Porto", replaces="Ann lives in Lisbon")]))
    assert refreshed(memory).superseded == {}
    earlier = clock.now() - timedelta(days=10)
    memory.remember(Said("Lisbon", notes=[Note("Ann lives in Lisbon")], at=earlier))
    assert "Ann lives in Lisbon" in {memory.corpus.units[one].text for one in refreshed(memory).superseded}


def test_a_correction_never_reaches_a_later_fact(memory: Memory, clock: FixedClock) -> None:
    memory.remember(Said("We moved", notes=[Note("Ann lives in Porto", replaces="Ann lives in Lisbon")]))
    clock.advance(timedelta(days=1))
    memory.remember(Said("Back again", notes=[Note("Ann lives in Lisbon")]))
    assert refreshed(memory).superseded == {}


def test_compacting_changes_nothing_but_dead_rows(memory: Memory, clock: FixedClock) -> None:
    for number in range(30):
        memory.remember(Said(f"{number} pearls", notes=[Note(f"fact {number}", replaces=f"fact {number - 1}")]))
        clock.advance(timedelta(minutes=40))
        if number % 10 == 9:
            memory.drain()
    corpus = refreshed(memory)
    before, superseded = dict(corpus.units), dict(corpus.superseded)
    vectors = {one: corpus.vector(unit) for one, unit in before.items()}
    corpus.shelf = corpus.shelf.compacted(corpus.turns)
    assert corpus.units == before
    assert corpus.superseded == superseded
    assert len(corpus.shelf) == len(corpus.shelf.row_of)
    for one, vector in vectors.items():
        assert np.array_equal(corpus.vector(before[one]), vector) if vector is not None else True
    rows_agree(corpus)


def test_every_stored_unit_has_its_vector_after_a_drain(memory: Memory) -> None:
    memory.remember(Said("I like pearls", "Good.", notes=[Note("Ann likes pearls", cues=("what to give her",))]))
    memory.drain()
    assert refreshed(memory).without_vector() == []


def test_vectors_of_another_length_are_ignored(open_memory: Open) -> None:
    from mcp_memory.embed.hashing import HashingEmbedder

    first = open_memory(embedder=HashingEmbedder(32))
    first.remember(Said("I like pearls"))
    first.drain()
    first.store.update_card(dimension=64)
    corpus = refreshed(open_memory(embedder=None))
    assert len(quotes(corpus)) == 1
    assert not corpus.shelf.embedded.any()
