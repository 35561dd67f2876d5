"""The embedder and the reranker that the settings name; only the chosen module is imported."""

from mcp_memory.ports import Embedder, Reranker
from mcp_memory.settings import Settings


def make_embedder(settings: Settings) -> Embedder | None:
    """The configured embedder, not yet loaded; None is search by words only."""
    embed = settings.embed
    if embed.provider == "bundled":
        from mcp_memory.embed.bundled import BundledEmbedder

        return BundledEmbedder(embed.onnx_path, embed.threads)
    if embed.provider == "flag":
        from mcp_memory.embed.flag import FlagEmbedder

        return FlagEmbedder(embed.model)
    if embed.provider == "openai":
        from mcp_memory.embed.remote import RemoteEmbedder

        return RemoteEmbedder(embed.model, settings.embed_key().get_secret_value(), embed.base_url)
    return None


def make_reranker(settings: Settings) -> Reranker | None:
    """The configured reranker, not yet loaded; None unless `recall.gate` is "rerank"."""
    if settings.recall.gate != "rerank":
        return None
    from mcp_memory.embed.flag import FlagReranking

    return FlagReranking(settings.recall.reranker)
