"""A model that writes down plainly what it is shown, and memories that it works for."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from mcp_memory.embed.hashing import HashingEmbedder
from mcp_memory.engine import Memory
from mcp_memory.llm.scripted import Answer, ScriptedChat
from mcp_memory.model.turn import Turn
from mcp_memory.model.unit import Unit
from mcp_memory.ports import ChatRequest, FixedClock
from mcp_memory.settings import Settings
from mcp_memory.write.remember import Said, exchange_turns

Row = dict[str, Any]
VIEWS = (
    *("situation", "object", "event", "emotion"),
    *("personal_arc", "avoidance_habit", "goal_arc", "belief_in_action", "legacy_anchor"),
)


def rows_of(request: ChatRequest) -> list[Row]:
    """The records that a request shows."""
    return [json.loads(line) for line in request.user.split("\n") if line.startswith("{")]


def scene(first: int, last: int, said: str, **more: Any) -> Row:
    base: Row = dict.fromkeys((*VIEWS, "narrative"), "")
    lists: Row = {"topics": [f"Talk of {said[:20]}"], "keywords": ["talk"], "utterances": []}
    spans = {"first_turn": first, "last_turn": last, "title": f"Talk of {said}", "summary": said, "finished": True}
    return base | lists | spans | {"situation": "Somebody tells something."} | more


def item(turn: Row, **more: Any) -> Row:
    base: Row = {"text": f"{turn['speaker']} said: {turn['text']}", "speaker": turn["speaker"], "turns": [turn["turn"]]}
    return base | {"when": "", "entity": ["a thing"], "bridge": [], "why": "", "replaces": ""} | more


class Model:
    """Answers every question from what it is shown: one scene a session, one item per turn with "I".

    `fail` is raised instead of an answer; `edit` changes answers by kind.
    """

    def __init__(self) -> None:
        self.chat = ScriptedChat(self._answer)
        self.fail: Exception | None = None
        self.edit: dict[str, Callable[[list[Row], Row], Mapping[str, Any] | Exception]] = {}

    @property
    def requests(self) -> list[ChatRequest]:
        return self.chat.requests

    def kinds(self, since: int = 0) -> list[str]:
        """What it was asked: "batch", and the grain of everything else."""
        words = [request.user.rstrip(".").split()[-1] for request in self.requests[since:]]
        return ["batch" if word == "above" else word for word in words]

    def shown(self, since: int = 0) -> list[list[str]]:
        """The texts of the turns of every batch it was asked about."""
        batches = [request for request in self.requests[since:] if request.kind == "close_batch"]
        return [[row["text"] for row in rows_of(request) if "turn" in row] for request in batches]

    def _answer(self, request: ChatRequest) -> Answer:
        if self.fail:
            return self.fail
        rows = rows_of(request)
        plain = {"close_batch": self._batch, "close_session": self._session, "close_period": self._period}
        if request.kind not in plain:
            return {"complexity": 0, "keywords": []} if request.kind == "plan" else {"keep": []}
        reply = plain[request.kind](rows)
        edit = self.edit.get(request.kind)
        return edit(rows, reply) if edit else reply

    def _batch(self, rows: list[Row]) -> Row:
        sessions: list[list[Row]] = [[]]
        for row in rows:
            if "session" in row:
                sessions.append([])
            elif "turn" in row:
                sessions[-1].append(row)
        turns = [row for session in sessions for row in session]
        scenes = [scene(s[0]["turn"], s[-1]["turn"], " / ".join(t["text"] for t in s)) for s in sessions if s]
        memories = {turn["exchange"]: {"exchange": turn["exchange"], "text": turn["text"]} for turn in turns}
        items = [item(turn) for turn in turns if turn["text"].startswith("I ")]
        return {"scenes": scenes, "memories": list(memories.values()), "items": items}

    def _session(self, rows: list[Row]) -> Row:
        said = [row for row in rows if "turn" in row]
        told = [turn for turn in said if turn["text"].startswith("I ")]
        base = {"key": "timeline", "name": "", "when": ""}
        patches = [base | {"speaker": turn["speaker"], "value": turn["text"], "turns": [turn["turn"]]} for turn in told]
        return {"title": "A stretch of time", "text": self._parts(rows), "patches": patches}

    def _period(self, rows: list[Row]) -> Row:
        portraits = [{"speaker": row["known"], "text": f"{row['known']}: {row}"} for row in rows if "known" in row]
        return {"title": "A longer time", "text": self._parts(rows), "portraits": portraits}

    def _parts(self, rows: list[Row]) -> str:
        return " / ".join(row["text"] for row in rows if "part" in row or "earlier" in row) or "nothing"


class World:
    """A clock, a model, and memories of one data folder whose notes it writes; Ann talks with a helper."""

    Model = Model
    scene = staticmethod(scene)
    item = staticmethod(item)
    rows_of = staticmethod(rows_of)

    def __init__(self, folder: Path, clock: FixedClock) -> None:
        self.folder, self.clock, self.model = folder, clock, Model()
        self.opened: list[Memory] = []

    def open(self, settings: Mapping[str, Any] | None = None, **more: Any) -> Memory:
        """Another process's memory of the same folder; `more` names another scribe or chat, or none."""
        named: Row = {"data_dir": self.folder, "owner": "Ann", "time_zone": "Europe/Berlin"}
        named |= {"embed": {"provider": "none"}, "store": {"lock_timeout": 5.0}} | dict(settings or {})
        given: Row = {"embedder": HashingEmbedder()} | (more or {"chat": self.model.chat})
        memory = Memory(Settings(**named), clock=self.clock, **given)
        memory.load()
        self.opened.append(memory)
        return memory

    def filled(self, *turns: Sequence[Turn], **more: Any) -> Memory:
        """A memory that has taken in turns, as by an import, and asked nobody yet."""
        memory = self.open(**more)
        self.add(memory, *turns)
        return memory

    @staticmethod
    def add(memory: Memory, *turns: Sequence[Turn]) -> None:
        """Takes turns in and derives."""
        memory.store.journal.append([turn for group in turns for turn in group])
        memory.drain()

    def wait(self, **by: float) -> None:
        """Lets time pass."""
        self.clock.advance(timedelta(**by))

    @staticmethod
    def day(number: int, hour: int = 9) -> datetime:
        """A morning in February 2026, the month before the clock's."""
        return datetime(2026, 2, number, hour, tzinfo=UTC)

    @staticmethod
    def talk(at: datetime, *said: str, minutes: int = 2, session: str = "") -> list[Turn]:
        """An exchange every few minutes from a moment on, a helper answering each."""
        return [
            turn
            for number, text in enumerate(said)
            for turn in exchange_turns(
                Said(text, f"So: {text}", session=session), "Ann", at + timedelta(minutes=minutes * number)
            )
        ]

    @staticmethod
    def lines(count: int, word: str = "thing") -> list[str]:
        """So many things that Ann did."""
        return [f"I did {word} number {number}" for number in range(1, count + 1)]

    @staticmethod
    def units(memory: Memory, kind: str) -> list[Unit]:
        """All records of a kind by time."""
        memory.corpus.refresh()
        found = [one for one in memory.corpus.units.values() if one.kind == kind]
        return sorted(found, key=lambda one: (one.start, one.id))

    @staticmethod
    def left(memory: Memory) -> list[str]:
        """Windows that are still to be written."""
        return list(memory._drain.work.windows("Ann"))

    def check_tree(self, memory: Memory) -> None:
        """Nothing said is lost, every node lies within one parent, and scenes tile the sessions."""
        memory.corpus.refresh()
        by_id = memory.corpus.units
        segments = self.units(memory, "segment")
        assert sorted(turn for one in segments for turn in one.turns) == sorted(memory.corpus.turns)
        above = {"segment": "session", "session": "day", "day": "week", "week": "profile"}
        for kind, parent in above.items():
            for one in self.units(memory, kind):
                over = by_id[one.parent]
                assert over.kind == parent
                assert over.start <= one.start <= one.end <= over.end
        for session in self.units(memory, "session"):
            scenes = [one for one in self.units(memory, "scene") if set(one.turns) & set(session.turns)]
            assert session.status != "live" or sorted(turn for one in scenes for turn in one.turns) == sorted(
                session.turns
            )
            assert all(session.start <= one.start <= one.end <= session.end for one in scenes)


@pytest.fixture
def world(tmp_path: Path, clock: FixedClock) -> Iterator[World]:
    made = World(tmp_path / "data", clock)
    yield made
    for memory in made.opened:
        memory.close()
        memory.store.journal.close()
