"""Whatever a scribe writes, what is stored is bounded, stands on turns, and tiles them."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
from mcp_memory.scribe.clamp import clamp_batch, clamp_period, clamp_when

START = datetime(2026, 11, 30, 9, tzinfo=UTC)


def turns(count: int, per_exchange: int = 2) -> tuple[Turn, ...]:
    """t1, t2, …: Anna and Bob in turn, `per_exchange` turns to an exchange."""
    return tuple(
        Turn(
            id=f"t{number}",
            owner="anna",
            session="",
            exchange=f"t{(number - 1) // per_exchange * per_exchange + 1}",
            position=number,
            at=START + timedelta(minutes=number),
            speaker=("Anna", "Bob")[(number - 1) % 2],
            role=("user", "assistant")[(number - 1) % 2],
            text=f"words {number}",
        )
        for number in range(1, count + 1)
    )


def batch(count: int = 8, per_exchange: int = 2) -> Batch:
    return Batch(turns(count, per_exchange))


def scene(*members: str, title: str = "title", finished: bool = True) -> SceneNote:
    return SceneNote(members, title, "summary", finished=finished)


def item(text: str = "fact", speaker: str = "Anna", members: tuple[str, ...] = ("t1",), **more: object) -> ItemNote:
    return ItemNote(text, speaker, members, **more)  # type: ignore[arg-type]


def tiles(scenes: list[SceneNote], of: Batch) -> list[tuple[str, tuple[str, ...]]]:
    return [(note.title, note.turns) for note in clamp_batch(BatchNotes(tuple(scenes)), of).scenes]


def kept(*items: ItemNote, of: Batch | None = None) -> tuple[ItemNote, ...]:
    return clamp_batch(BatchNotes(items=items), of or batch()).items


NOTES = st.lists(st.lists(st.sampled_from([f"t{n}" for n in range(1, 14)] + ["gone", ""]), max_size=14), max_size=8)


@given(NOTES, st.integers(1, 12), st.integers(1, 3), st.booleans())
def test_scenes_tile_the_exchanges_in_order_whatever_was_claimed(
    claims: list[list[str]], count: int, per_exchange: int, finished: bool
) -> None:
    given_batch = batch(count, per_exchange)
    written = tuple(scene(*claim, title=f"s{index}", finished=finished) for index, claim in enumerate(claims))
    scenes = clamp_batch(BatchNotes(written), given_batch).scenes
    assert [turn for note in scenes for turn in note.turns] == [turn.id for turn in given_batch.turns]
    home = {turn: index for index, note in enumerate(scenes) for turn in note.turns}
    assert all(home[turn.id] == home[turn.exchange] for turn in given_batch.turns)
    assert all(note.turns and note.title and note.summary for note in scenes)
    assert all(note.finished for note in scenes[:-1])


def test_well_cut_scenes_stay_as_they_are() -> None:
    written = [scene("t1", "t2", title="a"), scene("t3", "t4", "t5", "t6", "t7", "t8", title="b")]
    assert tiles(written, batch()) == [("a", written[0].turns), ("b", written[1].turns)]


def test_overlapping_turns_belong_to_the_scene_that_claims_them_first() -> None:
    written = [scene("t1", "t2", "t3", "t4", title="a"), scene("t3", "t4", "t5", "t6", "t7", "t8", title="b")]
    assert [len(members) for _, members in tiles(written, batch())] == [4, 4]


def test_missing_turns_join_the_scene_before_or_become_a_raw_scene() -> None:
    found = tiles([scene("t3", "t4", title="a"), scene("t7", "t8", title="b")], batch())
    assert found == [
        ("Anna: words 1 Bob: words 2", ("t1", "t2")),
        ("a", ("t3", "t4", "t5", "t6")),
        ("b", ("t7", "t8")),
    ]


def test_a_scene_named_again_later_keeps_its_longest_run() -> None:
    written = [scene("t1", "t2", "t5", "t6", "t7", "t8", title="a"), scene("t3", "t4", title="b")]
    assert [title for title, _ in tiles(written, batch())] == ["Anna: words 1 Bob: words 2", "b", "a"]


def test_no_scene_at_all_is_one_raw_scene() -> None:
    assert [members for _, members in tiles([], batch(4))] == [("t1", "t2", "t3", "t4")]


def test_a_scene_that_says_nothing_is_none() -> None:
    written = SceneNote(("t1", "t2", "t3", "t4"), " \u200b", "\x00\u2028")
    assert clamp_batch(BatchNotes((written,)), batch(4)).scenes[0].title.startswith("Anna: words 1")


def test_a_missing_title_or_summary_is_taken_from_the_other() -> None:
    written = (SceneNote(("t1",), "", "what happened"), SceneNote(("t3",), "a name", ""))
    scenes = clamp_batch(BatchNotes(written), batch(4)).scenes
    assert [(note.title, note.summary) for note in scenes] == [("what happened",) * 2, ("a name",) * 2]


def test_only_known_views_with_words_stay() -> None:
    views = {"situation": "s", "personal_arc": "p", "utterance": "u", "made_up": "m", "emotion": "\u200b"}
    written = SceneNote(("t1",), "t", "s", views=views, utterances=("a", "A", "", *"bcdefgh"), topics=tuple("wxyz"))
    note = clamp_batch(BatchNotes((written,)), batch(2)).scenes[0]
    assert dict(note.views) == {"situation": "s", "personal_arc": "p"}
    assert note.utterances == ("a", "b", "c", "d", "e", "f")
    assert note.topics == ("w", "x", "y")


def test_text_is_one_plain_line_of_bounded_length() -> None:
    told = "\u202eevil\u202c \x1b[31mred\x00\n\n# heading \U000e0041" + " word" * 1000
    note = kept(item(told, why=told, entity=(told,), bridge=(told,), replaces=told))[0]
    for text in (note.text, note.why, *note.entity, *note.bridge, note.replaces):
        assert text.isprintable()
        assert len(text) <= 800
        assert text.endswith(" word…")


def test_text_without_spaces_is_cut_too() -> None:
    assert len(kept(item("語" * 5000))[0].text) == 800


def test_a_fact_needs_a_turn_that_exists() -> None:
    assert kept(item(members=()), item(members=("gone",))) == ()
    assert kept(item(members=("gone", "t1", "t1")))[0].turns == ("t1",)


def test_a_fact_about_a_person_comes_only_from_what_that_person_said() -> None:
    assert kept(item("Anna hates her job", "Anna", ("t2",))) == ()
    assert kept(item(speaker="Carol", members=("t1", "t2"))) == ()
    assert kept(item(speaker=" ANNA\u200b", members=("t2", "t1")))[0].speaker == "Anna"
    assert kept(item(speaker="", members=("t2",)))[0].speaker == "Bob"


def test_what_two_say_together_needs_a_turn_of_each() -> None:
    assert kept(item(speaker="anna & Bob", members=("t1", "t2")))[0].speaker == "Anna and Bob"
    assert kept(item(speaker="Anna and Bob", members=("t1", "t3"))) == ()
    assert kept(item(speaker="Anna and Carol", members=("t1", "t2"))) == ()


def test_a_connected_fact_may_stand_on_earlier_turns_of_known_speakers() -> None:
    notes = BatchNotes(items=(item(members=("old", "t1")), item("other", "Bob", ("old",))))
    stored = clamp_batch(notes, batch(), earlier={"old": "Anna"}).items
    assert [(note.text, note.turns) for note in stored] == [("fact", ("old", "t1"))]


def test_a_hundred_times_too_many_facts_are_cut_per_turn_and_in_all() -> None:
    many = [item(f"fact {n}", "Anna", (f"t{n % 40 * 2 + 1}",)) for n in range(4000)]
    stored = kept(*many, of=batch(80))
    assert len(stored) == 60
    assert len(kept(*many[::40])) == 4


def test_repeated_facts_are_kept_once() -> None:
    assert len(kept(item("She plays."), item("she  PLAYS."), item("She sings."))) == 2


def test_cues_are_few_and_say_something_new() -> None:
    note = kept(item("fact", entity=("dog", "Dog", "", "FACT", *"abcdef"), bridge=("x",) * 9))[0]
    assert note.entity == ("dog", "a", "b", "c", "d")
    assert note.bridge == ("x",)


@pytest.mark.parametrize("when", ["2026", "2026-11", "2026-11-30", "2026-12-01", "2025/2026-11-30", " 2020-02-29 "])
def test_dates_and_intervals_up_to_the_batch_stay(when: str) -> None:
    assert clamp_when(when, date(2026, 11, 30)) == when.strip()


@pytest.mark.parametrize(
    "when",
    [
        *("", "2026-12-02", "2027", "2026-02-30", "yesterday", "30.11.2026", "2026-11-30T10:00", "2026-11/2025"),
        *("1/2/3", "2026/2027", "2026/", "/", "٢٠٢٦", "0000", "2026-1-1", "2026-11-30\n2026"),
    ],
)
def test_dates_in_the_future_or_malformed_are_dropped(when: str) -> None:
    assert clamp_when(when, date(2026, 11, 30)) == ""


@given(st.text(), st.dates())
def test_any_text_as_a_date_is_kept_or_dropped_but_never_raises(when: str, last: date) -> None:
    assert clamp_when(when, last) in ("", when.strip())


def test_one_memory_per_exchange_of_the_batch() -> None:
    written = (SegmentNote("t1", "first"), SegmentNote("t1", "second"), SegmentNote("t2", "x"), SegmentNote("t3", " "))
    assert clamp_batch(BatchNotes(segments=written), batch(4)).segments == (SegmentNote("t1", "first"),)


def patches(*given_patches: PersonaPatch) -> tuple[PersonaPatch, ...]:
    period = Period("session", "2026-11-30", (), turns=turns(4))
    return clamp_period(PeriodNotes("t", "x", given_patches), period).patches


def test_a_patch_needs_a_known_key_a_value_and_words_of_that_person() -> None:
    good = PersonaPatch("Anna", "identity", "a nurse", "job", "2026", ("t1",))
    refused = [
        PersonaPatch("Anna", "settings", "off", "redact", "", ("t1",)),
        PersonaPatch("Anna", "identity", " ", "job", "", ("t1",)),
        PersonaPatch("Anna", "identity", "a spy", "job", "", ("t2",)),
        PersonaPatch("Anna", "identity", "a spy", "job"),
        PersonaPatch("Carol", "identity", "a spy", "job", "", ("t1",)),
    ]
    assert patches(good, good, *refused) == (good,)


def test_periods_without_turns_have_no_patches() -> None:
    patches = (PersonaPatch("Anna", "traits", "kind", turns=("t1",)),)
    clamped = clamp_period(PeriodNotes("t", "x", patches, (("Anna", "p"),)), Period("week", "2026-W49", ()))
    assert (clamped.patches, clamped.portraits) == ((), ())


def test_portraits_are_bounded_and_of_known_speakers_once_each() -> None:
    told = (("ANNA\u200b", "p\x00\n"), ("Anna", "again"), ("Carol", "a spy"), ("Bob", "\u200b"), ("", "nobody"))
    period = Period("profile", "2026-11", (), known={"Anna": {}, "Bob": {}})
    assert clamp_period(PeriodNotes("t", "x", portraits=told), period).portraits == (("Anna", "p"),)
    long = clamp_period(PeriodNotes("t", "x", portraits=(("Bob", "word " * 9000),)), period).portraits
    assert len(long[0][1]) <= 3000


def test_a_scene_that_runs_over_two_sessions_becomes_two_and_only_what_may_go_on_stays_open() -> None:
    written = [scene(*(f"t{n}" for n in range(1, 9)), title="a", finished=False)]
    together = Batch(turns(8), sessions=(4, 4))
    found = clamp_batch(BatchNotes(tuple(written)), together).scenes
    assert [(note.turns, note.finished) for note in found] == [
        (("t1", "t2", "t3", "t4"), True),
        (("t5", "t6", "t7", "t8"), False),
    ]
    ended = clamp_batch(BatchNotes(tuple(written)), replace(together, ended=True)).scenes
    assert [note.finished for note in ended] == [True, True]


def test_sessions_that_overlap_in_time_are_tiled_apart() -> None:
    said = turns(8)
    first, second = said[0:2] + said[4:6], said[2:4] + said[6:8]
    together = Batch((*first, *second), sessions=(4, 4))
    written = (scene(*(turn.id for turn in first), title="a"), scene(*(turn.id for turn in second), title="b"))
    found = clamp_batch(BatchNotes(written), together).scenes
    assert [(note.title, note.turns) for note in found] == [
        ("a", ("t1", "t2", "t5", "t6")),
        ("b", ("t3", "t4", "t7", "t8")),
    ]
