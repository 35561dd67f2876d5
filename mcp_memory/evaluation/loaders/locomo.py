"""LoCoMo (Maharana et al. 2024), locomo10.json: ten long talks between two people."""

import json
import re
from collections.abc import Iterable, Set
from datetime import UTC, datetime, timedelta
from itertools import count, takewhile
from pathlib import Path
from typing import Any, Final

from mcp_memory.evaluation.cases import TURN_GAP, Case, Line, Question, Talk, role_of
from mcp_memory.evaluation.loaders.place import MisshapenError, each, taken, within

ASKED_AFTER: Final = timedelta(days=7)  # LoCoMo dates no question; LoCoMo-Plus asks a week after the last session
_CATEGORY: Final = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
_NAME: Final = "sample_id"
_EVIDENCE = re.compile(r"D:?(\d+):0*(\d+)")


def load_locomo(path: Path) -> list[Case]:
    """One case a sample.  A question asked twice counts once; one without usable evidence is "unlabelled"."""
    return each("", json.loads(path.read_text(encoding="utf-8")), lambda _, sample: _case(sample), _NAME)


def load_talks(path: Path) -> list[Talk]:
    """The conversations alone, in the file's order."""
    with within(path.name):
        return each("", json.loads(path.read_text(encoding="utf-8")), lambda _, sample: _talk(sample), _NAME)


def evidence_ids(written: Iterable[object], known: Set[str]) -> tuple[str, ...]:
    """The turns that hand-written evidence means, also where it says 'D8:6; D9:17', 'D:11:26' or 'D30:05'."""
    found = (f"D{session}:{turn}" for entry in written for session, turn in _EVIDENCE.findall(str(entry)))
    return tuple(dict.fromkeys(identifier for identifier in found if identifier in known))


def asked_at(talk: Talk) -> datetime:
    """The moment its questions are asked."""
    return talk.lines[-1].at + ASKED_AFTER


def _case(sample: Any) -> Case:
    talk = _talk(sample)
    known = {line.id for line in talk.lines}
    entries = taken(sample, "qa", list)
    asked = each("qa", entries, lambda number, entry: _question(talk, known, number, entry))
    first_asked: dict[tuple[str, int], Question] = {}
    for question, entry in zip(asked, entries, strict=True):
        first_asked.setdefault((question.text, entry["category"]), question)
    return Case(talk, tuple(first_asked.values()))


def _question(talk: Talk, known: Set[str], number: int, raw: Any) -> Question:
    category = _CATEGORY.get(taken(raw, "category", int), "")
    if not category:
        raise MisshapenError("`category` is none of 1 to 5")
    gold = evidence_ids(taken(raw, "evidence", list), known)
    unanswerable = category == "adversarial"
    return Question(
        id=f"{talk.id}/q{number}",
        text=taken(raw, "question", str),
        when=asked_at(talk),
        category=category if gold or unanswerable else "unlabelled",
        gold=gold,
        answer="" if unanswerable else str(raw.get("answer", "")),
    )


def _talk(sample: Any) -> Talk:
    raw = taken(sample, "conversation", dict)
    # Counted, not sorted: as text session_10 would come before session_2.  Dates without a session are skipped.
    numbers = takewhile(lambda number: f"session_{number}" in raw, count(1))
    lines = [line for number in numbers for line in _session(raw, number)]
    if not lines:
        raise MisshapenError("`conversation` has no `session_1` with turns")
    return Talk(taken(sample, "sample_id", str), tuple(lines))


def _session(raw: Any, number: int) -> Iterable[Line]:
    name = f"session_{number}"
    dated = taken(raw, f"{name}_date_time", str)
    with within(f"{name}_date_time", "is no moment such as '1:56 pm on 8 May, 2023'"):
        start = datetime.strptime(dated, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)

    def line(position: int, turn: Any) -> Line:
        speaker = taken(turn, "speaker", str)
        return Line(
            taken(turn, "dia_id", str), speaker, role_of(speaker), _said(turn), start + position * TURN_GAP, number
        )

    return each(name, raw[name], line)


def _said(turn: Any) -> str:
    """The words and what a shared picture shows; its search string (`query`) nobody in the talk saw."""
    text = taken(turn, "text", str).strip()
    caption = turn.get("blip_caption")
    return f"{text} [shares {caption.strip()}]" if caption else text
