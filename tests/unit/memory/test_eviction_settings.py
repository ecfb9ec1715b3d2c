"""A policy and its parameters are accepted together or not at all (requirement 12.2)."""

from datetime import timedelta
from typing import Any

import pytest
from pydantic import ValidationError

from app.derived.eviction.shapes import RecallWeights
from app.settings import Settings
from app.space_settings import EVICTION_OPTIONS, EVICTION_PARAMETERS, Eviction, SpaceSettings

GIVEN: dict[str, Any] = {"eviction_ttl_days": 30.0, "eviction_max_chunks": 1_000, "eviction_min_value": 0.5}


def test_the_default_is_none() -> None:
    assert SpaceSettings().eviction is Eviction.NONE
    assert not SpaceSettings().eviction_last_evidence


def test_the_policies_are_those_of_requirement_12_2() -> None:
    assert set(Eviction) == {"none", "ttl", "capacity", "recall_based", "hybrid"}
    assert EVICTION_PARAMETERS[Eviction.HYBRID] == EVICTION_PARAMETERS[Eviction.TTL]
    assert EVICTION_OPTIONS[Eviction.HYBRID] == EVICTION_PARAMETERS[Eviction.CAPACITY]
    assert EVICTION_OPTIONS[Eviction.RECALL_BASED] == EVICTION_PARAMETERS[Eviction.CAPACITY]


def test_the_value_has_the_weights_of_requirement_12_1() -> None:
    assert RecallWeights() == RecallWeights(0.3, 0.5, 0.2, timedelta(days=30))
    own = Settings()
    assert (own.recall_weights, own.recall_half_life_days, own.eviction_grace_days) == (
        [0.3, 0.5, 0.2],
        30,
        7,
    )


@pytest.mark.parametrize("whose", [Settings, SpaceSettings])
@pytest.mark.parametrize(
    "wrong",
    [
        {"recall_weights": [0.3, 0.5]},
        {"recall_weights": [0.3, 0.5, -0.2]},
        {"recall_weights": [0.3, 0.5, float("nan")]},
        {"recall_weights": [0, 0, 0]},
        {"recall_half_life_days": 0},
        {"eviction_grace_days": -1},
    ],
    ids=str,
)
def test_numbers_of_a_value_that_make_no_sense_are_refused(
    whose: type[Settings | SpaceSettings], wrong: dict[str, Any]
) -> None:
    with pytest.raises(ValidationError) as refused:
        whose(**wrong)
    assert refused.value.errors()[0]["loc"][0] in wrong


@pytest.mark.parametrize("policy", list(Eviction))
class TestEveryPolicy:
    def test_is_whole_with_its_own_parameters(self, policy: Eviction) -> None:
        own = {name: GIVEN[name] for name in EVICTION_PARAMETERS[policy]}
        settings = SpaceSettings.model_validate({"eviction": policy.value, **own})
        assert settings.eviction is policy
        assert (
            SpaceSettings.model_validate(settings.model_dump(mode="json", exclude_defaults=True)) == settings
        )

    def test_names_each_parameter_that_it_lacks(self, policy: Eviction) -> None:
        for missing in EVICTION_PARAMETERS[policy]:
            rest = {name: GIVEN[name] for name in EVICTION_PARAMETERS[policy] - {missing}}
            with pytest.raises(ValidationError, match=f"eviction {policy.value} needs {missing}"):
                SpaceSettings(eviction=policy, **rest)

    def test_takes_each_parameter_that_it_may_have(self, policy: Eviction) -> None:
        own = {name: GIVEN[name] for name in EVICTION_PARAMETERS[policy]}
        for option in EVICTION_OPTIONS.get(policy, set()):
            settings = SpaceSettings(eviction=policy, **own, **{option: GIVEN[option]})
            assert getattr(settings, option) == GIVEN[option]

    def test_takes_no_parameter_that_means_nothing_to_it(self, policy: Eviction) -> None:
        own = {name: GIVEN[name] for name in EVICTION_PARAMETERS[policy]}
        for other in GIVEN.keys() - own.keys() - EVICTION_OPTIONS.get(policy, set()):
            with pytest.raises(ValidationError, match=f"eviction {policy.value} takes no {other}"):
                SpaceSettings(eviction=policy, **own, **{other: GIVEN[other]})


@pytest.mark.parametrize(
    "wrong",
    [
        {"eviction": "lru"},
        {"eviction": "ttl", "eviction_ttl_days": 0},
        {"eviction": "capacity", "eviction_max_chunks": 0},
        {"eviction": "capacity", "eviction_max_chunks": 1.5},
        {"eviction": "recall_based", "eviction_min_value": 0},
    ],
)
def test_senseless_values_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        SpaceSettings.model_validate(wrong)
