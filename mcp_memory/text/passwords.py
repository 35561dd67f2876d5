"""Passwords in what is said: where one is named, and whether what stands there looks like one.

"The password is long" is talk; a password has a digit, an inner capital or a sign, or is a row of hyphenated words.
Every pattern is bounded or possessive, so that time is linear in the text.
"""

import re
from itertools import pairwise
from typing import Final

LEAST: Final = 6
_WORD: Final = r"pass(?:word|wd|phrase|code)|pwd|pw|passwort|kennwort|wachtwoord|contraseña|senha|mot de passe"
_ASSIGNED: Final = rf"(?:{_WORD}|pass)(?![A-Za-z])"
_NAME: Final = rf"(?:{_WORD}|(?:wi-?fi|wlan|router|login|admin) pass)(?![A-Za-z])"  # "the pass is 1800 m high"
_BEFORE: Final = r"(?i)(?<![A-Za-z])"
IS: Final = r"[\"'`*]{0,3}\s{0,3}(?::=|=>|[:=])\s{0,3}"
VALUE: Final = r"[\"'`]?(?P<secret>[^\s\"'`,;()<>\[\]{}|&]{6,512}+)(?![(\[])"  # "(": a call, no value
_OF: Final = r"(?:\s(?:for|of|to|on|von|für|de|du|del)(?:\s[^\s,.;:]{1,30}){1,5}?)?"  # "the password for the wifi is"
_SAID: Final = (
    r"(?:\s{1,3}(?:is|was|ist|war|lautet|es|est)|['’]s|\?\s{1,3}it(?:['’]s|\sis))"
    r"(?:\s(?:now|still|always|just|simply|currently|jetzt|noch))?"
    r"(?:\s(?:set|reset|changed|updated)\sto)?:?\s{1,3}"
)
_CHANGED: Final = r"(?:chang|set|reset|updat|switch|chose|mak|made|renew)[a-z]{0,5}\s(?:[^\s.;]{1,30}\s){0,5}?"
_WHOSE: Final = r"(?:(?:the|my|our|your|his|her|their|its|a|an|new|old|wi-?fi|wlan|router|login)\s){0,4}"
_ABOUT: Final = r"(?!\s(?:manager|generator|vault|app|polic|hint|field|length|hash|storage|encrypt|reset|check))"

PATTERNS: Final = (
    rf"{_BEFORE}{_ASSIGNED}{IS}{VALUE}",
    rf"{_BEFORE}{_NAME}{_OF}{_SAID}{VALUE}",
    rf"{_BEFORE}{_CHANGED}{_NAME}{_OF}\s(?:from\s\S{{1,80}}\sto|from|to)\s{VALUE}",
    rf"(?i)(?<!\S)--pass(?:word|wd|phrase)?\s{{1,3}}{VALUE}",
    rf"(?i)(?<![^\s\"'`,;()<>\[\]{{}}|&]){VALUE}[\"'`]?\s(?:as|is)\s{_WHOSE}{_NAME}{_ABOUT}",
)

_TRAILING: Final = ".!?:…"
_WORDS: Final = re.compile(r"[^\W\d_]{3,}(?:-[^\W\d_]{3,}){2,}")
_NO_PART: Final = "all and any but can day for its not off one our out than the this time too two with yet you"
_TALK: Final = frozenset(_NO_PART.split())
_SIGN: Final = re.compile(r"[@#$%^&*+=~!?]")
_IDENTIFIER: Final = re.compile(
    r"(?i)[a-z]*(?:pass|pwd|hash|user|input|field|value|form|config|secret|string|text|type|name|prop|state)[a-z]*"
)
_NEVER: Final = re.compile(
    r"https?:.*|www\..*"  # links
    r"|(?:~|\.{1,2})?/.*|[A-Za-z]:[\\/].*|\\\\.*"  # places on a disk
    r"|[\w.+-]+@[\w-]+(?:\.[a-z]{2,})+"  # where mail goes
    r"|\$[A-Z_]\w*|%\w+%|\w*(?:environ|env|getenv)\..*"  # variables
    r"|\d{1,5}|\d+(?:[.,]\d+)*%|\d{1,4}(?:[./:-]\d{1,4}){1,3}|\d{4}-\d\d-\d\dT.*"  # counts, days and times
    r"|\d+-(?:char|digit|letter|word|bit|byte|day|week|month|year|hour|minute|symbol|step|factor)[a-z]*"
    r"|(?:base|sha|md|utf|aes|argon|pbkdf|rot|win)-?\d[\w/-]*",
    re.IGNORECASE,
)


def password_length(value: str) -> int:
    """How many characters at the beginning of `value`, which stands where a password would, are one; 0 for talk."""
    bare = value.rstrip(_TRAILING)
    if len(value.rstrip(".")) < LEAST or _NEVER.fullmatch(bare) or not any(map(str.isalnum, bare)):
        return 0
    digit, sign = any(map(str.isdigit, bare)), _SIGN.search(bare)
    return len(value.rstrip(".…")) if digit or sign or _inner_capital(bare) or _passphrase(bare) else 0


def _inner_capital(word: str) -> bool:
    """Whether a capital follows a small letter, in no name of a program's variable."""
    mixed = any(one.islower() and other.isupper() for one, other in pairwise(word))
    return mixed and word.isalpha() and not _IDENTIFIER.fullmatch(word)


def _passphrase(word: str) -> bool:
    return bool(_WORDS.fullmatch(word)) and _TALK.isdisjoint(word.lower().split("-"))
