"""The pool has a connection for each that may be at work."""

import pytest

from app.errors import ConfigurationError
from app.http.bulkheads import check_connection_pool_size
from app.settings import Settings


def test_the_settings_as_they_come_are_taken() -> None:
    settings = Settings()
    check_connection_pool_size(settings)
    assert settings.pool_size + settings.pool_overflow > settings.max_queries + settings.llm_parallel


@pytest.mark.parametrize(
    "changed", [{"llm_parallel": 9}, {"max_queries": 9}, {"pool_size": 9}, {"pool_overflow": 9}]
)
def test_a_pool_too_small_is_refused_by_the_names_of_the_settings(changed: dict[str, int]) -> None:
    with pytest.raises(ConfigurationError) as refused:
        check_connection_pool_size(Settings().model_copy(update=changed))
    for name in ("POOL_SIZE", "POOL_OVERFLOW", "MAX_QUERIES", "LLM_PARALLEL"):
        assert f"CITEGRAPH_{name}" in refused.value.message
