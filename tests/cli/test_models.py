from collections.abc import Callable
from typing import Any

from mcp_memory.embed import hub


def test_the_models_that_may_be_used_are_listed_with_how_to_get_them(run: Callable[..., Any]) -> None:
    done = run("--set", "embed.provider=flag", "--set", "embed.model=some/encoder", "models", "list")
    assert done.code == 0
    assert [line.split(":")[0] for line in done.out.splitlines()] == [
        "some/encoder",
        "BAAI/bge-m3",
        "BAAI/bge-reranker-v2-m3",
    ]


def test_pulling_prints_where_the_model_lies(run: Callable[..., Any], monkeypatch: Any, tmp_path: Any) -> None:
    monkeypatch.setattr(hub, "pull", lambda name, folder: folder / name)
    done = run("models", "pull", "some/encoder", "--into", str(tmp_path))
    assert done.out == f"{tmp_path / 'some/encoder'}\n"
