"""Anthropic's Messages API over the official SDK."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from mcp_memory.llm import sdk
from mcp_memory.llm.wire import Fault, Incoming, Outgoing, Rung

DEFAULT_MODEL: Final = "claude-haiku-5-5"
BASE_URL: Final = "https://api.anthropic.com"


class AnthropicWire:
    """Speaks to Anthropic, or to a server that imitates it."""

    rungs: tuple[Rung, ...] = ("json_schema", "prompt")

    def __init__(self, key: str, model: str = "", base_url: str = "") -> None:
        self.model = model or DEFAULT_MODEL
        self._key = key
        self._base_url = base_url or BASE_URL
        self._client: Any = None

    async def send(self, message: Outgoing) -> Incoming | Fault:
        """See `Wire.send`."""
        anthropic = await sdk.load("anthropic")
        if self._client is None:
            self._client = self._connect(anthropic)
        create = self._client.messages.with_raw_response.create
        told = await sdk.answer(anthropic, partial(create, **self._arguments(message)))
        return told if isinstance(told, Fault) else _read(told, self.model)

    async def close(self) -> None:
        """See `Wire.close`."""
        if self._client is not None:
            await self._client.close()

    def _connect(self, anthropic: Any) -> Any:
        client = anthropic.AsyncAnthropic(
            api_key=self._key, base_url=self._base_url, max_retries=0, open_telemetry=False, webhook_key=""
        )
        client._custom_headers = {}  # the SDK took them from ANTHROPIC_CUSTOM_HEADERS
        return client

    def _arguments(self, message: Outgoing) -> dict[str, Any]:
        config: dict[str, Any] = {} if "effort" in message.without else {"effort": "low"}
        if message.rung == "json_schema":
            config["format"] = {"type": "json_schema", "schema": dict(message.schema)}
        roles = ("user", "assistant")
        arguments: dict[str, Any] = {
            "model": self.model,
            "system": message.system,
            "messages": [{"role": roles[i % 2], "content": text} for i, text in enumerate(message.turns)],
            "max_tokens": message.max_tokens,
            "timeout": message.seconds,
        }
        arguments |= {"output_config": config} if config else {}
        return arguments | ({} if "thinking" in message.without else {"thinking": {"type": "disabled"}})


def _read(told: Mapping[str, Any], model: str) -> Incoming | Fault:
    blocks, stop, usage = told.get("content"), told.get("stop_reason"), told.get("usage")
    if not isinstance(blocks, list):
        return sdk.garbled()
    if stop == "model_context_window_exceeded":
        return Fault("too_large", "more than the model can read at once")
    texts = [block.get("text") for block in blocks if isinstance(block, dict) and block.get("type") == "text"]
    return Incoming(
        text="".join(text for text in texts if isinstance(text, str)),
        model=model,
        input_tokens=sdk.count(usage, "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"),
        output_tokens=sdk.count(usage, "output_tokens"),
        cut=stop == "max_tokens",
        refused=stop == "refusal",
    )
