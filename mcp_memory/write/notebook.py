"""What scribes have answered so far, for one owner: read once, kept up by revision."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any
from zoneinfo import ZoneInfo

from mcp_memory.model.notes import PeriodNotes
from mcp_memory.model.reply import Reply, Spent, batch_notes, period_notes, reply_id
from mcp_memory.model.turn import Turn
from mcp_memory.model.window import day_key
from mcp_memory.store.store import Store
from mcp_memory.write.echoes import Echo
from mcp_memory.write.scenes import Covered


class Notebook:
    """Replies by id; `covering` and `answer` are what derivation asks of them."""

    def __init__(self, store: Store, owner: str) -> None:
        self._store, self._owner, self._seen = store, owner, -1
        self._replies: dict[str, Reply] = {}

    def refresh(self) -> None:
        """Takes in replies of any process; all of them again when some were erased."""
        seen = self._store.journal.counter("replies")
        if seen == self._seen:
            return
        from mcp_memory.store.lance import equals

        rows = self._store.replies.read(equals(owner=self._owner)).to_pylist()
        self._replies = {row["id"]: _reply(row) for row in rows}
        self._seen = seen

    def add(self, replies: Sequence[Reply]) -> None:
        """Keeps answers, durably, as the latest there are; under the write lock."""
        self.refresh()
        latest = max((one.rev for one in self._replies.values()), default=0)
        kept = [replace(reply, rev=rev) for rev, reply in enumerate(replies, start=latest + 1)]
        self._store.replies.upsert([_row(reply) for reply in kept])
        self._seen = self._store.journal.bump("replies")
        self._replies = self._replies | {reply.id: reply for reply in kept}  # another thread may be reading

    def drop(self) -> None:
        """Lets go of every answer of this owner, so that a scribe is asked again; under the write lock."""
        self._store.replies.delete(list(self._replies))
        self._store.journal.bump("replies")
        self._replies = {}

    def forget(
        self, turns: set[str], days: set[str], units: set[str], echo: Echo | None, zone: ZoneInfo
    ) -> list[Reply]:
        """Drops and returns the replies that tell of these turns.

        They were shown one of them or of these units, are about a period that holds one of these days, or
        repeat words that nobody else has said.  Under the write lock; their bytes go with the next `erase`.
        """
        self.refresh()
        touched = [
            one
            for one in self._replies.values()
            if not units.isdisjoint(one.shown)
            or _touches(one, turns, days, zone)
            or (echo and echo.in_any([json.dumps(one.body, ensure_ascii=False)], one.end))
        ]
        self._store.replies.delete([one.id for one in touched])
        self._store.journal.bump("replies")
        return touched

    def covering(self, turns: Sequence[Turn]) -> list[Covered]:
        """Batch replies about any of these turns, in the order in which they count."""
        wanted = {turn.id for turn in turns}
        replies = [r for r in self._replies.values() if r.kind == "batch" and wanted.intersection(r.turns)]
        ordered = sorted(replies, key=lambda one: (one.rev, one.id))
        return [Covered(reply.turns, batch_notes(reply.body)) for reply in ordered]

    def answer(self, kind: str, key: str, of: str) -> PeriodNotes | None:
        """The notes about a period, if they were written about what it is now."""
        reply = self._replies.get(reply_id(self._owner, kind, key))  # type: ignore[arg-type]
        return period_notes(reply.body) if reply and reply.of == of else None

    def get(self, identifier: str) -> Reply | None:
        """One reply."""
        return self._replies.get(identifier)


def _touches(reply: Reply, turns: set[str], days: set[str], zone: ZoneInfo) -> bool:
    if not turns.isdisjoint(reply.turns):
        return True
    if reply.kind == "batch":
        return any(not turns.isdisjoint(item.turns) for item in batch_notes(reply.body).items)
    first, last = day_key(reply.start, zone), day_key(reply.end, zone)
    return any(first <= day <= last for day in days)


def _row(reply: Reply) -> dict[str, Any]:
    body = {"key": reply.key, "of": reply.of, "shown": reply.shown, "notes": reply.body}
    return {
        "id": reply.id,
        "owner": reply.owner,
        "kind": reply.kind,
        "start": reply.start,
        "end": reply.end,
        "turns": list(reply.turns),
        "body": json.dumps(body, ensure_ascii=False),
        "rev": reply.rev,
        **asdict(reply.spent),
    }


def _reply(row: Mapping[str, Any]) -> Reply:
    body = json.loads(row["body"])
    return Reply(
        id=row["id"],
        owner=row["owner"],
        kind=row["kind"],
        key=body["key"],
        start=row["start"],
        end=row["end"],
        turns=tuple(row["turns"]),
        of=body["of"],
        body=body["notes"],
        shown=tuple(body["shown"]),
        rev=row["rev"],
        spent=Spent(row["model"], row["prompt"], row["input_tokens"], row["output_tokens"]),
    )
