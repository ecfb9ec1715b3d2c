"""What the graph says is what the documents say today (requirements 2, 5, 7, 10): histories of documents."""

from collections import Counter
from typing import Any

import pytest

from tests.support.sampling import sampled
from tests.truth.conftest import ServiceOf
from tests.truth.judge import faults_of
from tests.truth.play import PlayedSpace
from tests.truth.scenario import SUBJECTS, Scenario, read_scenarios

SCENARIOS = list(read_scenarios())


def _case(scenario: Scenario, mode: str) -> Any:
    marks = (
        [pytest.mark.xfail(reason=scenario.known_failure[mode], strict=True)]
        if mode in scenario.known_failure
        else []
    )
    return pytest.param(scenario, mode, id=f"{scenario.name}-{mode}", marks=marks)


def _cases() -> list[Any]:
    """Every history in every mode, of which a run without `soak` plays each fortieth in one of its modes."""
    turns: Counter[str] = Counter()
    cases = []
    for scenario in SCENARIOS:
        # In turn within each subject, so that each is read both by rules and by a model.
        turn, skipped = divmod(turns[scenario.about], 40)
        alone = None if skipped else scenario.modes[turn % len(scenario.modes)]
        turns[scenario.about] += 1
        for mode in scenario.modes:
            case = _case(scenario, mode)
            marks = [] if mode == alone or mode in scenario.known_failure else [pytest.mark.soak]
            cases.append((mode, pytest.param(*case.values, id=case.id, marks=[*case.marks, *marks])))
    # One mode after the other, so that a process of the tests starts each service at most once.
    return [case for mode in ("rules", "model") for its_mode, case in cases if its_mode == mode]


def _cases_by_http() -> list[Any]:
    """One history of each subject, by rules and with a model in turn."""
    cases = []
    for number, subject in enumerate(sorted(SUBJECTS)):
        mode = ("rules", "model")[number % 2]
        scenarios = (
            scenario for scenario in SCENARIOS if scenario.about == subject and mode in scenario.modes
        )
        cases += [_case(scenario, mode) for scenario in list(scenarios)[:1]]
    return cases


def check_history(scenario: Scenario, mode: str, service_of: ServiceOf) -> None:
    space = PlayedSpace.create(service_of(mode), scenario)
    space.play(scenario)
    answer = space.answer(scenario.question)
    faults = faults_of(answer, scenario.expect, space.nodes_named, as_of=scenario.question.get("as_of"))
    assert not faults, (faults, answer.get("answer") or answer.get("narrative"), answer.get("warnings"))


@pytest.mark.parametrize(("scenario", "mode"), _cases())
def test_scenario(scenario: Scenario, mode: str, service_in_process: ServiceOf) -> None:
    """The answer holds what the documents say at the end of their history, and nothing that they do not."""
    check_history(scenario, mode, service_in_process)


@pytest.mark.soak
@pytest.mark.parametrize(("scenario", "mode"), sampled(_cases_by_http(), every=6))
def test_scenario_by_http(scenario: Scenario, mode: str, service_by_http: ServiceOf) -> None:
    """The same answer comes out of an installation of several processes."""
    check_history(scenario, mode, service_by_http)


def test_names_are_unique() -> None:
    """A scenario is found by its name."""
    assert [
        name for name, times in Counter(scenario.name for scenario in SCENARIOS).items() if times > 1
    ] == []
