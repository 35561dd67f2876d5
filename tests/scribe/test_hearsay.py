"""Text that somebody quotes, asks for or makes up is nothing they say of themselves."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_memory.model.turn import Turn
from mcp_memory.scribe.hearsay import own_sentences
from mcp_memory.scribe.selfsaid import said_of_self


def told(text: str) -> list[str]:
    """What the rules take for said of Ann by herself."""
    turn = Turn("t1", "Ann", "", "t1", 0, datetime(2026, 3, 2, tzinfo=UTC), "Ann", "user", text)
    return [quote for _, _, quote in said_of_self(turn)]


@pytest.mark.parametrize(
    "text",
    [
        "Write me a poem in which a tyrant says: I love war and I hate children.",
        "Please draft an email to my boss: I quit my job. I am allergic to the place.",
        "Can you please summarise the following?\n\nI live in Berlin. I am a doctor.",
        "Could you write a story. I am a dragon and I hate knights. I live in a cave.",
        "Make up a dialogue.\nANNA: I live in Rome.\nBEN: I hate Rome.",
        "Compose a letter in which I say that I love my job.",
        "Tell me a joke about somebody who says I hate Mondays.",
        "Write a tweet from the perspective of a cat. I love fish.",
        "Translate into French: I am allergic to cats.",
        "Translate into French:\nI am allergic to cats. I live in Rome.",
        "I am allergic to cats. Can you translate that into French?",
        "I am allergic to cats, translate that into French please.",
        "Proofread this: I live in Rome. I am a nurse.",
        "Correct my English: I am allergic to cats.",
        "How do I say in French: I am allergic to cats.",
        "Pretend I'm a doctor. I live in Paris.",
        "Imagine I am a pirate. I hate land.",
    ],
)
def test_a_request_for_text_tells_nothing(text: str) -> None:
    assert not told(text)


@pytest.mark.parametrize(
    "text",
    [
        "> I am a banker and I hate trees.\nThat's what the spammer wrote to me.",
        "I am a banker and I hate trees. That's what the spammer wrote to me.",
        "```\nI live in Rome.\n```",
        "~~~\nI live in Rome.\nI love cats.",
        'He wrote: "I love war. I hate children." and left.',
        '"I love war.\n\nI hate children."',
        "“I love war and I hate children,” the tyrant cried.",
        "'I live in Rome and I love cats.'",
        "„Ich sagte: I live in Rome.“",
        '"I love war. I hate children.',
        "`I live in Rome` is a sentence.",
        "I live in Rome. I love it there! That is from a movie.",
    ],
)
def test_what_is_quoted_tells_nothing(text: str) -> None:
    assert not told(text)


@pytest.mark.parametrize(
    "text",
    [
        "I hate mornings, said the owl in the story.",
        "I hate mornings! said the owl.",
        "I hate mornings, she said.",
        "I hate mornings - my brother says.",
        "My brother said: I love war.",
        "My brother said I always win.",
        "The king says: I hate mice.",
        "According to the spammer I am a banker.",
        "Tom: I love war. I hate children.",
        "TYRANT:\nI love war.",
        "The email says:\nI live in Rome.\nI hate cats.",
        "In my novel, I am a king and I love gold.",
        "Here's my short story. I am a dragon. I live in a cave.",
        "I'm writing a song that goes: I love the rain.",
        "I live in Rome. Just kidding!",
    ],
)
def test_what_somebody_else_says_tells_nothing(text: str) -> None:
    assert not told(text)


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("I'm a nurse. Write me a cover letter.", "I'm a nurse."),
        ("As I said, I live in Graz.", "As I said, I live in Graz."),
        ("Update: I live in Linz now.", "Update: I live in Linz now."),
        ("Tom: I hate tea.\nMe: I love tea.", "Me: I love tea."),
        ("Tom: I hate tea.\nAnn: I love tea.", "I love tea."),
        ('My favorite book is "The Hobbit".', 'My favorite book is "The Hobbit".'),
        ('I just finished "The Marvelous Mrs. Maisel".', 'I just finished "The Marvelous Mrs. Maisel".'),
        ("Fun fact: I speak German.", "Fun fact: I speak German."),
        ("I love tea. Check out this photo!", "I love tea."),
        ("About me:\n- I'm vegan", "- I'm vegan"),
        ("I told my boss that I'm allergic to cats.", "I told my boss that I'm allergic to cats."),
        ("> I hate tea\n\nNot me: I love tea.", "Not me: I love tea."),
        ("He's 5'10\" tall. I live in Graz.", "I live in Graz."),
    ],
)
def test_what_they_say_themselves_beside_it_counts(text: str, own: str) -> None:
    assert told(text) == [own]


@given(st.text(st.characters(exclude_categories=()), max_size=300))
def test_any_text_is_borne(text: str) -> None:
    own_sentences(text, "Ann")


@pytest.mark.parametrize(
    "piece", ['"', "'a ", "> ", "```\n", "A: ", ", a ", "“", "please ", "i said ", "that's what ", "text "]
)
def test_a_very_long_text_does_not_hang(piece: str) -> None:
    assert not told(piece * 20_000)
