"""Texts of like length together: padding is the greatest waste in a batch."""

from collections.abc import Iterator, Sequence

MAX_TEXTS = 32


def by_length(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Positions from short to long, cut into batches of at most 32 texts.

    A batch of n texts padded to its longest holds at most `budget` of the unit `lengths` are in; a longer
    text goes alone.
    """
    batch: list[int] = []
    for position in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) == MAX_TEXTS or (len(batch) + 1) * lengths[position] > budget):
            yield batch
            batch = []
        batch.append(position)
    if batch:
        yield batch
