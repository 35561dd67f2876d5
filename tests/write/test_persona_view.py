"""How much of a persona is shown: the newest of every key, within a budget, with a count of the rest."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from mcp_memory.errors import InputError
from mcp_memory.model.persona import PersonaView
from mcp_memory.model.unit import Unit
from mcp_memory.text.tokens import count_tokens
from mcp_memory.write.persona import view

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


def test_what_was_said_twice_changed_once() -> None:
    patches = [patch(1, "traits", "I tend to sing."), patch(2, "preferences", "I tend to sing.")]
    assert [one["key"] for one in shown(patches, START + timedelta(days=3)).changes] == ["preferences"]


def test_nobody_known_is_said_with_who_is() -> None:
    with pytest.raises(InputError, match="known: Ann"):
        shown([patch(1, "traits", "I tend to sing.")], named="Zoe")
