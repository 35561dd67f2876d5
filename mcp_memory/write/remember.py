"""`remember`: redact, append to the journal, return.  No model and no table on this path."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from mcp_memory.errors import InputError
from mcp_memory.model.turn import Note, Role, Turn, turn_id
from mcp_memory.store.journal import Journal
from mcp_memory.text.clean import clean, has_visible, plain
from mcp_memory.text.redact import redact

RETRY_SECONDS: Final = 120.0
MOST_AHEAD: Final = 86_400.0  # seconds that clocks and zones may differ
ASSISTANT: Final = "assistant"
MOST_TEXT: Final = 2_000_000
MOST_LABEL: Final = 200
MOST_FACT: Final = 2_000
MOST_NOTES: Final = 50
MOST_CUES: Final = 20


@dataclass(frozen=True, slots=True)
class Remembered:
    """What became of an exchange; `redacted` names the kinds of secrets that were taken out."""

    ids: tuple[str, ...]
    stored: bool
    duplicate: bool
    redacted: tuple[str, ...]
    at: datetime


@dataclass(frozen=True, slots=True)
class Said:
    """One exchange as the caller gives it.  `at` None is now."""

    user: str
    assistant: str = ""
    topic: str = ""
    notes: Sequence[Note] = ()
    at: datetime | None = None
    session: str = ""


def remember(journal: Journal, said: Said, owner: str, now: datetime, *, secrets_out: bool) -> Remembered:
    """Stores an exchange durably and at once.

    With an explicit moment the same words are the same turns for ever; without one, a repetition of the
    session's latest exchange within two minutes is a client's retry.  Raises InputError, StoreError.
    """
    kinds: list[str] = []

    def safe(text: str) -> str:
        if not secrets_out:
            return clean(text)
        cleaned, found = redact(clean(text))
        kinds.extend(found)
        return cleaned

    _check(said, now)
    turns = exchange_turns(_safe(said, safe), owner, said.at or now)
    within = RETRY_SECONDS if said.at is None else None
    receipt = journal.append_said(turns, _fingerprint(turns), turns[0].at, within)
    at = datetime.fromtimestamp(receipt.said, UTC) if receipt.said else turns[0].at
    return Remembered(receipt.ids, not receipt.duplicate, receipt.duplicate, tuple(dict.fromkeys(kinds)), at)


def exchange_turns(said: Said, owner: str, at: datetime) -> list[Turn]:
    """The turns of one exchange, user first; notes and topic stay with the first."""
    lines: list[tuple[str, Role, str]] = [(owner, "user", said.user), (ASSISTANT, "assistant", said.assistant)]
    spoken = [line for line in lines if has_visible(line[2])]
    exchange = turn_id(owner, said.session, at, spoken[0][0], spoken[0][2])
    return [
        Turn(
            id=turn_id(owner, said.session, at, speaker, text),
            owner=owner,
            session=said.session,
            exchange=exchange,
            position=position,
            at=at,
            speaker=speaker,
            role=role,
            text=text,
            topic=said.topic if position == 0 else "",
            notes=tuple(said.notes) if position == 0 else (),
        )
        for position, (speaker, role, text) in enumerate(spoken)
    ]


def _check(said: Said, now: datetime) -> None:
    if not (has_visible(said.user) or has_visible(said.assistant)):
        raise InputError(
            "nothing to remember: `user` and `assistant` are both blank; pass what was said, word for word"
        )
    if max(len(said.user), len(said.assistant)) > MOST_TEXT:
        raise InputError(f"one message may have up to {MOST_TEXT:,} characters: split it into several turns")
    for name, text in (("topic", said.topic), ("session", said.session)):
        if len(text) > MOST_LABEL:
            raise InputError(f"`{name}` is a short label of up to {MOST_LABEL} characters")
    if len(said.notes) > MOST_NOTES:
        raise InputError(f"up to {MOST_NOTES} notes go with one turn: keep the ones that will matter")
    if said.at is not None and (said.at - now).total_seconds() > MOST_AHEAD:
        raise InputError("`at` lies in the future: leave it out for now, or give the moment when this was said")
    for note in said.notes:
        _check_note(note)


def _check_note(note: Note) -> None:
    if not has_visible(note.fact):
        raise InputError('every note needs a `fact`, for example {"fact": "Ann is allergic to nuts", "cues": []}')
    if len(note.fact) > MOST_FACT or len(note.cues) > MOST_CUES or any(len(cue) > MOST_FACT for cue in note.cues):
        raise InputError(f"a note is one fact of up to {MOST_FACT} characters with up to {MOST_CUES} short cues")


def _safe(said: Said, safe: Callable[[str], str]) -> Said:
    notes = tuple(
        Note(
            plain(safe(note.fact)),
            tuple(plain(safe(cue)) for cue in note.cues if has_visible(cue)),
            plain(safe(note.replaces)),
        )
        for note in said.notes
    )
    return Said(
        user=safe(said.user),
        assistant=safe(said.assistant),
        topic=plain(safe(said.topic)),
        notes=notes,
        at=said.at,
        session=plain(safe(said.session)),
    )


def _fingerprint(turns: Sequence[Turn]) -> str:
    """Of everything that was handed over: the same words with other notes are no retry, and the notes count."""
    spoken = "\x1f".join(f"{turn.speaker}\x1e{turn.text}\x1e{turn.topic}\x1e{turn.notes}" for turn in turns)
    return hashlib.sha256(spoken.encode("utf-8", "surrogatepass")).hexdigest()
