"""The LLM scribe over a scripted model: what it is shown, and how its answers become notes."""

import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from mcp_memory.errors import ChatDeniedError, ChatFormatError
from mcp_memory.llm.judging import llm_answer, llm_judge
from mcp_memory.llm.planning import llm_gate, llm_plan
from mcp_memory.llm.scripted import ScriptedChat
from mcp_memory.model.ids import make_id
from mcp_memory.model.notes import Batch, ItemHint, Period, TopicHint
from mcp_memory.model.turn import Turn
from mcp_memory.ports import ChatRequest
from mcp_memory.prompts import Prompts
from mcp_memory.scribe.llm import LlmScribe

GOLDEN = Path(__file__).parent / "golden"
START = datetime(2026, 11, 29, 23, 30, tzinfo=UTC)
SAID = [
    ("Anna", "user", "Yesterday I sold the piano.\nIt hurt."),
    ("Helper", "assistant", "That sounds hard. What will you play now?"),
    ("Anna", "user", "The oboe, from next week on. Kai will teach me."),
    ("Helper", "assistant", "Good luck with the oboe 🎶"),
]
TOPIC, ITEM = make_id("topic", "anna", "music"), make_id("item", "anna", "piano")


def conversation(said: list[tuple[str, str, str]] = SAID) -> tuple[Turn, ...]:
    return tuple(
        Turn(
            id=f"t{number}",
            owner="anna",
            session="",
            exchange=f"t{number - (number - 1) % 2}",
            position=number,
            at=START + timedelta(minutes=number),
            speaker=speaker,
            role=role,  # type: ignore[arg-type]
            text=text,
            topic="music" if number == 1 else "",
        )
        for number, (speaker, role, text) in enumerate(said, start=1)
    )


BATCH = Batch(
    conversation(),
    carried=1,
    before=("Anna put the piano up for sale.",),
    topics=(TopicHint(TOPIC, "Anna's instruments", ("piano", "music")),),
    items=(ItemHint(ITEM, "Anna owns a piano."),),
)
SESSION = Period(
    "session", "2026-11-30", (("Piano", "Anna sold it."),), (("Before", "She hesitated."),), conversation()
)
WEEK = Period("week", "2026-W49", (("Monday", "Anna sold the piano."), ("Friday", "First lesson.")))
PROFILE = Period(
    "profile", "2026-11", (("Week 49", "Music."),), known={"Anna": {"identity": ["job: nurse (2026-11-02)"]}}
)


def scene(**changes: Any) -> dict[str, Any]:
    views = ("situation", "object", "event", "emotion", "personal_arc", "avoidance_habit", "goal_arc")
    rest = ("belief_in_action", "legacy_anchor", "narrative")
    base: dict[str, Any] = dict.fromkeys((*views, *rest), "")
    lists: dict[str, Any] = {"topics": ["T1"], "keywords": ["piano"], "utterances": ["I miss the evenings."]}
    named = {"title": "The piano goes", "summary": "Anna sold the piano.", "first_turn": 1, "last_turn": 4}
    return base | lists | named | {"finished": False, "situation": "Parting with a loved thing."} | changes


def item(**changes: Any) -> dict[str, Any]:
    base = {"text": "Anna sold the piano on 2026-11-29.", "speaker": "Anna", "when": "2026-11-29", "turns": [1]}
    cues = {"entity": ["instrument"], "bridge": ["an empty living room -> the piano is gone"], "why": "it left a gap"}
    return base | cues | {"replaces": "I1"} | changes


def reply(**changes: Any) -> dict[str, Any]:
    memories = [{"exchange": 1, "text": "Anna sold the piano."}, {"exchange": 2, "text": "Anna takes up the oboe."}]
    return {"scenes": [scene()], "memories": memories, "items": [item()]} | changes


def scribe(**answers: Mapping[str, Any] | Exception) -> tuple[LlmScribe, ScriptedChat]:
    chat = ScriptedChat({kind: [answer] for kind, answer in answers.items()})
    return LlmScribe(chat, Prompts(), ZoneInfo("Europe/Berlin"), deadline=9.0), chat


