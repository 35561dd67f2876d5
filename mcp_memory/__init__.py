"""Long-term memory for MCP assistants: a temporal memory tree and anticipated triggers over one store."""

__version__ = "0.1.0"
