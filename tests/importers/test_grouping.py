from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from mcp_memory.importers.grouping import MOST_TURNS, Grouping
from mcp_memory.model.turn import Role, Turn

START = datetime(2024, 5, 1, 9, 0, tzinfo=UTC)


def turn(number: int, speaker: str, minutes: float = 0, session: str = "s") -> Turn:
    role: Role = "user" if speaker == "user" else "assistant" if speaker == "assistant" else "other"
    at = START + timedelta(minutes=minutes or number)
    return Turn(f"t{number}", "owner", session, f"t{number}", 0, at, speaker, role, "…")


def exchanges_of(turns: Sequence[Turn]) -> list[str]:
    grouping = Grouping()
    return [grouping.place(one).exchange for one in turns]


def spoken(*speakers: str) -> list[Turn]:
    return [turn(number, speaker) for number, speaker in enumerate(speakers)]


def test_a_user_after_the_assistant_opens_an_exchange() -> None:
    said = spoken("user", "assistant", "user", "user", "assistant", "assistant", "user")
    assert exchanges_of(said) == ["t0", "t0", "t2", "t2", "t2", "t2", "t6"]


def test_an_assistant_that_speaks_first_has_an_exchange_of_its_own() -> None:
    assert exchanges_of(spoken("assistant", "user", "assistant", "user")) == ["t0", "t1", "t1", "t3"]


def test_between_named_people_whoever_opened_opens_again() -> None:
    assert exchanges_of(spoken("Ada", "Ada", "Ben", "Ben", "Ada", "Ben", "Ada")) == [
        *["t0"] * 4,
        *["t4"] * 2,
        "t6",
    ]


def test_in_a_group_all_answer_before_the_opener_speaks_again() -> None:
    assert exchanges_of(spoken("Ada", "Ben", "Cem", "Ben", "Ada")) == ["t0", "t0", "t0", "t0", "t4"]


def test_another_session_is_another_exchange() -> None:
    assert exchanges_of([turn(0, "Ada"), turn(1, "Ben", session="z")]) == ["t0", "t1"]


def test_half_an_hour_of_silence_ends_an_exchange_and_not_less() -> None:
    assert exchanges_of([turn(0, "Ada", 1), turn(1, "Ben", 31), turn(2, "Ben", 62)]) == ["t0", "t0", "t2"]


def test_a_clock_that_jumps_back_ends_an_exchange() -> None:
    assert exchanges_of([turn(0, "Ada", 90), turn(1, "Ben", 1)]) == ["t0", "t1"]


def test_a_monologue_is_cut() -> None:
    found = exchanges_of([turn(number, "Ada") for number in range(3 * MOST_TURNS)])
    assert [found.count(name) for name in dict.fromkeys(found)] == [MOST_TURNS] * 3


def test_positions_count_within_a_session_and_go_on_from_what_is_given() -> None:
    grouping = Grouping()
    a, b, c, d, e = turn(0, "Ada"), turn(1, "Ada", session="z"), turn(2, "Ada"), turn(3, "Ada"), turn(4, "Ada")
    placed = [grouping.place(a), grouping.place(b), grouping.place(c), grouping.place(d, position=9), grouping.place(e)]
    assert [one.position for one in placed] == [0, 0, 1, 9, 10]


def test_what_has_a_label_does_not_part_what_has_none() -> None:
    grouping = Grouping()
    said = [("Ada", ""), ("Cem", "x"), ("Ben", ""), ("Ada", "x")]
    placed = [grouping.place(turn(number, speaker), label).exchange for number, (speaker, label) in enumerate(said)]
    assert placed == ["t0", "t1", "t0", "t1"]


def test_labelled_exchanges_may_be_interleaved_and_are_called_by_their_first_turn() -> None:
    grouping = Grouping()
    placed = [grouping.place(turn(number, "Ada"), label).exchange for number, label in enumerate("xyxy")]
    assert placed == ["t0", "t1", "t0", "t1"]


@given(st.lists(st.tuples(st.sampled_from(["user", "assistant", "Ada"]), st.integers(1, 50)), max_size=40))
def test_an_exchange_is_a_run_that_is_called_by_its_first_turn(said: list[tuple[str, int]]) -> None:
    clock, turns = 0, []
    for number, (speaker, pause) in enumerate(said):
        clock += pause
        turns.append(turn(number, speaker, clock))
    found = exchanges_of(turns)
    starts = [n for n, name in enumerate(found) if n == 0 or found[n - 1] != name]
    assert [found[n] for n in starts] == [f"t{n}" for n in starts]
