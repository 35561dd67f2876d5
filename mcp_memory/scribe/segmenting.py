"""Where a talk changes its subject, by meaning alone: content vector segmentation (Alemi & Ginsparg 2015).

A run of exchanges about one thing adds up to a long vector, one about several things cancels out.  The best
cut maximises Σ ‖Σ x‖ over runs, less a price per run; dynamic programming finds it (Utiyama & Isahara 2001).
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]
    Matrix = NDArray[np.float64]

MOST_EXCHANGES: Final = 16
MOST_TOKENS: Final = 3_000
LEAST_EXCHANGES: Final = 2  # a run of one would be the best of all when nothing resembles anything
# The price of a run, in lengths of a mean exchange.  Chosen on three LoCoMo conversations against scenes that a
# strong model cut: as many runs (3.8 exchanges each), F1 within one exchange .69, Pk .37; even runs of four .61, .45.
PRICE: Final = 1.3


def cut(vectors: "Sequence[Vector | None]", tokens: Sequence[int]) -> list[int]:
    """Where runs begin, 0 first: no run has more than `MOST_EXCHANGES` or, if it has two, `MOST_TOKENS`.

    Vectors are centred by their mean, because all of one talk resemble each other.  Where one is missing only
    size cuts.
    """
    import numpy as np

    known = [one for one in vectors if one is not None]
    if len(known) < len(vectors) or len(known) < 2 * LEAST_EXCHANGES:
        return _runs(np.zeros((len(vectors), 1)), tokens, price=1.0)
    centred = np.asarray(known, dtype=np.float64)
    centred -= centred.mean(axis=0)
    return _runs(centred, tokens, PRICE * float(np.linalg.norm(centred, axis=1).mean()))


def _runs(vectors: "Matrix", tokens: Sequence[int], price: float) -> list[int]:
    """The dearest tiling: `best[j]` is what the first j exchanges are worth, `begin[j]` where their last run begins."""
    import numpy as np

    count = len(vectors)
    sums = np.vstack([np.zeros(vectors.shape[1]), vectors.cumsum(axis=0)])
    sizes = np.concatenate([[0], np.cumsum(tokens)])
    best, begin = np.full(count + 1, -np.inf), np.zeros(count + 1, dtype=int)
    best[0] = 0.0
    for end in range(1, count + 1):
        starts = np.arange(max(0, end - MOST_EXCHANGES), end)
        fits = (sizes[end] - sizes[starts] <= MOST_TOKENS) | (starts == end - 1)
        short = (end - starts < LEAST_EXCHANGES) * 2 * price
        worth = best[starts] + np.linalg.norm(sums[end] - sums[starts], axis=1) - price - short
        worth[~fits] = -np.inf
        begin[end] = starts[int(worth.argmax())]
        best[end] = worth.max()
    found, end = list[int](), count
    while end:
        end = int(begin[end])
        found.append(end)
    return found[::-1]
