"""OpenAI's chat completions over the official SDK: OpenAI itself and every compatible server."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from mcp_memory.llm import sdk
from mcp_memory.llm.wire import Fault, Incoming, Outgoing, Rung

DEFAULT_MODEL: Final = "gpt-6-luna"
BASE_URL: Final = "https://api.openai.com/v1"


class OpenAIWire:
    """Speaks to OpenAI, Ollama, LM Studio, vLLM, llama.cpp, OpenRouter, DeepSeek, Azure v1 …"""

    rungs: tuple[Rung, ...] = ("json_schema", "json_object", "prompt")

    def __init__(self, key: str, model: str = "", base_url: str = "") -> None:
        self.model = model or DEFAULT_MODEL
        self._key = key
        self._base_url = base_url or BASE_URL
        self._client: Any = None

    async def send(self, message: Outgoing) -> Incoming | Fault:
        """See `Wire.send`."""
        openai = await sdk.load("openai")
        if self._client is None:
            self._client = self._connect(openai)
        create = self._client.chat.completions.with_raw_response.create
        told = await sdk.answer(openai, partial(create, **self._arguments(message)))
        return told if isinstance(told, Fault) else _read(told, self.model)

    async def close(self) -> None:
        """See `Wire.close`."""
        if self._client is not None:
            await self._client.close()

    def _connect(self, openai: Any) -> Any:
        client = openai.AsyncOpenAI(
            api_key=self._key, base_url=self._base_url, max_retries=0, admin_api_key="", webhook_secret=""
        )
        client.organization = client.project = None  # the SDK took them from the environment,
        client._custom_headers = {}  # and OPENAI_CUSTOM_HEADERS too
        return client

    def _arguments(self, message: Outgoing) -> dict[str, Any]:
        roles = ("user", "assistant")
        said = [{"role": roles[i % 2], "content": text} for i, text in enumerate(message.turns)]
        limit = "max_tokens" if "max_completion_tokens" in message.without else "max_completion_tokens"
        arguments: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": "system", "content": message.system}, *said],
            limit: message.max_tokens,
            "timeout": message.seconds,
        }
        if self._base_url == BASE_URL and "reasoning_effort" not in message.without:
            arguments["reasoning_effort"] = "low"
        return arguments | _format(message)


def _format(message: Outgoing) -> dict[str, Any]:
    if message.rung == "prompt":
        return {}
    if message.rung == "json_object":
        return {"response_format": {"type": "json_object"}}
    schema = {"name": "reply", "strict": True, "schema": dict(message.schema)}
    return {"response_format": {"type": "json_schema", "json_schema": schema}}


def _read(told: Mapping[str, Any], model: str) -> Incoming | Fault:
    choices, usage = told.get("choices"), told.get("usage")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        return sdk.garbled()
    text, stop = message.get("content"), choice.get("finish_reason")
    return Incoming(
        text=text if isinstance(text, str) else "",
        model=model,
        input_tokens=sdk.count(usage, "prompt_tokens"),
        output_tokens=sdk.count(usage, "completion_tokens"),
        cut=stop == "length",
        refused=stop == "content_filter" or bool(message.get("refusal")),
    )
