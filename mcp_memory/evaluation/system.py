"""The memory itself as a system under test: it takes a talk in as a user's file, and is asked as a client asks."""

import json
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Literal

from mcp_memory.engine import Memory
from mcp_memory.errors import InputError
from mcp_memory.evaluation.cases import Line, Talk, is_cue
from mcp_memory.evaluation.recorded import RecordedScribe
from mcp_memory.evaluation.run import RankScenes, Recall
from mcp_memory.evaluation.scoring import Item
from mcp_memory.importers.jsonl import read_messages
from mcp_memory.model.query import Complexity, Query
from mcp_memory.ports import Chat, Embedder
from mcp_memory.recall.pipeline import COMPONENTS, evoked_scenes
from mcp_memory.settings import Settings
from mcp_memory.text.clean import has_visible

OWNER: Final = "user"  # as the benchmarks call the person in talks with an assistant
CUES: Final = "cues.jsonl"  # scenes of the cues that LoCoMo-Plus hides, of all talks together
LEVEL_ONE: Final = frozenset(COMPONENTS) - {"gate"}  # quotes and segments are all that is left
_LOADING_SECONDS: Final = 300.0
_ENOUGH_SECONDS: Final = 24 * 3600.0


@dataclass(slots=True)
class Ours:
    """A memory per talk, each in a data folder of its own below `folder`; all else is as in `settings`.

    Items name lines by the ids they were imported with.  `embedder` serves every talk.  `recordings` is a
    folder with what a strong reader wrote about each talk (<talk>.jsonl, and cues.jsonl), to stand in for a
    language model, `chat` a double of one.  `without` are components left out; `complexity` is told with
    every question.
    """

    settings: Settings
    folder: Path
    embedder: Embedder | None = None
    recordings: Path | None = None
    chat: Chat | None = None
    without: frozenset[str] = frozenset()
    complexity: Complexity | Literal[""] = ""
    _opened: dict[str, Memory] = field(default_factory=dict)

    def build(self, talk: Talk) -> Recall:
        """See `evaluation.run`.  Raises InputError for a recording that is missing or cannot be read."""
        memory = self._memory(talk)

        def recall(text: str, when: datetime, tokens: int) -> Iterable[Item]:
            query = Query(text=text, owner=OWNER, at=when, complexity=self.complexity, max_tokens=tokens)
            return [(hit.sources, hit.line) for hit in memory.recall(query, self.without).hits]

        return recall

    def scenes(self, talk: Talk) -> RankScenes:
        """All scenes by how much a remark evokes them, as sets of lines."""
        memory = self._memory(talk)

        def ranked(text: str, when: datetime) -> Sequence[Set[str]]:
            query, tools = Query(text=text, owner=OWNER, at=when), memory.tools(text, self.without)
            turns = memory.corpus.turns
            return [{turns[one].source for one in unit.turns} for unit in evoked_scenes(memory.corpus, query, tools)]

        return ranked

    def close(self) -> None:
        """Lets go of all data folders and connections."""
        for memory in self._opened.values():
            memory.close()
            memory.store.journal.close()

    def _memory(self, talk: Talk) -> Memory:
        if talk.id not in self._opened:
            place = self.folder / f"talk{len(self._opened)}"
            here = self.settings.model_copy(update={"data_dir": place, "owner": OWNER, "time_zone": "UTC"})
            scribe = _recorded(talk, self.recordings) if self.recordings else None
            memory = self._opened[talk.id] = Memory(here, embedder=self.embedder, chat=self.chat, scribe=scribe)
            memory.load(_LOADING_SECONDS)
            _take_in(memory, talk, self.folder)
        return self._opened[talk.id]


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


def check_recordings(folder: Path, talks: Iterable[Talk]) -> None:
    """Raises InputError where a talk has no recording in `folder`, or one that is about other lines."""
    if not folder.is_dir():
        raise InputError(f"there is no folder {folder} with recordings")
    for talk in talks:
        scribe = _recorded(talk, folder)
        if not any(scribe.knows(line.id) for line in talk.lines):
            raise InputError(f"{folder / talk.id}.jsonl records nothing of {talk.id}: is it of another conversation?")


def _recorded(talk: Talk, folder: Path) -> RecordedScribe:
    own, cues = folder / f"{talk.id}.jsonl", folder / CUES
    needed = [own, cues] if any(is_cue(line) for line in talk.lines) else [own]
    if missing := next((file for file in needed if not file.is_file()), None):
        raise InputError(f"{missing} is missing: {talk.id} has no recorded notes without it")
    return RecordedScribe.load(needed)


def _message(line: Line) -> Mapping[str, Any]:
    who = {"name": line.speaker} if line.role == "other" else {"role": line.role}
    return {"session": str(line.session), "at": line.at.isoformat(), "text": line.text, "id": line.id, **who}
