"""Thin first version: quotes by words and meaning, fitted into the budget."""

from collections.abc import Callable
from datetime import datetime
from zoneinfo import ZoneInfo

import numpy as np

from mcp_memory.model.query import Answer, Hit, Plan, Query
from mcp_memory.store.corpus import Corpus, Vectors
from mcp_memory.text.lexical import analyze, keywords
from mcp_memory.text.render import line, local_day
from mcp_memory.text.tokens import count_tokens


def recall(corpus: Corpus, query: Query, zone: ZoneInfo, weight: float, vector: Vectors | None) -> Answer:
    with corpus.lock:
        mask = corpus.between(query.since, query.until or query.at)
        lex = corpus.lexical.scores(analyze(query.text)) * mask
        score = lex / (lex.max() or 1)
        if vector is not None:
            sem = (corpus.vectors @ vector) * mask
            score = weight * sem + (1 - weight) * score
        hits, used = [], 0
        for row in np.argsort(-score)[:200]:
            unit = corpus.units[corpus.ids[row]]
            if not mask[row] or unit.kind != "item" or score[row] <= 0:
                continue
            text = line(local_day(unit.start, zone), f"{unit.speaker}: {unit.text}", unit.id)
            used += count_tokens(text)
            if used > query.max_tokens:
                break
            sources = tuple(corpus.turns[t].source for t in unit.turns if t in corpus.turns)
            hits.append(Hit(unit.id, "facts", unit.kind, text, sources, unit.start, unit.end, float(score[row])))
    plan = Plan(query.complexity or "simple", tuple(keywords(query.text)))
    return Answer(plan, tuple(hits), used)
