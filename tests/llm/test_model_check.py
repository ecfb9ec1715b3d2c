"""`citegraph model check` against servers that can much, little or nothing; no word of it holds the key."""

from collections.abc import Iterator

import pytest

from app.extraction.llm.control_claims import (
    CONTROL_CLAIMS,
    CONTROL_TEXT,
    ask_control_claims_and_describe_result,
)
from app.llm.model_check import describe_price, try_configured_model_servers
from app.llm.testing import ModelDouble
from app.llm.testing.faults import Fault, Mode
from app.settings import Settings

KEY = "sk-very-secret"
READY = {"ok": True, "kind": "good", "counts": [], "share": 0.5}


def get_space_settings(base_url: str, **given: object) -> Settings:
    return Settings.model_validate(
        {
            "openai_api_key": KEY,
            "openai_base_url": base_url,
            "llm_model": "double",
            "llm_prices": {"double": [1.0, 2.0], "double-embedding": [1.0, 0.0]},
            "llm_timeout": 5.0,
            **given,
        }
    )


@pytest.fixture
def double() -> Iterator[ModelDouble]:
    with ModelDouble() as running:
        running.when(lambda prompt: "JSON" in prompt, READY)
        running.when(lambda prompt: "ready?" in prompt, "Yes")
        yield running


def test_says_what_works_how_fast_and_at_what_price(double: ModelDouble) -> None:
    tried = try_configured_model_servers(
        get_space_settings(double.base_url, embedding_model="double-embedding", embedding_dimensions=32)
    )
    assert [(trial.what, trial.works) for trial in tried] == [
        ("chat", True),
        ("JSON schema", True),
        ("embeddings", True),
    ]
    assert all(trial.seconds > 0 and trial.prompt_tokens > 0 for trial in tried)
    assert all(trial.cost_usd is not None and trial.cost_usd > 0 for trial in tried)
    assert "32 numbers" in tried[2].detail


def test_says_whether_the_model_can_check_claims(double: ModelDouble) -> None:
    """Issue 27: the double gives no verdict that can be read."""
    settings = get_space_settings(double.base_url)
    test = {"claim check": ask_control_claims_and_describe_result}
    (*_, unable) = try_configured_model_servers(settings, test)
    assert (unable.what, unable.works) == ("claim check", True)
    assert "misjudges 8 of 8" in unable.detail
    verdicts = [
        {"claim": number, "words": "", "verdict": claim.verdict}
        for number, claim in enumerate(CONTROL_CLAIMS, 1)
    ]
    double.when(lambda prompt: CONTROL_TEXT in prompt, {"passages": [{"id": 1, "claims": verdicts}]})
    (*_, able) = try_configured_model_servers(settings, test)
    assert "by default it checks its claims" in able.detail
    assert able.prompt_tokens > 0


def test_a_server_that_is_not_there_is_named_and_the_key_is_not() -> None:
    with ModelDouble() as gone:
        address = gone.base_url
    (tried,) = try_configured_model_servers(get_space_settings(address.replace("://", "://user:hidden@")))
    assert not tried.works
    assert f"double at {address}" in tried.detail
    assert KEY not in tried.detail
    assert "hidden" not in tried.detail


def test_a_refused_key_says_which_model_at_which_address(double: ModelDouble) -> None:
    double.faults.add(Fault(Mode.STATUS, status=401))
    (tried,) = try_configured_model_servers(get_space_settings(double.base_url))
    assert not tried.works
    assert "refuses the key" in tried.detail
    assert f"(double at {double.base_url})" in tried.detail
    assert KEY not in tried.detail


def test_a_price_that_nobody_knows_is_said_to_be_unknown(double: ModelDouble) -> None:
    settings = get_space_settings(double.base_url, llm_prices={})
    tried = try_configured_model_servers(settings)
    assert all(trial.works and trial.cost_usd is None for trial in tried)
    assert "its price is unknown" in describe_price(settings, "double")
