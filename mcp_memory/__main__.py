"""`python -m mcp_memory` is `mcp-memory`."""

STOPPED = 130  # as a shell says it of SIGINT


def start() -> int:
    """Runs the command line; an interrupt ends it without a traceback, also while its modules are still loaded."""
    try:
        from mcp_memory.cli import main

        status = main()
    except KeyboardInterrupt:
        status = STOPPED
    if status == STOPPED:
        _leave()
    return status


def _leave() -> None:
    """Ends the process at once: a thread that is loading a model would bring the interpreter down with a noise."""
    import os
    import sys

    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(STOPPED)


if __name__ == "__main__":
    raise SystemExit(start())
