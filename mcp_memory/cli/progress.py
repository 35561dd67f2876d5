"""Progress bars on stderr; silent where stderr is no terminal."""

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from mcp_memory.engine import Memory

_AS_LONG_AS_IT_TAKES: Final = 30 * 24 * 3600.0


def bar(what: str, unit: str, total: int | None = None) -> Any:
    """A tqdm bar; `total` None is not known beforehand."""
    from tqdm import tqdm

    return tqdm(desc=what, unit=f" {unit}", total=total, disable=None, dynamic_ncols=True)


def drain(memory: "Memory") -> None:
    """Indexes and derives all that waits.  Raises StoreError."""
    journal = memory.store.journal
    with bar("indexing", "turns", journal.pending_count()) as turns, bar("deriving", "days") as days:

        def derived(count: int) -> None:
            days.total = days.total or count + len(journal.dirty())
            days.update(count)

        memory.drain(_AS_LONG_AS_IT_TAKES, memory.store.lock_timeout, turns.update, derived)


def ask(memory: "Memory") -> None:
    """Asks the language model, where there is one, about all that waits for it, and says what came of it.

    May be stopped at any time: it goes on in the background of a server, or with the next command.  Raises StoreError.
    """
    journal, before = memory.store.journal, memory.store.journal.counter("replies")
    if not memory.models.left(memory.owner):
        return
    print("Asking the language model; stop it (Ctrl-C) when you like, a running server goes on with it.", flush=True)
    with bar("asking", "answers") as shown:

        def go_on() -> bool:
            shown.update(journal.counter("replies") - before - shown.n)
            shown.set_postfix(left=memory.models.left(memory.owner))
            return True

        asked = memory.ask_scribe(go_on)
        go_on()
    answers, left = journal.counter("replies") - before, memory.models.left(memory.owner)
    print(f"{asked.calls} questions asked, {answers} answered; {left} days, weeks or months are not over or wait.")
    failed = memory.inspect("pending", "", None, None, 1)["failed_questions"]
    for reason in filter(None, [asked.stopped, *(one["reason"] for one in failed)]):
        print(f"The rules cover for what has no answer: {reason}.")
