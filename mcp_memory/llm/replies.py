"""From what a model wrote to an object of the asked shape."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

_FENCE: Final = re.compile(r"```(?:json)?\s*\n(.*?)```", re.DOTALL)
_THOUGHTS: Final = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)  # elsewhere the mark may be part of the reply
_TRIES: Final = 20  # opening braces in prose that are looked at
_SHOWN: Final = 20  # violations named to the model


def parse(text: str) -> Mapping[str, Any] | None:
    """The first JSON object in `text`, which may be fenced or come after thoughts or prose; None without one."""
    return next((found for found in map(_object, _candidates(text)) if found is not None), None)


def _candidates(text: str) -> Iterator[str]:
    yield text
    text = _THOUGHTS.sub("", text, count=1)
    yield from (match[1] for match in _FENCE.finditer(text))
    for _, brace in zip(range(_TRIES), re.finditer(r"\{", text), strict=False):
        yield text[brace.start() :]


def _object(text: str) -> Mapping[str, Any] | None:
    try:
        found, _ = _DECODER.raw_decode(text.strip())
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _no_number(name: str) -> None:
    raise ValueError(name)


_DECODER: Final = json.JSONDecoder(parse_constant=_no_number)  # NaN and Infinity are not JSON


def violations(reply: Mapping[str, Any], schema: Mapping[str, Any]) -> list[str]:
    """Where and how `reply` is not valid, as "path: rule"; names and rules only, nothing that was said."""
    from jsonschema import Draft202012Validator

    errors = Draft202012Validator(schema).iter_errors(reply)
    shown = (error for _, error in zip(range(_SHOWN), errors, strict=False))
    try:
        return [f"{'/'.join(map(str, error.absolute_path)) or 'reply'}: {_rule(error)}" for error in shown]
    except RecursionError:
        return ["reply: nested too deeply"]


def _rule(error: Any) -> str:
    """ "type string", "required title": the rule as the schema states it, never the offending value."""
    if error.validator == "required":
        missing = [name for name in error.validator_value if name not in error.instance]
        return f"required {', '.join(missing)}"
    told = error.validator_value if error.validator in ("type", "enum") else ""
    return f"{error.validator} {told}".strip()
