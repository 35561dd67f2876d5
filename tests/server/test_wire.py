"""The real process on real pipes: nothing but the protocol, an answer to everything, a prompt end."""

import asyncio
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from mcp_memory.engine import Memory
from mcp_memory.store.journal import Journal

ROOT = Path(__file__).parents[2]
WATCHDOG = 120.0

NOISY = """
import atexit, sys, warnings
print("printed when Python started")
atexit.register(print, "printed at exit")
warnings.warn("a warning at start")
class Noise:
    def find_spec(self, name, path=None, target=None):
        if name in ("mcp", "pydantic", "lancedb", "numpy", "pyarrow", "bm25s", "mcp_memory.engine"):
            print("printed at import of", name, flush=name != "numpy")
        return None
sys.meta_path.insert(0, Noise())
"""


class Server:
    """One server process and what it wrote."""

    def __init__(self, folder: Path, *path: Path) -> None:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
        environment |= {"PYTHONPATH": os.pathsep.join(map(str, (*path, ROOT))), "OMP_NUM_THREADS": "1"}
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-m", "mcp_memory", *arguments(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            start_new_session=True,
        )
        self.lines: list[bytes] = []
        self._kept: dict[object, dict[str, Any]] = {}
        self._replies: queue.Queue[dict[str, Any]] = queue.Queue()
        self._threads = [threading.Thread(target=self._read), threading.Thread(target=self._drop)]
        for thread in self._threads:
            thread.start()
        self._number = 0

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)
            try:
                self._replies.put(json.loads(line))
            except ValueError:
                continue

    def _drop(self) -> None:
        assert self.process.stderr is not None
        self.errors = self.process.stderr.read()

    def send(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def request(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The reply to one request."""
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": parameters}
        self.send(json.dumps(message).encode())
        return self.reply(self._number)

    def reply(self, number: int) -> dict[str, Any]:
        while number not in self._kept:  # answers come in any order
            found = self._replies.get(timeout=WATCHDOG)
            self._kept[found.get("id")] = found
        return self._kept.pop(number)

    def hello(self) -> "Server":
        about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}}
        assert "result" in self.request("initialize", **about)
        self.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
        return self

    def tool(self, name: str, **given: Any) -> dict[str, Any]:
        result: dict[str, Any] = self.request("tools/call", name=name, arguments=given)["result"]
        return result

    def leave(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()

    def ended(self) -> int:
        """Waits for the end; its exit status."""
        status = self.process.wait(timeout=WATCHDOG)
        for thread in self._threads:
            thread.join(timeout=WATCHDOG)
        return status


def arguments(folder: Path) -> list[str]:
    return ["--data-dir", str(folder), "--set", "embed.provider=none", "--set", "owner=Ann"]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    started: list[Server] = []

    def start(*path: Path) -> Server:
        started.append(Server(tmp_path / "data", *path))
        return started[-1]

    yield start
    for server in started:
        if server.process.poll() is None:
            server.process.kill()
        server.ended()
        for pipe in (server.process.stdin, server.process.stdout, server.process.stderr):
            if pipe is not None:
                pipe.close()


def stored(server: Server) -> set[str]:
    """What a later process finds in the journal or has moved to the tables."""
    journal = Journal(server.folder / "journal.sqlite3")
    waiting = {turn.text for turn in journal.pending()}
    settled = journal.settled_count()
    journal.close()
    return waiting | ({"(in the tables)"} if settled else set())


def test_only_the_protocol_is_on_stdout_whatever_libraries_print(serve: Callable[..., Server], tmp_path: Path) -> None:
    (tmp_path / "noise").mkdir()
    (tmp_path / "noise" / "sitecustomize.py").write_text(NOISY)
    server = serve(tmp_path / "noise").hello()
    server.tool("remember_turn", user="I love pearls")
    assert "pearls" in json.dumps(server.tool("recall", query="pearls"))
    server.tool("inspect_memory")
    server.leave()
    assert server.ended() == 0
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in server.lines)
    assert b"printed when Python started" in server.errors
    assert b"printed at import of lancedb" in server.errors


@pytest.mark.parametrize("way", ["EOF", "SIGTERM", "SIGINT"])
def test_it_ends_at_once_leaves_no_child_and_loses_nothing(serve: Callable[..., Server], way: str) -> None:
    server = serve().hello()
    told = {f"pearl {number}" for number in range(20)}
    for text in sorted(told):
        assert not server.tool("remember_turn", user=text).get("isError")
    if way == "EOF":
        server.leave()
    else:
        server.process.send_signal(getattr(signal, way))
    assert server.ended() == 0
    with pytest.raises(ProcessLookupError):
        os.killpg(server.process.pid, 0)
    assert told <= stored(server) or "(in the tables)" in stored(server)
    again = serve().hello()
    overview = again.tool("inspect_memory")["structuredContent"]["data"]
    assert overview["turns"] == len(told)


@pytest.mark.parametrize("way", ["EOF", "SIGTERM", "SIGINT"])
def test_it_ends_also_before_anybody_said_hello(serve: Callable[..., Server], way: str) -> None:
    server = serve()
    if way == "EOF":
        server.leave()
        assert server.ended() == 0
    else:
        server.process.send_signal(getattr(signal, way))
        server.ended()
    assert server.lines == []


def test_it_ends_while_calls_are_under_way(serve: Callable[..., Server]) -> None:
    server = serve().hello()
    for number in range(100, 140):
        call = {"name": "recall", "arguments": {"query": "pearls " * 1000}}
        server.send(json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call}).encode())
    server.leave()
    assert server.ended() == 0
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in server.lines)


def raw_call(number: int, tool: str, arguments: str) -> bytes:
    return (
        f'{{"jsonrpc":"2.0","id":{number},"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}'
    ).encode("utf-8", "surrogatepass")


def test_whatever_line_comes_the_next_one_is_answered(serve: Callable[..., Server]) -> None:
    server = serve().hello()
    halves = [
        raw_call(900, "remember_turn", '{"user": "half \\ud83d of a smile"}'),
        raw_call(901, "recall", '{"query": "\\udc00 half \\ud83d\\ud83d"}'),
        raw_call(902, "forget", '{"ids": ["\\ud800"]}'),
        raw_call(903, "remember_turn", '{"user": "raw half \ud83d"}'),
        raw_call(904, "\\ud83d", "{}"),
        raw_call(905, "remember_turn", '{"user": "x", "\\ud83d": 1}'),
    ]
    for line in halves:
        server.send(line)
    for number in range(900, 906):
        assert {"result", "error"} & server.reply(number).keys()
    for line in (
        b"not json",
        b"[]",
        b"{}",
        b"null",
        b"",
        b"\x00\xff\xfe",
        b"{" * 5000,
        b'{"jsonrpc":"2.0"}',
        b"x" * 100_000,
    ):
        server.send(line)
    assert "smile" in json.dumps(server.tool("recall", query="half smile"))
    big = "pearl " * 170_000
    assert not server.tool("remember_turn", user=big).get("isError")
    assert not server.tool("recall", query=big).get("isError")
    assert {"result", "error"} & server.request("tools/call", name="no_such_tool", arguments={}).keys()
    assert server.tool("inspect_memory")["structuredContent"]["data"]["turns"] >= 3


@pytest.mark.parametrize("era", ["auto", "legacy"])
def test_a_client_of_either_era_is_served_over_stdio(tmp_path: Path, era: str) -> None:
    async def talk() -> tuple[set[str], str, str]:
        async with Client(parameters(tmp_path / "data"), mode=era) as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            await client.call_tool("remember_turn", {"user": "My pearls are in the drawer"})
            found = await client.call_tool("recall", {"query": "pearls"})
            return tools, str(found.content), str(client.instructions)

    tools, found, instructions = asyncio.run(talk())
    assert tools == {"remember_turn", "recall", "persona", "inspect_memory", "forget"}
    assert "drawer" in found
    assert "remember_turn" in instructions


def parameters(folder: Path) -> StdioServerParameters:
    environment = {"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"], "OMP_NUM_THREADS": "1"}
    return StdioServerParameters(command=sys.executable, args=["-m", "mcp_memory", *arguments(folder)], env=environment)


def test_two_servers_write_while_a_third_reads(tmp_path: Path, open_memory: Callable[..., Memory]) -> None:
    turns, done = 200, asyncio.Event()

    async def write(name: str) -> list[bool]:
        async with Client(parameters(tmp_path / "data")) as client:
            kept = []
            for first in range(0, turns, 10):
                calls = [
                    client.call_tool("remember_turn", {"user": f"{name} pearl {number}", "session": name})
                    for number in range(first, first + 10)
                ]
                kept += [bool(one.structured_content["stored"]) for one in await asyncio.gather(*calls)]
            found = await client.call_tool("inspect_memory", {})
            return [*kept, found.structured_content["data"]["turns"] >= turns]

    async def read() -> list[bool]:
        failed = []
        async with Client(parameters(tmp_path / "data")) as client:
            while not done.is_set():
                failed.append(bool((await client.call_tool("recall", {"query": "pearl"})).is_error))
            found = await client.call_tool("inspect_memory", {})
            return [*failed, found.structured_content["data"]["turns"] != 2 * turns]

    async def all_at_once() -> tuple[list[bool], list[bool], list[bool]]:
        reading = asyncio.create_task(read())
        one, two = await asyncio.gather(write("one"), write("two"))
        done.set()
        return one, two, await reading

    one, two, failed = asyncio.run(all_at_once())
    assert one == two == [True] * (turns + 1)
    assert not any(failed)
    memory = open_memory(folder=tmp_path / "data", embedder=None)
    memory.drain()
    said = {turn.text for turn in memory.corpus.turns.values()}
    assert said == {f"{name} pearl {number}" for name in ("one", "two") for number in range(turns)}
    assert memory.store.turns.count() == 2 * turns
