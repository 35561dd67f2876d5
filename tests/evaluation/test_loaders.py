import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from mcp_memory.errors import InputError
from mcp_memory.evaluation.loaders import load_cases
from mcp_memory.evaluation.loaders.locomo import evidence_ids
from mcp_memory.evaluation.loaders.locomo_plus import gap_days
from mcp_memory.evaluation.loaders.longmemeval import load_longmemeval

WriteJson = Callable[[str, Any], Path]


def refusal(suite: str, path: Path) -> str:
    """What is said of a file that cannot be used."""
    with pytest.raises(InputError) as caught:
        load_cases(suite, path)
    return str(caught.value)


@pytest.fixture
def locomo_file(write_json: WriteJson, locomo_document: Any) -> Path:
    return write_json("locomo10.json", locomo_document)


def test_locomo_sessions_come_in_the_order_of_their_numbers(locomo_file: Path) -> None:
    (case,) = load_cases("locomo", locomo_file)
    assert list(dict.fromkeys(line.session for line in case.talk.lines)) == list(range(1, 12))
    assert case.talk.speakers == ("Ada", "Ben")


def test_a_shared_picture_is_its_caption_and_never_its_search_string(locomo_file: Path) -> None:
    (case,) = load_cases("locomo", locomo_file)
    assert case.talk.lines[1].text == "line 2 of session 1 [shares a photo of a kite]"
    assert case.talk.lines[1].at == datetime(2023, 5, 1, 13, 56, 30, tzinfo=UTC)


def test_locomo_questions_are_asked_once_a_week_after_the_last_session(locomo_file: Path) -> None:
    (case,) = load_cases("locomo", locomo_file)
    assert [question.id for question in case.questions] == [f"conv-1/q{n}" for n in (0, 1, 3, 4)]
    assert {question.when for question in case.questions} == {case.talk.lines[-1].at + timedelta(days=7)}


def test_hand_written_evidence_is_repaired(locomo_file: Path) -> None:
    (case,) = load_cases("locomo", locomo_file)
    assert [question.gold for question in case.questions] == [("D1:2", "D2:3"), ("D11:1", "D1:1"), (), ()]
    assert [question.category for question in case.questions] == ["multi-hop", "temporal", "adversarial", "unlabelled"]
    assert [question.answer for question in case.questions] == ["7", "never", "", "y"]
    assert evidence_ids(["D30:05", "D9:1 D4:4"], {"D30:5", "D4:4"}) == ("D30:5", "D4:4")


def test_a_cue_is_a_session_of_its_own_before_its_trigger(
    locomo_file: Path, write_json: WriteJson, plus_document: Any
) -> None:
    (case,) = load_cases("locomo-plus", write_json("locomo_plus.json", plus_document))
    sugar, dentist = case.questions
    assert (sugar.text, sugar.category, sugar.gold) == ("They served cake at work.", "causal", ("cue0:1", "cue0:2"))
    by_id = {line.id: line for line in case.talk.lines}
    assert by_id["cue0:1"].at == sugar.when - timedelta(days=14)
    assert by_id["cue1:1"].at == dentist.when - timedelta(days=90)
    assert (by_id["cue1:1"].speaker, by_id["cue1:1"].session) == ("Ben", 1)
    assert [line.at for line in case.talk.lines] == sorted(line.at for line in case.talk.lines)
    assert [line.session for line in case.talk.lines] == sorted(line.session for line in case.talk.lines)


def test_the_locomo_file_may_lie_elsewhere(write_json: WriteJson, locomo_document: Any, plus_document: Any) -> None:
    base = write_json("elsewhere/base.json", locomo_document)
    assert len(load_cases("locomo-plus", write_json("locomo_plus.json", plus_document), locomo=base)) == 1


@pytest.mark.parametrize(
    ("text", "days"),
    [("about two weeks later", 14), ("A couple of months", 60), ("1 year", 365), ("several weeks", 28), ("soon", 0)],
)
def test_gaps_are_read_from_words(text: str, days: int) -> None:
    assert gap_days(text) == days


def test_longmemeval_questions_share_one_history(write_json: WriteJson, longmemeval_document: Any) -> None:
    (case,) = load_cases("longmemeval", write_json("longmemeval_oracle.json", longmemeval_document))
    assert [line.id for line in case.talk.lines] == ["s1:1", "s1:2", "s2:1", "s2:2"]
    assert [line.role for line in case.talk.lines] == ["user", "assistant"] * 2
    by_id = {question.id: question for question in case.questions}
    assert by_id["q1"].gold == ("s1:1",)
    assert (by_id["q2_abs"].category, by_id["q2_abs"].answer) == ("abstention", "")


