"""A full disk and a read-only one: the memory starts, says so, serves what it has and loses nothing it promised."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mcp_memory.engine import Memory
from mcp_memory.errors import StoreError
from mcp_memory.write.remember import Said

Open = Callable[..., Memory]

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux") or os.geteuid() != 0, reason="needs to mount a small disk: root on Linux"
)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of four megabytes."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", place], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("no right to mount here")
    yield place
    subprocess.run(["umount", "-l", place], check=True)


def fill(disk: Path) -> Path:
    """Takes all the room that is left."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        size = 1 << 16
        while size:
            try:
                file.write(b"x" * size)
            except OSError:
                size //= 2
    return ballast


def set_read_only(disk: Path, on: bool = True) -> None:
    subprocess.run(["mount", "-o", f"remount,{'ro' if on else 'rw'}", disk], check=True)


def said(memory: Memory) -> set[str]:
    memory.corpus.refresh()
    return {unit.text for unit in memory.corpus.units.values() if unit.view == "quote"}


def talk(memory: Memory, kept: set[str]) -> None:
    """Says a lot; what was acknowledged is added to `kept`."""
    for number in range(1000):
        text = f"{number} " + "words " * 500
        memory.remember(Said(text))
        kept.add(text)


def test_a_disk_that_fills_refuses_clearly_and_keeps_what_it_acknowledged(disk: Path, open_memory: Open) -> None:
    memory = open_memory(folder=disk / "data")
    memory.remember(Said("the first thing"))
    memory.drain()
    kept: set[str] = set()
    with pytest.raises(StoreError, match="full"):
        talk(memory, kept)
    with pytest.raises(StoreError, match="full"):
        memory.drain()
    assert said(memory) >= kept | {"the first thing"}
    memory.close()
    assert said(open_memory(folder=disk / "data")) >= kept | {"the first thing"}


def test_room_that_was_made_is_used_without_a_restart(disk: Path, open_memory: Open) -> None:
    memory = open_memory(folder=disk / "data")
    memory.remember(Said("before"))
    ballast = fill(disk)
    with pytest.raises(StoreError, match="full"):
        memory.remember(Said("too much " * 5000))
    ballast.unlink()
    memory.remember(Said("after"))
    memory.drain()
    assert said(open_memory(folder=disk / "data")) == {"before", "after"}


def test_it_starts_on_a_full_disk_and_finds_what_is_there(disk: Path, open_memory: Open) -> None:
    first = open_memory(folder=disk / "data")
    first.remember(Said("indexed"))
    first.drain()
    first.remember(Said("waiting"))
    first.store.journal.close()
    ballast = fill(disk)
    memory = open_memory(folder=disk / "data")
    assert said(memory) == {"indexed", "waiting"}
    with pytest.raises(StoreError, match="full"):
        memory.remember(Said("too much " * 5000))
    ballast.unlink()
    assert memory.remember(Said("more")).stored


def test_a_new_memory_on_a_full_disk_says_so(disk: Path, open_memory: Open) -> None:
    (disk / "data").mkdir(mode=0o700)
    fill(disk)
    memory = open_memory(folder=disk / "data")
    assert memory.notices()
    with pytest.raises(StoreError, match="space"):
        memory.remember(Said("anything"))
    assert said(memory) == set()


def test_a_read_only_folder_is_read_and_says_that_it_cannot_be_written(disk: Path, open_memory: Open) -> None:
    first = open_memory(folder=disk / "data")
    first.remember(Said("indexed"))
    first.drain()
    first.remember(Said("waiting"))
    first.store.journal.close()
    set_read_only(disk)
    memory = open_memory(folder=disk / "data")
    assert said(memory) == {"indexed", "waiting"}
    assert "read-only" in " ".join(memory.notices())
    assert memory.inspect("overview", "", None, None, 5)["turns"] == 2
    memory.drain()
    for change in (lambda: memory.remember(Said("new")), lambda: memory.forget(first_id(memory), confirm=True)):
        with pytest.raises(StoreError, match="read-only"):
            change()
    set_read_only(disk, on=False)
    assert memory.remember(Said("new")).stored
    assert said(memory) == {"indexed", "waiting", "new"}


def first_id(memory: Memory) -> list[str]:
    return [next(iter(memory.corpus.turns))]


def test_an_empty_read_only_folder_is_no_fault(disk: Path, open_memory: Open) -> None:
    set_read_only(disk)
    memory = open_memory(folder=disk)
    assert said(memory) == set()
    assert memory.notices()
    memory = open_memory(folder=disk / "deeper")
    assert "data_dir" in " ".join(memory.notices())
