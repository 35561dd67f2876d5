"""Turns as the leaves of both papers' structures: one segment per exchange, one quote per message.

Pure, so that what the journal still holds is searched in the same shape as what has been indexed.
"""

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from mcp_memory.model.ids import make_id
from mcp_memory.model.turn import Note, Turn
from mcp_memory.model.unit import Unit
from mcp_memory.model.window import day_key
from mcp_memory.text.dates import resolve_dates


def leaf_units(exchange: Sequence[Turn], zone: ZoneInfo) -> list[Unit]:
    """The segment (L1) of one exchange, a quote item for every message in it, and the caller's notes."""
    first = exchange[0]
    day = day_key(first.at, zone)
    segment = Unit(
        id=make_id("segment", first.owner, first.exchange),
        owner=first.owner,
        kind="segment",
        start=first.at,
        end=exchange[-1].at,
        text="\n".join(f"{turn.speaker}: {turn.text}" for turn in exchange),
        title=first.topic,
        window=day,
        turns=tuple(turn.id for turn in exchange),
    )
    quotes = [_quote(turn, segment, zone) for turn in exchange]
    noted = [unit for turn in exchange for note in turn.notes for unit in _noted(turn, note, segment)]
    return [segment, *quotes, *noted]


def quote_id(owner: str, turn: str) -> str:
    """The id of the quote of a turn."""
    return make_id("item", owner, "quote", turn)


def _quote(turn: Turn, segment: Unit, zone: ZoneInfo) -> Unit:
    days = [mention.value for mention in resolve_dates(turn.text, turn.at, zone)]
    return Unit(
        id=quote_id(turn.owner, turn.id),
        owner=turn.owner,
        kind="item",
        view="quote",
        start=turn.at,
        end=turn.at,
        text=turn.text,
        speaker=turn.speaker,
        parent=segment.id,
        window=segment.window,
        turns=(turn.id,),
        detail={"days": days} if days else {},
    )


def _noted(turn: Turn, note: Note, segment: Unit) -> list[Unit]:
    """The caller's fact as an item, and its cues as anticipated utterances that point at it."""
    item = Unit(
        id=make_id("item", turn.owner, "note", turn.id, note.fact),
        owner=turn.owner,
        kind="item",
        view="note",
        start=turn.at,
        end=turn.at,
        text=note.fact,
        speaker=turn.speaker,
        parent=segment.id,
        window=segment.window,
        turns=(turn.id,),
        source="caller",
        detail={"replaces": note.replaces} if note.replaces else {},
    )
    cues = [
        Unit(
            id=make_id("cue", item.id, "utterance", cue),
            owner=turn.owner,
            kind="cue",
            family="horizon",
            view="utterance",
            start=turn.at,
            end=turn.at,
            text=cue,
            parent=item.id,
            window=item.window,
            turns=item.turns,
            source="caller",
        )
        for cue in dict.fromkeys(note.cues)
    ]
    return [item, *cues]


def meaning(unit: Unit) -> str:
    """What is embedded of a unit; "" for what is only reached through others.

    Raw segments repeat their quotes, and the tree above them is climbed, not searched.  A bridge is found by
    its situation; what follows the arrow is the reason.
    """
    match unit.kind:
        case "item":
            return f"{unit.speaker}: {unit.text}" if unit.view == "quote" else unit.text
        case "scene":
            return f"{unit.title}. {unit.detail.get('summary', '')}"
        case "topic":
            return unit.title
        case "cue":
            return unit.text.split(" -> ")[0] if unit.view == "bridge" else unit.text
    return ""


def wording(unit: Unit) -> str:
    """What is searched of a unit by words; fields weigh by repetition (T-Mem), "" for what has none."""
    match unit.kind:
        case "item":
            return meaning(unit)
        case "scene":
            return " ".join([unit.title] * 3 + [str(unit.detail.get("summary", ""))] * 2 + [unit.text])
        case "topic":
            return f"{unit.title} {unit.title} {unit.text}"
    return ""
