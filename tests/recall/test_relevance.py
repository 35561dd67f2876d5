"""What is shown has something to do with what was asked; nothing is padded, nothing is glued together."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from mcp_memory.engine import Memory
from mcp_memory.model.query import Answer, Query
from mcp_memory.model.turn import Note
from mcp_memory.recall.listen import in_first_person
from mcp_memory.settings import load
from mcp_memory.views import answer_text
from mcp_memory.write.remember import Said

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
THINGS = ("kayak", "loom", "tent", "camera", "cello", "drill", "ladder", "lantern")
WHO = ("Aldous", "Birgit", "Cosmo", "Dagny", "Ewan", "Freya")


@pytest.fixture(scope="module")
def diary(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """Half a year of somebody's chat, with the encoder that a user has."""
    folder = tmp_path_factory.mktemp("diary")
    memory = Memory(load(overrides={"data_dir": folder, "owner": "Tessa", "time_zone": "UTC"}))
    memory.load()
    for number in range(48):
        who, thing = WHO[number % 6], THINGS[number // 6]
        said = f"{who} told me about the {thing} in their loft, from {1980 + number}."
        memory.remember(Said(said, "Interesting!", at=MONDAY + timedelta(days=number), session=f"s{number // 4}"))
    tell(memory, 60, "The alarm code of the summer house is behind the barometer.", "OK")
    tell(memory, 61, "My niece was born yesterday, two weeks early.", "Congratulations!")
    tell(memory, 62, "I work at the ferry office as a welder.", "I see.")
    tell(memory, 63, "Mum is allergic to penicillin, she told me today.", "Important to know.")
    tell(memory, 63, "The novel I read is dark and long.", "A classic.", minutes=10)
    cue = Note("Uncle Theo cannot eat gluten", ("I will bake sourdough bread for the visit",))
    tell(memory, 64, "My uncle Theo has coeliac disease.", "Sorry.", notes=[cue])
    memory.drain()
    yield memory
    memory.close()
    memory.store.journal.close()


def tell(memory: Memory, day: int, user: str, assistant: str, minutes: int = 0, **more: object) -> None:
    at = MONDAY + timedelta(days=day, minutes=minutes)
    memory.remember(Said(user, assistant, at=at, session=f"d{day}", **more))  # type: ignore[arg-type]


def ask(memory: Memory, text: str, **more: object) -> Answer:
    query = Query(**{"text": text, "owner": memory.owner, "at": MONDAY + timedelta(days=90), **more})  # type: ignore[arg-type]
    return memory.recall(query)


def lines(memory: Memory, text: str, **more: object) -> list[str]:
    return [hit.line for hit in ask(memory, text, **more).hits]


@pytest.mark.parametrize("query", ["barometer", "alarm code", "Barometer summer house"])
def test_what_holds_all_the_words_comes_first_and_little_else(query: str, diary: Memory) -> None:
    found = lines(diary, query)
    assert "barometer" in found[0]
    assert len(found) <= 3


@pytest.mark.parametrize(
    "query", ["the", "the and of", "It is what it is.", "??!", "Good morning!", "Thanks, that helped."]
)
def test_words_that_say_nothing_bring_back_next_to_nothing(query: str, diary: Memory) -> None:
    assert len(lines(diary, query)) <= 3


def test_a_note_that_says_more_than_its_message_is_told_beside_it(diary: Memory) -> None:
    found = "\n".join(lines(diary, "Theo"))
    assert "coeliac disease" in found
    assert "cannot eat gluten" in found


def test_a_remark_is_answered_by_what_it_evokes_first(diary: Memory) -> None:
    answer = ask(diary, "I will bake bread with sourdough for my guests.")
    assert answer.hits[0].section == "associations"
    assert "Theo" in answer.hits[0].line
    assert answer_text(answer).startswith("May also matter:")


def test_an_assistants_reply_stands_only_beside_what_it_replied_to(diary: Memory) -> None:
    for query in ("I am going to hospital and get antibiotics.", "She gave me penicillin for my throat today."):
        (line,) = [one for one in lines(diary, query) if "penicillin" in one]
        assert "classic" not in line


@pytest.mark.parametrize(
    "query", ["What happened on May 1st?", "What happened on 2026-05-01?", "What was on the first of May 2026?"]
)
def test_what_was_told_later_of_a_day_is_found_by_that_day(query: str, diary: Memory) -> None:
    assert [one for one in lines(diary, query) if "niece was born yesterday (2026-05-01)" in one]


@pytest.mark.parametrize("query", ["What did I do in January 2026?", "What happened on 2025-05-05?"])
def test_of_days_on_which_nothing_was_there_is_nothing(query: str, diary: Memory) -> None:
    assert lines(diary, query) == []


def test_between_two_moments_anything_is_everything(diary: Memory) -> None:
    window = {"since": MONDAY + timedelta(days=60), "until": MONDAY + timedelta(days=65)}
    found = "\n".join(lines(diary, "What happened?", **window))
    assert all(word in found for word in ("barometer", "niece", "ferry", "penicillin", "novel", "Theo"))
    assert "loft" not in found


def test_a_question_about_the_owner_by_name_finds_what_the_owner_said_as_i(diary: Memory) -> None:
    for query in ("Where does Tessa work?", "Where does the user work?", "What is Tessa's job?"):
        assert [one for one in lines(diary, query)[:3] if "ferry office" in one]


@pytest.mark.parametrize(
    ("owner", "asked", "put"),
    [
        ("Tessa", "Where is Tessa's pen?", "Where is my pen?"),
        ("Tessa", "Does Tessa know Contessa?", "Does I know Contessa?"),
        ("Tess.a (x)", "Who is Contessa?", "Who is Contessa?"),
        ("user", "Does the user have a user account?", "Does I have a user account?"),
        ("user", "the user’s cat", "my cat"),
    ],
)
def test_a_query_about_the_owner_is_put_as_they_would(owner: str, asked: str, put: str) -> None:
    assert in_first_person(asked, owner) == put
