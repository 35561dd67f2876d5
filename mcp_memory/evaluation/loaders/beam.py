"""BEAM, chats/100K: long chats with an assistant, one numbered folder each."""

import json
import re
from collections.abc import Callable, Iterator, Set
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from mcp_memory.errors import InputError
from mcp_memory.evaluation.cases import TURN_GAP, Case, Line, Question, Talk, role_of
from mcp_memory.evaluation.loaders.place import MisshapenError, each, taken, within

T = TypeVar("T")
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
    with within(folder.name):
        lines = _read(folder / "chat.json", lambda batches: tuple(_lines(batches)))
        if not lines:
            raise MisshapenError("chat.json has no message")
        talk = Talk(f"beam-{folder.name}", lines)
        asked = next((folder / name for name in _QUESTION_FILES if (folder / name).exists()), folder / "pq.json")
        return Case(talk, _read(asked, lambda probing: tuple(_questions(probing, talk))))


def _read(path: Path, make: Callable[[Any], T]) -> T:
    with within(path.name):
        return make(json.loads(path.read_text(encoding="utf-8")))


def _lines(batches: Any) -> Iterator[Line]:
    """Messages in order.  Only batches are dated: the clock runs on between their anchors, never back."""
    clock = datetime(1970, 1, 1, tzinfo=UTC)
    for number, batch in enumerate(batches, start=1):
        for position, message in enumerate(message for pair in batch["turns"] for message in pair):
            with within(f"batch {number}, message {position + 1}"):
                clock += TURN_GAP
                if anchor := message.get("time_anchor"):
                    clock = max(clock, _moment(anchor))
                role, text = taken(message, "role", str), _GENERATOR_INDEX.sub("", taken(message, "content", str))
                yield Line(str(message["id"]), role, role_of(role), text, clock, number)


def _moment(anchor: Any) -> datetime:
    with within("time_anchor", "is no day such as 'March-15-2024'"):
        return datetime.strptime(anchor, "%B-%d-%Y").replace(tzinfo=UTC)


def _questions(probing: Any, talk: Talk) -> Iterator[Question]:
    known = {line.id for line in talk.lines}
    for category in probing:
        yield from each(category, taken(probing, category, list), partial(_question, talk, known, category))


def _question(talk: Talk, known: Set[str], category: str, position: int, raw: Any) -> Question:
    named = dict.fromkeys(str(leaf) for leaf in _leaves(raw.get("source_chat_ids")))
    gold = tuple(identifier for identifier in named if identifier in known)
    unanswerable = category == "abstention"
    answer = next((str(raw[key]) for key in _ANSWER_KEYS if key in raw), "")
    return Question(
        id=f"{talk.id}/{category}-{position}",
        text=taken(raw, "question", str),
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
