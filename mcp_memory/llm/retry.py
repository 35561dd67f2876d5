"""Back-off for what may pass: connection errors, time-outs, 429 without quota, 5xx, 529.

The deadline above bounds it all; a server that asks for a long pause is left to the job queue.
"""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from typing import Final

from mcp_memory.llm.wire import Fault, Incoming, Outgoing, Wire

Sleep = Callable[[float], Awaitable[None]]
ATTEMPTS: Final = 4
LONGEST_WAIT: Final = 30.0  # seconds a server may ask us to hold the line
_FIRST_WAIT: Final = 0.5
_PASSING: Final = ("busy", "garbled")
_log = logging.getLogger(__name__)


async def send(wire: Wire, message: Outgoing, sleep: Sleep = asyncio.sleep) -> tuple[Incoming | Fault, int]:
    """An answer, or the last fault, and how many requests that took."""
    for attempt in range(1, ATTEMPTS + 1):
        came = await wire.send(message)
        if isinstance(came, Incoming) or came.trouble not in _PASSING or attempt == ATTEMPTS:
            break
        wait = _wait(came, attempt)
        if wait > LONGEST_WAIT:
            break
        _log.info("%s: %s; trying again", wire.model, came.reason)
        await sleep(wait)
    return came, attempt


def _wait(fault: Fault, attempt: int) -> float:
    backoff = _FIRST_WAIT * 2 ** (attempt - 1) * random.uniform(0.5, 1.5)  # noqa: S311 - spreads callers, guards nothing
    return backoff if fault.wait is None else fault.wait
