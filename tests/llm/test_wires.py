"""What goes over the wire, and what the environment may not change about it."""

import json
import logging
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from mcp_memory.errors import ChatFormatError
from mcp_memory.ports import ChatRequest

if TYPE_CHECKING:
    from tests.llm.conftest import Lab


def test_a_valid_reply_comes_back_as_data_with_its_cost(lab: "Lab") -> None:
    lab.answers(lab.said(lab.good))
    reply = lab.ask()
    assert reply.data == json.loads(lab.good)
    assert (reply.input_tokens, reply.output_tokens) == (10, 5)
    assert reply.detail == {"rung": "json_schema", "without": [], "calls": 1}
    assert reply.model == ("claude-haiku-5-5" if lab.provider == "anthropic" else "gpt-6-luna")


def test_the_schema_is_sent_as_the_provider_wants_it_and_no_temperature(lab: "Lab") -> None:
    lab.answers(lab.said(lab.good))
    lab.ask(max_tokens=777)
    body = lab.stub.bodies[0]
    assert "temperature" not in body
    if lab.provider == "anthropic":
        assert body["output_config"] == {"effort": "low", "format": {"type": "json_schema", "schema": lab.schema}}
        assert body["thinking"] == {"type": "disabled"}
        assert (body["system"], body["max_tokens"]) == (f"system {lab.secret}", 777)
        assert body["messages"] == [{"role": "user", "content": f"user {lab.secret}"}]
    else:
        shape = {"name": "reply", "strict": True, "schema": lab.schema}
        assert body["response_format"] == {"type": "json_schema", "json_schema": shape}
        assert body["max_completion_tokens"] == 777
        assert [message["role"] for message in body["messages"]] == ["system", "user"]
        assert "reasoning_effort" not in body  # only OpenAI itself is asked for it


def test_the_environment_sends_neither_keys_nor_headers_nor_elsewhere(
    lab: "Lab", monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID"):
        monkeypatch.setenv(name, "from-the-environment")
    for name in ("ANTHROPIC_CUSTOM_HEADERS", "OPENAI_CUSTOM_HEADERS"):
        monkeypatch.setenv(name, "X-Foreign: from-the-environment\nAuthorization: Bearer from-the-environment")
    for name in ("ANTHROPIC_BASE_URL", "OPENAI_BASE_URL"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "from-the-environment")
    lab.answers(lab.said(lab.good))
    lab.ask()
    headers = lab.stub.headers[0]
    assert "from-the-environment" not in str(headers)
    assert f"key-{lab.secret}" in str(headers)


@pytest.mark.parametrize("logger", ["anthropic", "openai", "httpx2"])
def test_debug_logging_asked_for_by_environment_is_pinned_down(lab: "Lab", logger: str) -> None:
    logging.getLogger(logger).setLevel(logging.DEBUG)  # as ANTHROPIC_LOG=debug does at import
    lab.answers(lab.said(lab.good))
    lab.ask()
    assert logging.getLogger(f"{logger}._base_client").getEffectiveLevel() == logging.WARNING


def test_neither_sdk_is_imported_before_the_first_call() -> None:
    code = (
        "import sys; from mcp_memory.llm import factory, probe, planning, judging, scripted\n"
        "from mcp_memory.scribe import llm\n"
        "print({'anthropic', 'openai', 'httpx2', 'jsonschema', 'numpy'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_lone_surrogates_in_a_prompt_end_in_an_error_not_in_a_crash(lab: "Lab") -> None:
    lab.answers(lab.said(lab.good))
    with pytest.raises(ChatFormatError, match="could not be made"):
        lab.chat.complete(ChatRequest("test", "s", f"{lab.secret} \ud800", lab.schema, 100, 5))
