"""From what was said to what is kept: remember, drain, consolidate, forget."""
