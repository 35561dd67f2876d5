"""Planning p(q): how hard a query is, what to look for, and whether it asks or tells (TiMem §3.3).

Rules by default: 0 LLM calls.  A question wants facts; a remark evokes memories; complexity chooses which
levels of the tree are climbed to.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from mcp_memory.model.query import Complexity, Form, Plan, Query
from mcp_memory.text.lexical import keywords

_ASKS: Final = re.compile(
    r"^\W*(?:who|whom|whose|what|when|where|which|why|how|is|are|was|were|do|does|did|has|have|had|can|could|will"
    r"|would|should|tell me|list|remind me|find|show me|recall|summari[sz]e)\b",
    re.IGNORECASE,
)
_TELLS: Final = re.compile(r"^\W*(?:i|i['’]\w+|my|we|we['’]\w+|our|it['’]s|it (?:was|is|feels))\b", re.IGNORECASE)
_DEEP: Final = re.compile(
    r"\b(?:why|prefer\w*|favou?rite|enjoy\w*|like to|would|might|likely|probably|personality|trait|habit\w*|usually"
    r"|values?|believe\w*|motivat\w+|recommend\w*|suggest\w*|advice|attitude|feel about|kind of person|relationship)\b",
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
SHARES: Final[Mapping[Form, float]] = {"question": 0.05, "mixed": 0.35, "remark": 0.6}


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


def complexity_of(text: str) -> Complexity:
    """simple: one recorded fact; hybrid: several to enumerate or compare; complex: motives, habits, forecasts."""
    if _DEEP.search(text):
        return "complex"
    return "hybrid" if _SEVERAL.search(text) else "simple"


def form_of(text: str) -> Form:
    """question, remark, or mixed (a remark that ends in a question)."""
    asks = text.rstrip(" \"'”)").endswith(("?", "？", "؟"))
    if asks and _TELLS.search(text):
        return "mixed"
    return "question" if asks or _ASKS.search(text) else "remark"
