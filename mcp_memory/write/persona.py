"""The persona (L5): what is known of each speaker, merged by code from dated patches with evidence.

Six keys as in T-Mem's profile.  identity and preferences: the newest value of a name counts; relations:
one entry a person; aggregations: the newest count; traits and timeline: all, each once.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from mcp_memory.errors import InputError
from mcp_memory.model.ids import make_id
from mcp_memory.model.notes import PERSONA_KEYS, PeriodNotes
from mcp_memory.model.persona import Patch, PersonaView
from mcp_memory.model.unit import Source, Unit
from mcp_memory.text.titles import extract
from mcp_memory.write.tree import node_id

PORTRAIT_TOKENS: Final = 240
LATELY: Final = timedelta(days=31)
MOST_CHANGES: Final = 10
_OVERWRITES: Final = frozenset({"identity", "preferences", "relations", "aggregations"})


@dataclass(frozen=True, slots=True)
class Persona:
    """What is known of one speaker at one moment: entries {name, value, when, at, turns} by key."""

    speaker: str
    entries: Mapping[str, Sequence[Patch]]

    @property
    def since(self) -> str:
        """When the first of it was said."""
        return min((str(entry["at"]) for group in self.entries.values() for entry in group), default="")


def merge(patches: Iterable[Patch], speaker: str, until: datetime | None = None) -> Persona:
    """The persona of a speaker from patches said up to `until`."""
    entries: dict[str, dict[str, Patch]] = {key: {} for key in PERSONA_KEYS}
    for patch in sorted(patches, key=lambda one: (one["at"], one["value"])):
        if patch["speaker"] != speaker or (until and datetime.fromisoformat(patch["at"]) > until):
            continue
        overwrites = patch["key"] in _OVERWRITES and patch["name"]
        name = patch["name"].casefold() if overwrites else patch["value"].casefold()
        entries[patch["key"]][name] = patch
    ordered = {key: sorted(group.values(), key=_moment) for key, group in entries.items() if group}
    return Persona(speaker, ordered)


def _moment(entry: Patch) -> tuple[str, str]:
    return (entry["when"] or entry["at"], entry["value"])


def view(units: Sequence[Unit], speaker: str, at: datetime, named: bool, notices: Sequence[str]) -> PersonaView:
    """A speaker as known at a moment; nothing said later shows through.

    Raises InputError for a named speaker of whom nothing is known.
    """
    personas = sorted((one for one in units if one.kind == "persona"), key=lambda one: one.start)
    who = {one.speaker.casefold(): one.speaker for one in personas}
    name = who.get(speaker.casefold(), speaker)
    mine = [one for one in personas if one.speaker == name]
    if named and not mine:
        known = ", ".join(sorted(who.values())[:10]) or "nobody yet"
        raise InputError(f"nothing is known of that speaker; known: {known}")
    patches = [patch for one in mine for patch in one.detail.get("patches", ())]
    merged = merge(patches, name, at)
    written = [one for one in mine if one.source != "rules" and one.end <= at]
    others = [other for other in who.values() if other != name]
    hint = [f"Nothing is known of {name} yet; known: {', '.join(sorted(others)[:10])}."] if others and not mine else []
    return PersonaView(
        speaker=name,
        as_of=at.date().isoformat(),
        since=merged.since,
        portrait=written[-1].text if written else portrait_by_rules(merged),
        keys=merged.entries,
        changes=_changes(patches, at),
        notices=[*hint, *notices],
    )


def _changes(patches: Iterable[Patch], at: datetime) -> list[Patch]:
    """What was said in the month before `at`, newest first, with what it replaced."""
    former: dict[tuple[str, str], str] = {}
    found: list[Patch] = []
    for patch in sorted(patches, key=lambda one: (one["at"], one["value"])):
        moment = datetime.fromisoformat(patch["at"])
        if moment > at:
            break
        slot = (patch["key"], patch["name"].casefold())
        was = former.get(slot, "") if patch["name"] and patch["key"] in _OVERWRITES else ""
        former[slot] = patch["value"]
        if at - moment <= LATELY:
            found.append({**patch, "was": was if was != patch["value"] else ""})
    return found[: -MOST_CHANGES - 1 : -1]


def portrait_by_rules(persona: Persona) -> str:
    """A portrait that quotes: the sentences that say most, in the order of the six keys."""
    lines = [entry["value"] for key in PERSONA_KEYS for entry in persona.entries.get(key, ())]
    return "\n".join(lines[index] for index in extract(lines, PORTRAIT_TOKENS))


def speakers(sessions: Sequence[Unit]) -> list[str]:
    """Everybody who said something of themselves in these sessions."""
    return sorted({patch["speaker"] for one in sessions for patch in one.detail.get("patches", ())})


def patches_of(sessions: Sequence[Unit], speaker: str) -> list[Patch]:
    """What a speaker said of themselves in these sessions, in order."""
    return [patch for one in sessions for patch in one.detail.get("patches", ()) if patch["speaker"] == speaker]


def month_units(
    owner: str,
    month: str,
    weeks: Sequence[Unit],
    sessions: Sequence[Unit],
    portraits: Mapping[str, PeriodNotes],
    closed: bool,
) -> list[Unit]:
    """One profile node for a month, and one persona for everybody who said something of themselves."""
    profile = node_id(owner, "profile", month)
    personas = []
    for speaker in speakers(sessions):
        notes = portraits.get(speaker)
        mine = patches_of(sessions, speaker)
        personas.append(
            Unit(
                id=make_id("persona", owner, month, speaker),
                owner=owner,
                kind="persona",
                start=weeks[0].start,
                end=weeks[-1].end,
                text=notes.portrait or notes.text if notes else portrait_by_rules(merge(mine, speaker)),
                title=f"{speaker} in {month}",
                speaker=speaker,
                parent=profile,
                window=month,
                source=notes.source if notes else "rules",
                status="live" if closed else "provisional",
                detail={"patches": mine},
            )
        )
    return [_profile(profile, owner, month, weeks, personas, closed), *personas]


def _profile(
    identifier: str, owner: str, month: str, weeks: Sequence[Unit], personas: Sequence[Unit], closed: bool
) -> Unit:
    written: Source = next((one.source for one in personas if one.source != "rules"), "rules")
    return Unit(
        id=identifier,
        owner=owner,
        kind="profile",
        start=min(week.start for week in weeks),
        end=max(week.end for week in weeks),
        text="\n".join(f"{one.speaker}: {one.text}" for one in personas) or weeks[-1].text,
        title=month,
        window=month,
        source=written,
        status="live" if closed else "provisional",
    )
