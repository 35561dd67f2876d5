"""From a provider's error answer to a `Fault`: both providers' codes, and the words that others use.

Only statuses, codes and well-known words are looked at; nothing of the answer is kept.
"""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from mcp_memory.llm.wire import Fault

_QUOTA: Final = re.compile(r"insufficient_quota|billing_error|billing_hard_limit|credit balance", re.IGNORECASE)
_MODEL: Final = re.compile(r"model_not_found|model\b.{0,80}\b(not found|does not exist|not exist)", re.IGNORECASE)
_TOO_LARGE: Final = re.compile(
    r"context[_ ](length|window|size)|maximum context|(prompt|input|request)( is)? too (long|large)|many input tokens",
    re.IGNORECASE,
)
_FORMAT: Final = re.compile(
    r"response_format|output_config\.format|output_config: extra|json_schema|json_object|grammar|structured",
    re.IGNORECASE,
)
_CAP: Final = re.compile(r"\bmax_(completion_)?tokens\b", re.IGNORECASE)
_UNKNOWN: Final = re.compile(r"unsupported|not support|unrecognized|unknown|unexpected|not permitted", re.IGNORECASE)
_OPTIONAL: Final = ("max_completion_tokens", "reasoning_effort", "thinking", "effort")
_REQUEST_ID: Final = re.compile(r"[\w-]{1,64}")
_DENIED: Final = {
    401: "the key was refused",
    402: "the account has no credit",
    403: "the key may not do this",
    404: "the model or the address is unknown",
}
_PASSING: Final = frozenset({408, 409, 425, 429})


def classify(status: int, body: str, headers: Mapping[str, str]) -> Fault:
    """What an answer with an error status means.

    429 without quota is busy, 429 with `insufficient_quota` is denied; 529 is Anthropic's "overloaded".
    """
    said = _words(body)
    known = _permanent(status, said)
    if known:
        return known
    seen = _seen(status, headers)
    if status in _PASSING or status >= 500:
        return Fault("busy", f"the server is busy or failing ({seen})", wait=_retry_after(headers))
    return _bad_request(said, seen)


def _permanent(status: int, said: str) -> Fault | None:
    if status in _DENIED:
        return Fault("denied", _DENIED[status])
    if _QUOTA.search(said):
        return Fault("denied", "the quota is used up")
    if status == 413 or (status < 500 and _TOO_LARGE.search(said)):
        return Fault("too_large", "more than the model can read at once")
    return Fault("denied", _DENIED[404]) if status < 500 and _MODEL.search(said) else None


def _bad_request(said: str, seen: str) -> Fault:
    for name in _OPTIONAL:
        if re.search(rf"\b{name}\b", said) and (name != "max_completion_tokens" or _UNKNOWN.search(said)):
            return Fault("parameter", f"{name} is not supported", name)
    if _FORMAT.search(said):
        return Fault("format", "this reply format is not supported")
    if _CAP.search(said):
        return Fault("cap", "fewer reply tokens are allowed")
    return Fault("refused", f"the server refused the request ({seen})")


def _words(body: str) -> str:
    """The parts of an error body that name a cause, or its beginning when it is not JSON."""
    try:
        told = json.loads(body)
    except (ValueError, RecursionError):
        return body[:2000]
    error = told.get("error", told) if isinstance(told, dict) else told
    if isinstance(error, dict):
        error = " ".join(str(error.get(key, "")) for key in ("code", "type", "param", "message", "detail"))
    return str(error)[:2000]


def _seen(status: int, headers: Mapping[str, str]) -> str:
    request = headers.get("request-id") or headers.get("x-request-id") or ""
    return f"status {status}, request {request}" if _REQUEST_ID.fullmatch(request) else f"status {status}"


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds; a date or nonsense counts as not given: our own back-off is as good."""
    try:
        seconds = float(headers.get("retry-after-ms", "")) / 1000
    except ValueError:
        try:
            seconds = float(headers.get("retry-after", ""))
        except ValueError:
            return None
    return seconds if seconds >= 0 else None


def of_answer(told: Any) -> Fault | None:
    """The error that some gateways put into a 200 answer."""
    error = told.get("error") if isinstance(told, dict) else None
    if not isinstance(error, dict):
        return None
    code = error.get("code")
    status = code if isinstance(code, int) and 400 <= code < 600 else 502
    return classify(status, json.dumps(told), {})
