import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mcp_memory.cli import main


@dataclass(frozen=True, slots=True)
class Done:
    """What a command left: its status, and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Done]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command on a data folder of the test; search is by words, so that no model is loaded."""

    def run(*arguments: str, folder: str = "data") -> Done:
        capsys.readouterr()
        place = ["--data-dir", str(tmp_path / folder), "--set", "embed.provider=none", "--set", "time_zone=UTC"]
        code = main([*place, *arguments])
        printed = capsys.readouterr()
        return Done(code, printed.out, printed.err)

    return run


@pytest.fixture
def messages(tmp_path: Path) -> Path:
    """A file of six messages on three days, with notes, a topic and ids."""
    said = [
        {"at": "2024-03-04T09:00", "role": "user", "text": "I planted a fig tree on the balcony.", "id": "a1"},
        {"at": "2024-03-04T09:01", "role": "assistant", "text": "Figs like it warm.", "id": "a2"},
        {"at": "2024-03-05T20:00", "role": "user", "text": "Ödön lent me his cello 🎻.", "session": "evening"},
        {"at": "2024-03-05T20:01", "role": "assistant", "text": "How generous!", "session": "evening"},
        {
            "at": "2024-03-09T10:00",
            "role": "user",
            "text": "The ferry to Sado leaves at seven.",
            "topic": "Sado trip",
            "notes": [{"fact": "The ferry to Sado leaves at 07:00", "cues": ["when do I have to get up"]}],
        },
        {"at": "2024-03-09T10:01", "name": "Mika", "text": "I will bring sandwiches."},
    ]
    path = tmp_path / "said.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in said), encoding="utf-8")
    return path
