"""LoCoMo (Maharana et al. 2024), locomo10.json: ten long talks between two people."""

import json
import re
from collections.abc import Iterable, Set
from datetime import UTC, datetime, timedelta
from itertools import count, takewhile
from pathlib import Path
from typing import Any, Final

from mcp_memory.evaluation.cases import TURN_GAP, Case, Line, Question, Talk, role_of

ASKED_AFTER: Final = timedelta(days=7)  # LoCoMo dates no question; LoCoMo-Plus asks a week after the last session
_CATEGORY: Final = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
_EVIDENCE = re.compile(r"D:?(\d+):0*(\d+)")


def load_locomo(path: Path) -> list[Case]:
    """One case a sample.  A question asked twice counts once; one without usable evidence is "unlabelled"."""
    return [_case(sample) for sample in json.loads(path.read_text(encoding="utf-8"))]


def load_talks(path: Path) -> list[Talk]:
    """The conversations alone, in the file's order."""
    return [_talk(sample) for sample in json.loads(path.read_text(encoding="utf-8"))]


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
    first_asked: dict[tuple[str, int], int] = {}
    for number, entry in enumerate(sample["qa"]):
        first_asked.setdefault((entry["question"], entry["category"]), number)
    return Case(talk, tuple(_question(talk, known, number, sample["qa"][number]) for number in first_asked.values()))


def _question(talk: Talk, known: Set[str], number: int, raw: Any) -> Question:
    category = _CATEGORY[raw["category"]]
    gold = evidence_ids(raw["evidence"], known)
    unanswerable = category == "adversarial"
    return Question(
        id=f"{talk.id}/q{number}",
        text=raw["question"],
        when=asked_at(talk),
        category=category if gold or unanswerable else "unlabelled",
        gold=gold,
        answer="" if unanswerable else str(raw.get("answer", "")),
    )


def _talk(sample: Any) -> Talk:
    raw = sample["conversation"]
    # Counted, not sorted: as text session_10 would come before session_2.  Dates without a session are skipped.
    numbers = takewhile(lambda number: f"session_{number}" in raw, count(1))
    lines = [line for number in numbers for line in _session(raw, number)]
    return Talk(sample["sample_id"], tuple(lines))


def _session(raw: Any, number: int) -> Iterable[Line]:
    start = datetime.strptime(raw[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
    for position, turn in enumerate(raw[f"session_{number}"]):
        speaker = turn["speaker"]
        yield Line(turn["dia_id"], speaker, role_of(speaker), _said(turn), start + position * TURN_GAP, number)


def _said(turn: Any) -> str:
    """The words and what a shared picture shows; its search string (`query`) nobody in the talk saw."""
    text: str = turn["text"].strip()
    caption = turn.get("blip_caption")
    return f"{text} [shares {caption.strip()}]" if caption else text
