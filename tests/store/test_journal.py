"""The journal: what it acknowledges is there, once, for every process."""

import json
import sqlite3
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from mcp_memory.errors import StoreError, StoreTooNewError
from mcp_memory.model.turn import Turn
from mcp_memory.store.journal import Journal

TWO_MINUTES = 120.0
NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)

WRITER = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from mcp_memory.model.turn import Turn, turn_id
from mcp_memory.store.journal import Journal
journal = Journal(Path(sys.argv[1]))
name = sys.argv[2]
for number in range(100):
    at = datetime(2026, 3, 2, 9, number % 60, number // 60, tzinfo=UTC)
    identifier = turn_id("Ann", name, at, "Ann", f"{name} {number}")
    journal.append([Turn(identifier, "Ann", name, identifier, 0, at, "Ann", "user", f"{name} {number}")])
print("done")
"""


def append_said(journal: Journal, turn: Turn, minutes: float, words: str, within: float | None = TWO_MINUTES) -> bool:
    """Whether something new was stored."""
    return not journal.append_said([turn], words, NOW + timedelta(minutes=minutes), within).duplicate


def test_what_was_appended_waits_in_order_of_arrival(journal: Journal, turn: Callable[..., Turn]) -> None:
    turns = [turn(3), turn(1), turn(2)]
    journal.append(turns)
    assert journal.pending() == turns


def test_the_same_turn_is_stored_once_even_after_it_was_indexed(journal: Journal, turn: Callable[..., Turn]) -> None:
    assert journal.append([turn(1)]).new == (turn(1).id,)
    journal.settle([turn(1).id], [])
    again = journal.append([turn(1)])
    assert again.duplicate
    assert again.ids == (turn(1).id,)
    assert journal.pending() == []


def test_a_repetition_of_the_latest_turn_within_two_minutes_is_a_retry(
    journal: Journal, turn: Callable[..., Turn]
) -> None:
    assert append_said(journal, turn(1), 0, "yes")
    assert not append_said(journal, turn(2), 2, "yes")
    assert journal.pending() == [turn(1)]


def test_a_retry_gets_the_ids_of_what_was_stored(journal: Journal, turn: Callable[..., Turn]) -> None:
    journal.append_said([turn(1)], "yes", NOW, TWO_MINUTES)
    assert journal.append_said([turn(2)], "yes", NOW, TWO_MINUTES).ids == (turn(1).id,)


def test_the_same_words_later_are_a_new_turn(journal: Journal, turn: Callable[..., Turn]) -> None:
    append_said(journal, turn(1), 0, "yes")
    assert append_said(journal, turn(2), 2.1, "yes")


def test_the_same_words_in_another_session_are_a_new_turn(journal: Journal, turn: Callable[..., Turn]) -> None:
    append_said(journal, turn(1, session="a"), 0, "yes")
    assert append_said(journal, turn(1, session="b"), 0, "yes")


def test_the_same_words_of_another_owner_are_a_new_turn(journal: Journal, turn: Callable[..., Turn]) -> None:
    append_said(journal, turn(1), 0, "yes")
    assert append_said(journal, turn(1, owner="Ben"), 0, "yes")


def test_the_same_words_after_another_turn_are_a_new_turn(journal: Journal, turn: Callable[..., Turn]) -> None:
    append_said(journal, turn(1), 0, "yes")
    append_said(journal, turn(2), 0.5, "no")
    assert append_said(journal, turn(3), 1, "yes")


def test_a_turn_with_its_own_moment_also_comes_between(journal: Journal, turn: Callable[..., Turn]) -> None:
    append_said(journal, turn(1), 0, "yes")
    append_said(journal, turn(2), 0.5, "no", within=None)
    assert append_said(journal, turn(3), 1, "yes")


def test_a_clock_set_back_a_little_still_shows_a_retry(journal: Journal, turn: Callable[..., Turn]) -> None:
    append_said(journal, turn(1), 0, "yes")
    assert not append_said(journal, turn(2), -0.1, "yes")


def test_two_processes_append_at_once(
    journal: Journal, process: Callable[..., subprocess.Popen[str]], tmp_path: Path
) -> None:
    children = [process(WRITER, journal.path, name) for name in ("one", "two")]
    for child in children:
        assert child.communicate(timeout=120)[0].strip() == "done"
    texts = {turn.text for turn in journal.pending()}
    assert texts == {f"{name} {number}" for name in ("one", "two") for number in range(100)}


def test_owners_see_only_their_own(journal: Journal, turn: Callable[..., Turn]) -> None:
    journal.append([turn(1), turn(2, owner="Ben")])
    assert journal.pending("Ben") == [turn(2, owner="Ben")]
    assert journal.pending_count("Ann") == journal.pending_count("Ben") == 1
    assert journal.pending_ids("Ann") == {turn(1).id}
    assert journal.pending_count() == 2


def test_arrivals_are_told_once(journal: Journal, turn: Callable[..., Turn]) -> None:
    journal.append([turn(1)])
    first, number = journal.arrived("Ann", 0)
    journal.append([turn(2)])
    second, number = journal.arrived("Ann", number)
    assert (first, second) == ([turn(1)], [turn(2)])
    assert journal.arrived("Ann", number) == ([], number)


def test_what_was_forgotten_comes_back_when_said_but_not_when_imported(
    journal: Journal, turn: Callable[..., Turn]
) -> None:
    journal.append([turn(1)])
    journal.erase([turn(1).id], NOW, [("Ann", "2026-03-02")])
    assert journal.append([turn(1)], revive=False).forgotten == (turn(1).id,)
    assert journal.append([turn(1)]).new == (turn(1).id,)
    assert journal.forgotten() == set()


def test_erasing_leaves_a_tombstone_without_content(journal: Journal, turn: Callable[..., Turn]) -> None:
    journal.append_said([turn(1, "my hidden pearl")], "fingerprint", NOW)
    journal.erase([turn(1, "my hidden pearl").id], NOW, [])
    journal.scrub()
    assert journal.erasing() == [turn(1, "my hidden pearl").id]
    held = b"".join(path.read_bytes() for path in journal.path.parent.glob("journal*"))
    assert b"pearl" not in held


def test_counters_only_count_up_when_a_lost_journal_learns_what_is_stored(journal: Journal) -> None:
    for _ in range(3):
        journal.bump("rev")
    journal.seed(["tbcdfghjklmnpq"], 2, [("Ann", "2026-03-02")])
    assert journal.counter("rev") == 3
    journal.seed([], 9, [])
    assert journal.counter("rev") == 9
    assert journal.dirty() == [("Ann", "2026-03-02")]


def test_a_failed_change_leaves_nothing_and_the_next_one_works(journal: Journal, turn: Callable[..., Turn]) -> None:
    def spoil() -> None:
        with journal.transaction() as db:
            db.execute("INSERT INTO seen VALUES ('half')")
            raise KeyError("interrupted")

    with pytest.raises(KeyError):
        spoil()
    assert journal.append([turn(1)]).new
    assert journal.query("SELECT count(*) FROM seen") == [(1,)]


def test_a_deleted_file_takes_no_more_writes(journal: Journal, turn: Callable[..., Turn]) -> None:
    journal.append([turn(1)])
    journal.path.unlink()
    with pytest.raises(StoreError, match="removed or replaced"):
        journal.append([turn(2)])


def test_a_replaced_file_takes_no_more_writes(journal: Journal, turn: Callable[..., Turn]) -> None:
    journal.path.rename(journal.path.with_name("moved"))
    Journal(journal.path).close()
    with pytest.raises(StoreError, match="restart"):
        journal.append([turn(2)])


def test_a_newer_journal_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite3"
    database = sqlite3.connect(path)
    database.execute("PRAGMA user_version=99")
    database.execute("CREATE TABLE future (x)")
    database.commit()
    database.close()
    before = path.read_bytes()
    with pytest.raises(StoreTooNewError, match="newer"):
        Journal(path)
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


def test_faults_do_not_quote_what_was_being_stored(journal: Journal, turn: Callable[..., Turn]) -> None:
    journal.query("DROP TABLE pending")
    with pytest.raises(StoreError) as caught:
        journal.append([turn(1, "my hidden pearl")])
    assert "pearl" not in str(caught.value)
    assert "pearl" not in json.dumps(repr(caught.value.__cause__))


def test_every_character_that_can_be_stored_comes_back(journal: Journal, turn: Callable[..., Turn]) -> None:
    turns = [
        turn(number, text)
        for number, text in enumerate(["日本語", "🙂\u200d🙃", "שלום", "'; DROP TABLE pending; --", "\ufffd\x01"])
    ]
    journal.append(turns)
    assert journal.pending() == turns
