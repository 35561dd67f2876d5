"""Planning p(q): how hard a query is, what to look for, and whether it asks or tells (TiMem §3.3).

Rules by default: 0 LLM calls.  A question wants facts; a remark evokes memories; complexity chooses which
levels of the tree are climbed to.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from mcp_memory.model.query import Complexity, Form, Plan, Query
from mcp_memory.text.lexical import analyze, keywords
from mcp_memory.text.ranges import stretches

_ASKS: Final = re.compile(
    r"^\W*(?:who|whom|whose|what|when|where|which|why|how|is|are|was|were|do|does|did|has|have|had|can|could|will"
    r"|would|should|tell me|list|remind me|find|show me|recall|summari[sz]e)\b",
    re.IGNORECASE,
)
_TELLS: Final = re.compile(r"^\W*(?:i|i['’]\w+|my|we|we['’]\w+|our|it['’]s|it (?:was|is|feels))\b", re.IGNORECASE)
_DEEP: Final = re.compile(
    r"\b(?:why|prefer\w*|favou?rite|enjoy\w*|like to|would|might|likely|probably|personality|trait|habit\w*|usually"
    r"|values?|believe\w*|motivat\w+|recommend\w*|suggest\w*|advice|attitude|feel about|kind of person|relationship"
    r"|know (?:about|of) (?:me|us)|about (?:me|myself)|who am i)\b",
    re.IGNORECASE,
)
_SEVERAL: Final = re.compile(
    r"\b(?:how many|how often|how much|list|all|both|each|every|which .+s\b.+(?:have|has|did)|what .+(?:s|things)\b"
    r"|compare|difference|between|order|first|before|after|since|changes?|together|common|times|summari[sz]e|overview)\b",
    re.IGNORECASE,
)
# what comes from the assistant's own lines, which otherwise count half
_ASSISTANT: Final = re.compile(
    r"\b(?:you|your)\b.{0,40}\b(?:recommend|suggest|said|say|told|tell|mention|explain|advise|advice|list|gave|provide"
    r"|suggestion|recommendation|answer|wrote)\w*\b",
    re.IGNORECASE,
)
# terms of questions such as "what happened on …", "what did I tell you on …"
_ASKING: Final = frozenset(
    analyze("happen happened tell told say said talk talked mention discuss discussed remember go new news anything")
)
_ALONE: Final = 40  # characters, and words, of what may be mere keywords
_WORDS: Final = 3
_SAID: Final = re.compile(
    r"[.!…。！]|\b(?:hello|hi|hey|thanks|thank you|good (?:morning|evening|night)|bye|ok|okay)\b", re.I
)
SHARES: Final[Mapping[Form, float]] = {"question": 0.05, "mixed": 0.35, "remark": 0.8}


@dataclass(frozen=True, slots=True)
class Named:
    """Dates as (value, first moment, first moment after); `only` says that nothing else is asked for."""

    days: tuple[tuple[str, datetime, datetime], ...]
    only: bool


def plan(query: Query, speakers: Iterable[str]) -> Plan:
    """What the rules make of a query; the caller's complexity overrides theirs.  `speakers` are people's names."""
    named = tuple(one for one in speakers if re.search(rf"\b{re.escape(one)}\b", query.text, re.IGNORECASE))
    return Plan(
        complexity=query.complexity or complexity_of(query.text),
        keywords=tuple(keywords(query.text, set(named)))[:8],
        form=form_of(query.text),
        speakers=named,
        of_assistant=bool(_ASSISTANT.search(query.text)),
        by="caller" if query.complexity else "rules",
    )


def named_days(query: Query, zone: ZoneInfo) -> Named:
    """The dates and stretches of time that a query names; a remark, which plans as well, names no open ones."""
    found = stretches(query.text, query.at, zone, asks=form_of(query.text) != "remark")
    rest = query.text
    for one in reversed(found):
        rest = f"{rest[: one.start]} {rest[one.end :]}"
    days = tuple((one.value, one.first, one.after) for one in found)
    return Named(days, bool(days) and _ASKING.issuperset(analyze(rest)))


def complexity_of(text: str) -> Complexity:
    """simple: one recorded fact; hybrid: several to enumerate or compare; complex: motives, habits, forecasts."""
    if _DEEP.search(text):
        return "complex"
    return "hybrid" if _SEVERAL.search(text) else "simple"


def form_of(text: str) -> Form:
    """question, remark, or mixed (a remark that ends in a question); a few words alone are looked for."""
    if _ends_asking(text) and _TELLS.search(text):
        return "mixed"
    alone = (
        len(text) <= _ALONE and 0 < len(text.split()) <= _WORDS and not _TELLS.search(text) and not _SAID.search(text)
    )
    return "question" if alone or asks(text) else "remark"


def asks(text: str) -> bool:
    """Whether a text is put as a question."""
    return _ends_asking(text) or bool(_ASKS.search(text))


def _ends_asking(text: str) -> bool:
    return text.rstrip(" \"'”)").endswith(("?", "？", "؟"))


def asks_anything(text: str) -> bool:
    """Whether a text asks for nothing but what there was: "what happened"."""
    return _ASKING.issuperset(analyze(text))
