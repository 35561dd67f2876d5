"""Recall over a real memory, as a client asks."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from mcp_memory.engine import Memory
from mcp_memory.model.query import Answer, Query
from mcp_memory.model.turn import Note
from mcp_memory.recall.evidence import FEW
from mcp_memory.recall.pipeline import COMPONENTS
from mcp_memory.text.tokens import count_tokens
from mcp_memory.views import answer_text
from mcp_memory.write.remember import Said

Open = Callable[..., Memory]
DAY = datetime(2026, 2, 2, 9, tzinfo=UTC)
SAID = (
    "I planted a fig tree on the balcony yesterday.",
    "My sister moves to Lisbon in October.",
    "The hailstorm ruined all the peppers.",
    "I keep bees behind the barn.",
)


def tell(memory: Memory, *texts: str, start: datetime = DAY, **more: object) -> None:
    for number, text in enumerate(texts):
        memory.remember(Said(text, at=start + timedelta(days=number), **more))  # type: ignore[arg-type]


def ask(memory: Memory, text: str, **more: object) -> Answer:
    query = Query(**{"text": text, "owner": memory.owner, "at": memory.now(), **more})  # type: ignore[arg-type]
    return memory.recall(query)


def lines(memory: Memory, text: str, **more: object) -> str:
    return "\n".join(hit.line for hit in ask(memory, text, **more).hits)


@pytest.fixture
def filled(memory: Memory) -> Memory:
    tell(memory, *SAID)
    memory.drain()
    return memory


def test_an_empty_memory_says_so_and_does_not_pad(memory: Memory) -> None:
    answer = ask(memory, "Where is my sister?")
    assert answer.hits == ()
    assert answer_text(answer).startswith("Nothing remembered matches")


def test_one_turn_is_found_at_once(memory: Memory) -> None:
    tell(memory, SAID[1])
    assert "Lisbon" in lines(memory, "Where does my sister move?")


def test_a_line_has_its_date_its_id_and_relative_days_resolved(filled: Memory) -> None:
    line = next(hit.line for hit in ask(filled, "When did I plant the fig tree?").hits if "fig" in hit.line)
    assert line.startswith("2026-02-02 ")
    assert "2026-02-01" in line
    assert line.count("#") == 1


def test_words_that_nobody_said_find_nothing(open_memory: Open) -> None:
    memory = open_memory(embedder=None)
    tell(memory, *SAID)
    assert ask(memory, "zxqv blorp frumious").hits == ()


@pytest.mark.parametrize(
    "query", ["北京的天气怎么样", "\u202eمرحبا", "🐝", "\ud800", "'; DROP TABLE units; --", "\x00"]
)
def test_any_query_is_answered(filled: Memory, query: str) -> None:
    assert count_tokens(answer_text(ask(filled, query))) <= 1024


def test_a_query_of_a_megabyte_is_answered(filled: Memory) -> None:
    assert "Lisbon" in lines(filled, "Lisbon " + "word " * 200_000)


def test_nothing_is_recalled_from_after_the_moment_of_asking(filled: Memory) -> None:
    assert "bees" not in lines(filled, "Where are the bees?", at=DAY + timedelta(days=2))
    assert ask(filled, "Where are the bees?", at=DAY - timedelta(days=900)).hits == ()


def test_since_is_met_and_until_is_not(filled: Memory) -> None:
    found = lines(filled, "fig Lisbon hailstorm bees", since=DAY + timedelta(days=1), until=DAY + timedelta(days=3))
    assert [word in found for word in ("fig", "Lisbon", "hailstorm", "bees")] == [False, True, True, False]


def test_what_was_replaced_never_appears(memory: Memory) -> None:
    tell(memory, "I moved.", notes=[Note("Ann lives in Graz")])
    tell(
        memory,
        "Moved again.",
        start=DAY + timedelta(days=9),
        notes=[Note("Ann lives in Linz", (), "Ann lives in Graz")],
    )
    memory.drain()
    found = lines(memory, "Where does Ann live?")
    assert "Linz" in found
    assert "Graz" not in found


def test_another_owners_memories_never_appear(open_memory: Open) -> None:
    tell(open_memory("Ben"), "I keep bees in Graz.")
    assert ask(open_memory("Ann"), "Where are the bees?").hits == ()


def test_control_characters_and_reversed_text_do_not_come_out(memory: Memory) -> None:
    tell(memory, "The bees\x1b[31m are \u202ederob\u202c today\x00.\n# Heading\n- item")
    found = lines(memory, "What of the bees?")
    assert "bees" in found
    assert not {"\x1b", "\u202e", "\x00"} & set(found)
    assert found.count("\n") == len(ask(memory, "What of the bees?").hits) - 1


@pytest.mark.parametrize("budget", [0, 32, 64, 200])
def test_the_whole_text_is_within_the_budget(filled: Memory, budget: int) -> None:
    tell(filled, *(f"The bees behind barn {n} hum of fig trees, Lisbon and peppers." for n in range(30)))
    answer = ask(filled, "I wonder why the bees like fig trees?", max_tokens=budget)
    assert answer.tokens <= budget
    assert not answer.hits or count_tokens(answer_text(answer)) <= budget


def test_a_remark_that_shares_no_word_finds_the_note_by_its_cue(memory: Memory) -> None:
    tell(memory, *SAID)
    tell(memory, "Mum is well.", notes=[Note("Ann gave up sugar", ("They served cake at work",))])
    memory.drain()
    evoked = [hit for hit in ask(memory, "They served cake at work again.").hits if hit.section == "associations"]
    assert "Ann gave up sugar" in evoked[0].line
    assert evoked[0].reserved
    assert "They served cake" in evoked[0].via


def test_the_trace_tells_lists_ranks_and_what_the_gate_dropped(filled: Memory) -> None:
    tell(filled, *(f"Report {n} on parking in district {n * 7}." for n in range(30)))
    ask(filled, "Where are the bees parked in their district?")
    trace = filled.inspect("trace", "", None, None, 1)["recalls"][0]
    assert trace["lists"]["facts"] > len(trace["lines"])
    assert trace["lines"][0]["fact_rank"] == 1
    assert trace["gate_dropped_count"] == trace["lists"]["facts"] - len(trace["lines"])
    assert (trace["told_already_count"], trace["no_room_count"]) == (0, 0)


def test_the_trace_tells_what_had_no_room_and_which_days_were_asked_about(filled: Memory) -> None:
    tell(filled, *(f"Report {n} on bees in district {n * 7}." for n in range(30)))
    ask(filled, "Which bees were reported between May 1st 2023 and May 9th 2023?", max_tokens=64)
    trace = filled.inspect("trace", "", None, None, 1)["recalls"][0]
    assert trace["days"] == ["2023-05-01/2023-05-09"]
    assert trace["no_room_count"] > 0
    assert not trace["lines"][0]["reserved"]


@pytest.mark.parametrize("component", COMPONENTS)
def test_every_component_can_be_left_out(filled: Memory, component: str) -> None:
    query = Query("Where are the bees?", "Ann", filled.now())
    assert any("bees" in hit.line for hit in filled.recall(query, frozenset({component})).hits)


def test_recalls_and_new_turns_do_not_disturb_each_other(memory: Memory) -> None:
    tell(memory, *SAID)
    failed: list[BaseException] = []

    def run(work: Callable[[], object]) -> None:
        try:
            for _ in range(5):
                work()
        except BaseException as error:  # noqa: BLE001 - whatever it is, the test must see it
            failed.append(error)

    def listen() -> None:
        assert "Lisbon" in lines(memory, "Where does my sister move?")

    def speak() -> None:
        tell(memory, f"Another day, another bee {threading.get_ident()} {memory.waiting()}.")

    threads = [threading.Thread(target=run, args=(work,)) for work in (listen, listen, listen, speak, memory.drain)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


def test_a_question_about_a_day_gets_that_day(filled: Memory) -> None:
    found = ask(filled, "What happened on 3 February 2026?").hits
    assert [hit.line.partition(" #")[0] for hit in found] == [
        "2026-02-03 Ann: My sister moves to Lisbon in October (2026-10)."
    ]


def test_what_is_only_faintly_alike_is_a_few_lines_at_most(filled: Memory) -> None:
    tell(filled, *(f"Report {n} on parking in district {n * 7}." for n in range(30)))
    assert len(ask(filled, "zebras singing opera").hits) <= FEW
