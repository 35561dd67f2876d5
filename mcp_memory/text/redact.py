"""Secrets out of what is said, before anything is stored.

A table of shapes that vendors document, plus a few assignments ("password: …") read conservatively: ordinary
talk must pass untouched.  Every shape is bounded or possessive, so that time is linear in the text.
"""

import base64
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from mcp_memory.text import passwords
from mcp_memory.text.numbers import iban_length, is_card
from mcp_memory.text.passwords import password_length


@dataclass(frozen=True, slots=True)
class _Shape:
    """One kind of secret: `pattern` finds it, and its group "secret", if it has one, is what goes (nothing where
    the group took no part).  `length` is given the candidate and returns how many of its characters are the secret."""

    kind: str
    pattern: re.Pattern[str]
    length: Callable[[str], int] = len


def redact(text: str) -> tuple[str, tuple[str, ...]]:
    """`text` with each secret replaced by "[redacted:KIND]", and the kinds found, sorted.

    Doing it again changes nothing.
    """
    kinds: set[str] = set()
    before = None
    while text != before:
        before = text
        for shape in _SHAPES:
            text, found = _without(text, shape)
            if found:
                kinds.add(shape.kind)
    return text, tuple(sorted(kinds))


def _without(text: str, shape: _Shape) -> tuple[str, bool]:
    pieces, last = [], 0
    for match in shape.pattern.finditer(text):
        start, end = match.span("secret" if "secret" in shape.pattern.groupindex else 0)
        length = shape.length(text[start:end])
        if length and "[redacted:" not in text[start:end]:
            pieces += [text[last:start], f"[redacted:{shape.kind}]"]
            last = start + length
    return "".join([*pieces, text[last:]]), bool(pieces)


def _mixed(least: int) -> Callable[[str], int]:
    """Takes what is at least `least` long and has both letters and digits."""

    def length(value: str) -> int:
        varied = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
        return len(value) if varied and len(value) >= least else 0

    return length


def _basic(value: str) -> int:
    """Takes what is "name:password" in base 64."""
    try:
        decoded = base64.b64decode(value + "=" * (-len(value) % 4), validate=True).decode("utf-8")
    except ValueError:
        return 0
    return len(value) if ":" in decoded and decoded.isprintable() else 0


_KEY_NAME: Final = (
    r"(?:(?:api|secret|access|private|auth|account|encryption|signing|master)[_ -]?key"
    r"|(?:access|auth|api|bot|refresh|session|bearer|personal[_ -]access)[_ -]?token"
    r"|client[_ -]?secret|token|secret|credentials?)"
)
_CALLED: Final = (  # "order 6011000990139424": a number that has a name is no card
    r"(?i:(?<![A-Za-z])(?:order|parcel|package|tracking|shipment|consignment|ticket|invoice|receipt|booking"
    r"|ref(?:erence)?|case|transaction|serial|imei|item|article|(?<!card[ _-])(?:(?!card)[a-z]{1,20}[ _-])?id"
    r"|bestell|auftrags|rechnungs|sendungs|paket)"
    r"(?:[ _-]?(?:numbers?|numm?er|num|no|nr|id|code|ref)\.?)?[\"'`*]{0,3}(?:\s(?:is|was|ist))?[\s:=#№\"'`*]{1,4})"
)
_CALLED_LATER: Final = (
    r"(?i:[\"'`]?,?\s(?:(?:is|was|ist)\s)?(?:(?:the|my|our|your|a)\s)?"
    r"(?:order|parcel|package|tracking|shipment|ticket|invoice|booking)(?![A-Za-z]))"
)
_GAP: Final = r"[ .\u00a0\u2009\u202f-]"
_PREFIXED: Final = (
    r"(?:gsk_|xai-|pplx-|r8_|ntn_|lin_api_|tvly-|dop_v1_|doo_v1_"
    r"|shp(?:at|ca|pa|ss)_|GOCSPX-|dapi|fw_|nvapi-|whsec_|rnd_|sbp_"
    r"|pat-[a-z]{2}1-|"
    r"vercel_|phx_|PMAK-|dckr_pat_|glsa_|hvs\.|AGE-SECRET-KEY-1)"
)

