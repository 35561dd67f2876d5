"""Which older facts a newer one says are no longer true.

Resolved where memory is read, not stored: so a correction counts from the moment it was acknowledged, and
whatever is derived again or forgotten later changes it by itself.  The old fact stays in history.
"""

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

import numpy as np

from mcp_memory.model.ids import is_handle
from mcp_memory.model.unit import Unit
from mcp_memory.text.lexical import term_set

if TYPE_CHECKING:
    from mcp_memory.store.shelf import Shelf

COVERAGE: Final = 0.6  # share of the named fact's terms that the older record must hold
PART: Final = 0.5  # share of a text's terms that the clauses which tell a fact must have to stand for it
_CLAUSES: Final = re.compile(r"[.!?;,\n]+")
_SHORTLIST: Final = 30
_RANK: Final = {"note": 0, "atomic": 0, "connected": 1, "quote": 2}


def replaced_by(unit: Unit, shelf: "Shelf") -> set[str]:
    """Ids of the items that `unit`, an item with `replaces`, supersedes; empty when none fits.

    A scribe reads what anybody says, so its facts replace only what the same person said before.
    """
    named = str(unit.detail["replaces"])
    if is_handle(named):
        targets = _with_id(unit, named, shelf.units)
    else:
        best = _best(unit, named, shelf)
        targets = [best] if best else []
    found = (one for target in targets for one in _same_fact(target, shelf.units))
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


def _best(unit: Unit, named: str, shelf: "Shelf") -> Unit | None:
    terms = term_set(named)
    found: list[tuple[float, int, Unit]] = []
    for view in ("item", "quote"):
        scores = shelf.words(view, sorted(terms))
        for row in np.argsort(-scores, kind="stable")[:_SHORTLIST]:
            other = shelf.units.get(shelf.ids[row])
            if other is None or scores[row] <= 0 or not _older(other, unit):
                continue
            share = len(terms & term_set(other.text)) / len(terms)
            if share >= COVERAGE:
                found.append((share, -_RANK.get(other.view, 3), other))
    return max(found, key=lambda one: (one[0], one[1], one[2].start))[2] if found else None


def _older(other: Unit, unit: Unit) -> bool:
    before = (other.start, other.id) != (unit.start, unit.id) and other.start <= unit.start
    return _replaceable(other, unit) and before and not set(other.turns) & set(unit.turns)


def _same_fact(target: Unit, units: Mapping[str, Unit]) -> Iterator[Unit]:
    """The target and the quotes and notes of its evidence that say the same."""
    yield target
    terms = term_set(target.text)
    for other in units.values():
        beside = other.kind == "item" and other.id != target.id and set(other.turns) & set(target.turns)
        if beside and _says(other.text, terms):
            yield other


def _says(text: str, terms: frozenset[str]) -> bool:
    """Whether a text says what these terms say, and little else: what else it says must not go with it."""
    whole = term_set(text)
    clauses = [term_set(part) for part in _CLAUSES.split(text)]
    if PART * len(whole) <= len(terms):
        clauses.append(whole)
    telling = [said for said in clauses if said and len(terms & said) >= COVERAGE * min(len(terms), len(said))]
    return bool(terms) and len(frozenset().union(*telling)) >= PART * len(whole)
