import json
import subprocess
import sys

import pytest

from mcp_memory.embed.factory import make_embedder, make_reranker
from mcp_memory.settings import Settings

HEAVY = ("onnxruntime", "tokenizers", "openai", "FlagEmbedding", "torch", "transformers", "huggingface_hub")


@pytest.mark.parametrize(
    ("embed", "kind"),
    [
        ({}, "BundledEmbedder"),
        ({"provider": "flag"}, "FlagEmbedder"),
        ({"provider": "openai"}, "RemoteEmbedder"),
        ({"provider": "none"}, "NoneType"),
    ],
)
def test_the_settings_choose_the_embedder(embed: dict[str, str], kind: str) -> None:
    assert type(make_embedder(Settings(embed=embed))).__name__ == kind


def test_the_model_of_the_settings_is_taken() -> None:
    embedder = make_embedder(Settings(embed={"provider": "openai", "model": "mine"}))
    assert embedder is not None
    assert embedder.id == "mine"


@pytest.mark.parametrize(("gate", "kind"), [("score", "NoneType"), ("llm", "NoneType"), ("rerank", "FlagReranking")])
def test_a_reranker_is_made_only_for_its_gate(gate: str, kind: str) -> None:
    assert type(make_reranker(Settings(recall={"gate": gate, "reranker": "mine"}))).__name__ == kind


@pytest.mark.parametrize("provider", ["bundled", "flag", "openai", "none"])
def test_making_an_embedder_imports_no_model_library(provider: str) -> None:
    script = (
        "import json, sys; from mcp_memory.embed.factory import make_embedder;"
        "from mcp_memory.settings import Settings;"
        f"make_embedder(Settings(embed={{'provider': '{provider}'}})); print(json.dumps(sorted(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert not {*HEAVY} & {*json.loads(done.stdout)}
