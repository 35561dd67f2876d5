import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from mcp_memory.errors import InputError
from mcp_memory.evaluation.recorded import JOINED_TOKENS, RecordedScribe
from mcp_memory.model.notes import Batch, Period, TopicHint
from mcp_memory.model.turn import Turn
from mcp_memory.text.tokens import count_tokens


def turn(ref: str, speaker: str = "", at: datetime | None = None) -> Turn:
    """A turn whose exchange is the pair it belongs to; odd numbers are Ada's."""
    prefix, number = ref.split(":")
    first = f"id {prefix}:{int(number) - 1 + int(number) % 2}"
    day = int(prefix[1:]) if prefix[0] == "D" else 20
    moment = at or datetime(2024, 5, day, 9, 0, tzinfo=UTC) + timedelta(seconds=30 * int(number))
    speaker = speaker or ("Ada" if int(number) % 2 else "Ben")
    return Turn(f"id {ref}", "owner", "", first, int(number), moment, speaker, "other", f"I like {ref}.", ref=ref)


def turns(*refs: str) -> tuple[Turn, ...]:
    return tuple(turn(ref) for ref in refs)


def item(text: str, *sources: str, who: str = "Ada", **more: Any) -> dict[str, Any]:
    fact = {"text": text, "who": who, "when": None, "entity": ["pet"], "bridge": ["cold -> coat"], "why": "because"}
    return fact | ({"sources": list(sources)} if sources else {}) | more


def scene(name: str, span: tuple[str, str] | None, *items: dict[str, Any]) -> dict[str, Any]:
    ends = {"first": span[0], "last": span[1]} if span else {}
    return {
        "scene": name,
        **ends,
        "title": f"title {name}",
        "summary": f"summary {name}.",
        "narrative": f"narrative {name}",
        "attributes": {"situation": "a start", "object": "a roof", "event": "a storm", "emotion": "relief"},
        "horizon": {"personal_arc": None, "goal_arc": "a goal"},
        "topics": ["Greenhouse"],
        "items": list(items),
        "utterances": ["What a draught."],
    }


TALK = [
    scene("talk:1.1", ("D1:1", "D1:4"), item("one", "D1:1", when="2024-04"), item("two", "D1:2", "D1:4", who="Ben")),
    scene("talk:1.2", ("D1:5", "D1:6"), item("both", "D1:5", "D1:6", who="Ada and Ben")),
    {"session": "talk:1", "title": "Session one", "text": "All of one."},
    scene(
        "talk:2.1", ("D2:1", "D2:4"), item("linked", "D1:1", "D2:3", replaces="one"), item("late", "D2:4", who="Ben")
    ),
    {"session": "talk:2", "title": "Session two", "text": "All of two."},
    {"persona": "Ada", "portrait": "Ada mends roofs.", "identity": {}},
]
CUES = [scene("cue7", None, item("sugar", who="Ben"))]


@pytest.fixture
def record(tmp_path: Path) -> Callable[..., Path]:
    def write(name: str, entries: Sequence[Any]) -> Path:
        path = tmp_path / name
        path.write_text("\n".join(json.dumps(entry) for entry in entries) + "\n", encoding="utf-8")
        return path

    return write


@pytest.fixture
def scribe(record: Callable[..., Path]) -> RecordedScribe:
    return RecordedScribe.load([record("talk.jsonl", TALK), record("cues.jsonl", CUES)])


FIRST = Batch(turns("D1:1", "D1:2", "D1:3", "D1:4", "D1:5", "D1:6"))


def texts(scribe: RecordedScribe, batch: Batch) -> list[str]:
    return [note.text for note in scribe.close_batch(batch).items]


def test_scenes_within_the_batch_are_handed_out_whole(scribe: RecordedScribe) -> None:
    first, second = scribe.close_batch(FIRST).scenes
    assert first.turns == ("id D1:1", "id D1:2", "id D1:3", "id D1:4")
    assert (first.title, first.summary, first.narrative) == (
        "title talk:1.1",
        "summary talk:1.1.",
        "narrative talk:1.1",
    )
    assert dict(first.views) == {
        "situation": "a start",
        "object": "a roof",
        "event": "a storm",
        "emotion": "relief",
        "goal_arc": "a goal",
    }
    assert first.utterances == ("What a draught.",)
    assert (first.finished, second.finished) == (True, True)


