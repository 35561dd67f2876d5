"""Who is asked about what, when, and what becomes of the answers."""

import json
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mcp_memory.evaluation.recorded import RecordedScribe
from mcp_memory.model.query import Query
from mcp_memory.model.turn import Turn, exchanges
from mcp_memory.write.remember import Said

if TYPE_CHECKING:
    from tests.write.conftest import World


# ---------------------------------------------------------------------- when


def test_a_session_is_asked_about_when_it_is_full_or_over(world: "World") -> None:
    memory = world.open()
    for number in range(1, 15):
        memory.remember(Said(f"I did thing number {number}", "Good."))
        memory.drain()
        memory.ask_scribe()
        world.wait(minutes=5)
        assert world.model.kinds() == (["batch"] if number >= 12 else [])
    world.wait(minutes=31)
    memory.ask_scribe()
    assert world.model.kinds() == ["batch", "batch", "session"]
    assert [len(shown) for shown in world.model.shown()] == [24, 4]


def test_a_few_exchanges_wait_for_the_others_of_their_day(world: "World") -> None:
    memory = world.open()
    for hour in range(3):
        memory.remember(Said(f"I did thing number {hour}", "Good."))
        world.wait(hours=1)
        memory.drain()
        memory.ask_scribe()
    assert world.model.kinds() == []
    world.wait(days=1)
    memory.ask_scribe()
    assert world.model.kinds() == ["batch", "day"]
    assert [one.source for one in world.units(memory, "scene")] == ["llm"] * 3


