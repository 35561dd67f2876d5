from collections.abc import Callable
from pathlib import Path
from typing import Any

from mcp_memory.engine import Memory
from mcp_memory.settings import load

Run = Callable[..., Any]


def test_everything_derived_is_made_again(run: Run, messages: Path) -> None:
    run("import", str(messages))
    before = run("inspect", "--json").json["data"]
    assert run("rebuild").out.startswith("3 days to derive.")
    assert run("inspect", "--json").json["data"] == before


def test_a_rebuild_that_was_stopped_goes_on_where_it_was(run: Run, messages: Path, tmp_path: Path) -> None:
    run("import", str(messages))
    settings = load(None, {"data_dir": tmp_path / "data", "time_zone": "UTC", "embed": {"provider": "none"}})
    memory = Memory(settings)
    assert memory.rebuild() == 3
    memory.store.journal.clean("user", ["2024-03-04"])  # as if one day had been derived
    memory.store.journal.close()
    assert run("rebuild").out.startswith("2 days to derive.")
    assert run("rebuild").out.startswith("3 days to derive.")
