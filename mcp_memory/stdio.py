"""The pipe to the client: nothing but the protocol on stdout, an answer to every line, a prompt end.

kept_clean()  keeps fd 1 for the protocol while libraries are imported and may print
feed()        passes stdin on, mending what the SDK would answer with silence
end_with()    makes EOF, SIGTERM and SIGINT end the process at once
"""

import logging
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

_ESCAPE: Final = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}(\\u[dD][c-fC-F][0-9a-fA-F]{2})?|u[dD][c-fC-F][0-9a-fA-F]{2}|.)", re.DOTALL
)
GRACE_SECONDS: Final = 0.3
EOF_SECONDS: Final = 1.2
_REPLACEMENT: Final = rb"\ufffd"


@contextmanager
def kept_clean() -> Iterator[None]:
    """Points fd 1 at stderr while libraries are imported and may print.

    What they print would reach the client as broken protocol, buffered text even much later.
    """
    wire = os.dup(1)
    os.dup2(2, 1)
    try:
        sys.stdout.flush()  # what was printed before is no protocol either
        yield
    finally:
        sys.stdout.flush()
        os.dup2(wire, 1)
        os.close(wire)


def feed(leave_after: Callable[[float], None]) -> None:
    """Puts a pipe in front of fd 0 that mends lone surrogates, and ends the process when the client is gone.

    The SDK gives no reply at all to a line whose JSON holds half a surrogate pair.  It ends by itself once
    the replies under way are out; the timer is for what would keep it.
    """
    source = os.dup(0)
    reading, writing = os.pipe()
    os.dup2(reading, 0)
    os.close(reading)

    def pump() -> None:
        with os.fdopen(source, "rb") as lines:
            for line in lines:
                _write(writing, mend(line))
        os.close(writing)
        leave_after(EOF_SECONDS)

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


def end_with(last: Callable[[], None]) -> Callable[[float], None]:
    """Installs handlers for SIGTERM and SIGINT and returns what ends the process after some seconds.

    `last` is given a moment; then the process ends whatever else is going on.  Nothing that was
    acknowledged needs it: the journal is already on the disk.
    """

    def leave() -> None:
        os.dup2(2, 1)  # the SDK may have given the pipe back: nobody has anything to say on it any more
        worker = threading.Thread(target=_quietly, args=(last,), daemon=True)
        worker.start()
        worker.join(GRACE_SECONDS)
        os._exit(0)

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        leave()

    for name in ("SIGTERM", "SIGINT", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), on_signal)

    def leave_after(seconds: float) -> None:
        if seconds:
            timer = threading.Timer(seconds, leave)
            timer.daemon = True
            timer.start()
        else:
            leave()

    return leave_after


def _quietly(last: Callable[[], None]) -> None:
    try:
        last()
    except Exception as error:  # noqa: BLE001 - the process is ending; a fault here must not keep it alive
        logging.getLogger(__name__).warning("while ending: %s", type(error).__name__)
