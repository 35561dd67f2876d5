"""Which of what somebody said of themselves still holds, and what of it changed lately.

Nothing is stored: a later statement about where somebody lives or works, how old they are or whether they are
married ends the earlier one whenever both are read, and what is forgotten ends nothing any more.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from mcp_memory.model.persona import Patch
from mcp_memory.scribe.noted import as_first_person
from mcp_memory.scribe.slots import Claim, claims, ends
from mcp_memory.text.clean import plain

LATELY: Final = timedelta(days=31)
OVERWRITES: Final = frozenset({"identity", "preferences", "relations", "aggregations"})
_OLD_NEWS: Final = timedelta(days=92)  # an event told so long after it happened ends nothing said since
_LOOSE: Final = frozenset({"spouse", "partner", "said"})  # claimed by the way in what tells of an event, too
_FAMILY: Final = {"spouse": "marital", "partner": "marital"}


def said_by(patches: Iterable[Patch], speaker: str, until: datetime | None) -> list[Patch]:
    """What somebody said up to a moment, in order."""
    mine = [patch for patch in patches if patch["speaker"] == speaker]
    known = [patch for patch in mine if not until or datetime.fromisoformat(patch["at"]) <= until]
    return sorted(known, key=lambda one: str(one["at"]))


def ended(said: Sequence[Patch], until: datetime | None) -> dict[int, int]:
    """The place in `said` of each statement that a later one ends, with the place of the first that does."""
    holding: dict[str, dict[Claim, list[int]]] = defaultdict(lambda: defaultdict(list))
    over: dict[int, int] = {}
    for place, patch in enumerate(said):
        found = _claims(patch)
        for claim in found if not lies_ahead(patch, until) else ():
            held = holding[_against(claim)]
            for earlier in [one for one in held if ends(claim, one)]:
                gone = {number for number in held[earlier] if not _happened_before(patch, said[number])}
                over |= {number: place for number in gone if number not in over}
                held[earlier] = [number for number in held[earlier] if number not in gone]
                if not held[earlier]:
                    del held[earlier]
        for claim in found:
            holding[_among(claim)][claim].append(place)
    return over


def _among(claim: Claim) -> str:
    """Where a claim is kept: among those that the same may end."""
    return f"{claim.slot} {claim.kind}" if claim.slot == "said" else _FAMILY.get(claim.slot, claim.slot)


def _against(claim: Claim) -> str:
    """Where the claims are kept that this one may end."""
    other = "state" if claim.kind == "end" else "end"
    return f"{claim.slot} {other}" if claim.slot == "said" else _among(claim)


def is_past(patch: Patch) -> bool:
    """Whether a statement that was ended is shown no more; what happened stays in the timeline."""
    holds = (one.kind == "state" and one.slot not in _LOOSE for one in _claims(patch))
    return patch["key"] != "timeline" or any(holds)


def same(value: str, speaker: str) -> str:
    """Equal for what somebody says and a note that says the same of them."""
    return next(iter(as_first_person(value, speaker, user=True)), value).casefold().rstrip(" .!")


def lies_ahead(patch: Patch, until: datetime | None) -> bool:
    """Whether what a patch tells begins only after a moment."""
    begins = str(patch["when"]).partition("/")[0]
    return bool(until and begins and begins > _day_before(until)[: len(begins)])


def _day_before(moment: datetime) -> str:
    return (moment - timedelta(microseconds=1)).date().isoformat()  # it may be the first moment after a day


def _claims(patch: Patch) -> tuple[Claim, ...]:
    return claims(str(patch["value"]), str(patch["speaker"]))


def _happened_before(event: Patch, statement: Patch) -> bool:
    """Whether an event with a date was over long before something else was said."""
    last = str(event["when"]).rpartition("/")[2]
    since = (datetime.fromisoformat(statement["at"]) - _OLD_NEWS).date().isoformat()
    return bool(last) and last < since[: len(last)]


def changes(said: Sequence[Patch], at: datetime, corrected: Collection[str]) -> list[Patch]:
    """What of a person changed in the month before `at`, newest first, with what it replaced.

    That is a value that replaces another, the beginning or end of a home, a job or a marriage, and what a
    correction (`corrected`: their words) says.  What was merely said, or lies ahead, is no change.
    """
    found: dict[object, Patch] = {}
    was = _replaced(said, at)
    for place, patch in enumerate(said):
        former = was.get(place, "")
        changed = former or plain(patch["value"]) in corrected or _turned(patch, at)
        if not changed or lies_ahead(patch, at) or at - datetime.fromisoformat(patch["at"]) > LATELY:
            continue
        told: object = frozenset((one.slot, one.what, one.how) for one in _claims(patch) if one.slot != "said")
        told = told or plain(patch["value"])
        former = former or str(found.pop(told, {}).get("was", ""))
        found[told] = {**patch, "was": former}
    return sorted(found.values(), key=lambda one: (one["at"], one["value"]), reverse=True)


def _replaced(said: Sequence[Patch], at: datetime) -> dict[int, str]:
    """By place: the value that a statement took the place of."""
    over = sorted(ended(said, at).items())
    was = {later: str(said[earlier]["value"]) for earlier, later in over if is_past(said[earlier])}
    former: dict[tuple[str, str], str] = {}
    for place, patch in enumerate(said):
        slot = (str(patch["key"]), str(patch["name"]).casefold())
        if patch["name"] and patch["key"] in OVERWRITES:
            before = former.get(slot, "")
            if before and before != patch["value"]:
                was.setdefault(place, before)
            former[slot] = str(patch["value"])
    return was


def _turned(patch: Mapping[str, object], at: datetime) -> bool:
    """Whether a patch tells that something began or ended in the month before `at`."""
    last = str(patch["when"]).rpartition("/")[2] or str(patch["at"])[:10]
    since = (at - LATELY).date().isoformat()
    return last >= since[: len(last)] and any(one.kind != "state" for one in _claims(patch))
