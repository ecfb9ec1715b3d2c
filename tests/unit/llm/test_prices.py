"""Prices: the installation's own first, those published for known models beneath, and nothing invented."""

import pytest

from app.cli.ingest import describe_cost_estimate
from app.llm.prices import PUBLISHED_PRICES_DATE, build_price_table, get_publication_date_of_price, has_price
from app.settings import Settings

KEY = {"openai_api_key": "sk-unused"}


def settings(**given: object) -> Settings:
    return Settings.model_validate({**KEY, **given})


def test_a_well_known_model_has_its_published_price_with_a_date() -> None:
    table = build_price_table(settings())
    assert table["gpt-4o-mini"] == (0.15, 0.6)
    assert has_price(table, "gpt-4o-mini-2024-07-18")
    assert get_publication_date_of_price(settings(), "gpt-4o-mini") == PUBLISHED_PRICES_DATE


def test_what_the_installation_says_comes_first_and_has_no_date() -> None:
    own = settings(llm_prices={"gpt-4o-mini": (9.0, 9.0)})
    assert build_price_table(own)["gpt-4o-mini"] == (9.0, 9.0)
    assert get_publication_date_of_price(own, "gpt-4o-mini") is None


def test_another_server_may_call_anything_by_that_name() -> None:
    assert not has_price(
        build_price_table(settings(openai_base_url="http://localhost:11434/v1")), "gpt-4o-mini"
    )
    assert has_price(build_price_table(settings(openai_base_url="https://api.openai.com/v1")), "gpt-4o-mini")
    assert not has_price(
        build_price_table(settings(openai_base_url="https://api.openai.com.example.org/v1")), "gpt-5"
    )


@pytest.mark.parametrize("model", ["gpt-5-pro", "gpt-4o-audio-preview", "o3-pro", "ft:gpt-4o-mini:acme"])
def test_a_model_with_a_longer_name_is_another_one(model: str) -> None:
    assert not has_price(build_price_table(settings()), model)


SHOWN = {
    "model": "gpt-4o-mini",
    "calls": 3,
    "prompt_tokens": 1000,
    "completion_tokens": 100,
    "cost_usd": 0.5,
    "unpriced": [],
    "prices_as_of": None,
}


def test_an_estimate_says_since_when_its_prices_are_so() -> None:
    said = " ".join(describe_cost_estimate({**SHOWN, "prices_as_of": PUBLISHED_PRICES_DATE.isoformat()}))
    assert "0.5000 US dollars" in said
    assert "2026-04" in said


def test_an_estimate_says_what_its_tokens_received_are_known_from() -> None:
    said = " ".join(describe_cost_estimate(SHOWN))
    assert "1,000 tokens sent, about 100 received, 0.5000 US dollars" in said
    assert "an upper bound: this model has fewer than 20 calls here" in said
    measured = {
        "measured_in": "space",
        "measured_calls": 1234,
        "completion_tokens_low": 70,
        "cost_usd_low": 0.4,
    }
    said = " ".join(describe_cost_estimate({**SHOWN, **measured}))
    assert "1,000 tokens sent, 70 to 100 received, 0.4000 to 0.5000 US dollars" in said
    assert "as measured in 1,234 calls in this space" in said
    said = " ".join(
        describe_cost_estimate({**SHOWN, **measured, "measured_in": "tenant", "cost_usd_low": None})
    )
    assert "70 to 100 received, 0.5000 US dollars" in said
    assert "in another space of this tenant" in said


def test_a_cost_that_nobody_knows_is_not_nothing() -> None:
    said = " ".join(describe_cost_estimate({**SHOWN, "cost_usd": None, "unpriced": ["mystery"]}))
    assert "US dollars" not in said
    assert "The price of mystery is unknown" in said


def test_where_no_model_is_known_here_the_worker_may_have_one() -> None:
    said = " ".join(describe_cost_estimate({**SHOWN, "model": None}))
    assert "no cost" not in said
    assert "A worker with a model would use it" in said
