"""What the graph says is what the documents say today (requirements 2, 5, 7, 10): histories by HTTP."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.http_client import Target
from tests.truth.judge import faults_of
from tests.truth.play import answer_of, fresh_space, nodes_named, play_history
from tests.truth.scenario import Scenario, read_scenarios

SCENARIOS = list(read_scenarios())


def _cases() -> list[Any]:
    return [
        pytest.param(
            scenario,
            mode,
            id=f"{scenario.name}-{mode}",
            marks=[pytest.mark.xfail(reason=scenario.known_failure[mode], strict=True)]
            if mode in scenario.known_failure
            else [],
        )
        # One mode after the other, so that a process of the tests starts each service at most once.
        for mode in ("rules", "model")
        for scenario in SCENARIOS
        if mode in scenario.modes
    ]


@pytest.mark.parametrize(("scenario", "mode"), _cases())
def test_scenario(scenario: Scenario, mode: str, service: Callable[[str], Target]) -> None:
    """The answer holds what the documents say at the end of their history, and nothing that they do not."""
    target = fresh_space(service(mode), scenario)
    play_history(target, scenario)
    answer = answer_of(target, scenario.question)
    faults = faults_of(
        answer, scenario.expect, lambda name: nodes_named(target, name), as_of=scenario.question.get("as_of")
    )
    assert not faults, (faults, answer.get("answer") or answer.get("narrative"), answer.get("warnings"))


def test_names_are_unique() -> None:
    """A scenario is found by its name."""
    assert [name for name, times in Counter(each.name for each in SCENARIOS).items() if times > 1] == []
