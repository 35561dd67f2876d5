"""Forgetting: first shown, then gone, from every file and every process."""

import subprocess
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from mcp_memory.engine import Memory
from mcp_memory.errors import InputError, StoreBusyError
from mcp_memory.model.ids import short
from mcp_memory.model.notes import BatchNotes, ItemNote, PeriodNotes, SceneNote
from mcp_memory.model.reply import Reply, notes_body, reply_id
from mcp_memory.model.turn import Note
from mcp_memory.ports import FixedClock
from mcp_memory.write import forget as forgetting
from mcp_memory.write.remember import Said

Open = Callable[..., Memory]
SECRET = "my xylophone lesson"
WORD = "xylophone"

HOLDER = """
import sys
from pathlib import Path
from mcp_memory.engine import Memory
from mcp_memory.model.unit import Unit
from mcp_memory.settings import Settings
given = {"data_dir": Path(sys.argv[1]), "owner": "Ann", "time_zone": "Europe/Berlin", "embed": {"provider": "none"}}
memory = Memory(Settings(**given))
memory.corpus.refresh()
def told():
    memory.corpus.refresh()
    texts = [unit.text for unit in memory.corpus.units.values()] + [turn.text for turn in memory.corpus.turns.values()]
    print(sum("xylophone" in text for text in texts), len(memory.corpus.turns), flush=True)
told()
for line in sys.stdin:
    memory.drain(seconds=20, wait=20)
    told()
"""


def holding(folder: Path, word: str) -> list[str]:
    """Files under a folder that hold a word in any case and common encoding."""
    forms = [form.encode(code) for form in (word, word.upper(), word.capitalize()) for code in ("utf-8", "utf-16-le")]
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [str(path.relative_to(folder)) for path in files if any(form in path.read_bytes() for form in forms)]


def told(memory: Memory) -> list[str]:
    memory.corpus.refresh()
    texts = [f"{unit.title} {unit.text} {unit.detail}" for unit in memory.corpus.units.values()]
    return [text for text in [*texts, *(turn.text for turn in memory.corpus.turns.values())] if WORD in text]


@pytest.fixture
def filled(memory: Memory, clock: FixedClock) -> Memory:
    """Talk on two days, the second of which holds the secret; both are over."""
    memory.remember(Said("I love my garden and my sister Eva", "Good.", topic="garden"))
    clock.advance(timedelta(days=1))
    memory.remember(Said("I love the sea as well", "Nice."))
    memory.remember(
        Said(f"I went to {SECRET}", f"How was {SECRET}?", topic=WORD, notes=[Note(f"Ann takes {SECRET}", (WORD,))])
    )
    clock.advance(timedelta(days=40))
    return memory


def secret_id(memory: Memory) -> str:
    memory.corpus.refresh()
    return next(turn.id for turn in memory.corpus.turns.values() if turn.text.startswith("I went to"))


def test_the_preview_shows_what_would_go_and_takes_nothing(filled: Memory) -> None:
    filled.drain()
    shown = filled.forget([secret_id(filled)])
    assert [turn.role for turn in shown.turns] == ["user", "assistant"]
    assert shown.derived["segment"] == 1
    assert shown.derived["item"] == 3
    assert len(told(filled)) > 3


@pytest.mark.parametrize("indexed", [True, False], ids=["indexed", "only in the journal"])
def test_afterwards_no_file_holds_the_words(filled: Memory, indexed: bool) -> None:
    if indexed:
        filled.drain()
    assert holding(filled.store.folder, WORD)
    filled.forget([secret_id(filled)], confirm=True)
    assert holding(filled.store.folder, WORD) == []
    assert told(filled) == []
    assert holding(filled.store.folder, "garden")


def test_former_states_of_rows_go_too(filled: Memory, clock: FixedClock) -> None:
    filled.drain()
    for number in range(3):  # each late turn writes the day's summaries anew
        filled.remember(Said(f"I love late thing {number}", at=clock.now() - timedelta(days=40, minutes=-number - 1)))
        filled.drain()
    filled.store.upkeep()
    filled.forget([secret_id(filled)], confirm=True)
    assert holding(filled.store.folder, WORD) == []


def test_a_process_that_holds_the_store_open_keeps_nothing_and_loses_nothing(
    filled: Memory, process: Callable[..., subprocess.Popen[str]]
) -> None:
    filled.drain()
    other = process(HOLDER, filled.store.folder)
    assert other.stdout is not None
    assert other.stdin is not None
    assert int(other.stdout.readline().split()[0]) > 3
    filled.forget([secret_id(filled)], confirm=True)
    assert holding(filled.store.folder, WORD) == []
    for _ in range(2):
        other.stdin.write("again\n")
        other.stdin.flush()
        assert other.stdout.readline().split() == ["0", "4"]
    assert holding(filled.store.folder, WORD) == []


