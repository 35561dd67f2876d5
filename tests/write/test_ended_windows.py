"""Windows that end in silence."""

from collections.abc import Callable
from datetime import timedelta

from mcp_memory.engine import Memory
from mcp_memory.ports import FixedClock
from mcp_memory.write.remember import Said


def test_a_week_and_a_month_that_end_without_another_word_are_closed(
    open_memory: Callable[..., Memory], clock: FixedClock
) -> None:
    memory = open_memory()
    memory.remember(Said("I moved to Lisbon in spring"))
    memory.drain()
    assert any(one.status == "provisional" for one in memory.corpus.units.values())
    clock.advance(timedelta(days=40))
    memory.drain()
    clock.advance(timedelta(minutes=10))
    memory.drain()
    levels = [one for one in memory.corpus.units.values() if one.level]
    assert levels
    assert all(one.status == "live" for one in levels)
