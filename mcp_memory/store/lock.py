"""The write lock: one process at a time changes the LanceDB tables.

The operating system lets go of it when a process dies, so a killed writer never blocks the next one; a
small file beside it names the holder, so that who waits too long can say for whom.
"""

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from mcp_memory.errors import StoreBusyError, StoreError

_POLL_SECONDS: Final = 0.005


class WriteLock:
    """Reentrant within a thread, exclusive between threads and between processes."""

    def __init__(self, folder: Path) -> None:
        self._holder = folder / "write.holder"
        self._file = FileLock(folder / "write.lock", thread_local=False, mode=0o600)
        self._threads = threading.RLock()
        self._depth = 0

    @contextmanager
    def held(self, purpose: str, timeout: float) -> Iterator[None]:
        """Holds the lock for `purpose`; raises StoreBusyError naming the holder after `timeout` seconds."""
        if not self._threads.acquire(timeout=max(timeout, 0)):
            raise StoreBusyError(f"this process is still busy with {self._describe()}: try again in a moment")
        try:
            if self._depth == 0:
                self._take(purpose, timeout)
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
                if self._depth == 0:
                    self._file.release()
        finally:
            self._threads.release()

    def _take(self, purpose: str, timeout: float) -> None:
        if not self._holder.parent.is_dir():  # filelock would make it anew, open to others
            raise StoreError(f"cannot lock {self._holder.parent}: the folder is gone; restart this server")
        try:
            self._file.acquire(timeout=max(timeout, 0), poll_interval=_POLL_SECONDS)
        except Timeout:
            raise StoreBusyError(f"{self._describe()} is writing to this memory: try again in a moment") from None
        except OSError as error:
            raise StoreError(f"cannot lock {self._holder.parent}: {error.strerror}; check its permissions") from None
        try:
            self._holder.write_text(json.dumps({"pid": os.getpid(), "purpose": purpose}), encoding="utf-8")
        except OSError:
            return  # the name is a courtesy; the lock is held all the same

    def _describe(self) -> str:
        try:
            held = json.loads(self._holder.read_text(encoding="utf-8"))
            return f"process {int(held['pid'])} ({held['purpose']})"
        except (OSError, ValueError, KeyError, TypeError):
            return "another process"
