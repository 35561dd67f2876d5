"""The memory itself as a system under test: it takes a talk in as a user's file, and is asked as a client asks."""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from mcp_memory.engine import Memory
from mcp_memory.evaluation.cases import Line, Talk
from mcp_memory.evaluation.recorded import RecordedScribe
from mcp_memory.evaluation.run import BUDGETS, Build, Recall
from mcp_memory.evaluation.scoring import Item
from mcp_memory.importers.jsonl import read_messages
from mcp_memory.model.query import Query
from mcp_memory.ports import Embedder
from mcp_memory.settings import Settings
from mcp_memory.text.clean import has_visible

MOST_TOKENS: Final = max(BUDGETS)
OWNER: Final = "user"  # as the benchmarks call the person in talks with an assistant
_LOADING_SECONDS: Final = 300.0
_ENOUGH_SECONDS: Final = 24 * 3600.0


@contextmanager
def ours(
    settings: Settings, folder: Path, embedder: Embedder | None = None, recordings: Path | None = None
) -> Iterator[Build]:
    """Each talk goes into a data folder of its own below `folder`; all else is as in `settings`.

    Items name lines by the ids they were imported with.  `embedder` serves every talk.  `recordings` is a
    folder with what a strong reader wrote about each talk (<talk>.jsonl, cues.jsonl), to stand in for a
    language model.  Raises InputError for a recording that cannot be read.
    """

    opened: list[Memory] = []

    def build(talk: Talk) -> Recall:
        place = folder / f"talk{len(list(folder.iterdir()))}"
        here = settings.model_copy(update={"data_dir": place, "owner": OWNER, "time_zone": "UTC"})
        memory = Memory(here, embedder=embedder, scribe=_recorded(talk, recordings) if recordings else None)
        opened.append(memory)
        memory.load(_LOADING_SECONDS)
        _take_in(memory, talk, folder)

        def recall(text: str, when: datetime) -> Iterable[Item]:
            answer = memory.recall(Query(text=text, owner=memory.owner, at=when, max_tokens=MOST_TOKENS))
            return [(hit.sources, hit.line) for hit in answer.hits]

        return recall

    try:
        yield build
    finally:
        for memory in opened:
            memory.store.journal.close()


def _take_in(memory: Memory, talk: Talk, folder: Path) -> None:
    file = folder / "talk.jsonl"
    with file.open("w", encoding="utf-8") as out:
        for line in talk.lines:
            if has_visible(line.text):
                out.write(json.dumps(_message(line)) + "\n")
    memory.store.journal.append(list(read_messages(file, memory.owner, memory.zone)))
    file.unlink()
    memory.drain(_ENOUGH_SECONDS, memory.store.lock_timeout)
    memory.ask_scribe()
    memory.drain(_ENOUGH_SECONDS, memory.store.lock_timeout)


def _recorded(talk: Talk, folder: Path) -> RecordedScribe:
    files = [folder / f"{talk.id}.jsonl", folder / "cues.jsonl"]
    return RecordedScribe.load(file for file in files if file.exists())


def _message(line: Line) -> Mapping[str, Any]:
    who = {"name": line.speaker} if line.role == "other" else {"role": line.role}
    return {"session": str(line.session), "at": line.at.isoformat(), "text": line.text, "id": line.id, **who}
