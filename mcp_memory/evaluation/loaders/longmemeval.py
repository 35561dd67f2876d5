"""LongMemEval (Wu et al. 2024), longmemeval_oracle.json: chats with an assistant."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from mcp_memory.evaluation.cases import TURN_GAP, Case, Line, Question, Talk, role_of
from mcp_memory.evaluation.loaders.place import each, taken, within

PER_CASE: Final = 25
_WEEKDAY = re.compile(r" \(\w+\)")


def load_longmemeval(path: Path, per_case: int = PER_CASE) -> list[Case]:
    """Cases of `per_case` questions that share one history.

    The oracle file holds evidence sessions only, so each question's sessions are the others' distractors.
    This is our packing (types mixed by a hash of the question's id), not LongMemEval_S.
    """
    rows = each("", json.loads(path.read_text(encoding="utf-8")), _named, "question_id")
    rows.sort(key=lambda row: hashlib.sha256(row["question_id"].encode()).hexdigest())
    chunks = [rows[first : first + per_case] for first in range(0, len(rows), per_case)]
    return [_case(f"lme-{number}", chunk) for number, chunk in enumerate(chunks)]


def _named(_number: int, row: Any) -> Any:
    taken(row, "question_id", str)
    return row


def _case(name: str, rows: Sequence[Any]) -> Case:
    starts: dict[str, datetime] = {}
    sessions: dict[str, Any] = {}
    for row in rows:
        with within(row["question_id"]):
            keys, dates = taken(row, "haystack_session_ids", list), taken(row, "haystack_dates", list)
            for key, date, session in zip(keys, dates, taken(row, "haystack_sessions", list), strict=True):
                starts[key], sessions[key] = _moment("haystack_dates", date), session
    order = sorted(sessions, key=lambda key: starts[key])
    lines = [
        line for number, key in enumerate(order, start=1) for line in _session(key, starts[key], sessions[key], number)
    ]
    questions: list[Question] = []
    for row in rows:
        with within(row["question_id"]):
            questions.append(_question(row, starts, sessions))
    return Case(Talk(name, tuple(lines)), tuple(questions))


def _session(key: str, start: datetime, turns: Sequence[Any], number: int) -> list[Line]:
    def line(position: int, turn: Any) -> Line:
        role, text = taken(turn, "role", str), taken(turn, "content", str)
        return Line(f"{key}:{position + 1}", role, role_of(role), text, start + position * TURN_GAP, number)

    return each(f"session {key}", turns, line)


def _question(row: Any, starts: Mapping[str, datetime], sessions: Mapping[str, Sequence[Any]]) -> Question:
    keys = row["haystack_session_ids"]
    unanswerable = row["question_id"].endswith("_abs")
    latest = max(starts[key] for key in keys)
    marked = (f"{key}:{n}" for key in keys for n, turn in enumerate(sessions[key], 1) if turn.get("has_answer"))
    return Question(
        id=row["question_id"],
        text=taken(row, "question", str),
        # 43 questions are dated before their own evidence.
        when=max(_moment("question_date", taken(row, "question_date", str)), latest + timedelta(hours=1)),
        category="abstention" if unanswerable else taken(row, "question_type", str),
        gold=tuple(marked),
        answer="" if unanswerable else str(row["answer"]),
    )


def _moment(key: str, text: str) -> datetime:
    """'2023/05/20 (Sat) 02:21' in UTC."""
    with within(key, "is no moment such as '2023/05/20 (Sat) 02:21'"):
        return datetime.strptime(_WEEKDAY.sub("", text), "%Y/%m/%d %H:%M").replace(tzinfo=UTC)
