"""store.json: respected when newer, made anew when lost, the same for all who start at once."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from mcp_memory.errors import StoreTooNewError
from mcp_memory.store.card import UNKNOWN
from mcp_memory.store.store import Store

OPENER = """
import sys
from pathlib import Path
from mcp_memory.store.store import Store
sys.stdin.readline()
print(Store(Path(sys.argv[1])).card.store_id)
"""


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_new_folder_is_private(store: Store) -> None:
    assert store.folder.stat().st_mode & 0o777 == 0o700


def test_the_card_is_the_same_next_time(store: Store) -> None:
    assert Store(store.folder).card == store.card


def test_processes_that_start_at_once_agree_on_one_store(
    tmp_path: Path, process: Callable[..., subprocess.Popen[str]]
) -> None:
    children = [process(OPENER, tmp_path / "data") for _ in range(3)]
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()
    assert len({child.communicate(timeout=120)[0] for child in children}) == 1


@pytest.mark.parametrize("more", [{}, {"something_new": {"deep": 1}}])
def test_a_newer_store_is_refused_and_not_touched(store: Store, more: dict[str, object]) -> None:
    store.journal.close()
    card = store.folder / "store.json"
    card.write_text(json.dumps(json.loads(card.read_text()) | {"schema": 99} | more))
    before = snapshot(store.folder)
    with pytest.raises(StoreTooNewError, match="newer"):
        Store(store.folder)
    assert snapshot(store.folder) == before


@pytest.mark.parametrize("damage", ["", "{", "[]", "null", '{"store_id": 1}', "\x00\x00", '{"schema": "x"}'])
def test_a_damaged_card_is_kept_aside_and_made_anew(store: Store, damage: str) -> None:
    (store.folder / "store.json").write_text(damage)
    again = Store(store.folder)
    assert again.problem == ""
    assert Store(store.folder).card == again.card
    assert [path.read_text() for path in (store.folder / "quarantine").iterdir()] == [damage]


def test_vectors_of_a_store_whose_card_is_lost_belong_to_an_unknown_model(store: Store) -> None:
    (store.folder / "lance" / "units.lance").mkdir(parents=True)
    (store.folder / "store.json").unlink()
    assert Store(store.folder).card.embedder == UNKNOWN


def test_what_another_process_wrote_on_the_card_is_kept(store: Store) -> None:
    other = Store(store.folder)
    other.update_card(embedder="some-model", dimension=12)
    store.update_card(time_zone="Asia/Kathmandu")
    assert (store.card.embedder, store.card.dimension, store.card.time_zone) == ("some-model", 12, "Asia/Kathmandu")


def test_a_store_whose_folder_is_a_file_says_so(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("not a folder")
    store = Store(tmp_path / "data")
    assert "data_dir" in store.problem
    assert store.journal.pending() == []
    assert store.card.embedder == ""  # nothing was ever embedded there


def test_what_stood_in_the_way_may_go_away(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("not a folder")
    store = Store(tmp_path / "data")
    store.retry()
    assert store.problem
    (tmp_path / "data").unlink()
    store.retry()
    assert store.problem == ""
    assert store.journal.bump("rev") == 1
    shutil.rmtree(tmp_path / "data")