def test_a_change_of_topic_ends_a_batch_that_is_worth_while(world: "World") -> None:
    memory = world.open()
    for number in range(8):
        topic = ("music", "work")[number // 4] if number < 6 else f"odd {number}"
        memory.remember(Said(f"I did thing number {number}", topic=topic))
        world.wait(minutes=1)
    memory.drain()
    memory.ask_scribe()
    assert [len(shown) for shown in world.model.shown()] == [4]


def test_nobody_is_asked_while_nothing_happens(world: "World") -> None:
    memory = world.filled(world.talk(world.day(3), *world.lines(5)))
    assert memory.ask_scribe().calls == 3
    for _ in range(50):
        world.wait(hours=1)
        memory.drain()
        assert memory.ask_scribe().calls == 0


def test_an_import_of_a_long_talk_costs_a_call_for_four_exchanges(world: "World") -> None:
    sizes = [7, 20, 11, 9, 14, 8, 12, 10, 16, 7, 13, 11, 9, 18, 7, 12, 10, 15, 8]
    start = world.day(1) - timedelta(days=180)
    said = [
        turn
        for number, size in enumerate(sizes)
        for turn in world.talk(start + timedelta(days=9 * number), *world.lines(size, f"deed {number}"))
    ]
    memory = world.filled(said)
    asked = memory.ask_scribe()
    assert asked.calls / sum(sizes) <= 0.25
    assert all(len(shown) <= 24 for shown in world.model.shown())
    assert Counter(world.model.kinds())["profile"] == len(world.units(memory, "profile"))
    assert world.left(memory) == []
    assert {one.source for one in world.units(memory, "session")} == {"llm"}
    world.check_tree(memory)


def test_short_sessions_of_many_days_go_together(world: "World") -> None:
    memory = world.filled(*(world.talk(world.day(number), *world.lines(3, f"{number}")) for number in range(2, 14)))
    memory.ask_scribe()
    kinds = Counter(world.model.kinds())
    assert (kinds["batch"], kinds["session"]) == (3, 0)
    assert len(world.units(memory, "scene")) == 12
    assert {one.source for one in world.units(memory, "session")} == {"llm"}
    assert sum(kinds.values()) / 36 <= 0.25
    world.check_tree(memory)


def test_a_month_is_one_call_for_all_its_speakers(world: "World") -> None:
    said = world.talk(world.day(3), *world.lines(6))
    people = [f"Person {number:02}" for number in range(12)]
    told = [
        Turn(
            f"{number:040x}",
            "Ann",
            "",
            f"{number:040x}",
            0,
            world.day(5, 8) + timedelta(minutes=number),
            who,
            "other",
            text,
        )
        for number, (who, text) in enumerate((who, f"I like {who}") for who in people for _ in range(2))
    ]
    memory = world.filled(said, told)
    memory.ask_scribe()
    (profile,) = [request for request in world.model.requests if "profile." in request.user]
    known = [row["known"] for row in world.rows_of(profile) if "known" in row]
    assert known == sorted(["Ann", *people[:7]])
    written = {one.speaker for one in world.units(memory, "persona") if one.source == "llm"}
    assert written == set(known)
    assert len(world.units(memory, "persona")) == 13


# ---------------------------------------------------------------------- what comes of it


def recorded(name: str, first: int, last: int, *facts: dict[str, Any]) -> dict[str, Any]:
    views = {"situation": "Somebody tells something.", "object": "", "event": "", "emotion": ""}
    told = {"title": name, "summary": f"{name}.", "narrative": "", "attributes": views, "horizon": {}, "topics": [name]}
    return {
        "scene": f"t:{name}",
        "first": f"D:{first}",
        "last": f"D:{last}",
        **told,
        "utterances": [],
        "items": list(facts),
    }


def fact(text: str, *sources: int, **more: Any) -> dict[str, Any]:
    base = {"text": text, "who": "Ann", "when": None, "entity": ["deed"], "bridge": [], "why": ""}
    return base | {"sources": [f"D:{number}" for number in sources]} | more


def played(world: "World", folder: Path, *entries: dict[str, Any], exchanges: int = 20) -> Any:
    """A memory whose scribe answers from a recording; the turns are called D:1, D:2, …"""
    path = folder / "talk.jsonl"
    path.write_text("\n".join(json.dumps(entry) for entry in entries), encoding="utf-8")
    said = world.talk(world.day(3), *world.lines(exchanges))
    named = [
        Turn(**{field: getattr(turn, field) for field in Turn.__slots__} | {"ref": f"D:{number}"})
        for number, turn in enumerate(said, start=1)
    ]
    memory = world.filled(named, scribe=RecordedScribe.load([path]))
    memory.ask_scribe()
    return memory


def test_a_scene_cut_by_a_batch_is_whole_when_all_is_written(world: "World", tmp_path: Path) -> None:
    entries = [
        recorded("morning", 1, 16, fact("Ann began", 1)),
        recorded("noon", 17, 32, fact("Ann rested", 19), fact("Ann rested because she had begun", 1, 29)),
        recorded("evening", 33, 40, fact("Ann ended what she had begun", 1, 21, 35)),
    ]
    memory = played(world, tmp_path, *entries)
    scenes = world.units(memory, "scene")
    assert [(one.title, len(one.turns)) for one in scenes] == [("morning", 16), ("noon", 16), ("evening", 8)]
    items = {one.text: one for one in world.units(memory, "item") if one.source == "llm"}
    assert {text: one.view for text, one in items.items()} == {
        "Ann began": "atomic",
        "Ann rested": "atomic",
        "Ann rested because she had begun": "connected",
        "Ann ended what she had begun": "connected",
    }
    assert items["Ann ended what she had begun"].parent == scenes[2].id
    assert items["Ann rested because she had begun"].parent == scenes[1].id
    assert [one.parent for one in world.units(memory, "cue") if one.family == "entity"].count(
        items["Ann began"].id
    ) == 1
    world.check_tree(memory)


def test_what_is_replaced_leaves_recall_and_stays_to_be_seen(world: "World", tmp_path: Path) -> None:
    entries = [
        recorded("before", 1, 20, fact("Ann works as a baker in Bonn", 1)),
        recorded("after", 21, 40, fact("Ann works as a nurse in Kiel", 39, replaces="works as a baker in Bonn")),
    ]
    memory = played(world, tmp_path, *entries)
    answer = memory.recall(Query("Where does Ann work, as a baker or a nurse?", "Ann", world.clock.now()))
    told = [hit.line for hit in answer.hits if "works as" in hit.line]
    assert len(told) == 1
    assert "nurse" in told[0]
    old, new = (next(one.id for one in world.units(memory, "item") if job in one.text) for job in ("baker", "nurse"))
    seen = memory.inspect("node", old, None, None, 10)
    assert (seen["superseded_by"], seen["status"]) == (new, "superseded")


@pytest.mark.parametrize("who", ["Ann", "assistant"])
def test_a_model_replaces_only_what_the_same_person_said(world: "World", who: str) -> None:
    def replacing(rows: list[dict[str, Any]], reply: dict[str, Any]) -> dict[str, Any]:
        known = [row["known"] for row in rows if "known" in row and "live in Bonn" in row["fact"]]
        turns = [row for row in rows if "turn" in row and row["speaker"] == who and "Kiel" in row["text"]]
        return reply | {"items": [world.item(turn, replaces=known[0]) for turn in turns if known] or reply["items"]}

    world.model.edit["close_batch"] = replacing
    memory = world.filled(world.talk(world.day(3), "I live in Bonn", *world.lines(12), "I live in Kiel now"))
    memory.ask_scribe()
    old = next(one for one in world.units(memory, "item") if one.text == "Ann said: I live in Bonn")
    assert (old.id in memory.corpus.superseded) == (who == "Ann")


def test_topics_are_threads_across_batches(world: "World") -> None:
    def topical(rows: list[dict[str, Any]], reply: dict[str, Any]) -> dict[str, Any]:
        offered = [row["topic"] for row in rows if "topic" in row]
        return reply | {"scenes": [one | {"topics": offered or ["The garden"]} for one in reply["scenes"]]}

    world.model.edit["close_batch"] = topical
    memory = world.filled(world.talk(world.day(3), *world.lines(20, "in the garden")))
    memory.ask_scribe()
    (topic,) = world.units(memory, "topic")
    assert (topic.title, topic.detail["scenes"]) == ("The garden", 2)


def test_an_open_scene_of_whole_sessions_is_not_carried(world: "World") -> None:
    open_ended = lambda rows, reply: reply | {"scenes": [one | {"finished": False} for one in reply["scenes"]]}  # noqa: E731
    world.model.edit["close_batch"] = open_ended
    first, second = world.talk(world.day(3), *world.lines(5)), world.talk(world.day(4), *world.lines(5, "deed"))
    memory = world.filled(first, second)
    memory.ask_scribe()
    world.add(memory, world.talk(world.day(3, 10), "I came late"))
    memory.ask_scribe()
    assert [len(shown) for shown in world.model.shown()] == [20, 2]
    world.check_tree(memory)


def test_every_answer_is_kept_with_what_it_took(world: "World") -> None:
    memory = world.filled(world.talk(world.day(3), *world.lines(5)))
    memory.ask_scribe()
    rows = memory.store.replies.read().to_pylist()
    assert {row["kind"] for row in rows} == {"batch", "session", "profile"}
    for row in rows:
        assert (row["model"], len(row["prompt"])) == ("scripted", 12)
        assert row["input_tokens"] > 0
    spent = memory.inspect("overview", "", None, None, 10)["spending"]
    assert sum(one["calls"] for one in spent) == 3


def test_a_rebuild_makes_the_same_without_a_call(world: "World") -> None:
    memory = world.filled(world.talk(world.day(3), *world.lines(20)), world.talk(world.day(9), *world.lines(5, "deed")))
    memory.ask_scribe()
    before, asked = dict(memory.corpus.units), len(world.model.requests)
    memory.rebuild()
    memory.drain()
    memory.ask_scribe()
    memory.corpus.refresh()
    assert memory.corpus.units == before
    assert len(world.model.requests) == asked


# ---------------------------------------------------------------------- the past


def test_a_portrait_is_never_shown_for_a_moment_before_its_month_was_over(world: "World") -> None:
    memory = world.filled(world.talk(world.day(3), *world.lines(6)), world.talk(world.day(20), "I moved to Kiel"))
    memory.ask_scribe()
    (written,) = [one for one in world.units(memory, "persona") if one.source == "llm"]
    assert "Kiel" in written.text
    assert memory.persona("", world.clock.now()).portrait == written.text
    for earlier in (world.day(4), world.day(20) - timedelta(minutes=1)):
        shown = memory.persona("", earlier)
        assert shown.portrait
        assert "Kiel" not in json.dumps([shown.portrait, *map(str, shown.keys.values())])


def test_history_and_hints_never_look_ahead(world: "World") -> None:
    memory = world.filled(world.talk(world.day(20), *world.lines(6, "late")))
    memory.ask_scribe()
    world.add(memory, world.talk(world.day(3), *world.lines(6, "early")))
    memory.ask_scribe()
    batch, session = world.model.requests[3:5]
    assert [row for row in world.rows_of(batch) if "before" in row or "known" in row] == []
    assert "late" not in session.user


def test_words_of_an_exchange_are_replaced_by_its_memory_but_never_lost(world: "World") -> None:
    memory = world.filled(world.talk(world.day(3), *world.lines(4)))
    memory.ask_scribe()
    segments = world.units(memory, "segment")
    assert {one.source for one in segments} == {"llm"}
    assert len(exchanges(memory.corpus.turns.values())) == 4
    assert sum(one.view == "quote" for one in world.units(memory, "item")) == 8
