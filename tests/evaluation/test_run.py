from collections.abc import Set
from datetime import datetime

import pytest

from mcp_memory.errors import InputError
from mcp_memory.evaluation.cases import Case, Talk
from mcp_memory.evaluation.references import bm25
from mcp_memory.evaluation.run import RankScenes, Recall, evaluate, rank_report
from mcp_memory.evaluation.scoring import Item


def test_every_question_is_scored_at_every_budget(case: Case) -> None:
    report = evaluate([case], bm25, budgets=(16, 64))
    assert [(row.question, row.budget) for row in report.rows] == [(f"q{n}", b) for n in range(3) for b in (16, 64)]
    assert all(row.seconds >= 0 for row in report.rows)


def test_a_conversation_is_taken_in_once_and_asked_at_the_questions_moment(case: Case) -> None:
    built: list[str] = []
    asked: list[tuple[str, datetime]] = []

    def build(talk: Talk) -> Recall:
        built.append(talk.id)

        def recall(text: str, when: datetime, _tokens: int) -> list[Item]:
            asked.append((text, when))
            return []

        return recall

    evaluate([case], build, budgets=(64,))
    assert built == ["talk"]
    assert asked == [(question.text, question.when) for question in case.questions]


def test_progress_counts_questions(case: Case) -> None:
    seen: list[tuple[int, int]] = []
    evaluate([case], bm25, budgets=(16,), progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_a_name_that_is_not_the_benchmarks_stops_the_run(case: Case) -> None:
    with pytest.raises(InputError, match="q0: recall named 1 lines"):
        evaluate([case], lambda talk: lambda text, when, tokens: [(["tzzz"], "…")])


def test_naming_every_line_in_every_item_gains_next_to_nothing(case: Case) -> None:
    def boast(talk: Talk) -> Recall:
        everything, honest = [line.id for line in talk.lines], bm25(talk)
        return lambda text, when, tokens: [(everything, words) for _, words in honest(text, when, tokens)]

    honest, boasting = (evaluate([case], build, budgets=(64,)).figures(64) for build in (bm25, boast))
    assert boasting.claimed == 1
    assert boasting.recall <= honest.recall + 0.5


def test_the_rank_of_a_cue_is_the_first_scene_with_any_of_its_lines(case: Case) -> None:
    def build(talk: Talk) -> RankScenes:
        scenes: list[Set[str]] = [{"D1:1"}, {"D1:3", "D1:2"}, {"D1:3"}]
        return lambda text, when: scenes

    report = rank_report([case], build)
    assert [(rank.question, rank.rank, rank.scenes) for rank in report.ranks] == [
        ("q0", 2, 3),
        ("q1", 0, 3),
        ("q2", 0, 3),
    ]
