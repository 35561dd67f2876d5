"""The persona (L5): what is known of each speaker, merged by code from dated patches with evidence.

Six keys as in T-Mem's profile.  identity and preferences: the newest value of a name counts; relations:
one entry a person; aggregations: the newest count; traits and timeline: all, each once.  What a later
statement ended (`standing`) is left out.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from mcp_memory.errors import InputError
from mcp_memory.model.ids import make_id
from mcp_memory.model.notes import PERSONA_KEYS, Period, PeriodNotes
from mcp_memory.model.persona import Patch, PersonaView
from mcp_memory.model.unit import Unit
from mcp_memory.text.clean import plain
from mcp_memory.text.titles import extract
from mcp_memory.text.tokens import count_tokens
from mcp_memory.write.standing import OVERWRITES, changes, ended, is_past, said_by, same
from mcp_memory.write.tree import node_id

PORTRAIT_TOKENS: Final = 240
MOST_CHANGES: Final = 4
SHOWN_TOKENS: Final = 320  # of entries, all keys together; a whole persona stays within 600
QUOTED_TOKENS: Final = 80  # of a portrait that only repeats them
_ENTRY_TOKENS: Final = 14  # of an entry's date and evidence
MOST_PORTRAITS: Final = 8  # a call; in a group of many the others' are by rules
MOST_KNOWN: Final = 24  # newest entries of a key that a scribe is shown, shared by the speakers


@dataclass(frozen=True, slots=True)
class Persona:
    """What is known of one speaker at one moment: entries {name, value, when, at, turns} by key.

    `over` are the values among them that happened and hold no more.
    """

    speaker: str
    entries: Mapping[str, Sequence[Patch]]
    over: frozenset[str] = frozenset()

    @property
    def evidence(self) -> Iterator[str]:
        """The turns that it stands on."""
        return (turn for group in self.entries.values() for entry in group for turn in entry["turns"])


def merge(patches: Iterable[Patch], speaker: str, until: datetime | None = None) -> Persona:
    """The persona of a speaker from patches said up to `until`."""
    entries: dict[str, dict[str, Patch]] = {key: {} for key in PERSONA_KEYS}
    said = said_by(patches, speaker, until)
    over = ended(said, until)
    for place, patch in enumerate(said):
        if place not in over or not is_past(patch):
            named = patch["key"] in OVERWRITES and patch["name"]
            entries[patch["key"]][patch["name"].casefold() if named else same(patch["value"], speaker)] = patch
    ordered = {key: sorted(group.values(), key=_moment) for key, group in entries.items() if group}
    return Persona(speaker, ordered, frozenset(said[place]["value"] for place in over))


def _moment(entry: Patch) -> tuple[str, str]:
    return (entry["when"] or entry["at"], entry["value"])


def view(
    units: Sequence[Unit],
    speaker: str,
    at: datetime,
    named: bool,
    notices: Sequence[str],
    outdated: Sequence[Unit] = (),
) -> PersonaView:
    """A speaker as known at a moment; nothing said later shows through, nothing `outdated` by then is left.

    Raises InputError for a named speaker of whom nothing is known.
    """
    personas = sorted((one for one in units if one.kind == "persona"), key=lambda one: one.start)
    who = {one.speaker.casefold(): one.speaker for one in personas}
    name = who.get(speaker.casefold(), speaker)
    mine = [one for one in personas if one.speaker == name]
    if named and not mine:
        known = ", ".join(sorted(who.values())[:10]) or "nobody yet"
        raise InputError(f"nothing is known of that speaker; known: {known}")
    told = [patch for one in mine for patch in one.detail.get("patches", ())]
    said = said_by(told, name, at)
    valid = [patch for patch in said if not _replaced(patch, outdated)]
    merged = merge(valid, name, at)
    written = [one for one in mine if one.source != "rules" and one.end <= at]
    shown = _newest(merged.entries)
    hint = _others(who.values()) if not mine else []
    fixes = (one for one in units if outdated and one.start <= at and one.detail.get("replaces"))
    corrected = {plain(one.text) for one in fixes}
    return PersonaView(
        speaker=name,
        as_of=(at - timedelta(microseconds=1)).date().isoformat(),  # `at` may be the first moment after a day
        since=str(said[0]["at"]) if said else "",
        portrait=written[-1].text if written else portrait_by_rules(merged, QUOTED_TOKENS),
        keys=shown,
        changes=changes(valid, at, corrected)[:MOST_CHANGES],
        notices=[*hint, *_unlisted(merged.entries, shown), *notices],
    )


def _others(names: Iterable[str]) -> list[str]:
    """Of whom else something is known, to be said where nothing is."""
    known = sorted(names)[:10]
    return [f"Known: {', '.join(known)}."] if known else []


def _unlisted(entries: Mapping[str, Sequence[Patch]], shown: Mapping[str, Sequence[Patch]]) -> list[str]:
    """How many entries there was no room for, to be said where there are any."""
    left = sum(map(len, entries.values())) - sum(map(len, shown.values()))
    entry = "entry is" if left == 1 else "entries are"
    return [f"{left} older {entry} not listed; `recall` finds what is left out."] if left else []


def _replaced(patch: Patch, outdated: Sequence[Unit]) -> bool:
    """Whether what a patch says is what one of these items said."""
    return any(
        set(patch["turns"]) & set(one.turns)
        and (patch["value"] in plain(one.text) or plain(one.text) in patch["value"])
        for one in outdated
    )


def _newest(entries: Mapping[str, Sequence[Patch]]) -> dict[str, list[Patch]]:
    """The newest entries of each key, newest first, in turns over the keys as far as the tokens reach."""
    shown: dict[str, list[Patch]] = {key: [] for key in entries}
    left = SHOWN_TOKENS
    for place in range(max(map(len, entries.values()), default=0)):
        for key, group in entries.items():
            if place < len(group):
                entry = group[-1 - place]
                left -= count_tokens(f"{entry['name']} {entry['value']}") + _ENTRY_TOKENS
                if left < 0 and place:
                    return shown
                shown[key].append(entry)
    return shown


def portrait_by_rules(persona: Persona, limit: int = PORTRAIT_TOKENS) -> str:
    """A portrait that quotes what holds: the sentences that say most, in the order of the six keys."""
    entries = (entry for key in PERSONA_KEYS for entry in persona.entries.get(key, ()))
    lines = [entry["value"] for entry in entries if entry["value"] not in persona.over]
    return "\n".join(lines[index] for index in extract(lines, limit))


def patches_of(sessions: Sequence[Unit], speaker: str = "") -> list[Patch]:
    """What a speaker (or anybody) said of themselves in these sessions, in order."""
    patches = (patch for one in sessions for patch in one.detail.get("patches", ()))
    return [patch for patch in patches if not speaker or patch["speaker"] == speaker]


def speakers(sessions: Sequence[Unit]) -> list[str]:
    """Everybody who said something of themselves in these sessions."""
    return sorted({patch["speaker"] for patch in patches_of(sessions)})


def to_portray(sessions: Sequence[Unit]) -> list[str]:
    """Who is portrayed of them: those who told most, by name."""
    told = Counter(patch["speaker"] for patch in patches_of(sessions))
    return sorted(sorted(told, key=lambda one: (-told[one], one))[:MOST_PORTRAITS])


def fingerprint(weeks: Sequence[Unit], sessions: Sequence[Unit]) -> str:
    """Changes whenever what a month's profile is drawn from changes."""
    summed_up = [f"{week.id}{week.title}{week.text}" for week in weeks]
    said = [f"{patch['speaker']}{patch['value']}{patch['at']}" for patch in patches_of(sessions)]
    told = "\x1f".join([*summed_up, *said]).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(told, digest_size=8).hexdigest()


