"""Remembering: at once, once, without secrets, and refused only with the next step."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from mcp_memory.engine import Memory
from mcp_memory.errors import InputError
from mcp_memory.model.turn import Note
from mcp_memory.ports import FixedClock
from mcp_memory.write.remember import MOST_NOTES, MOST_TEXT, Said

Open = Callable[..., Memory]

SECRETS = {
    "sk-ant-api03-" + "Ab3dE6gH9jK2mN5pQ8sT" * 4: "anthropic",
    "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8": "github",
    "AKIA" + "IOSFODNN7EXAMPLE": "aws",
    "4111 1111 1111 1111": "card",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAxyz0123456789\n-----END RSA PRIVATE KEY-----": "pem",
}


def bytes_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def texts(memory: Memory) -> list[str]:
    memory.corpus.refresh()
    return [turn.text for turn in memory.corpus.turns.values()]


@pytest.mark.parametrize("secret", SECRETS)
def test_a_secret_never_reaches_the_disk(memory: Memory, secret: str) -> None:
    core = secret.split("\n")[1] if "\n" in secret else secret
    remembered = memory.remember(
        Said(
            f"my key is {secret} keep it",
            f"I noted {secret}",
            topic=f"key {secret}"[:200],
            notes=[Note(f"the key is {secret}", (f"cue {secret}",), f"old {secret}")],
            session=f"chat {secret}"[:200],
        )
    )
    assert remembered.redacted
    memory.drain()
    held = bytes_of(memory.store.folder)
    for form in (core, core.replace("\n", "\\n")):
        assert form.encode() not in held
        assert form.encode("utf-16-le") not in held
    assert "[redacted:" in texts(memory)[0]


def test_redaction_can_be_switched_off(open_memory: Open) -> None:
    memory = open_memory(redact=False)
    memory.remember(Said("card 4111 1111 1111 1111"))
    assert texts(memory) == ["card 4111 1111 1111 1111"]


def test_a_retry_is_told_as_one(memory: Memory, clock: FixedClock) -> None:
    first = memory.remember(Said("yes", "good"))
    clock.advance(timedelta(seconds=90))
    again = memory.remember(Said("yes", "good"))
    assert (first.stored, again.stored, again.duplicate) == (True, False, True)
    assert (again.ids, again.at) == (first.ids, first.at)
    clock.advance(timedelta(seconds=121))
    assert memory.remember(Said("yes", "good")).stored


def test_the_same_words_with_other_notes_are_no_retry(memory: Memory, clock: FixedClock) -> None:
    memory.remember(Said("yes", "good"))
    clock.advance(timedelta(seconds=1))
    assert memory.remember(Said("yes", "good", notes=[Note("Ann wants the piano")])).stored
    memory.corpus.refresh()
    assert "Ann wants the piano" in {unit.text for unit in memory.corpus.units.values()}


def test_the_same_words_with_the_same_moment_are_the_same_turn_for_ever(memory: Memory, clock: FixedClock) -> None:
    at = clock.now() - timedelta(days=3)
    first = memory.remember(Said("yes", at=at))
    memory.drain()
    clock.advance(timedelta(days=300))
    memory.remember(Said("something else"))
    assert memory.remember(Said("yes", at=at)).ids == first.ids
    assert memory.remember(Said("yes", at=at)).duplicate
    assert memory.remember(Said("yes", at=at + timedelta(seconds=1))).stored
    assert memory.remember(Said("yes", at=at, session="other")).stored


def test_a_reply_that_arrives_with_the_retry_joins_its_exchange(memory: Memory, clock: FixedClock) -> None:
    at = clock.now()
    memory.remember(Said("how are you", at=at))
    memory.drain()
    memory.remember(Said("how are you", "fine", at=at))
    memory.drain()
    segments = [unit for unit in memory.corpus.units.values() if unit.kind == "segment"]
    assert [len(unit.turns) for unit in segments] == [2]
    assert "fine" in segments[0].text


@pytest.mark.parametrize(
    "text",
    [
        "🙂🙃👩\u200d👩\u200d👧",
        "שלום עולם",
        "日本語のテキスト",
        "a\x00b",
        "'; DROP TABLE turns; --",
        "\u202eevil",
        "é" * 1000,
        "x" * 1_000_000,
    ],
    ids=lambda text: ascii(text)[:12],
)
def test_any_text_comes_back_verbatim_but_for_what_cannot_be_stored(memory: Memory, text: str) -> None:
    memory.remember(Said(text))
    memory.drain()
    memory.store.journal.bump("epoch")
    assert texts(memory) == [text.replace("\x00", "\ufffd")]


def test_a_lone_surrogate_is_replaced(memory: Memory) -> None:
    memory.remember(Said("half \ud83d of a smile"))
    memory.drain()
    assert texts(memory) == ["half \ufffd of a smile"]


@pytest.mark.parametrize(
    ("said", "hint"),
    [
        (Said(""), "word for word"),
        (Said(" \n\t\u200b"), "word for word"),
        (Said("\x00"), "word for word"),
        (Said("x" * (MOST_TEXT + 1)), "split"),
        (Said("x", topic="t" * 201), "topic"),
        (Said("x", session="t" * 201), "session"),
        (Said("x", notes=[Note("")]), "fact"),
        (Said("x", notes=[Note("x" * 2001)]), "fact"),
        (Said("x", notes=[Note("fact")] * (MOST_NOTES + 1)), "notes"),
    ],
)
def test_what_cannot_be_remembered_is_refused_with_the_next_step(memory: Memory, said: Said, hint: str) -> None:
    with pytest.raises(InputError, match=hint):
        memory.remember(said)
    assert memory.waiting() == 0


def test_the_future_is_refused_but_a_clock_that_is_a_little_ahead_is_not(memory: Memory, clock: FixedClock) -> None:
    with pytest.raises(InputError, match="future"):
        memory.remember(Said("x", at=clock.now() + timedelta(days=2)))
    assert memory.remember(Said("x", at=clock.now() + timedelta(hours=1))).stored


def test_only_a_reply_is_a_turn_too(memory: Memory) -> None:
    memory.remember(Said("", "I shall remind you"))
    memory.corpus.refresh()
    assert [turn.role for turn in memory.corpus.turns.values()] == ["assistant"]


def test_topic_and_notes_are_kept_and_their_facts_are_found_at_once(memory: Memory) -> None:
    memory.remember(Said("Nuts make me ill", topic="health", notes=[Note("Ann is allergic to nuts", ("dessert",))]))
    memory.corpus.refresh()
    found = {(unit.kind, unit.view): unit for unit in memory.corpus.units.values()}
    assert found["item", "note"].text == "Ann is allergic to nuts"
    assert found["cue", "utterance"].text == "dessert"
    assert found["segment", ""].title == "health"
