"""What a recall earns for a question, without any language model.

tokens    as `text.tokens` counts them: 7 % above o200k_base on LoCoMo and LongMemEval, 14 % on Chinese.
budget    the context is the first B tokens of the items in the order given; the item that crosses
          the line is cut there.  What the caller would not see earns nothing.
claimed   a gold line counts when an item in the context names it.
recall    … and when that item carries it: `CARRIED` of the line's words, weighted by squared idf,
          stand in the item's text, and an item of T tokens is credited with at most T / 10 lines,
          those it carries best.  Naming everything gains nothing.
answer    share of the gold answer's words in the context; rewards resolving "yesterday" to a date.
"""

import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from mcp_memory.evaluation.cases import Question, Talk
from mcp_memory.text.tokens import count_tokens

CARRIED: Final = 0.1  # of facts paraphrased from a line 91 % pass, of unrelated ones 3 %
TOKENS_PER_LINE: Final = 10

Item = tuple[Sequence[str], str]  # ids of the lines a text stands on, and the text

_WORD = re.compile(r"[^\W_]+")
_count = lru_cache(maxsize=100_000)(count_tokens)  # the same lines come back for question after question
_SUFFIXES: Final = ("ings", "ing", "edly", "ed", "ies", "es", "s", "ly")
_STOP: Final = (
    "a an and are as at be been but by can did do does for from had has have he her him his how i if in is it its "
    "just me my no not of on or our she so that the their them then there they this to too up us was we were what "
    "when where which who will with you your im ive youre dont thats s t re ve ll m d"
)
_STOP_WORDS: Final = frozenset(_STOP.split())


@dataclass(frozen=True, slots=True)
class Row:
    """One question at one budget.

    Shares are 0..1; `answer` is NaN where the benchmark gives none.  `tokens` and `items` are inside the
    budget, `returned` counts the tokens of everything the system handed back.
    """

    question: str
    category: str
    budget: int
    recall: float
    claimed: float
    answer: float
    tokens: int
    returned: int
    items: int
    seconds: float


@dataclass(frozen=True, slots=True)
class LineWords:
    """The words of each line of a talk, and each word's squared inverse document frequency over its lines."""

    words: dict[str, frozenset[str]]
    weight: dict[str, float]


def content_words(text: str) -> list[str]:
    """Lower-case words, crudely stemmed, without stop words."""
    plain = text.lower().replace("’", "'").replace("'", "")
    return [_stem(word) for word in _WORD.findall(plain) if word not in _STOP_WORDS]


@lru_cache(maxsize=100_000)
def word_set(text: str) -> frozenset[str]:
    """The distinct content words of a text."""
    return frozenset(content_words(text))


def weigh(talk: Talk) -> LineWords:
    """The weights that a talk's lines are judged by."""
    words = {line.id: word_set(line.text) for line in talk.lines}
    frequency = Counter(word for line in words.values() for word in line)
    return LineWords(words, {word: math.log(1 + len(words) / n) ** 2 for word, n in frequency.items()})


def carried(lines: LineWords, identifier: str, text: str) -> float:
    """Weighted share of a line's words that stand in a text; 1 for a line without any."""
    own, present = lines.words[identifier], word_set(text)
    total = sum(lines.weight[word] for word in own)
    return sum(lines.weight[word] for word in own & present) / total if total else 1.0


def credited(lines: LineWords, item: Item) -> set[str]:
    """The lines an item may count for: few enough for its length, and really in its text."""
    identifiers, text = item
    best_first = sorted(((carried(lines, name, text), name) for name in set(identifiers)), reverse=True)
    most = max(1, _count(text) // TOKENS_PER_LINE)
    return {name for share, name in best_first[:most] if share >= CARRIED}


def within(items: Iterable[Item], budget: int) -> list[Item]:
    """The first `budget` tokens of the items; the last one may be cut."""
    kept: list[Item] = []
    left = budget
    for identifiers, text in items:
        if left <= 0:
            break
        kept.append((identifiers, _cut(text, left)))
        left -= _count(text)
    return kept


def score(question: Question, items: Sequence[Item], budget: int, lines: LineWords, seconds: float = 0.0) -> Row:
    """What `items`, best first, earn for a question within `budget` tokens."""
    context, gold = within(items, budget), set(question.gold)
    claimed = {name for names, _ in context for name in names} & gold
    earned = {name for item in context if gold.intersection(item[0]) for name in credited(lines, item)} & gold
    return Row(
        question=question.id,
        category=question.category,
        budget=budget,
        recall=len(earned) / max(1, len(gold)),
        claimed=len(claimed) / max(1, len(gold)),
        answer=_answer_share(question.answer, [text for _, text in context]),
        tokens=sum(_count(text) for _, text in context),
        returned=sum(_count(text) for _, text in items),
        items=len(context),
        seconds=seconds,
    )


def _cut(text: str, tokens: int) -> str:
    """The longest prefix within `tokens`: hard, with nothing added, unlike what is cut for a reader."""
    if _count(text) <= tokens:
        return text
    return text[: bisect_right(range(len(text)), tokens, key=lambda end: count_tokens(text[:end])) - 1]


def _answer_share(answer: str, texts: Iterable[str]) -> float:
    wanted = word_set(answer)
    if not wanted:
        return math.nan
    seen: Set[str] = frozenset().union(*(word_set(text) for text in texts))
    return len(wanted & seen) / len(wanted)


def _stem(word: str) -> str:
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            return word[: -len(suffix)]
    return word
