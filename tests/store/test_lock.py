"""The write lock: one at a time, whoever dies, and who waits in vain learns for whom."""

import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from mcp_memory.errors import StoreBusyError, StoreError
from mcp_memory.store.lock import WriteLock

HOLDER = """
import sys
from pathlib import Path
from mcp_memory.store.lock import WriteLock
with WriteLock(Path(sys.argv[1])).held("a long job", 5):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path: Path, process: Callable[..., subprocess.Popen[str]]) -> subprocess.Popen[str]:
    child = process(HOLDER, tmp_path)
    assert child.stdout is not None
    assert child.stdout.readline().strip() == "held"
    return child


def test_who_waits_too_long_learns_who_holds_it(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    with pytest.raises(StoreBusyError, match=rf"process {holder.pid} \(a long job\).*try again"):
        WriteLock(tmp_path).held("mine", 0.1).__enter__()


def test_a_killed_holder_blocks_nobody(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    holder.kill()
    holder.wait()
    with WriteLock(tmp_path).held("mine", 5):
        assert "mine" in (tmp_path / "write.holder").read_text()


def test_two_locks_in_one_process_exclude_each_other(tmp_path: Path) -> None:
    with WriteLock(tmp_path).held("one", 0), pytest.raises(StoreBusyError):
        WriteLock(tmp_path).held("other", 0).__enter__()


def test_a_thread_may_take_it_again(tmp_path: Path) -> None:
    lock = WriteLock(tmp_path)
    with lock.held("outer", 0), lock.held("inner", 0):
        pass
    with WriteLock(tmp_path).held("free again", 0):
        pass


def test_threads_take_turns(tmp_path: Path) -> None:
    lock, inside, most = WriteLock(tmp_path), [], []

    def work() -> None:
        for _ in range(20):
            with lock.held("counting", 60):
                inside.append(1)
                most.append(len(inside))
                inside.pop()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 80


def test_another_thread_learns_that_it_has_to_wait(tmp_path: Path) -> None:
    lock, said = WriteLock(tmp_path), []

    def attempt() -> None:
        try:
            with lock.held("other", 0):
                said.append("took it")
        except StoreBusyError as error:
            said.append(str(error))

    with lock.held("mine", 0):
        thread = threading.Thread(target=attempt)
        thread.start()
        thread.join()
    assert len(said) == 1
    assert "mine" in said[0]


def test_it_is_free_again_after_a_fault_inside(tmp_path: Path) -> None:
    lock = WriteLock(tmp_path)
    with pytest.raises(KeyError), lock.held("mine", 0):
        raise KeyError
    with WriteLock(tmp_path).held("next", 0):
        pass


def test_a_place_that_is_no_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="file"):
        WriteLock(tmp_path / "file").held("mine", 0).__enter__()


def test_a_garbled_name_of_the_holder_is_no_fault(tmp_path: Path) -> None:
    with WriteLock(tmp_path).held("one", 0):
        (tmp_path / "write.holder").write_bytes(b"\xff{")
        with pytest.raises(StoreBusyError, match="another process"):
            WriteLock(tmp_path).held("two", 0).__enter__()
