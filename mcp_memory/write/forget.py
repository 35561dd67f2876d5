"""`forget`: a turn and all that stands on it goes, and its bytes with it.

First the journal writes down what must go (a crash after that is finished by the next drain), then the
windows it was in are derived again without it, then every table is written anew so that no old version or
deleted row keeps a word.
"""

import logging
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcp_memory.errors import InputError
from mcp_memory.model.ids import is_handle, is_id
from mcp_memory.model.turn import Turn
from mcp_memory.model.unit import Unit
from mcp_memory.model.window import day_key
from mcp_memory.write.drain import Drain

if TYPE_CHECKING:
    from mcp_memory.store.corpus import Corpus

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Doomed:
    """What forgetting would take: turns, and how many derived records stand on them by kind."""

    turns: tuple[Turn, ...]
    derived: dict[str, int]


def resolve(corpus: "Corpus", name: str) -> Turn | Unit:
    """What an id, the beginning of one, or an imported id names.  Raises InputError when nothing or several."""
    everything: dict[str, Turn | Unit] = {**corpus.turns, **corpus.units}
    if is_id(name) and name in everything:
        return everything[name]
    found: list[Turn | Unit] = [turn for turn in corpus.turns.values() if turn.ref == name]
    if not found and is_handle(name):
        found = [one for key, one in everything.items() if key.startswith(name)]
    if len(found) > 1:
        choices = ", ".join(one.id for one in found[:5])
        raise InputError(f"that id could mean {len(found)} records: use one of {choices}")
    if not found:
        raise InputError("no memory has that id: copy it from recall or inspect_memory (the part in parentheses)")
    return found[0]


def doomed(corpus: "Corpus", names: Sequence[str]) -> Doomed:
    """What would go with these ids.

    A unit takes the turns it stands on; what the person said takes the assistant's reply to it along, which
    is likely to repeat it.  Raises InputError.
    """
    if not names:
        raise InputError("give the ids to forget, as shown in parentheses by recall or inspect_memory")
    ids = {turn for name in names for turn in _turns_of(corpus, resolve(corpus, name))}
    ids |= {
        reply.id
        for reply in corpus.turns.values()
        if reply.role == "assistant" and any(corpus.turns[one].exchange == reply.exchange for one in ids)
    }
    derived: dict[str, int] = {}
    for unit in corpus.units.values():
        if ids.intersection(unit.turns):
            derived[unit.kind] = derived.get(unit.kind, 0) + 1
    turns = sorted((corpus.turns[one] for one in ids), key=lambda turn: (turn.at, turn.position))
    return Doomed(tuple(turns), derived)


def _turns_of(corpus: "Corpus", found: Turn | Unit) -> Iterable[str]:
    if isinstance(found, Turn):
        return [found.id]
    if found.kind == "topic":
        scenes = [one for one in corpus.units.values() if found.id in one.detail.get("topics", ())]
        return [turn for scene in scenes for turn in scene.turns]
    if found.kind in ("day", "week", "profile"):
        below = [one for one in corpus.units.values() if one.parent == found.id and one.kind != "persona"]
        return [turn for child in below for turn in _turns_of(corpus, child)]
    if found.kind == "persona":
        raise InputError("a persona is drawn from many turns: inspect_memory(view=node) lists them; forget those")
    return [turn for turn in found.turns if turn in corpus.turns]


def forget(drain: Drain, corpus: "Corpus", target: Doomed, timeout: float) -> None:
    """Erases for good.  Raises StoreBusyError, StoreError; what was begun is finished by the next drain."""
    store = drain.store
    with store.lock.held("forgetting", timeout):
        ids = [turn.id for turn in target.turns]
        days = {(corpus.owner, day_key(turn.at, drain.zone)) for turn in target.turns}
        store.journal.erase(ids, drain.clock.now(), days)
        finish(drain)


def finish(drain: Drain) -> None:
    """Carries out what the journal says is to be erased; under the write lock."""
    store = drain.store
    ids = store.journal.erasing()
    if not ids:
        return
    owners = {owner for owner, _ in store.journal.dirty()}
    for owner in owners:
        _, notebook = drain.consolidator(owner)
        notebook.refresh()
        store.replies.erase(notebook.touching(set(ids)))
        store.journal.bump("replies")
    store.turns.erase(ids)
    store.journal.published(ids)
    drain.derive_dirty(store.lock_timeout)
    for table in (store.units, store.replies):
        table.erase(())
    shutil.rmtree(store.folder / "quarantine", ignore_errors=True)
    store.journal.erased(ids)
    store.journal.scrub()