def test_items_name_speaker_evidence_date_and_cues(scribe: RecordedScribe) -> None:
    one, two, both = scribe.close_batch(FIRST).items
    assert (one.text, one.speaker, one.turns, one.when) == ("one", "Ada", ("id D1:1",), "2024-04")
    assert (one.entity, one.bridge, one.why, one.replaces) == (("pet",), ("cold -> coat",), "because", "")
    assert (two.speaker, two.turns, two.when) == ("Ben", ("id D1:2", "id D1:4"), "")
    assert both.speaker == "Ada"


def test_a_topic_that_is_offered_is_named_by_its_id(scribe: RecordedScribe) -> None:
    offered = Batch(FIRST.turns, topics=(TopicHint("o1", "greenhouse"),))
    assert scribe.close_batch(FIRST).scenes[0].topics == ("Greenhouse",)
    assert scribe.close_batch(offered).scenes[0].topics == ("o1",)


def test_a_scene_cut_by_the_batch_stays_open_and_comes_again_whole(scribe: RecordedScribe) -> None:
    cut = scribe.close_batch(Batch(turns("D1:1", "D1:2")))
    assert [(note.turns, note.finished) for note in cut.scenes] == [(("id D1:1", "id D1:2"), False)]
    assert [note.text for note in cut.items] == ["one"]
    again = scribe.close_batch(Batch(FIRST.turns, carried=2))
    assert [len(note.turns) for note in again.scenes] == [4, 2]
    assert [note.text for note in again.items] == ["one", "two", "both"]


def test_only_the_last_scene_is_ever_open(scribe: RecordedScribe) -> None:
    notes = scribe.close_batch(Batch(turns("D1:1", "D1:2", "D1:5")))
    assert [note.finished for note in notes.scenes] == [True, False]


def test_an_item_over_several_scenes_comes_with_its_last_source(scribe: RecordedScribe) -> None:
    assert "linked" not in texts(scribe, FIRST)
    assert texts(scribe, Batch(turns("D2:1", "D2:2"))) == []
    notes = scribe.close_batch(Batch(turns("D2:3", "D2:4")))
    assert [(note.text, note.turns, note.replaces) for note in notes.items] == [
        ("linked", ("id D1:1", "id D2:3"), "one"),
        ("late", ("id D2:4",), ""),
    ]


def test_an_item_whose_sources_were_never_all_seen_is_kept_back(scribe: RecordedScribe) -> None:
    assert texts(scribe, Batch(turns("D2:3", "D2:4"))) == ["late"]


def test_turns_that_arrive_late_still_complete_an_item(scribe: RecordedScribe) -> None:
    texts(scribe, Batch(turns("D2:1", "D2:2", "D2:3", "D2:4")))
    assert texts(scribe, FIRST) == ["one", "two", "both", "linked"]
    assert "linked" not in texts(scribe, Batch(turns("D2:3")))


def test_asking_again_gives_the_same(scribe: RecordedScribe) -> None:
    later = Batch(turns("D2:1", "D2:2", "D2:3", "D2:4"))
    before = scribe.close_batch(FIRST), scribe.close_batch(later)
    assert (scribe.close_batch(FIRST), scribe.close_batch(later)) == before


def test_every_item_comes_once_when_no_turn_is_carried(scribe: RecordedScribe) -> None:
    order = ["D1:1", "D1:2", "D1:3", "D1:4", "D1:5", "D1:6", "D2:1", "D2:2", "D2:3", "D2:4"]
    given = [text for at in range(0, 10, 2) for text in texts(scribe, Batch(turns(*order[at : at + 2])))]
    assert given == ["one", "two", "both", "linked", "late"]


def test_a_hidden_cue_stands_on_all_turns_of_its_scene(scribe: RecordedScribe) -> None:
    notes = scribe.close_batch(Batch(turns("cue7:1", "cue7:2")))
    assert [(note.title, note.turns, note.finished) for note in notes.scenes] == [
        ("title cue7", ("id cue7:1", "id cue7:2"), True)
    ]
    assert [(note.text, note.speaker, note.turns) for note in notes.items] == [
        ("sugar", "Ben", ("id cue7:1", "id cue7:2"))
    ]


def test_nobody_is_credited_with_what_they_did_not_say(scribe: RecordedScribe) -> None:
    (note,) = scribe.close_batch(Batch(turns("cue7:1"))).items
    assert note.speaker == "Ada"


def test_an_exchange_is_summed_up_by_what_it_added(scribe: RecordedScribe) -> None:
    notes = scribe.close_batch(FIRST)
    assert {note.exchange: note.text for note in notes.segments} == {
        "id D1:1": "one",
        "id D1:3": "two",
        "id D1:5": "both",
    }


