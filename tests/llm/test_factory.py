from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

import pytest

from mcp_memory.errors import ChatDeniedError, SettingsError
from mcp_memory.llm.factory import make_chat
from mcp_memory.llm.probe import probe
from mcp_memory.ports import ChatRequest, FixedClock
from mcp_memory.prompts import Prompts
from mcp_memory.settings import Settings

if TYPE_CHECKING:
    from mcp_memory.llm.budget import Budgeted
    from tests.llm.conftest import Lab

CLOCK = FixedClock(datetime(2026, 11, 30, tzinfo=UTC))


class NoLedger:
    """Forgets what was spent."""

    def add(self, day: date, kind: str, model: str, calls: int, input_tokens: int, output_tokens: int) -> None: ...

    def today(self, day: date) -> tuple[int, int]:
        return 0, 0


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def made(**llm: Any) -> "Budgeted | None":
    return make_chat(Settings(llm=llm), NoLedger(), CLOCK)


def test_no_provider_is_no_chat() -> None:
    assert made() is None


@pytest.mark.parametrize(("provider", "model"), [("anthropic", "claude-haiku-5-5"), ("openai", "gpt-6-luna")])
def test_each_provider_has_a_default_model(provider: str, model: str) -> None:
    chat = made(provider=provider, api_key="k")
    assert chat is not None
    assert (chat.model, chat.state) == (model, "on")


def test_a_missing_key_is_a_state_and_costs_no_call() -> None:
    chat = made(provider="openai")
    assert chat is not None
    assert chat.state == "off: there is no key; set llm.api_key or OPENAI_API_KEY"
    with pytest.raises(ChatDeniedError, match="there is no key"):
        chat.complete(ChatRequest("test", "", "", {}))


@pytest.mark.parametrize("key", ["sk-\u201cquoted\u201d", "sk-a\nb", "schlüssel"])
def test_a_key_that_can_be_none_is_said_without_showing_it(key: str) -> None:
    chat = made(provider="anthropic", api_key=key)
    assert chat is not None
    assert "characters that no key has" in chat.state
    assert key not in chat.state


def test_a_key_from_the_standard_variable_comes_by_way_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    chat = made(provider="anthropic")
    assert chat is not None
    assert chat.state == "on"


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
def test_a_server_of_ones_own_never_gets_a_key_that_is_for_another(
    provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"{provider.upper()}_API_KEY", "for the official server")
    elsewhere: dict[str, Any] = {"provider": provider, "base_url": "https://elsewhere.example/v1"}
    assert Settings(llm=elsewhere).llm_key().get_secret_value() == ""
    assert Settings(llm=elsewhere | {"api_key": "theirs"}).llm_key().get_secret_value() == "theirs"
    assert Settings(llm={"provider": provider}).llm_key().get_secret_value() == "for the official server"


def test_the_key_of_another_server_never_goes_to_the_official_embeddings() -> None:
    there: dict[str, Any] = {"provider": "openai", "api_key": "theirs"}
    embed: dict[str, Any] = {"provider": "openai"}
    assert Settings(llm=there, embed=embed).embed_key().get_secret_value() == "theirs"
    elsewhere = there | {"base_url": "https://elsewhere.example/v1"}
    assert Settings(llm=elsewhere, embed=embed).embed_key().get_secret_value() == ""


def test_an_address_without_a_scheme_is_a_setting_to_mend() -> None:
    with pytest.raises(SettingsError, match=r"llm\.base_url"):
        made(provider="openai", base_url="localhost:11434/v1")


def test_a_local_server_needs_no_key_and_the_probe_tells_its_rung(lab: "Lab") -> None:
    path = "" if lab.provider == "anthropic" else "/v1"
    chat = made(provider=lab.provider, base_url=lab.stub.url + path, model="tiny")
    assert chat is not None
    lab.answers(lab.failed(400, "response_format"), lab.said('{"city": "Paris", "letters": 5}'))
    found = probe(chat, Prompts())
    assert found.structured
    assert found.rung == ("prompt" if lab.provider == "anthropic" else "json_object")
    assert "local" in str(lab.stub.headers[0])
    chat.close()
