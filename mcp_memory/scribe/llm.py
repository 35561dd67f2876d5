"""The scribe that asks a language model: three calls, each one user message of records below a static system part.

The model sees numbers, never ids; what it answers is translated back and clamped before anybody sees it.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, tzinfo
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from mcp_memory.errors import ChatFormatError
from mcp_memory.model.ids import is_id
from mcp_memory.model.notes import (
    Batch,
    BatchNotes,
    ItemNote,
    Period,
    PeriodNotes,
    PersonaPatch,
    SceneNote,
    SegmentNote,
)
from mcp_memory.model.turn import Turn
from mcp_memory.model.unit import HORIZON_VIEWS, SCENE_VIEWS
from mcp_memory.ports import Chat, ChatRequest
from mcp_memory.prompts import Prompts, records
from mcp_memory.scribe.clamp import clamp_batch, clamp_period
from mcp_memory.scribe.notes import BatchReply, ItemReply, PeriodReply, SceneReply, SessionReply
from mcp_memory.text.clean import has_visible, plain

_Shape = TypeVar("_Shape", bound=BaseModel)
_VIEWS: Final = tuple(view for view in (*SCENE_VIEWS, *HORIZON_VIEWS) if view != "utterance")
_WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_HANDLE: Final = re.compile(r"[TI][0-9]+")
_TURN_LENGTH: Final = 8000  # characters of one turn that are shown
_LEAST_LENGTH: Final = 200
_BATCH_TOKENS: Final = 1500
_EXCHANGE_TOKENS: Final = 600
_MOST_TOKENS: Final = 8192
_PERIOD_TOKENS: Final = 2500
_PORTRAIT_TOKENS: Final = 400
_PERIOD_LENGTH: Final = 60_000  # characters of a period's parts, and again of its turns, that are shown


class LlmScribe:
    """`ports.Scribe` over a `Chat`.  `zone` is the owner's: relative dates are resolved in it."""

    def __init__(self, chat: Chat, prompts: Prompts, zone: tzinfo = UTC, deadline: float = 120.0) -> None:
        self._chat = chat
        self._prompts = prompts
        self._zone = zone
        self._deadline = deadline

    def close_batch(self, batch: Batch) -> BatchNotes:
        """Call A.  Raises ChatError, also when no scene of the reply is usable."""
        exchanges = _numbers(turn.exchange for turn in batch.turns)
        tokens = min(_MOST_TOKENS, _BATCH_TOKENS + _EXCHANGE_TOKENS * len(exchanges))
        reply = self._ask("close_batch", "", _batch_rows(batch, exchanges, self._zone), BatchReply, tokens)
        scenes = tuple(_scene(scene, batch) for scene in reply.scenes)
        if not any(scene.turns and has_visible(plain(scene.summary)) for scene in scenes):
            raise ChatFormatError("the reply holds no usable scene")
        by_number = {number: exchange for exchange, number in exchanges.items()}
        memories = [(by_number.get(memory.exchange, ""), memory.text) for memory in reply.memories]
        notes = BatchNotes(
            scenes=scenes,
            items=tuple(_item(item, batch) for item in reply.items),
            segments=tuple(SegmentNote(exchange, text) for exchange, text in memories),
            source="llm",
        )
        return clamp_batch(notes, batch)

    def close_session(self, period: Period) -> PeriodNotes:
        """Call B, for a session (with patches, as it has turns) or a day.  Raises ChatError."""
        rows = _period_rows(period, self._zone)
        reply = self._ask("close_session", period.grain, rows, SessionReply, _PERIOD_TOKENS)
        patches = [
            PersonaPatch(
                patch.speaker, patch.key, patch.value, patch.name, patch.when, _turns(patch.turns, period.turns)
            )
            for patch in reply.patches
        ]
        return _period(PeriodNotes(reply.title, reply.text, tuple(patches), source="llm"), period)

    def close_period(self, period: Period) -> PeriodNotes:
        """Call C, for a week, or for a month with the portraits of its speakers.  Raises ChatError."""
        rows = _period_rows(period, self._zone)
        tokens = _PERIOD_TOKENS + _PORTRAIT_TOKENS * len(period.known)
        reply = self._ask("close_period", period.grain, rows, PeriodReply, tokens)
        portraits = tuple((one.speaker, one.text) for one in reply.portraits)
        return _period(PeriodNotes(reply.title, reply.text, portraits=portraits, source="llm"), period)

    def _ask(
        self, name: str, grain: str, rows: Iterable[Mapping[str, Any]], shape: type[_Shape], max_tokens: int
    ) -> _Shape:
        prompt = self._prompts.get(name)
        values = {"records": records(rows)} | ({"grain": grain} if grain else {})
        user = prompt.fill(**values)
        request = ChatRequest(name, prompt.system, user, shape.model_json_schema(), max_tokens, self._deadline)
        try:
            return shape.model_validate(self._chat.complete(request).data)
        except ValidationError as error:
            broken = error.error_count()
        raise ChatFormatError(f"the reply breaks its schema in {broken} places")