def test_a_batch_becomes_scenes_items_and_one_memory_per_exchange() -> None:
    writer, chat = scribe(close_batch=reply())
    notes = writer.close_batch(BATCH)
    assert notes.source == "llm"
    (written,) = notes.scenes
    assert (written.turns, written.topics, written.finished) == (("t1", "t2", "t3", "t4"), (TOPIC,), False)
    assert dict(written.views) == {"situation": "Parting with a loved thing."}
    (fact,) = notes.items
    assert (fact.turns, fact.replaces, fact.when) == (("t1",), ITEM, "2026-11-29")
    assert [(memory.exchange, memory.text[:6]) for memory in notes.segments] == [("t1", "Anna s"), ("t3", "Anna t")]
    assert chat.requests[0].deadline == 9.0


def test_no_id_is_ever_shown_to_the_model() -> None:
    writer, chat = scribe(close_batch=reply())
    writer.close_batch(BATCH)
    sent = chat.requests[0].system + chat.requests[0].user
    assert TOPIC not in sent
    assert ITEM not in sent
    assert '"t1"' not in sent


def test_moments_are_shown_in_the_owners_zone_with_their_weekday() -> None:
    writer, chat = scribe(close_batch=reply())
    writer.close_batch(BATCH)
    assert '"at": "2026-11-30 Monday 00:31"' in chat.requests[0].user


def test_handles_that_nobody_offered_are_dropped() -> None:
    forged = make_id("topic", "somebody else", "x")
    scenes = [scene(topics=["T1", "T9", forged, "I1", "A new thread"])]
    items = [item(replaces="I7"), item(text="x", replaces=ITEM), item(text="y", turns=[0, -1, 99])]
    writer, _ = scribe(close_batch=reply(scenes=scenes, items=items, memories=[{"exchange": 9, "text": "z"}]))
    notes = writer.close_batch(BATCH)
    assert notes.scenes[0].topics == (TOPIC, "A new thread")
    assert [fact.replaces for fact in notes.items] == ["", ""]
    assert notes.segments == ()


@pytest.mark.parametrize(
    ("spans", "cut"),
    [
        ([(1, 2), (3, 4)], [2, 2]),
        ([(1, 3), (2, 4)], [4]),
        ([(1, 1), (4, 4)], [2, 2]),
        ([(-5, 10**12)], [4]),
        ([(1, 2), (9, 3)], [4]),
    ],
)
def test_spans_are_set_right(spans: list[tuple[int, int]], cut: list[int]) -> None:
    scenes = [scene(first_turn=first, last_turn=last) for first, last in spans]
    writer, _ = scribe(close_batch=reply(scenes=scenes))
    assert [len(written.turns) for written in writer.close_batch(BATCH).scenes] == cut


@pytest.mark.parametrize("scenes", [[], [scene(first_turn=9, last_turn=9)], [scene(title="", summary="\u200b")]])
def test_a_reply_without_a_usable_scene_is_left_to_the_rules(scenes: list[dict[str, Any]]) -> None:
    writer, _ = scribe(close_batch=reply(scenes=scenes))
    with pytest.raises(ChatFormatError, match="no usable scene"):
        writer.close_batch(BATCH)


def test_a_reply_of_another_shape_is_an_error_that_quotes_nothing() -> None:
    writer, _ = scribe(close_batch=reply(items=[item(when=4711)]))
    with pytest.raises(ChatFormatError) as caught:
        writer.close_batch(BATCH)
    assert str(caught.value) == "the reply breaks its schema in 1 places"
    assert caught.value.__context__ is None


def test_errors_of_the_model_pass_through() -> None:
    writer, _ = scribe(close_batch=ChatDeniedError("no"))
    with pytest.raises(ChatDeniedError):
        writer.close_batch(BATCH)


def test_a_session_brings_a_summary_and_patches_with_evidence() -> None:
    patch = {
        "speaker": "Anna",
        "key": "timeline",
        "name": "",
        "value": "sold the piano",
        "when": "2026-11",
        "turns": [1],
    }
    forged = patch | {"value": "is rude", "turns": [2]}
    writer, chat = scribe(close_session={"title": "Music", "text": "Anna sold it.", "patches": [patch, forged]})
    notes = writer.close_session(SESSION)
    assert (notes.title, notes.text, notes.source) == ("Music", "Anna sold it.", "llm")
    assert [(change.key, change.value, change.turns) for change in notes.patches] == [
        ("timeline", "sold the piano", ("t1",))
    ]
    assert chat.requests[0].user.endswith("for this session.")


