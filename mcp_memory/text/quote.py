"""Quoting: from a long message the whole sentences that say most about the query, per token.

A long answer would fill a whole budget; ten sentences of it, with gaps marked, carry what it says.  The
choice is greedy on Σ idf of words not yet covered, words of the query counting more, per token (measured on
three development sets: it costs at most a hundredth of the answers' words).
"""

import heapq
import re
from collections.abc import Callable, Collection
from functools import lru_cache
from typing import Final

from mcp_memory.text.clean import plain
from mcp_memory.text.lexical import term_set
from mcp_memory.text.sentences import sentences
from mcp_memory.text.tokens import count_tokens

ASKED: Final = 4.0  # a word of the query weighs this much more than another
SLACK: Final = 1.25  # a message this much over the limit is still shown whole
SMALL: Final = 8  # shorter pieces (headings, list marks, "Wow!") are read with what follows
LEAST: Final = 20  # shorter sentences gain nothing by being short
LETTERS: Final = 4  # letters of a token of English
LOOKED_AT: Final = 1_000  # characters
PROSE: Final = 25  # code is quoted only from messages with less prose than this
LEAD: Final = 8  # words shown before the first asked word of an endless sentence
_CODE: Final = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_PIECE: Final = re.compile(r"\S{1,32}\s*")  # words; unspaced runs may be cut
_GAPS: Final = re.compile(r"…(?:\s*…)+")

Weight = Callable[[str], float]


def quote(text: str, asked: Collection[str], weight: Weight, limit: int) -> str:
    """One line of about `limit` tokens from a message; `weight` is a term's idf, `asked` the query's terms.

    The limit is meant for words: where nearly every letter counts as a token there is room for as many letters.
    """
    limit = max(limit, int(limit * LETTERS * count_tokens(text[:LOOKED_AT]) / max(1, len(text[:LOOKED_AT]))))
    if count_tokens(text) <= limit * SLACK:
        return plain(text)
    parts = _parts(text)
    chosen = _chosen(parts, frozenset(asked), weight, limit)
    if not chosen:
        return _around(plain(text), asked, limit)
    shown, last = "", -1
    for number in sorted(chosen):
        said, size, _ = parts[number]
        gap = "" if number == last + 1 else "… "
        shown += gap + (_around(said, asked, limit) if size > 1.5 * limit else said) + " "
        last = number
    return _GAPS.sub("…", shown.strip() + (" …" if last < len(parts) - 1 else ""))


@lru_cache(maxsize=4_096)
def _parts(text: str) -> tuple[tuple[str, int, frozenset[str]], ...]:
    """(sentence, tokens, terms) of a message; code is left out where there is enough prose."""
    prose = _CODE.sub("\n", text)
    held, found = "", list[str]()
    for sentence in sentences(prose if count_tokens(prose) >= PROSE else text):
        piece = f"{held} {plain(sentence)}".strip()
        held = piece if count_tokens(piece) < SMALL else ""
        if piece and not held:
            found.append(piece)
    if held:
        found = [*found[:-1], f"{found[-1]} {held}"] if found else [held]
    return tuple((piece, count_tokens(piece), term_set(piece)) for piece in found)


def _chosen(
    parts: tuple[tuple[str, int, frozenset[str]], ...], asked: frozenset[str], weight: Weight, limit: int
) -> list[int]:
    """Numbers of the sentences that gain most; gains only fall, so a lazy heap finds the best."""
    covered: set[str] = set()

    def gain(number: int) -> float:
        _, size, terms = parts[number]
        worth = sum(weight(term) * (ASKED if term in asked else 1.0) for term in terms - covered)
        return worth / max(size, LEAST)

    heap = [(-gain(number), number) for number in range(len(parts))]
    heapq.heapify(heap)
    chosen: list[int] = []
    used = 0
    while heap and used < limit:
        _, number = heapq.heappop(heap)
        if chosen and used + parts[number][1] > limit:
            continue
        now = gain(number)
        if heap and (-now, number) > heap[0]:
            heapq.heappush(heap, (-now, number))
            continue
        if now <= 0:
            break
        chosen.append(number)
        covered |= parts[number][2]
        used += parts[number][1]
    return chosen


def _around(sentence: str, asked: Collection[str], limit: int) -> str:
    """Of an endless sentence, whole words from a little before the first asked one on."""
    pieces = _PIECE.findall(sentence)
    first = next((n for n, piece in enumerate(pieces) if not set(asked).isdisjoint(term_set(piece))), 0)
    begin = max(0, first - LEAD)
    kept, used = "", 0
    for piece in pieces[begin:]:
        used += count_tokens(piece)
        if used > limit and kept:
            return ("… " if begin else "") + kept.strip() + " …"
        kept += piece
    return ("… " if begin else "") + kept.strip()