def _batch_rows(batch: Batch, exchanges: Mapping[str, int], zone: tzinfo) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [{"before": summary} for summary in batch.before]
    rows += [
        {"topic": f"T{number}", "title": topic.title, "keywords": list(topic.keywords)}
        for number, topic in enumerate(batch.topics, start=1)
    ]
    rows += [{"known": f"I{number}", "fact": item.text} for number, item in enumerate(batch.items, start=1)]
    starts = {part[0].id: {"session": n} for n, part in enumerate(batch.parts(), start=1) if len(batch.sessions) > 1}
    for number, turn in enumerate(batch.turns, start=1):
        rows += [starts[turn.id]] if turn.id in starts else []
        row = {"turn": number, "exchange": exchanges[turn.exchange]} | _said(turn, zone)
        rows.append(row | ({"carried": True} if number <= batch.carried else {}))
    return rows


def _period_rows(period: Period, zone: tzinfo) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [{"window": period.window}]
    rows += [{"known": speaker, **entries} for speaker, entries in period.known.items()]
    rows += [{"earlier": title, "text": text} for title, text in period.history]
    limit = _share(len(period.children))
    rows += [{"part": title, "text": text[:limit]} for title, text in period.children]
    limit = _share(len(period.turns))
    rows += [{"turn": n} | _said(turn, zone, limit) for n, turn in enumerate(period.turns, start=1)]
    return rows


def _share(count: int) -> int:
    """Characters for each of so many parts, so that a very long session is still told to its end."""
    return max(_LEAST_LENGTH, min(_TURN_LENGTH, _PERIOD_LENGTH // max(1, count)))


def _said(turn: Turn, zone: tzinfo, limit: int = _TURN_LENGTH) -> dict[str, Any]:
    at = turn.at.astimezone(zone)
    row = {
        "at": f"{at:%Y-%m-%d} {_WEEKDAYS[at.weekday()]} {at:%H:%M}",
        "speaker": turn.speaker,
        "text": turn.text[:limit],
    }
    return row | ({"label": turn.topic} if turn.topic else {})


def _scene(scene: SceneReply, batch: Batch) -> SceneNote:
    last = min(scene.last_turn, len(batch.turns))
    return SceneNote(
        turns=_turns(range(max(scene.first_turn, 1), last + 1), batch.turns),
        title=scene.title,
        summary=scene.summary,
        narrative=scene.narrative,
        views={view: getattr(scene, view) for view in _VIEWS},
        utterances=tuple(scene.utterances),
        topics=_topics(scene.topics, batch),
        keywords=tuple(scene.keywords),
        finished=scene.finished,
    )


def _topics(named: Iterable[str], batch: Batch) -> tuple[str, ...]:
    """Offered handles as ids, new titles as they are; handles nobody offered and what imitates an id are dropped."""
    offered = {f"T{number}": topic.id for number, topic in enumerate(batch.topics, start=1)}
    found = [
        offered.get(name, "" if _HANDLE.fullmatch(name) or is_id(name) else name) for name in map(str.strip, named)
    ]
    return tuple(topic for topic in found if topic)


def _item(item: ItemReply, batch: Batch) -> ItemNote:
    offered = {f"I{number}": known.id for number, known in enumerate(batch.items, start=1)}
    return ItemNote(
        text=item.text,
        speaker=item.speaker,
        turns=_turns(item.turns, batch.turns),
        when=item.when,
        entity=tuple(item.entity),
        bridge=tuple(item.bridge),
        why=item.why,
        replaces=offered.get(item.replaces.strip(), ""),
    )


def _turns(numbers: Iterable[int], turns: Sequence[Turn]) -> tuple[str, ...]:
    return tuple(turns[number - 1].id for number in numbers if 1 <= number <= len(turns))


def _numbers(names: Iterable[str]) -> dict[str, int]:
    """Names numbered from 1 in order of appearance."""
    return {name: number for number, name in enumerate(dict.fromkeys(names), start=1)}


def _period(notes: PeriodNotes, period: Period) -> PeriodNotes:
    clamped = clamp_period(notes, period)
    if not clamped.text:
        raise ChatFormatError("the reply holds no summary")
    return clamped
