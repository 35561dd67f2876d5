"""The pipe to the client: nothing but the protocol on stdout, an answer to every line, a prompt end.

    claim()     keeps fd 1 for the protocol while libraries are imported and may print
    feed()      passes stdin on, mending what the SDK would answer with silence
    end_with()  makes EOF, SIGTERM and SIGINT end the process at once
"""

import logging
import os
import re
import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Final

_ESCAPE: Final = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}(\\u[dD][c-fC-F][0-9a-fA-F]{2})?|u[dD][c-fC-F][0-9a-fA-F]{2}|.)", re.DOTALL
)
_REPLACEMENT: Final = rb"\ufffd"


def claim() -> int:
    """Points fd 1 at stderr and returns a private duplicate of the real one.

    Libraries print at import and at exit; buffered text would reach the client as broken protocol.
    """
    sys.stdout.flush()
    wire = os.dup(1)
    os.dup2(2, 1)
    return wire


def release(wire: int) -> None:
    """Gives fd 1 back for the SDK to serve; what was printed meanwhile is pushed to stderr first."""
    sys.stdout.flush()
    os.dup2(wire, 1)
    os.close(wire)


def feed(at_end: Callable[[], None]) -> None:
    """Puts a pipe in front of fd 0 that mends lone surrogates and calls `at_end` when the client is gone.

    The SDK gives no reply at all to a line whose JSON holds half a surrogate pair.
    """
    source = os.fdopen(os.dup(0), "rb", buffering=0)
    reading, writing = os.pipe()
    os.dup2(reading, 0)
    os.close(reading)
    sink = os.fdopen(writing, "wb", buffering=0)

    def pump() -> None:
        rest = b""
        while chunk := source.read(1 << 16):
            *lines, rest = (rest + chunk).split(b"\n") if b"\n" in chunk else ([], rest + chunk)
            for line in lines:
                _write(sink.fileno(), mend(line) + b"\n")
        _write(sink.fileno(), mend(rest))
        sink.close()
        at_end()

    threading.Thread(target=pump, name="stdin", daemon=True).start()


def mend(line: bytes) -> bytes:
    """One line of JSON with every escape of half a surrogate pair replaced by U+FFFD."""
    if b"\\u" not in line:
        return line
    return _ESCAPE.sub(_whole, line)


def _whole(match: re.Match[bytes]) -> bytes:
    escape = match[0]
    half = len(escape) == 6 and escape[2:3] in b"dD" and escape[3:4].lower() in b"89abcdef"
    return _REPLACEMENT if half else escape


def _write(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(descriptor, view) :]
        except BrokenPipeError:
            return


def end_with(last: Callable[[], None], grace: float = 1.0) -> Callable[[], None]:
    """Installs handlers for SIGTERM and SIGINT and returns what to call at EOF.

    `last` may take `grace` seconds; then the process ends whatever else is going on.  Nothing that was
    acknowledged needs it: the journal is already on the disk.
    """

    def leave() -> None:
        worker = threading.Thread(target=_quietly, args=(last,), daemon=True)
        worker.start()
        worker.join(grace)
        os._exit(0)

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        leave()

    for name in ("SIGTERM", "SIGINT", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), on_signal)

    def at_end() -> None:
        # replies still under way get the same grace before the process goes
        threading.Timer(0.3, leave).start()

    return at_end


def _quietly(last: Callable[[], None]) -> None:
    try:
        last()
    except Exception as error:  # noqa: BLE001 - the process is ending; a fault here must not keep it alive
        logging.getLogger(__name__).warning("while ending: %s", type(error).__name__)
