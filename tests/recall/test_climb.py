"""What stands above the leaves, in recalls of a real memory that lasts several weeks."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from mcp_memory.engine import Memory
from mcp_memory.model.query import Complexity, Hit, Query
from mcp_memory.model.turn import Note
from mcp_memory.recall.pipeline import recall
from mcp_memory.write.remember import Said

JANUARY = datetime(2026, 1, 5, 9, tzinfo=UTC)
WEEKS = (
    "I keep bees behind the barn.",
    "I am allergic to walnuts.",
    "I started to learn the bassoon.",
    "I moved to Trieste with the bees.",
    "I sold the bassoon.",
    "I work at the observatory now.",
    "I adopted a greyhound called Pim.",
)


@pytest.fixture
def weeks(memory: Memory) -> Memory:
    for number, text in enumerate(WEEKS):
        for part in range(3):
            at = JANUARY + timedelta(weeks=number, days=part, hours=part)
            memory.remember(Said(f"{text} That was remark {part}, about the bees again.", "I see.", at=at))
    memory.drain()
    return memory


def recalled(
    memory: Memory, complexity: Complexity, until: datetime | None = None, tokens: int = 1024
) -> tuple[Hit, ...]:
    query = Query("What kind of life do I lead with the bees?", "Ann", memory.now(), complexity, None, until, tokens)
    return memory.recall(query).hits


def climbed(memory: Memory) -> list[str]:
    trace = memory.inspect("trace", "", None, None, 1)["recalls"][0]
    return [memory.corpus.units[one].kind for one in trace["climbed"]]


def test_how_high_it_climbs_depends_on_complexity(weeks: Memory) -> None:
    levels: dict[Complexity, set[str]] = {
        "simple": {"session", "persona"},
        "hybrid": {"session", "day", "persona"},
        "complex": {"session", "day", "week", "persona"},
    }
    for complexity, kinds in levels.items():
        recalled(weeks, complexity)
        assert set(climbed(weeks)) == kinds


def test_each_level_keeps_to_its_count(weeks: Memory) -> None:
    recalled(weeks, "complex")
    kinds = climbed(weeks)
    assert [kinds.count(one) for one in ("session", "day", "week", "persona")] == [4, 4, 2, 1]


def test_a_complex_question_shows_a_profile_and_a_simple_one_its_facts_only(weeks: Memory) -> None:
    assert {hit.section for hit in recalled(weeks, "complex")} == {"facts", "profile"}
    assert {hit.section for hit in recalled(weeks, "simple")} == {"facts"}


def test_a_summary_of_a_line_is_not_counted_as_said_again(memory: Memory) -> None:
    memory.remember(Said("I keep bees behind the barn.", at=JANUARY))
    memory.drain()
    assert not [hit.line for hit in recalled(memory, "complex") if "×" in hit.line]


@pytest.mark.parametrize("week", range(1, len(WEEKS)))
def test_nothing_above_shows_what_came_later(weeks: Memory, week: int) -> None:
    until = JANUARY + timedelta(weeks=week)
    hits = (*recalled(weeks, "complex", until), *recalled(weeks, "complex", until, 4096))
    text = "\n".join(hit.line for hit in hits)
    assert all(hit.end < until for hit in hits)
    assert not [later for later in WEEKS[week:] if later.rstrip(".") in text]


def test_what_a_judge_drops_is_never_what_a_cue_evoked(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    for number, text in enumerate(WEEKS):
        memory.remember(Said(f"{text} They talked of it at work again.", at=JANUARY + timedelta(days=number)))
    note = Note("Ann gave up sugar", ("They served cake at work",))
    memory.remember(Said("Mum is well.", notes=(note,), at=JANUARY))
    memory.drain()
    query = Query("Who served cake at work again?", "Ann", memory.now())
    tools = memory.tools(query.text)
    tools.judge = lambda lines: set()
    answer, trace = recall(memory.corpus, query, tools)
    assert any("sugar" in hit.line and hit.reserved for hit in answer.hits)
    assert trace["gate_dropped_count"] > 0
    assert not set(answer.dropped) & {hit.id for hit in answer.hits}
