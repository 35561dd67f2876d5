from dataclasses import replace
from datetime import UTC, datetime

from mcp_memory.errors import ChatFormatError
from mcp_memory.evaluation.answering import Spending, grade
from mcp_memory.evaluation.cases import Case
from mcp_memory.evaluation.references import bm25
from mcp_memory.evaluation.table import grades_table
from mcp_memory.llm.budget import Budgeted
from mcp_memory.llm.scripted import Answer, ScriptedChat
from mcp_memory.ports import ChatRequest, FixedClock
from mcp_memory.prompts import Prompts

CLOCK = FixedClock(datetime(2026, 3, 2, tzinfo=UTC))


def model(request: ChatRequest) -> Answer:
    """Knows of peppers only."""
    if request.kind == "answer":
        return {"answer": "the peppers"}
    return {"correct": "which vegetables" in request.user.lower(), "reason": ""}


def test_answers_are_graded_by_category_and_what_expects_none_is_not_asked(case: Case) -> None:
    chat = ScriptedChat(model)
    found = grade([case], bm25, chat, Prompts())
    assert found.accuracy() == {"": (2, 0.5), "multi": (1, 1.0), "single": (1, 0.0)}
    assert [request.kind for request in chat.requests] == ["answer", "judge", "answer", "judge"]


def test_the_model_reads_the_question_its_date_and_the_memories(case: Case) -> None:
    chat = ScriptedChat(model)
    grade([case], bm25, chat, Prompts())
    shown = chat.requests[0].user
    assert "2024-03-11" in shown
    assert "Did the tomatoes survive the hailstorm?" in shown


def test_no_more_calls_are_made_than_allowed(case: Case) -> None:
    spent, chat = Spending(), ScriptedChat(model)
    found = grade([case], bm25, Budgeted(chat, spent, 3, 10**9, 1, CLOCK), Prompts())
    assert (len(chat.requests), spent.calls, len(found.grades)) == (3, 3, 1)
    assert spent.input_tokens > spent.output_tokens > 0
    assert "stopped early" in grades_table(found)


def test_a_question_without_a_usable_reply_is_counted_apart(case: Case) -> None:
    found = grade([case], bm25, ScriptedChat(lambda _: ChatFormatError("no")), Prompts())
    assert (found.grades, found.failed) == ((), 2)
    assert "2 questions got no usable reply" in grades_table(found)


def test_grades_are_shown_with_the_whole_last(case: Case) -> None:
    table = grades_table(replace(grade([case], bm25, ScriptedChat(model), Prompts()), stopped=""))
    assert table.split("\n")[-1].split() == ["OVERALL", "2", "0.500"]
