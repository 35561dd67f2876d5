"""Texts to vectors: the bundled model, FlagEmbedding, an OpenAI-compatible endpoint, and a double."""
