"""Run a memory over cases.

A system under test is a function that takes in a conversation and hands back its recall function:
`build(talk)` once per case, then `recall(text, when, tokens)` → items for a reader with so much room, best first.
"""

import time
from collections.abc import Callable, Iterable, Sequence, Set
from datetime import datetime
from typing import Final

from mcp_memory.errors import InputError
from mcp_memory.evaluation.cases import Case, Question, Talk
from mcp_memory.evaluation.report import Rank, RankReport, Report
from mcp_memory.evaluation.scoring import Item, LineWords, Row, score, weigh

BUDGETS: Final = (256, 512, 1024, 2048)

Recall = Callable[[str, datetime, int], Iterable[Item]]
Build = Callable[[Talk], Recall]
RankScenes = Callable[[str, datetime], Sequence[Set[str]]]  # scenes as sets of line ids, best first
Progress = Callable[[int, int], None]  # questions done, questions in all


def evaluate(
    cases: Sequence[Case], build: Build, budgets: Sequence[int] = BUDGETS, progress: Progress | None = None
) -> Report:
    """Every question at every budget (in tokens).

    Raises InputError when recall names a line that is not in the conversation: then its ids are not
    the benchmark's, and every figure would be wrong.
    """
    rows: list[Row] = []
    done, total = 0, sum(len(case.questions) for case in cases)
    for case in cases:
        recall, lines = build(case.talk), weigh(case.talk)
        for question in case.questions:
            rows += _score_question(question, recall, lines, budgets)
            done += 1
            if progress:
                progress(done, total)
    return Report(tuple(rows))


def rank_report(cases: Sequence[Case], build: Callable[[Talk], RankScenes]) -> RankReport:
    """For LoCoMo-Plus: the rank of the first scene that holds any of a question's gold lines."""
    ranks: list[Rank] = []
    for case in cases:
        ranked_scenes = build(case.talk)
        for question in case.questions:
            scenes = ranked_scenes(question.text, question.when)
            gold = set(question.gold)
            rank = next((place for place, scene in enumerate(scenes, start=1) if gold & scene), 0)
            ranks.append(Rank(question.id, question.category, rank, len(scenes)))
    return RankReport(tuple(ranks))


def _score_question(question: Question, recall: Recall, lines: LineWords, budgets: Sequence[int]) -> list[Row]:
    rows = []
    for budget in budgets:
        begun = time.perf_counter()
        items = list(recall(question.text, question.when, budget))
        seconds = time.perf_counter() - begun
        unknown = {name for names, _ in items for name in names} - lines.words.keys()
        if unknown:
            raise InputError(f"{question.id}: recall named {len(unknown)} lines that the conversation does not have")
        rows.append(score(question, items, budget, lines, seconds))
    return rows
