"""Small pure functions on score arrays, shared by the stages."""

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]
Rows = NDArray[np.int64]


def min_max(scores: Scores, over: Scores | None = None) -> Scores:
    """Scores brought to 0..1 by the least and greatest of `over` (their own by default); a flat list is 0."""
    pool = scores if over is None else over
    if not pool.size:
        return np.zeros_like(scores)
    low, high = float(pool.min()), float(pool.max())
    return (scores - low) / (high - low) if high > low else np.zeros_like(scores)


def best_per_host(scores: Scores, host: Rows, hosts: int, empty: float) -> Scores:
    """The best score that points at each host, shape (hosts,); `empty` where nothing does."""
    found = np.full(hosts, -np.inf)
    np.maximum.at(found, host, scores)
    return np.where(np.isneginf(found), empty, found)


def top(scores: Scores, count: int) -> Rows:
    """Positions of the `count` best, best first, earlier ones first among equals."""
    count = min(count, len(scores))
    if not count:
        return np.zeros(0, dtype=np.int64)
    some = np.sort(np.argpartition(-scores, count - 1)[:count])
    found: Rows = some[np.argsort(-scores[some], kind="stable")]
    return found


def balanced(dense: Scores, words: Scores, weight: float, over: tuple[Scores, Scores] | None = None) -> Scores:
    """λ · dense + (1 − λ) · words, each brought to 0..1 first (TiMem §3.3 with measured λ).

    Words are divided by their greatest score: BM25's zero is no match, whatever the others have.
    """
    pool = over or (dense, words)
    highest = float(pool[1].max(initial=0.0)) or 1.0
    return weight * min_max(dense, pool[0]) + (1 - weight) * words / highest
