"""LoCoMo-Plus: cues hidden in LoCoMo's talks, each probed weeks later by a remark that shares no words with it."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from mcp_memory.evaluation.cases import TURN_GAP, Case, Line, Question, Talk, role_of
from mcp_memory.evaluation.loaders.locomo import asked_at, load_talks
from mcp_memory.evaluation.loaders.place import MisshapenError, each, taken, within

_COUNT_WORDS = "zero one two three four five six seven eight nine ten eleven twelve"
_COUNT: Final = {word: number for number, word in enumerate(_COUNT_WORDS.split())} | {
    "a": 1,
    "an": 1,
    "couple": 2,
    "few": 3,
    "several": 4,
}
_DAYS: Final = {"week": 7, "month": 30, "year": 365}
_GAP = re.compile(rf"\b(\d+|{'|'.join(_COUNT)})\s+(?:of\s+)?(week|month|year)s?\b")


def load_locomo_plus(path: Path, locomo: Path) -> list[Case]:
    """One case a conversation, all its cues at once, so that they distract from each other.

    Row i goes into conversation i mod n, as the authors' unified_input.py does.  The trigger is asked a
    week after the last session; the cue is a session of its own, `time_gap` before that.
    """
    rows: list[tuple[int, Any]] = each("", json.loads(path.read_text(encoding="utf-8")), lambda *row: row)
    talks = load_talks(locomo)
    return [_case(talk, rows[position :: len(talks)]) for position, talk in enumerate(talks)]


def gap_days(text: str) -> int:
    """'about two weeks later' → 14; 0 when no length is named."""
    match = _GAP.search(text.lower())
    if not match:
        return 0
    amount, unit = match.groups()
    return (int(amount) if amount.isdigit() else _COUNT[amount]) * _DAYS[unit]


def _case(talk: Talk, rows: Sequence[tuple[int, Any]]) -> Case:
    cues: list[list[Line]] = []
    questions: list[Question] = []
    for number, row in rows:
        with within(f"[{number}]"):
            cues.append(_cue(number, row, talk))
            questions.append(_question(number, row, cues[-1], talk))
    return Case(_insert(talk, cues), tuple(questions))


def _question(number: int, row: Any, cue: Sequence[Line], talk: Talk) -> Question:
    return Question(
        id=f"plus/{number}",
        text=taken(row, "trigger_query", str).removeprefix("A:").strip(),
        when=asked_at(talk),
        category=taken(row, "relation_type", str),
        gold=tuple(line.id for line in cue),
    )


def _cue(number: int, row: Any, talk: Talk) -> list[Line]:
    """Lines "A: …" and "B: …", spoken by the talk's first and second speaker."""
    start = asked_at(talk) - timedelta(days=gap_days(taken(row, "time_gap", str)))
    names = dict(zip("AB", talk.speakers, strict=False))
    spoken = [line.strip() for line in taken(row, "cue_dialogue", str).splitlines() if line.strip()]
    if not spoken or not all(line[0] in names for line in spoken):
        raise MisshapenError("`cue_dialogue` has no lines such as 'A: …' and 'B: …'")
    lines = []
    for position, line in enumerate(spoken):
        speaker = names[line[0]]
        at = start + position * TURN_GAP
        lines.append(Line(f"cue{number}:{position + 1}", speaker, role_of(speaker), line[2:].strip(), at, 0))
    return lines


def _insert(talk: Talk, cues: Sequence[Sequence[Line]]) -> Talk:
    """Whole sessions merged by their start and numbered anew."""
    own = [list(session) for _, session in groupby(talk.lines, key=lambda line: line.session)]
    sessions = sorted([*own, *cues], key=lambda session: session[0].at)
    lines = (replace(line, session=number) for number, session in enumerate(sessions, start=1) for line in session)
    return Talk(talk.id, tuple(lines))
