"""Deterministic ids: the same thing always gets the same id, so that doing it again is an upsert.

An id is one letter for the kind and thirteen consonants (20^13 ≈ 8e16): it can never be pasted into
SQL by accident, spells no word, and its first eight letters are enough to show to a reader.
"""

import hashlib
import re
from typing import Final

ALPHABET: Final = "bcdfghjklmnpqrstvwxz"
LENGTH: Final = 13
SHOWN: Final = 8
PREFIX: Final = {
    "turn": "t",
    "segment": "s",
    "session": "e",
    "day": "d",
    "week": "w",
    "profile": "p",
    "persona": "n",
    "scene": "c",
    "topic": "o",
    "item": "i",
    "cue": "u",
    "reply": "r",
    "trace": "x",
}
_ID = re.compile(rf"[{''.join(sorted(set(PREFIX.values())))}][{ALPHABET}]{{{LENGTH}}}")
_HANDLE = re.compile(rf"[{''.join(sorted(set(PREFIX.values())))}][{ALPHABET}]{{3,{LENGTH}}}")
_KIND: Final = {letter: kind for kind, letter in PREFIX.items()}


def make_id(kind: str, *parts: str) -> str:
    """The id of a `kind` named by `parts` (owner first); parts are length-prefixed, so none can imitate two."""
    joined = "".join(f"{len(part)}:{part}" for part in parts)
    number = int.from_bytes(hashlib.blake2b(joined.encode("utf-8", "surrogatepass"), digest_size=16).digest())
    number %= len(ALPHABET) ** LENGTH  # all that counts, and small enough for fast division
    letters = []
    for _ in range(LENGTH):
        number, rest = divmod(number, len(ALPHABET))
        letters.append(ALPHABET[rest])
    return PREFIX[kind] + "".join(letters)


def is_id(text: str) -> bool:
    """Whether `text` is a whole id of ours."""
    return _ID.fullmatch(text) is not None


def is_handle(text: str) -> bool:
    """Whether `text` is an id or the beginning of one, long enough to look up."""
    return _HANDLE.fullmatch(text) is not None


def kind_of(handle: str) -> str:
    """The kind an id or its beginning names."""
    return _KIND[handle[0]]


def short(identifier: str) -> str:
    """The beginning of an id that is shown to readers and accepted back."""
    return identifier[:SHOWN]
