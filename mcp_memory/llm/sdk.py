"""What both SDKs need alike: imported late and quietly, called so that no exception of theirs gets out."""

import asyncio
import importlib
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from types import ModuleType
from typing import Any, Final

from mcp_memory.llm.faults import classify, of_answer
from mcp_memory.llm.wire import Fault

_LOUD: Final = ("anthropic", "openai", "httpx2", "httpcore2")  # at DEBUG they write down whole prompts
_NOT_CHAT: Final = "the server answered, but not as a chat endpoint does; check llm.base_url"


async def load(name: str) -> ModuleType:
    """An SDK, imported in a worker thread (0.8 to 2 CPU seconds), its loggers pinned to WARNING."""
    sdk = await asyncio.to_thread(importlib.import_module, name)
    for logger in _LOUD:
        logging.getLogger(logger).setLevel(logging.WARNING)
    return sdk


async def answer(sdk: ModuleType, create: Callable[[], Awaitable[Any]]) -> Mapping[str, Any] | Fault:
    """The JSON object of one raw response, or why there is none.

    The body is parsed here: the SDKs build half-empty objects from HTML and from answers without choices.
    """
    try:
        raw = await create()
        return _object(raw.http_response.text)
    except sdk.APIStatusError as error:
        return classify(error.status_code, error.response.text, error.response.headers)
    except sdk.APITimeoutError:
        return Fault("busy", "the server did not answer in time")
    except sdk.APIConnectionError:
        return Fault("busy", "no connection to the server")
    except Exception as error:  # noqa: BLE001 - whatever an SDK raises may quote the prompt: only its class goes on
        return Fault("refused", f"the request could not be made ({type(error).__name__})")


def _object(text: str) -> Mapping[str, Any] | Fault:
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict):
        return Fault("garbled", _NOT_CHAT)
    return of_answer(told) or told


def garbled() -> Fault:
    """JSON came, but not a chat reply."""
    return Fault("garbled", _NOT_CHAT)


def count(usage: Any, *keys: str) -> int:
    """Tokens under `keys` of a usage object that may be missing or odd."""
    if not isinstance(usage, Mapping):
        return 0
    return sum(value for key in keys if isinstance(value := usage.get(key), int) and value > 0)
