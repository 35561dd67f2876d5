"""Every way a provider fails, for both of them: what is retried, what is not, what people are told."""

from typing import TYPE_CHECKING

import pytest

from mcp_memory.errors import ChatDeniedError, ChatError, ChatFormatError, ChatTooLargeError
from mcp_memory.llm.retry import ATTEMPTS

if TYPE_CHECKING:
    from tests.llm.conftest import Lab


@pytest.mark.parametrize(
    ("status", "code", "says"),
    [
        (401, "authentication_error", "the key was refused"),
        (402, "billing_error", "no credit"),
        (403, "permission_error", "may not do this"),
        (404, "not_found_error", "the model or the address is unknown"),
        (429, "insufficient_quota", "the quota is used up"),
        (400, "model_not_found", "the model or the address is unknown"),
    ],
)
def test_a_refused_key_quota_or_model_is_denied_without_a_retry(lab: "Lab", status: int, code: str, says: str) -> None:
    lab.answers(lab.failed(status, code=code))
    error = lab.error()
    assert isinstance(error, ChatDeniedError)
    assert says in str(error)
    assert not error.retryable
    assert len(lab.stub.bodies) == error.calls == 1


def test_an_empty_account_told_as_a_bad_request_is_denied(lab: "Lab") -> None:
    lab.answers(lab.failed(400, "Your credit balance is too low to access the API."))
    assert isinstance(lab.error(), ChatDeniedError)


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
def test_what_may_pass_is_tried_again(lab: "Lab", status: int) -> None:
    lab.answers(lab.failed(status), lab.said(lab.good))
    assert lab.ask().detail["calls"] == 2
    assert len(lab.waits) == 1


def test_what_does_not_pass_is_given_up_and_may_be_retried_later(lab: "Lab") -> None:
    lab.answers(lab.failed(529, request_id="req_1", x_request_id="req_1"))
    error = lab.error()
    assert error.retryable
    assert str(error) == "the server is busy or failing (status 529, request req_1)"
    assert len(lab.stub.bodies) == ATTEMPTS
    assert all(0.25 * 2**number <= wait <= 0.75 * 2**number for number, wait in enumerate(lab.waits))


def test_a_request_id_that_is_none_is_not_passed_on(lab: "Lab") -> None:
    lab.answers(lab.failed(500, request_id=f"{lab.secret}!", x_request_id=f"{lab.secret}!"))
    assert str(lab.error()).endswith("(status 500)")


def test_the_pause_a_server_asks_for_is_kept(lab: "Lab") -> None:
    lab.answers(lab.failed(429, retry_after="7"), lab.failed(429, retry_after_ms="1500"), lab.said(lab.good))
    lab.ask()
    assert lab.waits == [7.0, 1.5]


@pytest.mark.parametrize("pause", ["86400", "inf", "1e300"])
def test_an_absurd_pause_is_left_to_the_job_queue(lab: "Lab", pause: str) -> None:
    lab.answers(lab.failed(429, retry_after=pause))
    assert lab.error().retryable
    assert lab.waits == []


@pytest.mark.parametrize("pause", ["-5", "nan", "soon", "Mon, 30 Nov 2026 10:00:00 GMT"])
def test_a_pause_that_is_none_gives_way_to_our_own(lab: "Lab", pause: str) -> None:
    lab.answers(lab.failed(429, retry_after=pause), lab.said(lab.good))
    lab.ask()
    assert 0 < lab.waits[0] < 1


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (413, "request_too_large"),
        (400, "prompt is too long: 250000 tokens > 200000 maximum"),
        (400, "This model's maximum context length is 4096 tokens."),
        (400, "the request exceeds the available context size, try increasing it"),
        (429, "Request too large for this model on tokens per min"),
    ],
)
def test_what_is_too_large_asks_for_a_smaller_batch(lab: "Lab", status: int, message: str) -> None:
    lab.answers(lab.failed(status, message))
    assert isinstance(lab.error(), ChatTooLargeError)
    assert len(lab.stub.bodies) == 1


def test_a_refusal_by_the_model_is_an_error_of_form(lab: "Lab") -> None:
    lab.answers(lab.said(lab.secret, stop=lab.refusal))
    error = lab.error()
    assert type(error) is ChatFormatError
    assert (error.input_tokens, error.output_tokens) == (10, 5)


def test_openais_refusal_field_counts_too(lab: "Lab") -> None:
    if lab.provider == "openai":
        lab.answers(lab.said("", refusal=f"I will not {lab.secret}"))
        assert "declined" in str(lab.error())


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        ("<html>zanzibar-4711</html>", "text/html"),
        ("<html>zanzibar-4711</html>", "application/json"),
        ("", "application/json"),
        ("[]", "application/json"),
        ('"zanzibar-4711"', "application/json"),
        ("{}", "application/json"),
        ('{"choices": [], "content": null}', "application/json"),
        ('{"choices": [null], "content": "zanzibar-4711"}', "application/json"),
        ('{"choices": [{"message": "zanzibar-4711"}], "content": 5}', "application/json"),
        ("[" * 100_000, "application/json"),
    ],
)
def test_a_200_that_is_no_chat_reply_is_an_error_of_form(lab: "Lab", body: str, content_type: str) -> None:
    lab.answers(lab.Answer(body, content_type=content_type))
    error = lab.error()
    assert type(error) is ChatFormatError
    assert "check llm.base_url" in str(error)


def test_html_once_and_a_reply_then_is_a_reply(lab: "Lab") -> None:
    lab.answers(lab.Answer("<html>one moment</html>", content_type="text/html"), lab.said(lab.good))
    assert lab.ask().detail["calls"] == 2


@pytest.mark.parametrize("content_type", ["text/plain", "text/html", "application/octet-stream", "nonsense"])
def test_a_right_reply_under_a_wrong_content_type_is_taken(lab: "Lab", content_type: str) -> None:
    lab.answers(lab.Answer(lab.said(lab.good).body, content_type=content_type))
    assert lab.ask().data["n"] == 1


def test_an_error_inside_a_200_is_what_it_says(lab: "Lab") -> None:
    body = '{"error": {"code": %d, "message": "zanzibar-4711"}}'
    lab.answers(lab.Answer(body % 401))
    assert isinstance(lab.error(), ChatDeniedError)
    lab.answers(lab.Answer(body % 503))
    assert type(lab.error()) is ChatError


@pytest.mark.parametrize("pace", ["stall", "drip"])
def test_a_slow_answer_ends_at_the_deadline_and_the_connection_is_dropped(lab: "Lab", pace: str) -> None:
    lab.answers(lab.Answer("{", pace=pace))  # type: ignore[arg-type]
    error = lab.error(deadline=0.4)
    assert str(error) == "no usable answer within 0.4 seconds"
    assert error.retryable
    assert error.calls == 1
    assert lab.stub.hung_up.wait(5)


def test_no_server_at_all_is_a_connection_error(lab: "Lab") -> None:
    lab.answers(lab.said(lab.good))
    lab.stub.url = "http://127.0.0.1:9"
    lab.chat.close()
    lab.chat = type(lab.chat)(lab.wire("k"), lab.chat._prompts, lab._sleep)
    assert str(lab.error()) == "no connection to the server"
    assert len(lab.waits) == ATTEMPTS - 1


def test_missing_or_odd_usage_counts_as_nothing(lab: "Lab") -> None:
    body = lab.said(lab.good).body.replace(": 10", ': "ten"').replace(": 5", ": -5")
    lab.answers(lab.Answer(body))
    reply = lab.ask()
    assert (reply.input_tokens, reply.output_tokens) == (0, 0)
