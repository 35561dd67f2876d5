"""The way down to a valid reply: rungs, parameters, more tokens, one repair."""

import json
from typing import TYPE_CHECKING

import pytest

from mcp_memory.errors import ChatFormatError, ChatTooLargeError

if TYPE_CHECKING:
    from tests.llm.conftest import Lab

BAD = json.dumps({"word": 5, "n": "zanzibar-4711", "zanzibar": 1})


def _schema_shown(body: dict[str, object]) -> bool:
    return '"additionalProperties":false' in json.dumps(body).replace('\\"', '"').replace("\\\\", "")


@pytest.mark.parametrize(
    "complaint",
    [
        "'response_format.type' must be 'json_object' or 'text'",
        "This response_format type is unavailable now",
        "output_config: Extra inputs are not permitted",
        "failed to parse grammar",
        "bad request",  # no reason given: the format is the likeliest
    ],
)
def test_a_server_without_json_schema_is_asked_one_rung_lower_and_remembered(lab: "Lab", complaint: str) -> None:
    lab.answers(lab.failed(400, complaint), lab.said(lab.good), lab.said(lab.good))
    lower = "prompt" if lab.provider == "anthropic" else "json_object"
    assert lab.ask().detail == {"rung": lower, "without": [], "calls": 2}
    assert lab.ask().detail == {"rung": lower, "without": [], "calls": 1}
    assert not _schema_shown({"system": lab.stub.bodies[0].get("system") or lab.stub.bodies[0]["messages"][0]})
    assert all(_schema_shown(body) for body in lab.stub.bodies[1:])


def test_the_last_rung_asks_by_prompt_only(lab: "Lab") -> None:
    lab.answers(*[lab.failed(400, "response_format")] * (1 if lab.provider == "anthropic" else 2), lab.said(lab.good))
    assert lab.ask().detail["rung"] == "prompt"
    assert "response_format" not in lab.stub.bodies[-1]
    assert "format" not in lab.stub.bodies[-1].get("output_config", {})


def test_a_rung_is_not_remembered_for_a_request_that_failed_on_all(lab: "Lab") -> None:
    lab.answers(lab.failed(400))
    assert type(lab.error()) is ChatFormatError
    lab.answers(lab.said(lab.good))
    assert lab.ask().detail == {"rung": "json_schema", "without": [], "calls": 1}


def test_a_refusal_that_never_ends_is_given_up(lab: "Lab") -> None:
    lab.answers(lab.failed(400, "temperature is not supported"))  # we never send one: nothing to drop
    lab.error()
    assert len(lab.stub.bodies) <= 5


@pytest.mark.parametrize("status", [400, 422])
def test_a_parameter_the_server_does_not_know_is_dropped_and_remembered(lab: "Lab", status: int) -> None:
    names = ["output_config.effort", "thinking"] if lab.provider == "anthropic" else ["max_completion_tokens"]
    complaints = [lab.failed(status, f"Unsupported parameter: '{name}'. Use max_tokens instead.") for name in names]
    lab.answers(*complaints, lab.said(lab.good), lab.said(lab.good))
    without = ["effort", "thinking"] if lab.provider == "anthropic" else ["max_completion_tokens"]
    assert lab.ask(max_tokens=300).detail["without"] == without
    assert lab.ask(max_tokens=300).detail["calls"] == 1
    body = lab.stub.bodies[-1]
    assert body["max_tokens"] == 300
    assert not {"thinking", "max_completion_tokens"} & set(body)
    assert "effort" not in body.get("output_config", {})


def test_too_many_reply_tokens_are_halved_and_remembered(lab: "Lab") -> None:
    complaint = lab.failed(400, "max_tokens: 4000 > 2048, which is the maximum allowed number of output tokens")
    lab.answers(complaint, lab.said(lab.good), lab.said(lab.good))
    assert lab.ask(max_tokens=4000).detail["calls"] == 2
    lab.ask(max_tokens=4000)
    sent = [body.get("max_tokens") or body["max_completion_tokens"] for body in lab.stub.bodies]
    assert sent == [4000, 2000, 2000]


