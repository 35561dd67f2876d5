"""Prepared cases: one JSON object a line, {"conversation": {"id", "turns"}, "questions"}."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

from mcp_memory.evaluation.cases import Case, Line, Question, Talk, role_of


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
    with path.open(encoding="utf-8") as file:
        return [_case(json.loads(line)) for line in file if line.strip()]


def _case(raw: Any) -> Case:
    talk = Talk(raw["conversation"]["id"], tuple(_line(turn) for turn in raw["conversation"]["turns"]))
    return Case(talk, tuple(_question(question) for question in raw["questions"]))


def _line(raw: Any) -> Line:
    speaker = raw["speaker"]
    at = datetime.fromisoformat(raw["at"])
    return Line(raw["id"], speaker, role_of(speaker), raw["text"], at, raw["session"])


def _question(raw: Any) -> Question:
    return Question(
        id=raw["id"],
        text=raw["text"],
        when=datetime.fromisoformat(raw["when"]),
        category=raw["category"],
        gold=tuple(raw["gold"]),
        answer=raw.get("answer", ""),
        flags=frozenset(raw.get("flags", ())),
    )
