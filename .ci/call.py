"""The installed server over stdio, by the real client, in both eras of the protocol."""

import asyncio
import sys
import tempfile

from mcp import Client, StdioServerParameters


async def check(command: str, mode: str) -> None:
    """Stores a turn, finds it, and sees that what is wrong is refused."""
    with tempfile.TemporaryDirectory() as folder:
        server = StdioServerParameters(command=command, args=["--data-dir", folder])
        async with Client(server, mode=mode) as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
            stored = await client.call_tool("remember_turn", {"user": "My bicycle is called Rosinante."})
            found = await client.call_tool("recall", {"query": "What is the name of my bicycle?"})
            refused = await client.call_tool("recall", {"query": " "})
            print(f"{mode}: protocol {client.protocol_version}, {len(tools)} tools")
    assert len(tools) == 5
    assert not stored.is_error
    assert "Rosinante" in found.content[0].text
    assert refused.is_error


for mode in ("auto", "legacy"):
    asyncio.run(check(sys.argv[1], mode))