def test_a_cut_reply_is_asked_for_once_more_with_twice_the_tokens(lab: "Lab") -> None:
    lab.answers(lab.said(lab.good[:8], stop=lab.cut), lab.said(lab.good))
    reply = lab.ask(max_tokens=100)
    assert (reply.input_tokens, reply.output_tokens) == (20, 10)
    sent = [body.get("max_tokens") or body["max_completion_tokens"] for body in lab.stub.bodies]
    assert sent == [100, 200]


def test_a_reply_cut_twice_asks_for_a_smaller_batch_and_is_counted(lab: "Lab") -> None:
    lab.answers(lab.said(lab.good, stop=lab.cut))
    error = lab.error()
    assert isinstance(error, ChatTooLargeError)
    assert (error.calls, error.input_tokens, error.output_tokens) == (2, 20, 10)


@pytest.mark.parametrize(
    "around",
    [
        "```json\n%s\n```",
        "```\n%s```",
        "Here you are, {as asked}:\n%s\nAnything else?",
        '<think>Maybe {"word": 1}? No.</think>\n%s',
        "\ufeff%s",
        "%s %s",
    ],
)
def test_fences_prose_and_thoughts_around_the_object_are_tolerated(lab: "Lab", around: str) -> None:
    lab.answers(lab.said(around.replace("%s", lab.good)))
    assert lab.ask().detail["calls"] == 1


@pytest.mark.parametrize("bad", [BAD, "zanzibar-4711", "{", '{"word": NaN, "n": 1}', '{"a":' * 5000, "[[]]"])
def test_an_invalid_reply_is_repaired_once(lab: "Lab", bad: str) -> None:
    lab.answers(lab.said(bad), lab.said(lab.good))
    assert lab.ask().data["n"] == 1
    question, echo, mend = [message["content"] for message in lab.stub.bodies[1]["messages"]][-3:]
    assert (question, echo) == (f"user {lab.secret}", bad[:20_000])
    assert lab.secret not in mend


def test_the_repair_names_places_and_rules_only(lab: "Lab") -> None:
    lab.answers(lab.said(BAD), lab.said(lab.good))
    lab.ask()
    mend = lab.stub.bodies[1]["messages"][-1]["content"]
    assert "word: type string" in mend
    assert "n: type integer" in mend
    assert "reply: additionalProperties" in mend
    assert "zanzibar" not in mend


def test_missing_fields_are_named(lab: "Lab") -> None:
    lab.answers(lab.said("{}"), lab.said(lab.good))
    lab.ask()
    assert "reply: required word, n" in lab.stub.bodies[1]["messages"][-1]["content"]


def test_an_empty_reply_is_asked_again_without_an_empty_turn(lab: "Lab") -> None:
    lab.answers(lab.said(""), lab.said(lab.good))
    lab.ask()
    assert all(message["content"] for message in lab.stub.bodies[1]["messages"])


def test_a_server_that_ignores_the_schema_is_shown_it_from_then_on(lab: "Lab") -> None:
    lab.answers(lab.said(BAD), lab.said(lab.good), lab.said(lab.good))
    lab.ask()
    assert lab.ask().detail["rung"] == "json_schema"
    assert all(_schema_shown(body) for body in lab.stub.bodies[1:])
    shown = json.dumps(
        lab.stub.bodies[2]["system"] if lab.provider == "anthropic" else lab.stub.bodies[2]["messages"][0]
    )
    assert "JSON Schema" in shown


def test_a_reply_invalid_after_repair_is_an_error_of_form_that_names_the_place(lab: "Lab") -> None:
    lab.answers(lab.said(BAD))
    error = lab.error()
    assert type(error) is ChatFormatError
    assert "first: " in str(error)
    assert error.calls == 2
