"""Counting tokens without a tokenizer.

The estimate leans high: a budget promised to a caller is kept whatever model reads the answer.
"""

import re
from itertools import islice
from typing import Final

ELLIPSIS: Final = "…"
_TOKEN: Final = re.compile(r"[A-Za-z]{1,10}|[0-9]{1,3}|[^\sA-Za-z0-9]")
_EXTENDS: Final = re.compile(r"[\u0300-\u036f\u200c\u200d\u20e3\ufe00-\ufe0f\U0001f3fb-\U0001f3ff]")
_JOINER: Final = "\u200d"
_LONGEST_WORD: Final = 40  # characters: beyond this a "word" is a blob and may be cut anywhere


def count_tokens(text: str) -> int:
    """An upper-leaning estimate of tokens: each run of up to 10 ASCII letters, each run of up to 3 digits
    and every other visible character is one."""
    return sum(1 for _ in _TOKEN.finditer(text))


def cut_tokens(text: str, limit: int) -> str:
    """The longest beginning of `text` within `limit` tokens; what is cut ends at a word with "…" (counted).

    A text that fits comes back as it is; a limit below 1 leaves nothing.
    """
    if limit < 1:
        return ""
    ends = [match.end() for match in islice(_TOKEN.finditer(text), limit + 1)]
    if len(ends) <= limit:
        return text
    end = ends[limit - 2] if limit > 1 else 0
    return text[: _word_end(text, end)].rstrip() + ELLIPSIS


def _word_end(text: str, end: int) -> int:
    """The last position up to `end` that tears neither a word nor an emoji sequence."""
    while end and (_EXTENDS.match(text, end) or text[end - 1] == _JOINER):
        end -= 1
    if not (end and text[end - 1].isalnum() and text[end].isalnum() and text[end - 1 : end + 1].isascii()):
        return end
    start = end
    while start > max(0, end - _LONGEST_WORD) and not text[start - 1].isspace():
        start -= 1
    is_word = any(map(str.isspace, text[start : start + _LONGEST_WORD + 1])) or len(text) <= start + _LONGEST_WORD
    return start if is_word else end
