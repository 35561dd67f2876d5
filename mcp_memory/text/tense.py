"""Whether talk is of what was or of what will be: the clue nearest to the words in question decides."""

import re
from typing import Final

_REACH: Final = 60  # characters
_CLUES: Final = re.compile(
    r"(?i)\b(?:(?P<ahead>will|gonna|going|plan(?:s|ning)?|want|hop(?:e|ing)|forward|wait|let['’]?s|shall|should|upcoming"
    r"|need|due|see you|is|are|am|have to|meet|meeting|(?:start|begin|end|open|turn|mov|leav|com|visit|travel|arriv"
    r"|clos|retir|expir|marr|finish|fl)(?:s|es|e|ies|y|ing)?|goes|gets?|by|until|till|(?:sign|book|register|plann"
    r"|schedul|decid|invit|appli|enroll|reserv|agre|promis)ed)|(?P<behind>was|were|had|went|did|got|met|saw"
    r"|came|took|made|since|been|gave|found|ran|won|lost|\w{2,}ed))\b|['’](?P<short>ll|m|re)\b"
)


def before(match: re.Match[str]) -> str:
    """What was said just before, in the same sentence."""
    return re.split(r"[.!?\n]", match.string[max(0, match.start() - _REACH) : match.start()])[-1]


def is_ahead(match: re.Match[str]) -> bool:
    """Whether the talk is of the future; not where there is no clue."""
    found = list(_CLUES.finditer(before(match)))
    return bool(found) and not found[-1]["behind"]


def is_behind(match: re.Match[str]) -> bool:
    """Whether the talk is of the past; not where there is no clue."""
    found = list(_CLUES.finditer(before(match)))
    return bool(found) and bool(found[-1]["behind"])
