"""Where the rules scribe cuts, how it names what it cut, and what it quotes."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_memory.model.notes import Batch, Period
from mcp_memory.model.turn import Role, Turn, turn_id
from mcp_memory.scribe.rules import RulesScribe
from mcp_memory.scribe.segmenting import MOST_EXCHANGES, MOST_TOKENS, cut

START = datetime(2026, 3, 2, 9, tzinfo=UTC)


def turn(number: int, text: str, speaker: str = "Ann", role: Role = "user", after: timedelta | None = None) -> Turn:
    at = START + (after or timedelta(minutes=number))
    identifier = turn_id("Ann", "s", at, speaker, text)
    return Turn(identifier, "Ann", "s", identifier, number, at, speaker, role, text)


def about(*subjects: int, noise: float = 0.2) -> list[np.ndarray]:
    """Vectors of exchanges about numbered subjects, all with much in common, as those of one talk have."""
    rng = np.random.default_rng(7)
    common, things = rng.normal(size=64), rng.normal(size=(10, 64)) * 0.5
    rows = [common + things[one] + rng.normal(size=64) * noise for one in subjects]
    return [(row / np.linalg.norm(row)).astype(np.float32) for row in rows]


def test_a_talk_is_cut_where_its_subject_changes() -> None:
    assert cut(about(1, 1, 1, 2, 2, 2, 2, 3, 3, 3), [20] * 10) == [0, 3, 7]


def test_a_remark_in_passing_is_no_scene_of_its_own() -> None:
    assert 4 not in cut(about(1, 1, 1, 1, 2, 1, 1, 1, 3, 3, 3), [20] * 11)


def test_a_short_talk_is_one_scene() -> None:
    assert cut(about(1, 2, 3), [20] * 3) == [0]


def test_without_vectors_only_size_cuts() -> None:
    assert cut([None] * 5, [20] * 5) == [0]
    assert len(cut([*about(1, 1, 2, 2), None], [20] * 5)) == 1
    assert len(cut([None] * (MOST_EXCHANGES + 1), [20] * (MOST_EXCHANGES + 1))) == 2


def test_the_same_said_over_and_over_is_cut_by_size_alone() -> None:
    assert len(cut([np.ones(8, dtype=np.float32)] * MOST_EXCHANGES, [1] * MOST_EXCHANGES)) == 1


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2 * MOST_TOKENS)), max_size=40), st.booleans())
def test_runs_tile_the_talk_within_their_limits(talk: list[tuple[int, int]], known: bool) -> None:
    tokens = [size for _, size in talk]
    begins = cut(about(*(subject for subject, _ in talk)) if known else [None] * len(talk), tokens)
    ends = [*begins[1:], len(talk)] if begins else []
    assert begins == sorted(set(begins))
    assert begins[:1] == ([0] if talk else [])
    for begin, end in zip(begins, ends, strict=True):
        assert end - begin <= MOST_EXCHANGES
        assert end - begin == 1 or sum(tokens[begin:end]) <= MOST_TOKENS


def scenes(turns: Sequence[Turn]) -> list[tuple[str, ...]]:
    return [scene.turns for scene in RulesScribe().close_batch(Batch(tuple(turns))).scenes]


def test_silence_and_another_topic_label_begin_a_scene() -> None:
    talk = [turn(0, "The fig tree needs water."), turn(1, "And a larger pot.")]
    talk.append(turn(2, "I am back from the market.", after=timedelta(hours=1)))
    assert [len(one) for one in scenes(talk)] == [2, 1]
    labelled = [
        replace(talk[0], topic="Figs"),
        talk[1],
        replace(talk[1], id="t2", exchange="t2", position=2, topic="Market"),
    ]
    assert [len(one) for one in scenes(labelled)] == [2, 1]


def test_every_turn_is_in_exactly_one_scene_and_none_is_invented() -> None:
    talk = [turn(number, f"I painted fence number {number} blue.") for number in range(40)]
    assert [one for scene in scenes(talk) for one in scene] == [one.id for one in talk]


def test_people_and_not_an_assistants_lists_name_and_sum_up_a_scene() -> None:
    talk = [
        turn(0, "I planted a fig tree on my balcony yesterday."),
        turn(1, "Fertiliser schedule: fertiliser in March, fertiliser in May.", "assistant", "assistant"),
        turn(2, "The fig tree has two leaves already."),
    ]
    (scene,) = RulesScribe().close_batch(Batch(tuple(talk))).scenes
    assert scene.title.startswith("Fig tree")
    assert "fertiliser" not in " ".join(scene.keywords)
    assert scene.summary.startswith("Ann: I planted a fig tree on my balcony yesterday.")


def test_a_caption_names_a_scene_only_where_nothing_else_does() -> None:
    caption = "[shares a photo of a dog on a red sofa]"
    (named,) = RulesScribe().close_batch(Batch((turn(0, f"The pottery class was fun. {caption}"),))).scenes
    (bare,) = RulesScribe().close_batch(Batch((turn(0, caption),))).scenes
    assert named.title == "Pottery class"
    assert "dog" in bare.title


def test_what_people_tell_is_quoted_before_what_they_say_to_each_other() -> None:
    talk = [
        turn(0, "You will be a wonderful teacher for all of them, I am sure of that.", "Ben", "other"),
        turn(1, "I signed the contract with the school in Lyon on Monday."),
    ]
    notes = RulesScribe().close_session(Period("session", "2026-03-02", (), turns=tuple(talk)))
    (scene,) = RulesScribe().close_batch(Batch(tuple(talk))).scenes
    assert "Ann: I signed the contract with the school in Lyon on Monday." in notes.text.split("\n")
    assert scene.summary == notes.text


def test_the_rules_write_no_triggers_and_no_items() -> None:
    notes = RulesScribe().close_batch(Batch((turn(0, "I moved to Lyon last week."),)))
    assert notes.items == ()
    assert not any(scene.views or scene.utterances for scene in notes.scenes)


@pytest.mark.parametrize("text", ["", " ", "🎉", "\x00", "[]", "?", "<script>", "ا" * 5000, "a " * 50_000])
def test_any_text_is_borne(text: str) -> None:
    talk = (turn(0, text), turn(1, text, "assistant", "assistant"))
    assert RulesScribe().close_batch(Batch(talk)).scenes
    assert RulesScribe().close_session(Period("session", "2026-03-02", (), turns=talk)).source == "rules"
