"""What may be stored and what may be shown.

Stored text stays verbatim but for what files and databases cannot hold; shown text is one line without
anything that hides, reorders or imitates.
"""

import re
import unicodedata
from typing import Final

_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_BREAK: Final = re.compile("\r\n?")
_EMOJI: Final = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u2460-\u24ff\u25a0-\u27bf\u2900-\u297f\u2b00-\u2bff"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
_IN_EMOJI: Final = re.compile(f"(?<=[{_EMOJI}#*0-9])[\ufe0e\ufe0f]|(?<=[{_EMOJI}\ufe0f])\u200d(?=[{_EMOJI}])")
_HIDDEN: Final = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u070f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_BLANK: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0\ufffd")


def clean(text: str) -> str:
    """Text fit to be stored: NUL and lone surrogates become U+FFFD, line ends "\\n"; otherwise verbatim."""
    return _UNSTORABLE.sub("\ufffd", _BREAK.sub("\n", text))


def plain(text: str) -> str:
    """Text fit to be shown on one line: no control, bidi, zero-width or tag characters, single spaces.

    Joiners and variation selectors stay where they hold an emoji together.
    """
    spaced = " ".join(_SURROGATE.sub("\ufffd", text).replace("\u2800", " ").split())
    kept = {match.start() for match in _IN_EMOJI.finditer(spaced)}
    shown = _HIDDEN.sub(lambda match: match.group() if match.start() in kept else "", spaced)
    return " ".join(shown.split())


def has_visible(text: str) -> bool:
    """Whether anything in `text` can be seen."""
    return any(unicodedata.category(char)[0] in "LNPS" and char not in _BLANK for char in text)
