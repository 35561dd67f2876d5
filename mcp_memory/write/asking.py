"""One question to a scribe: leased, asked outside any lock, its answer kept; or failed, and when to ask again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from mcp_memory.errors import (
    ChatDeniedError,
    ChatError,
    ChatFormatError,
    ChatPausedError,
    ChatTimeoutError,
    ChatTooLargeError,
    MemoryFault,
    StoreError,
)
from mcp_memory.model.notes import BatchNotes, PeriodNotes
from mcp_memory.model.reply import Reply, ReplyKind, Spent, notes_body, reply_id
from mcp_memory.model.unit import Unit
from mcp_memory.store.work import BACK_OFF, DAY, LEASE_SECONDS, NEVER, Work
from mcp_memory.write.drain import Drain
from mcp_memory.write.notebook import Notebook

SILENT: Final = 3  # calls in a row that did not come through: then the server is down, not the question at fault


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and of what its answer will be; `units` are those that the scribe is shown."""

    owner: str
    kind: ReplyKind
    key: str
    start: datetime
    end: datetime
    turns: tuple[str, ...] = ()
    of: str = ""
    units: Sequence[Unit] = ()

    @property
    def id(self) -> str:
        """The id of its answer."""
        return reply_id(self.owner, self.kind, self.key)


class Desk:
    """Where one process asks one scribe; `calls` counts what it asked."""

    def __init__(self, drain: Drain, work: Work, meter: Callable[[], Spent], lease: float = LEASE_SECONDS) -> None:
        self._drain, self._work, self._meter, self._lease = drain, work, meter, lease
        self._silent = 0
        self.calls = 0

    @property
    def now(self) -> datetime:
        """The moment."""
        return self._drain.clock.now()

    def settled(self, question: Question) -> bool:
        """Whether a question without an answer never will have one."""
        return self._work.given_up(question.id)

    def open(self, owner: str) -> bool:
        """Takes or keeps the one place from which an owner's questions are asked; False while another has it.

        Batches are cut from what is not covered yet: two processes at it would pay for the same twice.
        """
        return self._work.take(_place(owner), owner, "round", self.now.timestamp(), self._lease)

    def close(self, owner: str) -> None:
        """Leaves that place to others; after an answer without the memory of failures."""
        (self._work.release if self._silent else self._work.answered)(_place(owner))

    def ask(self, question: Question, call: Callable[[], BatchNotes | PeriodNotes], notebook: Notebook) -> bool:
        """Whether the question was answered and the answer kept; else it failed, or is not to be asked now.

        Raises ChatDeniedError, ChatPausedError and ChatTooLargeError, which say nothing about another time,
        and StoreError when the answer could not be kept.
        """
        moment = self.now.timestamp()
        if not self.open(question.owner):
            return False
        if not self._work.take(question.id, question.owner, question.kind, moment, self._lease):
            return False
        notes = self._called(question, call, moment)
        if notes is None:
            return False
        try:
            self._keep(question, notes, notebook)
        except StoreError as error:
            # it was paid for: it must not be paid for again at once
            self._work.failed(question.id, moment, str(error), DAY)
            raise
        self._work.answered(question.id)
        return True

    def give_up(self, question: Question, reason: str) -> None:
        """Leaves a question to the rules for good."""
        self._work.take(question.id, question.owner, question.kind, self.now.timestamp(), self._lease)
        self._work.give_up(question.id, reason)

    def _called(
        self, question: Question, call: Callable[[], BatchNotes | PeriodNotes], moment: float
    ) -> BatchNotes | PeriodNotes | None:
        try:
            notes = call()
        except ChatPausedError:
            self._work.release(question.id)
            raise
        except (ChatDeniedError, ChatTooLargeError):
            self.calls += 1
            self._work.release(question.id)
            raise
        except ChatError as error:
            self._failed(question, moment, error)
            return None
        except MemoryFault:
            self._work.release(question.id)
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is must not be asked and paid for again at once
            self._failed(question, moment, ChatFormatError(f"the scribe failed ({type(error).__name__})"))
            return None
        self.calls += 1
        self._silent = 0
        return notes

    def _failed(self, question: Question, moment: float, error: ChatError) -> None:
        """Puts a question off; after some in a row without any answer all of them."""
        self.calls += 1
        at_fault = isinstance(error, ChatFormatError | ChatTimeoutError)
        self._work.failed(question.id, moment, str(error), NEVER if at_fault else DAY)
        self._silent = 0 if isinstance(error, ChatFormatError) else self._silent + 1
        if self._silent >= SILENT:
            self._work.failed(_place(question.owner), moment, str(error), BACK_OFF[-1])
            raise ChatPausedError(f"no answer to {SILENT} questions in a row: {error}")

    def _keep(self, question: Question, notes: BatchNotes | PeriodNotes, notebook: Notebook) -> None:
        reply = Reply(
            id=question.id,
            owner=question.owner,
            kind=question.kind,
            key=question.key,
            start=question.start,
            end=question.end,
            turns=question.turns,
            of=question.of,
            body=notes_body(notes),
            shown=tuple(unit.id for unit in question.units),
            spent=self._meter(),
        )
        with self._drain.store.lock.held("keeping a scribe's answer", self._drain.store.lock_timeout):
            notebook.add([reply])


def _place(owner: str) -> str:
    return f"scribing {owner}"
