"""The nouns: frozen dataclasses and pure functions, standard library only."""
