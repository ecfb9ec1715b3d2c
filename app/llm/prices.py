"""What a call costs, by a table of prices that the installation gives."""

from collections.abc import Mapping
from decimal import Decimal

PriceTable = Mapping[str, tuple[float, float]]
"""Model → US dollars per million tokens (sent, received)."""

_MILLION = Decimal(1_000_000)


def cost_usd(prices: PriceTable, model: str, *, prompt_tokens: int, completion_tokens: int) -> Decimal:
    """US dollars of a call, to eight places. A model without a price costs 0: local ones do.

    A dated model name ("gpt-4o-mini-2024-07-18") takes the price of the longest name it begins with.
    """
    name = max(
        (each for each in prices if model == each or model.startswith(f"{each}-")), key=len, default=""
    )
    if not name:
        return Decimal(0)
    sent, received = (Decimal(str(price)) for price in prices[name])
    return ((sent * prompt_tokens + received * completion_tokens) / _MILLION).quantize(Decimal("1e-8"))
