"""A small talk of our own, and files in the benchmarks' formats."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from mcp_memory.evaluation.cases import Case, Line, Question, Talk

START = datetime(2024, 3, 4, 9, 0, tzinfo=UTC)
SAID = (
    ("Ada", "Good morning! I finally repaired the greenhouse roof yesterday."),
    ("Ben", "That's great. Did the tomatoes survive the hailstorm?"),
    ("Ada", "Most of them did, but the peppers are gone."),
    ("Ben", "My sister's moving to Lisbon in October, she's been learning Portuguese."),
    ("Ada", "How exciting! I've always wanted to see the trams there."),
    ("Ben", "I started keeping bees; two hives stand behind the barn."),
)


@pytest.fixture
def talk() -> Talk:
    lines = (
        Line(f"D1:{n}", speaker, "other", text, START + timedelta(seconds=30 * n), 1)
        for n, (speaker, text) in enumerate(SAID, start=1)
    )
    return Talk("talk", tuple(lines))


@pytest.fixture
def case(talk: Talk) -> Case:
    asked = START + timedelta(days=7)
    return Case(
        talk,
        (
            Question("q0", "Which vegetables did the hailstorm ruin?", asked, "multi", ("D1:2", "D1:3"), "peppers"),
            Question("q1", "Where does Ben's sister move?", asked, "single", ("D1:4",), "Lisbon, Portugal"),
            Question("q2", "What is Ben's cat called?", asked, "adversarial", ()),
        ),
    )


@pytest.fixture
def write_json(tmp_path: Path) -> Callable[[str, Any], Path]:
    def write(name: str, content: Any) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content), encoding="utf-8")
        return path

    return write


def _session(number: int, count: int) -> list[dict[str, Any]]:
    names = ("Ada", "Ben")
    return [
        {"dia_id": f"D{number}:{n}", "speaker": names[(n - 1) % 2], "text": f" line {n} of session {number} "}
        for n in range(1, count + 1)
    ]


@pytest.fixture
def locomo_document() -> list[dict[str, Any]]:
    """One sample with eleven sessions, a picture, a date without session and evidence as people write it."""
    conversation: dict[str, Any] = {"speaker_a": "Ada", "speaker_b": "Ben"}
    for number in range(1, 12):
        conversation[f"session_{number}_date_time"] = f"1:56 pm on {number} May, 2023"
        conversation[f"session_{number}"] = _session(number, 3)
    conversation["session_1"][1] |= {"blip_caption": "a photo of a kite ", "query": "red kite beach"}
    conversation["session_12_date_time"] = "4:00 am on 20 May, 2023"
    asked = [
        {"question": "One?", "answer": 7, "evidence": ["D1:2; D2:03"], "category": 1},
        {"question": "Two?", "answer": "never", "evidence": ["D:11:1", "D1:1 D1:1"], "category": 2},
        {"question": "One?", "answer": 7, "evidence": ["D1:2"], "category": 1},
        {"question": "Three?", "adversarial_answer": "x", "evidence": [], "category": 5},
        {"question": "Four?", "answer": "y", "evidence": ["D", "D40:1"], "category": 4},
    ]
    return [{"sample_id": "conv-1", "conversation": conversation, "qa": asked}]


@pytest.fixture
def plus_document() -> list[dict[str, Any]]:
    return [
        {
            "cue_dialogue": "A: I gave up sugar.\n\nB: Well done.",
            "trigger_query": "A: They served cake at work.",
            "time_gap": "about two weeks later",
            "relation_type": "causal",
        },
        {
            "cue_dialogue": "B: The dentist frightens me.",
            "trigger_query": "My tooth hurts.",
            "time_gap": "a few months on",
            "relation_type": "state",
        },
    ]


@pytest.fixture
def longmemeval_document() -> list[dict[str, Any]]:
    early, late = "2023/05/20 (Sat) 02:21", "2023/05/22 (Mon) 10:00"
    said = [
        {"role": "user", "content": "I bought a kayak.", "has_answer": True},
        {"role": "assistant", "content": "Nice."},
    ]
    other = [{"role": "user", "content": "Rain again."}, {"role": "assistant", "content": "Bring an umbrella."}]
    shared = {"haystack_session_ids": ["s2", "s1"], "haystack_dates": [late, early], "haystack_sessions": [other, said]}
    return [
        {
            "question_id": "q1",
            "question_type": "single-session-user",
            "question": "What did I buy?",
            "answer": "a kayak",
            "question_date": "2023/05/21 (Sun) 09:00",
            **shared,
        },
        {
            "question_id": "q2_abs",
            "question_type": "multi-session",
            "question": "What did I sell?",
            "answer": "unknown",
            "question_date": "2023/06/01 (Thu) 09:00",
            **shared,
        },
    ]


@pytest.fixture
def beam_folder(write_json: Callable[[str, Any], Path]) -> Path:
    """Two chats, of which the tenth must not come before the second."""
    for name in ("2", "10"):
        chat = [
            {
                "turns": [
                    [
                        {"id": 0, "role": "user", "content": "Plan a trip ->-> 1,2", "time_anchor": "March-15-2024"},
                        {"id": 1, "role": "assistant", "content": "Gladly."},
                    ]
                ]
            },
            {"turns": [[{"id": 2, "role": "user", "content": "To Rome.", "time_anchor": "March-01-2024"}]]},
        ]
        probing = {
            "summarization": [
                {"question": "Sum up", "ideal_summary": "Rome", "source_chat_ids": {"a": [0, [2]], "b": 9}}
            ],
            "abstention": [{"question": "Who?", "ideal_response": "unknown", "source_chat_ids": None}],
            "event_ordering": [{"question": "Order?", "answer": "x", "source_chat_ids": []}],
        }
        write_json(f"beam/{name}/chat.json", chat)
        path = write_json(f"beam/{name}/pq.json", probing)
    return path.parent.parent