def test_what_scribes_wrote_about_it_goes_too(filled: Memory) -> None:
    filled.drain()
    memory, turn = filled, filled.corpus.turns[secret_id(filled)]
    other = next(one for one in memory.corpus.turns.values() if "sea" in one.text)
    item = ItemNote(f"Ann likes the sea and {SECRET}", "Ann", (other.id, turn.id))
    bodies = {
        "batch": (BatchNotes(items=(item,), scenes=(SceneNote((other.id,), "sea", "sea"),), source="llm"), (other.id,)),
        "day": (PeriodNotes("day", f"Ann had {SECRET}", source="llm"), ()),
        "week": (PeriodNotes("week", f"Ann had {SECRET}", source="llm"), ()),
    }
    replies = [
        Reply(reply_id("Ann", kind, kind), "Ann", kind, kind, turn.at, turn.at, turns, "", notes_body(notes))  # type: ignore[arg-type]
        for kind, (notes, turns) in bodies.items()
    ]
    _, notebook = memory._drain.consolidator("Ann")
    with memory.store.lock.held("test", 1):
        notebook.add(replies)
    assert memory.store.replies.count() == 3
    memory.forget([turn.id], confirm=True)
    assert memory.store.replies.count() == 0
    assert holding(memory.store.folder, WORD) == []


@pytest.mark.parametrize("step", ["_forget_of", "shutil"])
def test_an_interrupted_forget_shows_nothing_and_is_finished_by_the_next_drain(
    filled: Memory, open_memory: Open, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    filled.drain()
    target = secret_id(filled)
    with monkeypatch.context() as broken:
        broken.setattr(forgetting, step, None)
        with pytest.raises((TypeError, AttributeError)):
            filled.forget([target], confirm=True)
    assert told(filled) == []
    fresh = open_memory()
    assert told(fresh) == []
    fresh.drain()
    assert holding(fresh.store.folder, WORD) == []
    assert fresh.store.journal.erasing() == []
    assert len(fresh.corpus.turns) == 4


def test_a_busy_store_is_named_and_nothing_is_taken(filled: Memory, open_memory: Open) -> None:
    filled.drain()
    target, other = secret_id(filled), open_memory()
    filled.settings.store.__dict__["lock_timeout"] = 0.1
    with other.store.lock.held("a long job", 1), pytest.raises(StoreBusyError, match="a long job"):
        filled.forget([target], confirm=True)
    assert told(filled)
    assert filled.store.journal.erasing() == []


def test_forgetting_twice_says_that_it_is_gone(filled: Memory) -> None:
    target = secret_id(filled)
    filled.forget([target], confirm=True)
    with pytest.raises(InputError, match="no memory has that id"):
        filled.forget([target], confirm=True)


def test_a_note_or_a_shown_beginning_of_an_id_names_its_turn(filled: Memory) -> None:
    target = secret_id(filled)
    note = next(unit for unit in filled.corpus.units.values() if unit.view == "note")
    assert {turn.id for turn in filled.forget([note.id]).turns} == {turn.id for turn in filled.forget([target]).turns}
    assert filled.forget([short(target)]) == filled.forget([target])


def test_only_the_reply_may_be_forgotten(filled: Memory) -> None:
    filled.corpus.refresh()
    reply = next(turn for turn in filled.corpus.turns.values() if turn.text == "Nice.")
    filled.forget([reply.id], confirm=True)
    filled.drain()
    segment = next(unit for unit in filled.corpus.units.values() if unit.kind == "segment" and "sea" in unit.text)
    assert "Nice." not in segment.text
    assert len(segment.turns) == 1


def test_other_owners_keep_theirs(filled: Memory, open_memory: Open) -> None:
    ben = open_memory(owner="Ben")
    ben.remember(Said(f"I have {SECRET} too"))
    ben.drain()
    with pytest.raises(InputError, match="no memory has that id"):
        ben.forget([secret_id(filled)])
    filled.forget([secret_id(filled)], confirm=True)
    assert len(told(ben)) > 0
    assert len(told(open_memory(owner="Ben"))) > 0


@pytest.mark.parametrize("name", ["", "' OR 1=1 --", "t" * 500, "\ud800", "tzzz", "%", "日本", "t\x00"])
def test_what_is_no_id_is_refused(filled: Memory, name: str) -> None:
    with pytest.raises(InputError, match="id"):
        filled.forget([name], confirm=True)


def test_forgetting_nothing_is_refused(filled: Memory) -> None:
    with pytest.raises(InputError, match="ids"):
        filled.forget([])
