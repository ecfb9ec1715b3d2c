"""The harness itself: a neighbour whom nobody attacks, and one who must complain."""

import os
import signal
import time
from typing import Any

import pytest

from tests.hostile.harness.attacks import Hammer, Hold, attacking
from tests.hostile.harness.installation import Installation
from tests.hostile.harness.neighbour import Beside, Report, TooSlow, neighbour
from tests.support.http_client import Call

pytestmark = [pytest.mark.slow, pytest.mark.soak]


def test_a_neighbour_beside_whom_nothing_happens_waits_for_nobody(
    installation: Installation, beside: Beside
) -> None:
    with beside() as report:
        time.sleep(4)
    assert report.jobs
    assert set(report.memory) == {"api", "worker"}


def test_a_neighbour_whose_service_stands_still_complains(installation: Installation) -> None:
    """The reads that a frozen service kept from being made count with the wait that they would have had."""
    with neighbour(installation) as report:
        time.sleep(1)
        os.kill(installation.api.pid, signal.SIGSTOP)
        time.sleep(2.5)
        os.kill(installation.api.pid, signal.SIGCONT)
        time.sleep(1)
    with pytest.raises(TooSlow):
        report.check()
    assert report.p99 > 1.0


def test_a_report_fails_by_any_one_of_its_measures() -> None:
    good: dict[str, Any] = {
        "reads": [0.01] * 100,
        "statuses": {"200": 100},
        "jobs": [1.0],
        "memory": {"api": 1},
    }
    Report(**good).check()
    worse: tuple[dict[str, Any], ...] = (
        {"reads": [0.01] * 97 + [2.0] * 3},
        {"statuses": {"200": 99, "503": 1}},
        {"jobs": [1.0, 10.1]},
        {"jobs": []},
        {"memory": {"api": 600 * 2**20}},
    )
    for bad in worse:
        with pytest.raises(AssertionError) as failed:
            Report(**{**good, **bad}).check()
        assert isinstance(failed.value, TooSlow) == (bad in worse[:1] + worse[2:3])


def test_attackers_come_in_processes_of_their_own_and_tell_what_they_saw(installation: Installation) -> None:
    calls = [Call("GET", "/healthz"), Call("GET", "/v1/spaces"), Call("GET", "/nowhere")]
    opening = b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n"
    with attacking(
        Hammer(installation.attacker, calls, threads=2, seconds=5, most=30),
        Hold(installation.attacker, opening, 5, seconds=1),
    ) as outcomes:
        pass
    assert outcomes[0].seen == {"200": 20, "404": 10}
    assert outcomes[1].seen["200"] == 5
    for outcome in outcomes:
        outcome.check()
