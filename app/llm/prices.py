"""The cost of a call, from the installation's prices or the published ones of known models."""

import re
from collections.abc import Mapping
from datetime import date
from decimal import Decimal

from app.llm.servers import ModelServer, get_chat_server, get_embedding_server
from app.settings import Settings

PriceTable = Mapping[str, tuple[float, float]]
"""Model → US dollars per million tokens (sent, received)."""

PUBLISHED_PRICES_DATE = date(2026, 4, 1)
"""The month of the published prices, checked in two tables each; current prices may differ."""
PUBLISHED_CHAT_PRICES: PriceTable = {
    "gpt-5": (1.25, 10.0),
    "gpt-5-mini": (0.25, 2.0),
    "gpt-5-nano": (0.05, 0.4),
    "gpt-4.1": (2.0, 8.0),
    "gpt-4.1-mini": (0.4, 1.6),
    "gpt-4.1-nano": (0.1, 0.4),
    "gpt-4o": (2.5, 10.0),
    "gpt-4o-mini": (0.15, 0.6),
    "o3": (2.0, 8.0),
    "o3-mini": (1.1, 4.4),
}
PUBLISHED_EMBEDDING_PRICES: PriceTable = {
    "text-embedding-3-small": (0.02, 0.0),
    "text-embedding-3-large": (0.13, 0.0),
}
_MILLION = Decimal(1_000_000)
# "gpt-4o-mini-2024-07-18" and "gpt-4-0613" name the same model as without the date; "gpt-5-pro" is another.
_DATE_SUFFIX = re.compile(r"-(?:\d[\d-]*|latest)")


def build_price_table(settings: Settings) -> PriceTable:
    """Return the installation's prices, and the published prices if the server is the publisher's.

    Another server may use the same names at any price.
    """
    return {
        **(PUBLISHED_CHAT_PRICES if _is_server_of_publisher(get_chat_server(settings)) else {}),
        **(PUBLISHED_EMBEDDING_PRICES if _is_server_of_publisher(get_embedding_server(settings)) else {}),
        **settings.llm_prices,
    }


def _is_server_of_publisher(server: ModelServer | None) -> bool:
    # Without a server, an estimate uses the publisher's prices.
    return server is None or server.is_publisher


def has_price(prices: PriceTable, model: str) -> bool:
    """Return whether the table has a price for the model; 0 counts."""
    return bool(_find_longest_priced_prefix(prices, model))


def get_publication_date_of_price(settings: Settings, model: str) -> date | None:
    """Return the date of a built-in price; None for the installation's own or an unknown one."""
    priced_name = _find_longest_priced_prefix(build_price_table(settings), model)
    return PUBLISHED_PRICES_DATE if priced_name and priced_name not in settings.llm_prices else None


def compute_cost_usd(
    prices: PriceTable, model: str, *, prompt_tokens: int, completion_tokens: int
) -> Decimal:
    """Return the US dollars of a call, to eight places; 0 for a model without a price.

    A dated model name ("gpt-4o-mini-2024-07-18") has the price of the longest matching undated name.
    """
    priced_name = _find_longest_priced_prefix(prices, model)
    if not priced_name:
        return Decimal(0)
    sent_price, received_price = (Decimal(str(price)) for price in prices[priced_name])
    return ((sent_price * prompt_tokens + received_price * completion_tokens) / _MILLION).quantize(
        Decimal("1e-8")
    )


def _find_longest_priced_prefix(prices: PriceTable, model: str) -> str:
    return max(
        (
            priced_name
            for priced_name in prices
            if model == priced_name
            or (model.startswith(f"{priced_name}-") and _DATE_SUFFIX.fullmatch(model[len(priced_name) :]))
        ),
        key=len,
        default="",
    )