_SHAPES: Final = tuple(
    _Shape(kind, re.compile(pattern, re.ASCII), length)  # ASCII: a key may stand between Chinese letters
    for kind, pattern, length in (
        (
            "private-key",
            r"-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
            r"(?:[^-]{0,20000}+-{4,5} ?END [A-Z0-9 ]{0,40}-{4,5}"
            r"|(?:(?:\s|\\[rn])*+(?:[A-Z][A-Za-z-]{3,12}: [^\n]{1,80}|[A-Za-z0-9+/=]{16,}+))*+)",
            len,
        ),
        (
            "private-key",
            r"PuTTY-User-Key-File-\d: (?:[^P]|P(?!rivate-MAC:)){0,20000}+(?:Private-MAC: [0-9a-f]{0,128})?",
            len,
        ),
        ("jwt", r"(?<![\w-])eyJ[\w-]{10,}+\.eyJ[\w-]{10,}+\.[\w-]{10,}+", len),
        ("anthropic-key", r"(?<![A-Za-z0-9])sk-ant-[\w-]{20,}+", len),
        ("openai-key", r"(?<![A-Za-z0-9])sk-(?:proj-|svcacct-|admin-|or-v1-)?[\w-]{20,}+", _mixed(23)),
        ("github-token", r"(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{30,}+|github_pat_\w{22,}+)", len),
        ("gitlab-token", r"(?<![A-Za-z0-9])gl(?:pat|dt|rt|cbt|ptt|ft|soat)-[\w-]{20,}+", len),
        ("aws-key", r"(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])", len),
        (
            "aws-secret",
            r"(?i)secret[_ -]?access[_ -]?key[\"'`]?\s{0,3}[:=]?\s{0,3}[\"'`]?"
            r"(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])",
            len,
        ),
        ("google-token", r"(?<![A-Za-z0-9])(?:ya29\.[\w-]{20,}+|1//0[\w-]{35,}+)", len),
        ("google-key", r"(?<![A-Za-z0-9])AIza[\w-]{35}(?![\w-])", len),
        ("slack-token", r"(?<![A-Za-z0-9])(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,}+", _mixed(15)),
        ("slack-webhook", r"hooks\.slack\.com/(?:services|workflows)/(?P<secret>[A-Za-z0-9/_-]{20,}+)", len),
        (
            "discord-webhook",
            r"discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/(?P<secret>\d{15,22}/[\w-]{20,}+)",
            len,
        ),
        ("discord-token", r"(?<![\w-])[MNO][\w-]{22,27}\.[\w-]{6}\.[\w-]{27,45}+(?![\w-])", _mixed(57)),
        ("stripe-key", r"(?<![A-Za-z0-9])[rs]k_(?:live|test)_[A-Za-z0-9]{10,}+", len),
        ("sendgrid-key", r"(?<![A-Za-z0-9])SG\.[\w-]{16,32}\.[\w-]{16,64}", len),
        ("twilio-key", r"(?<![A-Za-z0-9])SK[0-9a-f]{32}(?![A-Za-z0-9])", len),
        ("npm-token", r"(?<![A-Za-z0-9])npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])", len),
        ("pypi-token", r"(?<![A-Za-z0-9])pypi-[\w-]{40,}+", len),
        ("huggingface-token", r"(?<![A-Za-z0-9])hf_[A-Za-z0-9]{30,}+", len),
        ("telegram-token", r"(?<!\d)\d{6,12}:AA[\w-]{30,40}+(?![\w-])", len),
        ("api-key", rf"(?<![A-Za-z0-9]){_PREFIXED}[\w-]{{20,}}+", _mixed(24)),
        ("basic-auth", r"(?i)(?<![A-Za-z0-9])basic\s{1,3}(?P<secret>[A-Za-z0-9+/]{8,}+={0,2})", _basic),
        (
            "basic-auth",
            r"(?<![A-Za-z0-9])curl\s(?:[^\n]{0,300}?\s)??(?:-u\s?|--(?:proxy-)?user[\s=])[\"']?"
            r"[^\s:\"']{1,100}:(?P<secret>[^\s\"'$<{][^\s\"']{0,199}+)",
            len,
        ),
        (
            "bearer-token",
            r"(?i)(?<![A-Za-z0-9])(?:bearer|authorization: (?:basic|token))\s{1,3}(?P<secret>[\w.~+/=-]{16,}+)",
            _mixed(16),
        ),
        ("url-password", r"://[^\s:/@\[\]?#]{0,100}:(?P<secret>[^\s/@\[\]]{1,200})@", len),
        *(("password", pattern, password_length) for pattern in passwords.PATTERNS),
        ("credential", rf"(?i)(?<![A-Za-z]){_KEY_NAME}{passwords.IS}{passwords.VALUE}", _mixed(12)),
        (
            "card",
            rf"{_CALLED}\d{{12,19}}(?!\d)|(?<![\w.+])(?P<secret>[2-6]\d{{3}}({_GAP})\d{{4}}\2\d{{4}}\2\d{{4}}"
            rf"(?:\2\d{{1,3}})?|3\d{{3}}({_GAP})\d{{6}}\3\d{{4,5}}"
            rf"|[2-6]\d{{12,18}}(?!{_CALLED_LATER}))(?![\w-]|\.\d)",
            is_card,
        ),
        (
            "iban",
            r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?(?![A-Za-z0-9])",
            iban_length,
        ),
    )
)
