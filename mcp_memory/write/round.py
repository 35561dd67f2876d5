"""One round of everything the write side has to do, in the order in which one thing needs another."""

import time
from typing import TYPE_CHECKING

from mcp_memory.write.drain import Drain, Progress
from mcp_memory.write.forget import finish
from mcp_memory.write.rebuild import complete

if TYPE_CHECKING:
    from mcp_memory.store.corpus import Corpus


def drain_round(drain: Drain, corpus: "Corpus", seconds: float, wait: float, *progress: Progress) -> None:
    """Finishes erasures, mends, indexes, derives, embeds and tidies, as far as `seconds` reach.

    The first of `progress` is told how many turns each commit indexed, the second how many days it derived.
    Raises StoreBusyError, StoreError.
    """
    began = time.monotonic()
    if drain.store.journal.erasing():
        with drain.writing("forgetting", wait):
            finish(drain)
    corpus.refresh()
    drain.heal(corpus)
    drain.index(seconds, wait, *progress[:1])
    drain.consolidate(wait, *progress[1:])
    complete(drain)
    drain.backfill(corpus.owner, seconds - (time.monotonic() - began), wait)
    drain.tidy(wait)
    corpus.refresh()