def test_no_question_is_asked_before_its_evidence(write_json: WriteJson, longmemeval_document: Any) -> None:
    (case,) = load_cases("longmemeval", write_json("longmemeval_oracle.json", longmemeval_document))
    assert min(question.when for question in case.questions) == datetime(2023, 5, 22, 11, 0, tzinfo=UTC)


def test_longmemeval_is_packed_by_a_fixed_number(write_json: WriteJson, longmemeval_document: Any) -> None:
    path = write_json("longmemeval_oracle.json", longmemeval_document)
    assert [(case.talk.id, len(case.questions)) for case in load_longmemeval(path, 1)] == [("lme-0", 1), ("lme-1", 1)]


def test_beam_folders_come_by_number_and_the_clock_never_runs_back(beam_folder: Path) -> None:
    cases = load_cases("beam", beam_folder)
    assert [case.talk.id for case in cases] == ["beam-2", "beam-10"]
    lines = cases[0].talk.lines
    assert [line.at - datetime(2024, 3, 15, tzinfo=UTC) for line in lines] == [
        n * timedelta(seconds=30) for n in range(3)
    ]
    assert lines[0].text == "Plan a trip"


def test_beam_evidence_is_found_in_any_nesting(beam_folder: Path) -> None:
    summary, abstention, ordering = load_cases("beam", beam_folder)[0].questions
    assert (summary.gold, summary.answer, summary.id) == (("0", "2"), "Rome", "beam-2/summarization-0")
    assert (abstention.category, abstention.answer) == ("abstention", "")
    assert ordering.category == "unlabelled"


def test_the_authors_own_name_for_the_questions_is_read_too(beam_folder: Path) -> None:
    for path in beam_folder.glob("*/pq.json"):
        path.rename(path.with_name("probing_questions.json"))
    assert len(load_cases("beam", beam_folder)) == 2


@pytest.fixture
def prepared(tmp_path: Path) -> Path:
    turns = [{"id": "a:1", "speaker": "user", "text": "Hi", "at": "2024-01-01T10:00:00+00:00", "session": 1}]
    asked = {"id": "q", "text": "Hi?", "when": "2024-01-02T10:00:00+00:00", "category": "c", "gold": ["a:1"]}
    line = json.dumps(
        {"conversation": {"id": "one", "turns": turns}, "questions": [asked | {"answer": "", "flags": ["X"]}]}
    )
    path = tmp_path / "cases.jsonl"
    path.write_text(line + "\n\n" + line + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("suite", ["locomo", "locomo-plus", "longmemeval", "beam"])
def test_prepared_cases_are_known_by_their_first_line(prepared: Path, suite: Any) -> None:
    first, _ = load_cases(suite, prepared)
    assert (first.talk.lines[0].role, first.talk.lines[0].at) == ("user", datetime(2024, 1, 1, 10, tzinfo=UTC))
    assert (first.questions[0].gold, first.questions[0].flags) == (("a:1",), frozenset({"X"}))


@pytest.mark.parametrize("suite", ["locomo", "locomo-plus", "longmemeval", "beam"])
def test_a_missing_file_says_what_is_expected(tmp_path: Path, suite: Any) -> None:
    with pytest.raises(InputError, match=f"cannot read .*{suite} expects"):
        load_cases(suite, tmp_path / "nowhere.json")


@pytest.mark.parametrize(
    "content", ["", "{", "[]]", '{"a": 1}', "[1]", '[{"conversation": 3}]', '{"conversation": 1, "questions": 2}']
)
@pytest.mark.parametrize("suite", ["locomo", "locomo-plus", "longmemeval"])
def test_another_format_says_what_is_expected(tmp_path: Path, suite: Any, content: str) -> None:
    path = tmp_path / "locomo10.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=f"{suite} expects"):
        load_cases(suite, path)


def test_a_folder_without_chats_is_no_beam(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no numbered folders"):
        load_cases("beam", tmp_path)


def without(key: str, row: Any) -> Any:
    return {name: value for name, value in row.items() if name != key}


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (lambda one: one["conversation"].update(session_2_date_time="secret"), ["session_2_date_time: is no moment"]),
        (lambda one: one["conversation"].pop("session_3_date_time"), ["has no `session_3_date_time`"]),
        (lambda one: one["conversation"]["session_4"][1].pop("speaker"), ["session_4[1]: has no `speaker`"]),
        (lambda one: one["conversation"].pop("session_1"), ["no `session_1`"]),
        (lambda one: one["qa"][2].pop("evidence"), ["qa[2]: has no `evidence`"]),
        (lambda one: one["qa"][1].update(evidence=None), ["qa[1]: `evidence` is not a list"]),
        (lambda one: one["qa"][0].update(category=9), ["qa[0]: `category` is none of"]),
        (lambda one: one["qa"].append("secret"), ["qa[5]: is no object"]),
        (lambda one: one.pop("qa"), ["[0] (conv-1): has no `qa`"]),
        (lambda one: one.pop("conversation"), ["has no `conversation`"]),
    ],
)
def test_what_is_wrong_in_locomo_is_named_with_its_place(
    write_json: WriteJson, locomo_document: Any, change: Callable[[Any], Any], where: list[str]
) -> None:
    change(locomo_document[0])
    told = refusal("locomo", write_json("locomo10.json", locomo_document))
    assert "[0] (conv-1)" in told
    assert all(one in told for one in where), told
    assert "secret" not in told


