import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_memory.recall.fit import HEADING, Candidate, Drawn, Page, pack
from mcp_memory.text.lexical import all_words
from mcp_memory.text.tokens import count_tokens
from mcp_memory.views import HEADINGS

TEXTS = st.text("abcdefgh 日é", min_size=1, max_size=60)
SECTIONS = st.sampled_from(["facts", "scenes", "profile"])


def candidate(unit: str, score: float, *sources: str, section: str = "facts") -> Candidate:
    return Candidate(unit, section, score, frozenset(sources), "words")  # type: ignore[arg-type]


def draw(one: Candidate, _before: int) -> Drawn:
    """The unit's name is its text, and tells all its sources."""
    return Drawn(one.unit, all_words(one.unit), one.sources)


def shown(page: Page) -> str:
    sections = dict.fromkeys(one.candidate.section for one in page.lines)
    return "\n".join(
        line
        for section in sections
        for line in (
            f"{HEADINGS[section]}:",
            *(
                f"- {one.text}" + (f" (×{one.times})" if one.times > 1 else "")
                for one in page.lines
                if one.candidate.section == section
            ),
        )
    )


@given(st.lists(st.tuples(TEXTS, SECTIONS), max_size=30), st.integers(0, 80))
@settings(deadline=None, database=None, max_examples=100)
def test_what_is_shown_is_never_over_the_budget(texts: list[tuple[str, str]], budget: int) -> None:
    page = Page(budget)
    found = [candidate(text, 1.0 - n / 100, section=section) for n, (text, section) in enumerate(texts)]
    pack(page, found, draw, budget, 0.0, 0)
    assert page.used <= budget
    assert count_tokens(shown(page)) <= page.used


def test_a_heading_takes_no_more_than_is_kept_for_it() -> None:
    assert max(count_tokens(f"{one}:") for one in HEADINGS.values()) <= HEADING


def test_a_turn_is_told_once() -> None:
    page = Page(100)
    pack(page, [candidate("bees in May", 1, "t1"), candidate("hives of summer", 0.9, "t1")], draw, 100, 0.0, 0)
    assert [one.text for one in page.lines] == ["bees in May"]


def test_what_is_partly_told_has_something_new_to_say() -> None:
    page = Page(100)
    found = [candidate("red kite", 1, "t1"), candidate("blue boat", 0.9, "t1", "t2")]
    pack(page, found, draw, 100, 0.0, 0)
    assert [one.text for one in page.lines] == ["red kite", "blue boat"]


def test_lines_that_say_the_same_are_one_line_with_a_count() -> None:
    page = Page(100)
    pack(page, [candidate("bees hum", 1, "t1"), candidate("Bees hum!", 0.9, "t2")], draw, 100, 0.0, 0)
    assert [(one.text, one.times) for one in page.lines] == [("bees hum", 2)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I like tea", "I do not like tea"),
        ("On Monday I start.", "On Monday I started."),
        (
            "We all meet once more in the old town hall at the lake by 9",
            "We all meet once more in the old town hall at the lake by 10",
        ),
        ("He can come with us to the lake this year he says", "He can't come with us to the lake this year he says"),
    ],
)
def test_lines_that_say_something_else_stay_two(one: str, other: str) -> None:
    page = Page(100)
    pack(page, [candidate(one, 1, "t1"), candidate(other, 0.9, "t2")], draw, 100, 0.0, 0)
    assert [line.text for line in page.lines] == [one, other]


def test_the_same_record_found_twice_is_not_counted_twice() -> None:
    page = Page(100)
    pack(page, [candidate("bees hum", 1), candidate("bees hum", 0.9)], draw, 100, 0.0, 0)
    assert page.lines[0].times == 1


def test_below_the_threshold_only_the_floor_is_filled() -> None:
    page = Page(200)
    found = [candidate(f"w{n}x{n}y", 1 - n / 10, f"t{n}") for n in range(5)]
    dropped = pack(page, found, draw, 200, 0.95, 2)
    assert len(page.lines) == 2
    assert sorted(dropped) == [one.unit for one in found[2:]]


def test_a_shorter_line_further_down_still_fits() -> None:
    page = Page(12)
    pack(page, [candidate("one two three four five six seven eight nine", 1), candidate("ten", 0.5)], draw, 12, 0.0, 0)
    assert [one.text for one in page.lines] == ["ten"]


def test_dropped_lines_give_back_their_room_and_their_heading() -> None:
    page = Page(100)
    pack(page, [candidate("ten", 1), candidate("eleven", 0.5, section="scenes")], draw, 100, 0.0, 0)
    page.drop({"eleven"})
    assert page.used == count_tokens("- ten") + HEADING
