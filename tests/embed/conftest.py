"""The loaded default model, shared by the tests of this folder."""

import pytest

from mcp_memory.embed.bundled import BundledEmbedder


@pytest.fixture(scope="session")
def bundled() -> BundledEmbedder:
    embedder = BundledEmbedder()
    embedder.load()
    return embedder
