"""Conversations from elsewhere, as turns."""
