"""The cost of a call, by a table of prices that the installation gives."""

from collections.abc import Mapping
from decimal import Decimal

PriceTable = Mapping[str, tuple[float, float]]
"""Model → US dollars per million tokens (sent, received)."""

_MILLION = Decimal(1_000_000)


def has_price(prices: PriceTable, model: str) -> bool:
    """Return whether the table has a price for the model, 0 included."""
    return bool(_priced_name(prices, model))


def cost_usd(prices: PriceTable, model: str, *, prompt_tokens: int, completion_tokens: int) -> Decimal:
    """US dollars of a call, to eight places. A model without a price costs 0; with a budget it is not asked.

    A dated model name ("gpt-4o-mini-2024-07-18") takes the price of the longest name it begins with.
    """
    name = _priced_name(prices, model)
    if not name:
        return Decimal(0)
    sent, received = (Decimal(str(price)) for price in prices[name])
    return ((sent * prompt_tokens + received * completion_tokens) / _MILLION).quantize(Decimal("1e-8"))


def _priced_name(prices: PriceTable, model: str) -> str:
    return max(
        (each for each in prices if model == each or model.startswith(f"{each}-")), key=len, default=""
    )
