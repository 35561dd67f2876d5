"""Scribes: who writes down what was said; one shape of notes whoever it is."""
