"""What of a persona is shown: what holds, the newest of every key within a budget, and what changed lately."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from mcp_memory import views
from mcp_memory.engine import Memory
from mcp_memory.errors import InputError
from mcp_memory.model.persona import PersonaView
from mcp_memory.model.turn import Note
from mcp_memory.model.unit import Unit
from mcp_memory.text.tokens import count_tokens
from mcp_memory.write.persona import view
from mcp_memory.write.remember import Said

START = datetime(2026, 1, 5, 12, tzinfo=UTC)
LATER = START + timedelta(days=400)


def patch(number: int, key: str, value: str, name: str = "") -> dict[str, Any]:
    at = (START + timedelta(days=number)).isoformat()
    return {"speaker": "Ann", "key": key, "name": name, "value": value, "when": "", "at": at, "turns": ["t1"]}


def shown(patches: list[dict[str, Any]], at: datetime = LATER, named: str = "") -> PersonaView:
    unit = Unit("n1", "Ann", "persona", START, START, "", speaker="Ann", detail={"patches": patches})
    return view([unit], named or "Ann", at, bool(named), [])


def test_the_newest_of_every_key_is_shown_and_the_rest_counted() -> None:
    many = [patch(number, "timeline", f"I visited the museum of city number {number}.") for number in range(200)]
    found = shown([*many, patch(0, "identity", "I live in Lyon.")])
    assert found.keys["identity"][0]["value"] == "I live in Lyon."
    assert found.keys["timeline"][0]["value"].endswith("199.")
    left = 201 - sum(map(len, found.keys.values()))
    assert f"{left} older entries" in found.notices[0]
    assert sum(count_tokens(one["value"]) for group in found.keys.values() for one in group) < 320


def test_what_fits_is_shown_whole_without_a_notice() -> None:
    found = shown([patch(1, "traits", "I usually walk."), patch(2, "traits", "I tend to sing.")])
    assert [one["value"] for one in found.keys["traits"]] == ["I tend to sing.", "I usually walk."]
    assert not found.notices


def test_every_key_shows_at_least_its_newest_however_long() -> None:
    found = shown([patch(1, "traits", "walk " * 400), patch(2, "identity", "live " * 400)])
    assert {key: len(group) for key, group in found.keys.items()} == {"traits": 1, "identity": 1}


def test_a_newer_value_of_a_name_shows_what_it_replaced() -> None:
    patches = [patch(1, "identity", "Paris", "city"), patch(2, "identity", "Lyon", "city")]
    found = shown(patches, START + timedelta(days=3))
    assert [one["value"] for one in found.keys["identity"]] == ["Lyon"]
    assert (found.changes[0]["value"], found.changes[0]["was"]) == ("Lyon", "Paris")
    assert shown(patches, START + timedelta(days=1)).keys["identity"][0]["value"] == "Paris"


def test_one_entry_that_is_not_listed_is_counted_as_one() -> None:
    found = shown([patch(number, "timeline", "walk " * (100 * number)) for number in (1, 2, 3)])
    assert "2 older entries are not listed" in found.notices[0]
    found = shown([patch(number, "timeline", "walk " * (180 * number)) for number in (1, 2)])
    assert "1 older entry is not listed" in found.notices[0]


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("I live in Graz.", "I moved to Linz last month."),
        ("I work as a lab technician at Brandt Diagnostics.", "I started at Nordlicht."),
        ("I'm married to Jonas.", "Jonas and I got divorced."),
        ("Ann lives in Graz", "I moved to Linz."),
    ],
)
def test_what_a_later_statement_ends_is_history(earlier: str, later: str) -> None:
    patches = [patch(1, "identity", earlier), patch(40, "timeline", later)]
    found = shown(patches, START + timedelta(days=41))
    assert [one["value"] for group in found.keys.values() for one in group] == [later]
    assert [(one["value"], one["was"]) for one in found.changes] == [(later, earlier)]
    assert earlier not in found.portrait
    before = shown(patches, START + timedelta(days=39))
    assert before.keys["identity"][0]["value"] == earlier
    assert not before.changes


def test_a_later_age_replaces_an_earlier() -> None:
    found = shown([patch(1, "identity", "I'm 41."), patch(9, "identity", "I turned 42 yesterday.")])
    assert [one["value"] for one in found.keys["identity"]] == ["I turned 42 yesterday."]


def test_what_is_said_again_holds_again() -> None:
    told = ["I live in Graz.", "I moved to Linz.", "I live in Graz."]
    found = shown([patch(number, "identity", value) for number, value in enumerate(told)])
    assert [one["value"] for one in found.keys["identity"]] == ["I live in Graz."]


def test_what_happened_stays_in_the_timeline_but_not_in_the_portrait() -> None:
    found = shown([patch(1, "timeline", "I moved to Graz."), patch(2, "timeline", "I moved to Linz.")])
    assert len(found.keys["timeline"]) == 2
    assert found.portrait == "I moved to Linz."


def test_an_event_of_long_ago_ends_nothing_said_since() -> None:
    event = {**patch(2, "timeline", "I moved to Linz in 2019."), "when": "2019"}
    found = shown([patch(1, "identity", "I live in Graz."), event], START + timedelta(days=3))
    assert [one["value"] for one in found.keys["identity"]] == ["I live in Graz."]
    assert not found.changes


def test_what_lies_ahead_neither_ends_nor_changes_anything_yet() -> None:
    job = {**patch(2, "timeline", "I got a new job at Nordlicht from May 1st."), "when": "2026-05-01"}
    patches = [patch(1, "identity", "I work at Brandt."), job]
    found = shown(patches, START + timedelta(days=3))
    assert found.keys["identity"][0]["value"] == "I work at Brandt."
    assert not found.changes
    assert "identity" not in shown(patches).keys


def test_what_is_merely_said_or_said_again_did_not_change() -> None:
    patches = [
        patch(1, "traits", "I tend to sing."),
        patch(2, "preferences", "I tend to sing."),
        patch(1, "identity", "Lyon", "city"),
        patch(2, "identity", "Lyon", "city"),
        {**patch(2, "timeline", "I signed up for a race in May."), "when": "2026-05"},
    ]
    assert not shown(patches, START + timedelta(days=3)).changes


def test_a_change_told_twice_is_listed_once() -> None:
    patches = [
        patch(1, "identity", "I live in Graz."),
        patch(2, "timeline", "I moved to Linz."),
        patch(3, "timeline", "Ann moved to Linz"),
    ]
    (found,) = shown(patches, START + timedelta(days=4)).changes
    assert (found["value"], found["was"]) == ("Ann moved to Linz", "I live in Graz.")


def test_somebody_is_known_since_they_first_told_something_though_it_holds_no_more() -> None:
    patches = [patch(9, "timeline", "I moved to Linz."), patch(1, "identity", "I live in Graz.")]
    assert shown(patches).since == patches[1]["at"]
    assert shown([patch(1, "traits", "I sing."), patch(5, "traits", "I sing.")]).since == patches[1]["at"]
    assert shown(patches, START).since == ""


def test_a_note_and_the_words_it_was_made_of_are_one_entry() -> None:
    found = shown([patch(1, "preferences", "I prefer tea."), patch(1, "preferences", "The user prefers tea")])
    assert [one["value"] for one in found.keys["preferences"]] == ["The user prefers tea"]


def test_nobody_known_is_said_with_who_is() -> None:
    with pytest.raises(InputError, match="known: Ann"):
        shown([patch(1, "traits", "I tend to sing.")], named="Zoe")


def test_a_persona_is_drawn_from_what_is_said_and_noted(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    assert "Nothing is known yet." in views.persona(memory, "", "")[0]
    noted = [Note("Ann is lactose intolerant"), Note("The user's sister is Ines"), Note("Ann prefers tea")]
    memory.remember(Said("I live in Graz. Write a poem: I hate trees.", "ok", notes=noted, at=START))
    memory.remember(Said("I moved to Linz last month.", "ok", at=START + timedelta(days=50)))
    memory.drain()
    text, found = views.persona(memory, "", "")
    assert {key: [one["value"] for one in group] for key, group in found.keys.items()} == {
        "identity": ["Ann is lactose intolerant"],
        "preferences": ["Ann prefers tea"],
        "relations": ["The user's sister is Ines"],
        "timeline": ["I moved to Linz last month."],
    }
    assert "known since 2026-01-05" in text
    assert "I moved to Linz last month. (before: I live in Graz.)" in text
    assert "Nothing is known as of then." in views.persona(memory, "", "2025-12-01")[0]
