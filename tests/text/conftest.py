"""Hypothesis for pure functions: no clock decides whether a test passes, and nothing is left on disk."""

from hypothesis import settings

settings.register_profile("text", deadline=None, database=None)
settings.load_profile("text")
