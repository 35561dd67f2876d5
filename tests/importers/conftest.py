import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def jsonl(tmp_path: Path) -> Callable[..., Path]:
    """Writes records (or raw lines) one a line."""

    def write(*records: Any, name: str = "talk.jsonl") -> Path:
        path = tmp_path / name
        lines = (record if isinstance(record, bytes) else json.dumps(record).encode() for record in records)
        path.write_bytes(b"".join(line + b"\n" for line in lines))
        return path

    return write
