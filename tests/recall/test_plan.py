from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from mcp_memory.model.query import Query
from mcp_memory.recall.plan import complexity_of, form_of, named_days, plan

AT = datetime(2026, 3, 2, tzinfo=UTC)


def asked(text: str, **more: str) -> Query:
    return Query(text, "Ann", AT, **more)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("Where does Ben live?", "question"),
        ("tell me about the trip", "question"),
        ("我住在哪里？", "question"),
        ("They served cake at work.", "remark"),
        ("", "remark"),
        ("I burnt the cake again, what now?", "mixed"),
        ("We’re moving. Any advice?", "mixed"),
    ],
)
def test_a_text_asks_or_tells_or_both(text: str, form: str) -> None:
    assert form_of(text) == form


@pytest.mark.parametrize(
    ("text", "complexity"),
    [
        ("Where does Ben live?", "simple"),
        ("How many hives does Ben have?", "hybrid"),
        ("Why would Ben move?", "complex"),
        ("", "simple"),
    ],
)
def test_complexity_follows_from_the_words(text: str, complexity: str) -> None:
    assert complexity_of(text) == complexity


def test_the_callers_complexity_wins() -> None:
    planned = plan(asked("Why would Ben move?", complexity="simple"), ["Ben"])
    assert (planned.complexity, planned.by) == ("simple", "caller")


def test_people_are_found_as_whole_words_and_are_no_keywords() -> None:
    planned = plan(asked("Did ben tell Benjamin about the bees?"), ["Ben", "Anna (work)", "x+"])
    assert planned.speakers == ("Ben",)
    assert "bee" in " ".join(planned.keywords)
    assert "ben" not in [one.lower() for one in planned.keywords]


def test_what_the_assistant_said_is_known_by_being_asked_for() -> None:
    assert plan(asked("What hotel did you recommend?"), []).of_assistant
    assert not plan(asked("What hotel did Ben book?"), []).of_assistant


@pytest.mark.parametrize(
    ("text", "days", "only"),
    [
        ("What happened in June 2025?", ["2025-06"], True),
        ("What did I tell you on 12 May 2025?", ["2025-05-12"], True),
        ("Did the bees swarm yesterday?", ["2026-03-01"], False),
        ("Where are the bees?", [], False),
        ("What happened between May 1st and May 10th?", ["2025-05-01/2025-05-10"], True),
        ("What happened in March and in June?", ["2026-03", "2025-06"], True),
        ("What is new since February 20?", ["2026-02-20/2026-03-02"], True),
        ("Anything new today? What's up?", ["2026-03-02"], True),
        ("Where did the bees live before April?", ["0001-01-01/2025-03-31"], False),
        ("The bees must be fed by April 3rd.", ["2026-04-03"], False),
        ("What happened on November 26th?", ["2025-11-26"], True),
    ],
)
def test_the_days_that_a_query_names(text: str, days: list[str], only: bool) -> None:
    named = named_days(Query(text, "Ann", datetime(2026, 3, 2, 9, tzinfo=UTC)), ZoneInfo("UTC"))
    assert ([value for value, _, _ in named.days], named.only) == (days, only)
