from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import numpy as np

from mcp_memory.model.unit import Unit
from mcp_memory.store.shelf import Shelf

Make = Callable[..., Unit]
NOW = np.array([[1.0, 0.0]], dtype=np.float32)
YES, NO = np.ones(1, dtype=bool), np.zeros(1, dtype=bool)


def shelf_of(*units: Unit) -> Shelf:
    shelf = Shelf(2)
    for one in units:
        shelf.put([one], {}, NOW, YES)
    return shelf


def test_a_changed_text_is_found_by_its_new_words_and_waits_for_a_new_vector(unit: Make) -> None:
    shelf = shelf_of(unit(1, "bees hum"))
    shelf.put([unit(1, "wasps sting")], {}, NOW * 0, NO)
    found = [shelf.words("item", [term]) * shelf.alive for term in ("bee", "wasp")]
    assert [float(one.max()) > 0 for one in found] == [False, True]
    assert [one.text for one in shelf.without_vector()] == ["wasps sting"]


def test_an_unchanged_text_keeps_its_vector(unit: Make) -> None:
    shelf = shelf_of(unit(1, "bees hum"))
    shelf.put([replace(unit(1, "bees hum"), source="llm")], {}, NOW * 0, NO)
    assert len(shelf) == 1
    assert shelf.without_vector() == []
    assert shelf.units[unit(1).id].source == "llm"


def test_a_vector_that_comes_too_late_is_not_given_to_another_text(unit: Make) -> None:
    shelf = shelf_of(unit(1, "bees hum"))
    shelf.put([unit(1, "wasps sting")], {}, NOW * 0, NO)
    shelf.set_vector(unit(1, "bees hum"), NOW[0])
    assert shelf.vector(unit(1, "wasps sting")) is None


def test_what_is_dropped_is_in_no_row(unit: Make) -> None:
    shelf = shelf_of(unit(1), unit(2))
    shelf.drop([unit(1).id, "nobody"])
    assert [shelf.ids[row] for row in shelf.rows("item")] == [unit(2).id]


def test_many_rows_come_and_go_and_compacting_changes_nothing_that_is_seen(unit: Make) -> None:
    shelf = shelf_of(*(unit(number, f"word{number} said") for number in range(300)))
    shelf.drop([unit(number).id for number in range(0, 300, 2)])
    fresh = shelf.compacted({})
    assert (len(shelf), len(fresh)) == (300, 150)
    assert fresh.embedded.all()
    assert fresh.units == shelf.units


def test_since_is_met_until_is_not_and_nothing_begins_after_the_asked_moment(unit: Make) -> None:
    shelf = shelf_of(*(unit(number) for number in range(4)))
    start = unit(0).start
    minute = timedelta(minutes=1)
    assert shelf.between(start + minute, start + 3 * minute, start + 9 * minute).tolist() == [False, True, True, False]
    assert shelf.between(None, None, start + minute).tolist() == [True, True, False, False]


def test_views_are_searched_apart(unit: Make) -> None:
    note, quoted = unit(1, "bees hum"), replace(unit(2, "bees hum"), view="quote", turns=("t",))
    shelf = shelf_of(note, quoted)
    assert shelf.words("item", ["bee"]).nonzero()[0].tolist() == [0]
    assert shelf.words("quote", ["bee"]).nonzero()[0].tolist() == [1]