def test_portraits_are_of_those_who_are_known_only() -> None:
    told = [("anna ", "Anna loves music."), ("Anna", "Anna is a spy."), ("Kai", "Kai is kind.")]
    portraits = [{"speaker": speaker, "text": text} for speaker, text in told]
    answer = {"title": "t", "text": "x", "portraits": portraits}
    assert scribe(close_period=answer)[0].close_period(PROFILE).portraits == (("Anna", "Anna loves music."),)
    assert scribe(close_period=answer)[0].close_period(WEEK).portraits == ()


def test_an_empty_summary_is_an_error_of_form() -> None:
    writer, _ = scribe(close_period={"title": "t", "text": " ", "portraits": []})
    with pytest.raises(ChatFormatError, match="no summary"):
        writer.close_period(WEEK)


def test_a_very_long_session_is_told_to_its_end() -> None:
    said = [("Anna", "user", "x" * 9000)] * 300
    writer, chat = scribe(close_session={"title": "t", "text": "x", "patches": []})
    parts = (("", "y" * 9000),) * 150
    writer.close_session(Period("session", "2026-11-30", parts, turns=conversation(said)))
    assert '"turn": 300' in chat.requests[0].user
    assert len(chat.requests[0].user) < 200_000


def test_sessions_that_go_together_are_told_apart() -> None:
    turns = conversation()
    writer, chat = scribe(close_batch=reply(scenes=[scene(first_turn=1, last_turn=4)]))
    notes = writer.close_batch(Batch(turns, sessions=(2, 2), ended=True))
    rows = [json.loads(line) for line in chat.requests[0].user.split("\n") if line.startswith("{")]
    assert [row.get("session", row.get("turn")) for row in rows] == [1, 1, 2, 2, 3, 4]
    assert [written.turns for written in notes.scenes] == [("t1", "t2"), ("t3", "t4")]


def test_a_long_batch_may_answer_longer_and_a_huge_turn_is_shown_in_part() -> None:
    said = [("Anna", "user", "x" * 1_000_000)] * 24
    writer, chat = scribe(close_batch=reply())
    writer.close_batch(Batch(conversation(said)))
    assert chat.requests[0].max_tokens == 8192
    assert len(chat.requests[0].user) < 24 * 8200


def _requests() -> dict[str, ChatRequest]:
    """One request of every kind, as it is sent."""
    period = {"title": "t", "text": "x", "portraits": []}
    chat = ScriptedChat(
        {
            "close_batch": [reply()],
            "close_session": [{"title": "t", "text": "x", "patches": []}],
            "close_period": [period],
            "plan": [{"complexity": 0, "keywords": []}],
            "gate": [{"keep": []}],
            "answer": [{"answer": ""}],
            "judge": [{"correct": True, "reason": ""}],
        }
    )
    writer, prompts = LlmScribe(chat, Prompts(), ZoneInfo("Europe/Berlin")), Prompts()
    writer.close_batch(BATCH)
    writer.close_session(SESSION)
    writer.close_period(PROFILE)
    llm_plan(chat, prompts, "What would Anna like to hear?", 2.0)
    llm_gate(chat, prompts, "What would Anna like to hear?", [("c", "2026-11-29 Anna sold the piano", "meaning")], 2.0)
    llm_answer(chat, prompts, "What did Anna sell?", "2026-12-24", ["2026-11-29 Anna sold the piano"])
    llm_judge(chat, prompts, "What did Anna sell?", "a piano", "Her piano.")
    return {request.kind: request for request in chat.requests}


@pytest.mark.parametrize("kind", ["close_batch", "close_session", "close_period", "plan", "gate", "answer", "judge"])
def test_each_rendered_prompt_and_schema_is_as_agreed(kind: str) -> None:
    """The files in golden/ are what is sent; after a wanted change run with GOLDEN_UPDATE=1 and read the diff."""
    sent = _requests()[kind]
    schema = json.dumps(sent.schema, indent=1, ensure_ascii=False)
    text = f"{sent.system}\n\n=== user ===\n{sent.user}\n\n=== schema, {sent.max_tokens} tokens ===\n{schema}\n"
    path = GOLDEN / f"{kind}.txt"
    if os.environ.get("GOLDEN_UPDATE"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