def known_of(sessions: Sequence[Unit], names: Iterable[str], until: datetime) -> list[Persona]:
    """What is known of some speakers from what was said up to a moment, the newest entries of each key."""
    merged = [merge(patches_of(sessions, name), name, until) for name in names]
    most = MOST_KNOWN // max(1, len(merged))
    return [replace(one, entries={key: group[-most:] for key, group in one.entries.items()}) for one in merged]


def question(month: str, weeks: Sequence[Unit], history: Sequence[Unit], known: Iterable[Persona]) -> Period:
    """What a scribe is asked about a month: its `weeks`, earlier profiles, and whom to portray."""
    told = {
        one.speaker: {key: [_worded(each) for each in group] for key, group in one.entries.items()} for one in known
    }
    children = tuple((one.title, one.text) for one in weeks)
    return Period("profile", month, children, tuple((one.title, one.text) for one in history), known=told)


def _worded(entry: Patch) -> str:
    named = f"{entry['name']}: {entry['value']}" if entry["name"] else str(entry["value"])
    return f"{named} ({entry['when'] or entry['at'][:10]})"


def month_units(
    owner: str,
    month: str,
    weeks: Sequence[Unit],
    sessions: Sequence[Unit],
    notes: PeriodNotes | None,
    closed: bool,
) -> list[Unit]:
    """One profile node for a month, and one persona for everybody who said something of themselves.

    `notes` are a scribe's; who is not portrayed in them is by rules.
    """
    portraits = dict(notes.portraits) if notes else {}
    profile = node_id(owner, "profile", month)
    personas = []
    for speaker in speakers(sessions):
        mine = patches_of(sessions, speaker)
        personas.append(
            Unit(
                id=make_id("persona", owner, month, speaker),
                owner=owner,
                kind="persona",
                start=weeks[0].start,
                end=weeks[-1].end,
                text=portraits.get(speaker) or portrait_by_rules(merge(mine, speaker)),
                title=f"{speaker} in {month}",
                speaker=speaker,
                parent=profile,
                window=month,
                source=notes.source if notes and speaker in portraits else "rules",
                status="live" if closed else "provisional",
                detail={"patches": mine},
            )
        )
    return [_profile(profile, owner, month, weeks, personas, notes, closed), *personas]


def _profile(
    identifier: str,
    owner: str,
    month: str,
    weeks: Sequence[Unit],
    personas: Sequence[Unit],
    notes: PeriodNotes | None,
    closed: bool,
) -> Unit:
    written = [one.source for one in personas if one.source != "rules"]
    joined = "\n".join(f"{one.speaker}: {one.text}" for one in personas)
    return Unit(
        id=identifier,
        owner=owner,
        kind="profile",
        start=min(week.start for week in weeks),
        end=max(week.end for week in weeks),
        text=(notes.text if notes else "") or joined or weeks[-1].text,
        title=(notes.title if notes else "") or month,
        window=month,
        source=notes.source if notes and notes.text else written[0] if written else "rules",
        status="live" if closed else "provisional",
    )
