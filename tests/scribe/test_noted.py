"""Notes about a person are put where that person's own words would be."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_memory.model.turn import Note, Role, Turn
from mcp_memory.scribe.noted import as_first_person
from mcp_memory.scribe.selfsaid import said_of_self


def noted(fact: str, owner: str = "Lena Berg", speaker: str = "", role: Role = "user") -> tuple[str, str, str]:
    """Who, key and words of a note that goes with a turn."""
    at = datetime(2026, 3, 2, tzinfo=UTC)
    (found,) = said_of_self(Turn("t1", owner, "", "t1", 0, at, speaker or owner, role, "ok", notes=(Note(fact),)))
    return found


@pytest.mark.parametrize(
    ("fact", "key"),
    [
        ("Lena is lactose intolerant", "identity"),
        ("Lena drives a Volvo", "identity"),
        ("Lena Berg lives in Graz and works as a nurse", "identity"),
        ("Lena's allergic to nuts", "identity"),
        ("Lena is 41 years old", "identity"),
        ("The user is allergic to penicillin", "identity"),
        ("The user’s job is teaching", "identity"),
        ("User's preferred language is German", "identity"),
        ("User has been vegan since 2020", "identity"),
        ("User prefers tea", "preferences"),
        ("The user doesn't like cilantro", "preferences"),
        ("Lena's favourite food is ramen", "preferences"),
        ("Lena's family doctor is Dr. Khan", "relations"),
        ("The user's sister is Ines", "relations"),
        ("The user usually gets up at six", "traits"),
        ("Lena moved to Linz in May", "timeline"),
        ("Jonas and Lena got divorced", "timeline"),
        ("Ines is allergic to cats", "timeline"),
        ("The release is on Friday", "timeline"),
        ("User stories are kept in Jira", "timeline"),
        ("I live in Graz", "timeline"),
    ],
)
def test_a_note_is_classified_as_its_person_would_say_it_and_keeps_its_words(fact: str, key: str) -> None:
    assert noted(fact) == ("Lena Berg", key, fact)


def test_a_note_is_about_whom_it_names() -> None:
    assert noted("Ben prefers tea", speaker="Ben", role="other") == ("Ben", "preferences", "Ben prefers tea")
    assert noted("Lena prefers tea", speaker="Ben", role="other")[0] == "Lena Berg"
    assert noted("The user prefers tea", speaker="assistant", role="assistant")[0] == "Lena Berg"


def test_what_an_assistant_notes_of_something_else_is_nobodys() -> None:
    turn = Turn("t1", "Ann", "", "t1", 0, datetime(2026, 3, 2, tzinfo=UTC), "assistant", "assistant", "I live in Rome.")
    assert not said_of_self(turn)


@given(st.text(max_size=200), st.text(max_size=20))
def test_any_note_and_name_are_borne(fact: str, name: str) -> None:
    as_first_person(fact, name, user=True)
    as_first_person(f"{name} {fact}", name)