def test_turns_nobody_recorded_give_nothing(scribe: RecordedScribe) -> None:
    stranger = Turn("t", "owner", "", "t", 0, datetime(2024, 5, 1, tzinfo=UTC), "user", "user", "Hello.")
    notes = scribe.close_batch(Batch((stranger, turn("D9:1"), turn("D1:99"))))
    assert (notes.scenes, notes.items, notes.segments, notes.source) == ((), (), (), "llm")


def session(*said: Turn, children: tuple[tuple[str, str], ...] = (("", "child."),)) -> Period:
    return Period("session", "2024-05-01", children, turns=said)


def test_a_recorded_session_is_given_when_all_of_it_is_there(scribe: RecordedScribe) -> None:
    notes = scribe.close_session(session(*FIRST.turns))
    assert (notes.title, notes.text, notes.source) == ("Session one", "All of one.", "llm")


def test_half_a_session_is_never_told_what_the_other_half_holds(scribe: RecordedScribe) -> None:
    assert scribe.close_session(session(*FIRST.turns[:4])).text == "summary talk:1.1."
    assert scribe.close_session(session(*FIRST.turns[:3])).text == "child."


def test_the_session_of_a_cue_is_its_scene(scribe: RecordedScribe) -> None:
    notes = scribe.close_session(session(*turns("cue7:1", "cue7:2")))
    assert (notes.title, notes.text) == ("title cue7", "summary cue7.")


def test_what_speakers_say_of_themselves_is_left_to_the_rules(scribe: RecordedScribe) -> None:
    patches = scribe.close_session(session(*FIRST.turns)).patches
    assert {(patch.speaker, patch.key) for patch in patches} == {("Ada", "preferences"), ("Ben", "preferences")}


@pytest.mark.parametrize("grain", ["day", "week"])
def test_days_and_weeks_join_their_parts_within_bounds(scribe: RecordedScribe, grain: Any) -> None:
    parts = (("Morning", "word " * 900), ("Evening", "tea"))
    notes = (
        scribe.close_period(Period(grain, "w", parts))
        if grain == "week"
        else scribe.close_session(Period(grain, "w", parts))
    )
    assert notes.text.startswith("Morning: word")
    assert notes.text.endswith("Evening: tea")
    assert count_tokens(notes.text) <= JOINED_TOKENS
    assert notes.title == "Morning"


def portraits(scribe: RecordedScribe, month: str, *speakers: str) -> dict[str, str]:
    known: dict[str, dict[str, list[str]]] = {speaker: {} for speaker in speakers or ("Ada", "Ben")}
    return dict(scribe.close_period(Period("profile", month, (), known=known)).portraits)


def test_portraits_are_given_only_for_the_month_in_which_the_recording_ends(scribe: RecordedScribe) -> None:
    assert portraits(scribe, "2024-05") == {}
    scribe.close_batch(FIRST)
    assert portraits(scribe, "2024-05") == {}
    scribe.close_batch(Batch(turns("D2:1", "D2:2", "D2:3", "D2:4")))
    assert portraits(scribe, "2024-05") == {"Ada": "Ada mends roofs."}
    assert portraits(scribe, "2024-04") == {}
    assert portraits(scribe, "2024-05", "Ben") == {}


def test_the_month_is_the_owners(record: Callable[..., Path]) -> None:
    scribe = RecordedScribe.load([record("talk.jsonl", TALK)], ZoneInfo("Pacific/Auckland"))
    scribe.close_batch(Batch((turn("D2:4", at=datetime(2024, 6, 2, 20, 0, tzinfo=UTC)),)))
    assert portraits(scribe, "2024-06") == {"Ada": "Ada mends roofs."}


def test_two_talks_with_the_same_turn_names_are_refused(record: Callable[..., Path]) -> None:
    with pytest.raises(InputError, match="D1:1"):
        RecordedScribe.load([record("a.jsonl", TALK), record("b.jsonl", TALK)])


@pytest.mark.parametrize("line", ["{", "[]", "3", '{"other": 1}', '{"scene": "x"}', '{"scene": "x:1.1", "first": 3}'])
def test_a_line_that_is_no_record_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text("\n" + line, encoding="utf-8")
    with pytest.raises(InputError, match=r"bad\.jsonl, line 2"):
        RecordedScribe.load([path])


def test_a_missing_recording_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read .*gone\.jsonl"):
        RecordedScribe.load([tmp_path / "gone.jsonl"])
