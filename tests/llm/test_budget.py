from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from threading import Event, Thread

import pytest

from mcp_memory.errors import ChatDeniedError, ChatError, ChatFormatError
from mcp_memory.llm.budget import Budgeted
from mcp_memory.llm.prices import usd
from mcp_memory.llm.scripted import ScriptedChat
from mcp_memory.ports import ChatReply, ChatRequest, FixedClock

REQUEST = ChatRequest("plan", "s" * 40, "u" * 40, {}, deadline=5)


@dataclass
class Ledger:
    """A spend log in memory."""

    rows: dict[tuple[date, str, str], list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0, 0]))

    def add(self, day: date, kind: str, model: str, calls: int, input_tokens: int, output_tokens: int) -> None:
        row = self.rows[day, kind, model]
        for index, count in enumerate((calls, input_tokens, output_tokens)):
            row[index] += count

    def today(self, day: date) -> tuple[int, int]:
        rows = [row for (of, _, _), row in self.rows.items() if of == day]
        return sum(row[0] for row in rows), sum(row[1] + row[2] for row in rows)


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(datetime(2026, 11, 30, 12, tzinfo=UTC))


Make = Callable[..., Budgeted]


@pytest.fixture
def budgeted(ledger: Ledger, clock: FixedClock) -> Make:
    def make(chat: object, calls: int = 10, tokens: int = 10_000, concurrency: int = 2) -> Budgeted:
        return Budgeted(chat, ledger, calls, tokens, concurrency, clock)  # type: ignore[arg-type]

    return make


def test_spending_is_written_down_by_day_kind_and_model(budgeted: Make, ledger: Ledger) -> None:
    chat = budgeted(ScriptedChat({"plan": [{"a": 1}, {"a": 2}]}, model="m"))
    chat.complete(REQUEST)
    chat.complete(REQUEST)
    assert dict(ledger.rows) == {(date(2026, 11, 30), "plan", "m"): [2, 40, 4]}
    assert chat.state == "on"


def test_retries_and_repairs_count_as_the_calls_they_were(budgeted: Make, ledger: Ledger) -> None:
    class Busy:
        model = "m"

        def complete(self, request: ChatRequest) -> ChatReply:
            return ChatReply({}, "m", 7, 8, {"calls": 3})

    budgeted(Busy()).complete(REQUEST)
    assert ledger.today(date(2026, 11, 30)) == (3, 15)


def test_what_was_spent_in_vain_counts_too(budgeted: Make, ledger: Ledger) -> None:
    error = ChatFormatError("no")
    error.calls, error.input_tokens, error.output_tokens = 2, 30, 10
    with pytest.raises(ChatFormatError):
        budgeted(ScriptedChat({"plan": [error]})).complete(REQUEST)
    assert ledger.today(date(2026, 11, 30)) == (2, 40)


@pytest.mark.parametrize(
    ("limits", "unit"), [({"calls": 1}, "calls"), ({"tokens": 10}, "tokens"), ({"calls": 0}, "calls")]
)
def test_a_used_up_budget_costs_no_call_and_says_when_it_ends(
    budgeted: Make, clock: FixedClock, limits: dict[str, int], unit: str
) -> None:
    scripted = ScriptedChat(lambda request: {})
    chat = budgeted(scripted, **limits)
    for _ in range(limits.get("calls", 1)):
        chat.complete(REQUEST)
    asked = len(scripted.requests)
    with pytest.raises(ChatError, match=f"daily budget of {unit} is used up") as caught:
        chat.complete(REQUEST)
    assert caught.value.retryable
    assert len(scripted.requests) == asked
    assert chat.state.startswith("off: the daily budget")
    clock.advance(timedelta(days=1))
    assert (chat.state == "on") is (limits != {"calls": 0})


def test_a_refused_key_switches_off_for_the_process(budgeted: Make, clock: FixedClock) -> None:
    scripted = ScriptedChat({"plan": [ChatDeniedError("the key was refused"), {}]})
    chat = budgeted(scripted)
    for _ in range(3):
        with pytest.raises(ChatDeniedError, match="the key was refused"):
            chat.complete(REQUEST)
    clock.advance(timedelta(days=9))
    assert chat.state == "off: the key was refused"
    assert len(scripted.requests) == 1


def test_other_errors_do_not_switch_off(budgeted: Make) -> None:
    chat = budgeted(ScriptedChat({"plan": [ChatError("busy"), {}]}))
    with pytest.raises(ChatError):
        chat.complete(REQUEST)
    assert chat.complete(REQUEST).data == {}


def test_a_call_that_finds_no_free_place_in_time_ends_without_a_call(budgeted: Make) -> None:
    entered, release = Event(), Event()

    def slow(request: ChatRequest) -> dict[str, int]:
        entered.set()
        release.wait(10)
        return {}

    scripted = ScriptedChat(slow)
    chat = budgeted(scripted, concurrency=1)
    holder = Thread(target=chat.complete, args=(REQUEST,))
    holder.start()
    entered.wait(10)
    with pytest.raises(ChatError, match="too many calls"):
        chat.complete(ChatRequest("gate", "", "", {}, deadline=0.01))
    release.set()
    holder.join()
    assert [request.kind for request in scripted.requests] == ["plan"]
    assert chat.complete(REQUEST).data == {}


def test_only_known_prices_are_told() -> None:
    assert usd("claude-haiku-5-5", 4000, 3200) == pytest.approx(0.002)
    assert usd("some-local-model", 4000, 3200) is None
