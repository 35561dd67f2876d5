from collections.abc import Callable
from itertools import permutations

import numpy as np

from mcp_memory.model.turn import Turn
from mcp_memory.store.links import Links, borrow

Make = Callable[..., Turn]


def linked(turns: list[Turn], rows: list[int]) -> list[list[int]]:
    links = Links()
    for row in rows:
        links.add(row, turns[row])
    return [side.tolist() for side in links.around(len(turns))]


def test_neighbours_are_the_same_in_whatever_order_turns_come(turn: Make) -> None:
    turns = [turn(minute) for minute in (0, 1, 2, 40)]
    found = [linked(turns, list(order)) for order in permutations(range(4))]
    assert all(one == [[-1, 0, 1, -1], [1, 2, -1, -1]] for one in found)


def test_sessions_do_not_touch(turn: Make) -> None:
    turns = [turn(0, session="a"), turn(1, session="b"), turn(2, session="a")]
    assert linked(turns, [0, 1, 2]) == [[-1, -1, 0], [2, -1, -1]]


def test_rows_that_quote_nothing_have_no_neighbours(turn: Make) -> None:
    links = Links()
    links.add(300, turn(0))
    before, after = links.around(1000)
    assert len(before) == len(after) == 1000
    assert (before == -1).all()


def test_what_is_lent_falls_off_with_distance_and_nobody_lends_nothing() -> None:
    before, after = np.array([-1, 0, 1]), np.array([1, 2, -1])
    assert borrow(np.array([1.0, 0.0, 0.0]), before, after, 0.5).tolist() == [1.0, 0.5, 0.25]