def test_what_is_wrong_in_locomo_plus_is_named_with_its_file_and_place(
    locomo_file: Path, write_json: WriteJson, plus_document: Any, locomo_document: Any
) -> None:
    lost = [plus_document[0], without("time_gap", plus_document[1])]
    with pytest.raises(InputError, match=r"plus\.json: \[1\]: has no `time_gap`"):
        load_cases("locomo-plus", write_json("locomo_plus.json", lost))
    lost = [plus_document[0] | {"cue_dialogue": "Z: secret"}]
    with pytest.raises(InputError, match=r"\[0\]: `cue_dialogue` has no lines such as") as caught:
        load_cases("locomo-plus", write_json("locomo_plus.json", lost))
    assert "secret" not in str(caught.value)
    write_json("locomo10.json", [without("sample_id", locomo_document[0])])
    with pytest.raises(InputError, match=r"locomo10\.json, \[0\]: has no `sample_id`"):
        load_cases("locomo-plus", write_json("locomo_plus.json", plus_document))


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"haystack_dates": ["x", "y"]}, "q2_abs, haystack_dates: is no moment"),
        ({"question_date": "x"}, "q2_abs, question_date: is no moment"),
        ({"question": 3}, "q2_abs: `question` is not text"),
        ({"question_id": None}, "[1]: `question_id` is not text"),
        (
            {"haystack_session_ids": ["s3", "s4"], "haystack_sessions": [[{"role": "user"}], []]},
            "session s3[0]: has no `content`",
        ),
        ({"haystack_sessions": []}, "q2_abs: is not as expected"),
    ],
)
def test_what_is_wrong_in_longmemeval_is_named_with_its_place(
    write_json: WriteJson, longmemeval_document: Any, change: Any, where: str
) -> None:
    path = write_json("longmemeval_oracle.json", [longmemeval_document[0], longmemeval_document[1] | change])
    assert where in refusal("longmemeval", path)


@pytest.mark.parametrize(
    ("name", "content", "where"),
    [
        ("chat.json", "[", "10, chat.json: is not valid JSON"),
        ("chat.json", "[]", "10: chat.json has no message"),
        ("chat.json", '[{"turns": [[{"id": 1, "role": "user"}]]}]', "batch 1, message 1: has no `content`"),
        ("chat.json", '[{"turns": [[{"id": 1, "time_anchor": "x"}]]}]', "message 1, time_anchor: is no day"),
        ("pq.json", '{"summarization": [{}]}', "10, pq.json, summarization[0]: has no `question`"),
        ("pq.json", '{"summarization": 1}', "10, pq.json: `summarization` is not a list"),
    ],
)
def test_what_is_wrong_in_beam_is_named_with_its_place(beam_folder: Path, name: str, content: str, where: str) -> None:
    (beam_folder / "10" / name).write_text(content, encoding="utf-8")
    assert where in refusal("beam", beam_folder)


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [
        ('"at": "2024-01-01T10:00:00+00:00"', '"at": "secret"', "conversation, turns[0] (a:1), at: is no moment"),
        ('"session": 1', '"x": 1', "conversation, turns[0] (a:1): has no `session`"),
        ('"gold": ["a:1"]', '"gold": null', "questions[0] (q): `gold` is not a list"),
    ],
)
def test_what_is_wrong_in_prepared_cases_is_named_with_its_line(prepared: Path, old: str, new: str, where: str) -> None:
    first, blank, last, end = prepared.read_text(encoding="utf-8").split("\n")
    prepared.write_text("\n".join([first, blank, last.replace(old, new), end]), encoding="utf-8")
    assert f"line 3, {where}" in refusal("locomo", prepared)


@pytest.mark.parametrize("suite", ["locomo", "locomo-plus", "longmemeval"])
def test_a_file_without_questions_is_told(tmp_path: Path, suite: Any) -> None:
    (tmp_path / "locomo10.json").write_text("[]", encoding="utf-8")
    with pytest.raises(InputError, match="holds no questions"):
        load_cases(suite, tmp_path / "locomo10.json")
