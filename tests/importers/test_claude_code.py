import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

Take = Callable[..., Any]
Write = Callable[..., Path]


def line(role: str, content: Any, uuid: str = "u1", **more: Any) -> dict[str, Any]:
    return {
        "type": role,
        "uuid": uuid,
        "sessionId": "s1",
        "timestamp": "2025-06-01T10:00:00.000Z",
        "isSidechain": False,
        "message": {"role": role, "content": content},
    } | more


SAID = [
    {"type": "summary", "summary": "Fig tree", "leafUuid": "x"},
    line("user", "<command-name>/clear</command-name>", "u0", isMeta=False),
    line("user", "Caveat: nobody said this", "u01", isMeta=True),
    line("user", "Why does the test fail?<system-reminder>todo</system-reminder>", "u1"),
    line("assistant", [{"type": "thinking", "thinking": "Hm."}], "a0"),
    line("assistant", [{"type": "text", "text": "I will look."}, {"type": "tool_use", "name": "Read"}], "a1"),
    line("user", [{"type": "tool_result", "content": "1→code"}], "r1", toolUseResult={"stdout": ""}),
    line("user", "Search the code", "u2", isSidechain=True),
]


def lines(*records: Any) -> bytes:
    return b"".join((one if isinstance(one, bytes) else json.dumps(one).encode()) + b"\n" for one in records)


def test_what_was_said_in_a_session_is_read_and_nothing_else(file: Write, take: Take) -> None:
    taken = take(file(lines(*SAID)))
    assert (taken.format, taken.damaged) == ("claude-code", [])
    assert taken.said == [("Ann", "Why does the test fail?"), ("assistant", "I will look.")]
    first = taken.turns[0]
    assert (first.session, first.ref) == ("claude-code:s1", "claude-code:u1")
    assert first.at.isoformat() == "2025-06-01T10:00:00+00:00"


def test_a_folder_of_projects_is_read_and_a_resumed_session_said_once(file: Write, take: Take) -> None:
    before = file(lines(*SAID), "projects/-home-ann/z.jsonl")
    os.utime(before, (0, 0))
    resumed = [one | {"sessionId": "s2"} for one in SAID]
    path = file(lines(*resumed, line("user", "Thanks", "u9", sessionId="s2")), "projects/-home-ann/a.jsonl")
    turns = take(path.parents[1]).turns
    assert [(turn.text, turn.session) for turn in turns] == [
        ("Why does the test fail?", "claude-code:s1"),
        ("I will look.", "claude-code:s1"),
        ("Thanks", "claude-code:s2"),
    ]


def test_damaged_lines_are_told_and_passed_over(file: Write, take: Take) -> None:
    bad = [
        b'{"type": "user", "mess',
        b"\xff\xfe",
        line("user", "When?", timestamp=None),
        line("user", "What?", message="text"),
    ]
    taken = take(file(lines(SAID[3], *bad, b"", line("user", "Go on", "u5"))))
    assert [text for _, text in taken.said] == ["Why does the test fail?", "Go on"]
    assert [one.where for one in taken.damaged] == [f"download, line {number}" for number in (2, 3, 4, 5)]
