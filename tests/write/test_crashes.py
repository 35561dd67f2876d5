"""Killed at any moment: everything acknowledged is there after the next start, without repair by hand."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from mcp_memory.engine import Memory
from mcp_memory.errors import StoreBusyError
from mcp_memory.store.health import check
from mcp_memory.write.remember import Said

Open = Callable[..., Memory]
Start = Callable[..., subprocess.Popen[str]]
ROUNDS = 20

# imports once, then lets a fork write for every round: what is killed is the fork
WRITERS = """
import os, sys, threading
from pathlib import Path
import lancedb, mcp_memory.recall.pipeline, mcp_memory.write.drain, mcp_memory.store.corpus
from mcp_memory.embed.hashing import HashingEmbedder
from mcp_memory.engine import Memory
from mcp_memory.settings import Settings
from mcp_memory.write.remember import Said

def write(folder, name):
    memory = Memory(Settings(data_dir=folder, owner="Ann", time_zone="Europe/Berlin"), embedder=HashingEmbedder())
    memory.load()
    def drain():
        while True:
            memory.drain(seconds=5, wait=1)
    threading.Thread(target=drain, daemon=True).start()
    told = os.open(sys.argv[2], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    for number in range(10_000):
        text = f"{name} I love pearl {number}"
        memory.remember(Said(text, "Noted."))
        os.write(told, (text + "\\n").encode())

print("ready", flush=True)
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        write(Path(sys.argv[1]), line.strip())
    print(child, flush=True)
    os.waitpid(child, 0)
"""

HOLDER = """
import sys
from pathlib import Path
from mcp_memory.store.store import Store
store = Store(Path(sys.argv[1]))
with store.lock.held("a drain that never ends", 5):
    print("held", flush=True)
    sys.stdin.read()
"""


def quotes(memory: Memory) -> set[str]:
    memory.corpus.refresh()
    return {unit.text for unit in memory.corpus.units.values() if unit.view == "quote" and unit.speaker == "Ann"}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forks")
def test_twenty_killed_writers_lose_nothing_they_acknowledged(
    open_memory: Open, process: Start, tmp_path: Path
) -> None:
    folder, acknowledged = tmp_path / "data", tmp_path / "acknowledged"
    open_memory()
    acknowledged.touch()
    writers = process(WRITERS, folder, acknowledged)
    assert writers.stdout is not None
    assert writers.stdin is not None
    assert writers.stdout.readline().strip() == "ready"
    chance = random.Random(7)
    for number in range(ROUNDS):
        writers.stdin.write(f"{number}\n")
        writers.stdin.flush()
        child = int(writers.stdout.readline())
        time.sleep(chance.uniform(0.05, 0.7))
        os.kill(child, signal.SIGKILL)
    writers.stdin.close()
    writers.wait(timeout=60)
    told = set(acknowledged.read_text().splitlines())
    assert len(told) > ROUNDS
    memory = open_memory()
    assert told <= quotes(memory)
    memory.drain()
    assert memory.waiting() == 0
    assert told <= quotes(open_memory())
    assert check(memory.store, deep=True) == []


def test_the_lease_of_a_killed_holder_is_taken_over(open_memory: Open, process: Start) -> None:
    memory = open_memory()
    memory.remember(Said("waiting for the lease"))
    holder = process(HOLDER, memory.store.folder)
    assert holder.stdout is not None
    assert holder.stdout.readline().strip() == "held"
    memory.drain()
    assert memory.waiting() == 1
    with pytest.raises(StoreBusyError, match=rf"process {holder.pid} \(a drain that never ends\)"):
        memory.rebuild()
    assert memory.remember(Said("said meanwhile")).stored
    assert quotes(memory) == {"waiting for the lease", "said meanwhile"}
    holder.kill()
    holder.wait()
    memory.drain()
    assert memory.waiting() == 0


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_stopped_holder_blocks_neither_words_nor_answers(open_memory: Open, process: Start) -> None:
    memory = open_memory()
    holder = process(HOLDER, memory.store.folder)
    assert holder.stdout is not None
    holder.stdout.readline()
    os.kill(holder.pid, signal.SIGSTOP)
    memory.remember(Said("said while another one hangs"))
    assert quotes(memory) == {"said while another one hangs"}
    assert memory.inspect("overview", "", None, None, 5)["turns"] == 1
    os.kill(holder.pid, signal.SIGCONT)
