"""Which older facts a newer one says are no longer true.

Resolved where memory is read, not stored: so a correction counts from the moment it was acknowledged, and
whatever is derived again or forgotten later changes it by itself.  The old fact stays in history.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

import numpy as np

from mcp_memory.model.ids import is_handle
from mcp_memory.model.unit import Unit
from mcp_memory.text.facts import COVERAGE, PART, fact_terms, tells
from mcp_memory.text.lexical import term_set

if TYPE_CHECKING:
    from mcp_memory.store.shelf import Shelf

_SHORTLIST: Final = 30
_RANK: Final = {"note": 0, "atomic": 0, "connected": 1, "quote": 2}


def replaced_by(unit: Unit, shelf: "Shelf", zone: ZoneInfo) -> set[str]:
    """Ids of the items that `unit`, an item with `replaces`, supersedes; empty when none fits.

    A scribe reads what anybody says, so its facts replace only what the same person said before.
    """
    named = str(unit.detail["replaces"])
    handle = named.strip("#()[] ")
    if is_handle(handle):
        targets = _with_id(unit, handle, shelf.units)
    else:
        best = _best(unit, named, shelf, zone)
        targets = [best] if best else []
    found = (one for target in targets for one in _same_fact(target, shelf.units, zone))
    return {one.id for one in found if _replaceable(one, unit)} - {unit.id}


def _with_id(unit: Unit, named: str, units: Mapping[str, Unit]) -> list[Unit]:
    """The items of that id, or of the turn with that id the one that is most about what `unit` says."""
    found = [one for one in units.values() if _replaceable(one, unit)]
    if own := [one for one in found if one.id.startswith(named)]:
        return own
    told = [one for one in found if any(turn.startswith(named) for turn in one.turns) and one.id != unit.id]
    terms = term_set(unit.text)
    return sorted(told, key=lambda one: (-len(terms & term_set(one.text)), _RANK.get(one.view, 3), one.id))[:1]


def _replaceable(other: Unit, unit: Unit) -> bool:
    if other.kind != "item" or unit.source == "caller":
        return other.kind == "item"
    return other.speaker == unit.speaker and other.start <= unit.start


def _best(unit: Unit, named: str, shelf: "Shelf", zone: ZoneInfo) -> Unit | None:
    """The older record that holds most of what is named; of several the one with least beside it.

    One word names a fact only where it is half of it: "gym" is not what "The gym costs 40 euros" is about.
    """
    terms = fact_terms(named, unit.start, zone)
    found: list[tuple[float, float, int, Unit]] = []
    for view in ("item", "quote"):
        scores = shelf.words(view, sorted(terms))
        for row in np.argsort(-scores, kind="stable")[:_SHORTLIST]:
            other = shelf.units.get(shelf.ids[row])
            if other is None or scores[row] <= 0 or not _older(other, unit):
                continue
            held = fact_terms(other.text, other.start, zone)
            share, of_it = len(terms & held) / len(terms), len(terms & held) / max(1, len(held))
            if share >= COVERAGE and (len(terms) > 1 or of_it >= PART):
                found.append((share, of_it, -_RANK.get(other.view, 3), other))
    return max(found, key=lambda one: (*one[:3], one[3].start))[3] if found else None


def _older(other: Unit, unit: Unit) -> bool:
    before = (other.start, other.id) != (unit.start, unit.id) and other.start <= unit.start
    return _replaceable(other, unit) and before and not set(other.turns) & set(unit.turns)


def _same_fact(target: Unit, units: Mapping[str, Unit], zone: ZoneInfo) -> Iterator[Unit]:
    """The target and the quotes and notes of its evidence that say the same."""
    yield target
    fact = fact_terms(target.text, target.start, zone)
    for other in units.values():
        beside = other.kind == "item" and other.id != target.id and set(other.turns) & set(target.turns)
        if beside and tells(other.text, fact, other.start, zone):
            yield other
