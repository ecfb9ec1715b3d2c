"""The cost of a call: by the prices that the installation gives, else by those published for known models."""

import re
from collections.abc import Mapping
from datetime import date
from decimal import Decimal

from app.llm.servers import ModelServer, get_chat_server, get_embedding_server
from app.settings import Settings

PriceTable = Mapping[str, tuple[float, float]]
"""Model → US dollars per million tokens (sent, received)."""

AS_OF = date(2026, 4, 1)
"""The month in which these were read, in two published tables each; what a provider asks today may differ."""
PUBLISHED: PriceTable = {
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
PUBLISHED_EMBEDDINGS: PriceTable = {
    "text-embedding-3-small": (0.02, 0.0),
    "text-embedding-3-large": (0.13, 0.0),
}
_MILLION = Decimal(1_000_000)
# "gpt-4o-mini-2024-07-18" and "gpt-4-0613" are that model; "gpt-5-pro" is another one, at another price.
_DATED = re.compile(r"-(?:\d[\d-]*|latest)")


def build_price_table(settings: Settings) -> PriceTable:
    """The installation's prices, and beneath them the published ones where its servers are their publisher's.

    Another server may call anything by those names, at any price.
    """
    return {
        **(PUBLISHED if _is_publisher(get_chat_server(settings)) else {}),
        **(PUBLISHED_EMBEDDINGS if _is_publisher(get_embedding_server(settings)) else {}),
        **settings.llm_prices,
    }


def _is_publisher(server: ModelServer | None) -> bool:
    # Without a server an estimate tells what the publisher's would cost.
    return server is None or server.is_publisher


def has_price(prices: PriceTable, model: str) -> bool:
    """Return whether the table has a price for the model, 0 included."""
    return bool(_find_priced_name(prices, model))


def get_publication_date(settings: Settings, model: str) -> date | None:
    """The date of a price that is built in; None for one that the installation gave, or that nobody knows."""
    name = _find_priced_name(build_price_table(settings), model)
    return AS_OF if name and name not in settings.llm_prices else None


def compute_cost_usd(
    prices: PriceTable, model: str, *, prompt_tokens: int, completion_tokens: int
) -> Decimal:
    """US dollars of a call, to eight places. A model without a price costs 0; with a budget it is not asked.

    A dated model name ("gpt-4o-mini-2024-07-18") takes the price of the longest name it begins with.
    """
    name = _find_priced_name(prices, model)
    if not name:
        return Decimal(0)
    sent, received = (Decimal(str(price)) for price in prices[name])
    return ((sent * prompt_tokens + received * completion_tokens) / _MILLION).quantize(Decimal("1e-8"))


def _find_priced_name(prices: PriceTable, model: str) -> str:
    return max(
        (
            price
            for price in prices
            if model == price or (model.startswith(f"{price}-") and _DATED.fullmatch(model[len(price) :]))
        ),
        key=len,
        default="",
    )
