"""BEAM, chats/100K: long chats with an assistant, one numbered folder each."""

import json
import re
from collections.abc import Iterator, Set
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from mcp_memory.errors import InputError
from mcp_memory.evaluation.cases import TURN_GAP, Case, Line, Question, Talk, role_of

_ANSWER_KEYS: Final = ("answer", "ideal_answer", "ideal_response", "ideal_summary")
_QUESTION_FILES: Final = ("pq.json", "probing_questions.json")
_GENERATOR_INDEX = re.compile(r"\s*->->.*$", re.DOTALL)  # the data generator's own note after a message


def load_beam(root: Path) -> list[Case]:
    """One case a folder with chat.json and pq.json (or probing_questions.json, as published)."""
    folders = [folder for folder in root.iterdir() if folder.name.isdigit()]
    if not folders:
        raise InputError(f"{root} holds no numbered folders such as {root / '1'}")
    return [_case(folder) for folder in sorted(folders, key=lambda folder: int(folder.name))]


def _case(folder: Path) -> Case:
    talk = Talk(f"beam-{folder.name}", tuple(_lines(_read(folder / "chat.json"))))
    probing = _read(next((folder / name for name in _QUESTION_FILES if (folder / name).exists()), folder / "pq.json"))
    known = {line.id for line in talk.lines}
    questions = (
        _question(f"{talk.id}/{category}-{position}", category, entry, talk, known)
        for category, entries in probing.items()
        for position, entry in enumerate(entries)
    )
    return Case(talk, tuple(questions))


def _lines(batches: Any) -> Iterator[Line]:
    """Messages in order.  Only batches are dated: the clock runs on between their anchors, never back."""
    clock = datetime(1970, 1, 1, tzinfo=UTC)
    for number, batch in enumerate(batches, start=1):
        for message in (message for pair in batch["turns"] for message in pair):
            clock += TURN_GAP
            if anchor := message.get("time_anchor"):
                clock = max(clock, datetime.strptime(anchor, "%B-%d-%Y").replace(tzinfo=UTC))
            text = _GENERATOR_INDEX.sub("", message["content"])
            yield Line(str(message["id"]), message["role"], role_of(message["role"]), text, clock, number)


def _question(name: str, category: str, raw: Any, talk: Talk, known: Set[str]) -> Question:
    named = dict.fromkeys(str(leaf) for leaf in _leaves(raw.get("source_chat_ids")))
    gold = tuple(identifier for identifier in named if identifier in known)
    unanswerable = category == "abstention"
    answer = next((str(raw[key]) for key in _ANSWER_KEYS if key in raw), "")
    return Question(
        id=name,
        text=raw["question"],
        when=talk.lines[-1].at + timedelta(days=1),
        category=category if gold or unanswerable else "unlabelled",
        gold=gold,
        answer="" if unanswerable else answer,
    )


def _leaves(value: Any) -> Iterator[Any]:
    """The values at the ends of nested lists and mappings."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for entry in value:
            yield from _leaves(entry)
    elif value is not None:
        yield value


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))
