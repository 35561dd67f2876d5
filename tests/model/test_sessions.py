"""Sessions: cut at silence and at midnight, never through an exchange, the same whatever came first."""

from datetime import UTC, datetime, timedelta
from random import Random
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from mcp_memory.model.turn import Turn, exchanges, turn_id
from mcp_memory.model.window import SESSION_GAP, day_key, split_sessions

BERLIN = ZoneInfo("Europe/Berlin")
START = datetime(2026, 3, 28, 20, tzinfo=UTC)  # the evening before clocks change


def said(at: datetime, text: str, session: str = "", exchange: str = "", position: int = 0) -> Turn:
    identifier = turn_id("Ann", session, at, "Ann", text)
    return Turn(
        identifier,
        "Ann",
        session,
        exchange or identifier,
        position,
        at,
        "Ann",
        "assistant" if exchange else "user",
        text,
    )


@st.composite
def talks(draw: st.DrawFn) -> list[Turn]:
    turns: list[Turn] = []
    steps = st.tuples(
        st.integers(0, 100), st.sampled_from(["", "", "", "a", "b"]), st.one_of(st.none(), st.integers(0, 90))
    )
    at = START
    for number, (minutes, session, reply) in enumerate(draw(st.lists(steps, max_size=25))):
        at += timedelta(minutes=minutes)
        first = said(at, f"said {number}", session)
        turns.append(first)
        if reply is not None:
            turns.append(said(at + timedelta(minutes=reply), f"reply {number}", session, first.id, 1))
    return turns


@given(talks(), st.randoms(use_true_random=False))
def test_the_order_of_arrival_makes_no_difference(turns: list[Turn], random: Random) -> None:
    shuffled = list(turns)
    random.shuffle(shuffled)
    assert split_sessions(shuffled, BERLIN) == split_sessions(turns, BERLIN)


@given(talks())
def test_every_turn_is_in_exactly_one_session(turns: list[Turn]) -> None:
    split = [turn.id for session in split_sessions(turns, BERLIN) for turn in session]
    assert sorted(split) == sorted(turn.id for turn in turns)


@given(talks())
def test_an_exchange_is_never_torn(turns: list[Turn]) -> None:
    home = {turn.id: number for number, session in enumerate(split_sessions(turns, BERLIN)) for turn in session}
    for exchange in exchanges(turns):
        assert len({home[turn.id] for turn in exchange}) == 1


@given(talks())
def test_all_exchanges_of_a_session_begin_on_one_day(turns: list[Turn]) -> None:
    for session in split_sessions(turns, BERLIN):
        assert len({day_key(group[0].at, BERLIN) for group in exchanges(session)}) == 1


@given(talks())
def test_inside_an_unnamed_session_nobody_is_silent_for_longer_than_the_gap(turns: list[Turn]) -> None:
    for session in split_sessions(turns, BERLIN):
        if session[0].session:
            continue
        latest = session[0].at
        for group in exchanges(session):
            assert group[0].at - latest <= SESSION_GAP
            latest = max(latest, group[-1].at)


def test_half_an_hour_of_silence_still_belongs_together() -> None:
    turns = [
        said(START, "one"),
        said(START + SESSION_GAP, "two"),
        said(START + 2 * SESSION_GAP + timedelta.resolution, "three"),
    ]
    assert [[turn.text for turn in session] for session in split_sessions(turns, BERLIN)] == [["one", "two"], ["three"]]


def test_a_named_session_holds_together_across_silence_but_not_across_midnight() -> None:
    turns = [said(START + timedelta(hours=hours), f"at {hours}", "chat") for hours in (0, 2, 4)]
    split = [[turn.text for turn in session] for session in split_sessions(turns, BERLIN)]
    assert split == [["at 0", "at 2"], ["at 4"]]


def test_named_and_unnamed_talk_at_the_same_time_are_told_apart() -> None:
    turns = [
        said(START, "one"),
        said(START + timedelta(minutes=1), "two", "chat"),
        said(START + timedelta(minutes=2), "three"),
    ]
    split = [[turn.text for turn in session] for session in split_sessions(turns, BERLIN)]
    assert split == [["one", "three"], ["two"]]


def test_a_reply_after_midnight_stays_with_what_it_answers() -> None:
    asked = said(datetime(2026, 3, 28, 22, 59, tzinfo=UTC), "asked")
    reply = said(datetime(2026, 3, 28, 23, 1, tzinfo=UTC), "answered", exchange=asked.id, position=1)
    assert split_sessions([reply, asked], BERLIN) == [[asked, reply]]
