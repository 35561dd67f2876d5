"""One private event loop in a daemon thread, so that blocking callers get deadlines that hold.

A call that runs out of time is cancelled, connection and all; a name lookup that hangs in a thread of its
own delays nobody.
"""

import asyncio
import atexit
import threading
from collections.abc import Coroutine
from functools import cache
from typing import Any, TypeVar

_Result = TypeVar("_Result")
_starting = threading.Lock()


def run(work: Coroutine[Any, Any, _Result], seconds: float) -> _Result:
    """The result of `work`; blocks.  Raises TimeoutError after `seconds`, when `work` has been cancelled.

    Must not be called on an event loop's own thread, as nothing that blocks may be.
    """
    with _starting:
        loop = _loop()
    future = asyncio.run_coroutine_threadsafe(asyncio.wait_for(work, seconds), loop)
    try:
        return future.result()
    finally:
        future.cancel()  # the caller was interrupted


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="mcp-memory-llm", daemon=True)
    thread.start()
    atexit.register(_stop, loop, thread)
    return loop


def _stop(loop: asyncio.AbstractEventLoop, thread: threading.Thread) -> None:
    loop.call_soon_threadsafe(loop.stop)
    thread.join(timeout=1)
    if not thread.is_alive():
        loop.close()
