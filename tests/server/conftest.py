"""A server over a memory without a model, called as clients of both eras call it."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from mcp import Client
from mcp_types import CallToolResult

from mcp_memory.engine import Memory
from mcp_memory.server import build_server

Do = Callable[[Client], Awaitable[Any]]


@pytest.fixture(params=["auto", "legacy"])
def era(request: pytest.FixtureRequest) -> str:
    """Stateless (2026-07-28) or with initialize."""
    return str(request.param)


@pytest.fixture
def talk(memory: Memory, era: str) -> Callable[..., Any]:
    """Runs one conversation with a server, by default of the test's memory."""

    def run(do: Do, of: Memory | None = None) -> Any:
        async def inner() -> Any:
            async with Client(build_server(of or memory), mode=era) as client:
                return await do(client)

        return asyncio.run(inner())

    return run


@pytest.fixture
def call(talk: Callable[..., Any]) -> Callable[..., CallToolResult]:
    """Calls one tool."""

    def run(name: str, arguments: dict[str, Any] | None = None, of: Memory | None = None) -> CallToolResult:
        async def do(client: Client) -> CallToolResult:
            return await client.call_tool(name, arguments or {})

        result: CallToolResult = talk(do, of)
        return result

    return run


@pytest.fixture
def text() -> Callable[[CallToolResult], str]:
    """All text of a result."""

    def join(result: CallToolResult) -> str:
        return "\n".join(block.text for block in result.content if block.type == "text")

    return join
