"""Prepared cases: one JSON object a line, {"conversation": {"id", "turns"}, "questions"}."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

from mcp_memory.evaluation.cases import Case, Line, Question, Talk, role_of
from mcp_memory.evaluation.loaders.place import each, taken, within


def is_case_file(path: Path) -> bool:
    """Whether the first line of a file is a prepared case."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        try:
            first = json.loads(file.readline())
        except ValueError:  # the original benchmarks are one document over many lines, or an array
            return False
    return isinstance(first, dict) and {"conversation", "questions"} <= first.keys()


def load_case_file(path: Path) -> list[Case]:
    """The cases of a prepared file; moments are ISO 8601 with offset."""
    cases = []
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                with within(f"line {number}"):
                    cases.append(_case(json.loads(line)))
    return cases


def _case(raw: Any) -> Case:
    said, asked = taken(raw, "conversation", dict), taken(raw, "questions", list)
    with within("conversation"):
        talk = Talk(taken(said, "id", str), tuple(each("turns", said["turns"], lambda _, turn: _line(turn), "id")))
    return Case(talk, tuple(each("questions", asked, lambda _, question: _question(question), "id")))


def _line(raw: Any) -> Line:
    speaker = taken(raw, "speaker", str)
    text, session = taken(raw, "text", str), taken(raw, "session", int)
    return Line(taken(raw, "id", str), speaker, role_of(speaker), text, _moment(raw, "at"), session)


def _question(raw: Any) -> Question:
    return Question(
        id=taken(raw, "id", str),
        text=taken(raw, "text", str),
        when=_moment(raw, "when"),
        category=taken(raw, "category", str),
        gold=tuple(taken(raw, "gold", list)),
        answer=raw.get("answer", ""),
        flags=frozenset(raw.get("flags", ())),
    )


def _moment(raw: Any, key: str) -> datetime:
    text = taken(raw, key, str)
    with within(key, "is no moment such as '2024-03-04T09:00:00+00:00'"):
        return datetime.fromisoformat(text)
