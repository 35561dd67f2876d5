"""What the default models cost; other models' prices are not known here and not guessed."""

from collections.abc import Mapping
from typing import Final

USD_PER_MILLION: Final[Mapping[str, tuple[float, float]]] = {
    "claude-haiku-5-5": (0.10, 0.50),
    "gpt-6-luna": (0.10, 0.50),
}


def usd(model: str, input_tokens: int, output_tokens: int) -> float | None:
    """US dollars for so many tokens at list price; None for a model whose price is not known."""
    if model not in USD_PER_MILLION:
        return None
    price_in, price_out = USD_PER_MILLION[model]
    return (input_tokens * price_in + output_tokens * price_out) / 1_000_000
