"""The same acts while a real worker takes the jobs and is killed, and the doctor examines (18.4)."""

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test
from sqlalchemy import URL

from tests.invariants import checks
from tests.invariants.acts import Acts
from tests.invariants.doors import Doors
from tests.invariants.known_failures import KNOWN_FAILURES
from tests.invariants.world import World, open_world

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def world(module_url: URL, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """An installation whose jobs a process of `citegraph worker` runs."""
    with open_world(module_url, tmp_path_factory.mktemp("workers"), workers=True, job_sweep=1.0) as opened:
        yield opened


@pytest.mark.soak
def test_no_sequence_of_acts_breaks_an_invariant_while_workers_die(world: World, steady_roles: None) -> None:
    class Bound(Acts):
        """The machine in this test's world, which dies more often than others."""

        def teardown(self) -> None:
            if not self.is_broken:
                self.put_in_both_at_once(body="Tellin owns Lumen.", other="Tellin owns Lumen.", address="b")
                self.kill_worker_while_reading(side=0, body="Tellin owns Corvex.", address="a", death=3)
                if self.with_doctor:
                    self.examine_while_workers_read()
            super().teardown()

        def examine_while_workers_read(self) -> None:
            """The doctor is green in the middle of an ingest."""
            with self.act(0) as own:
                self.doors.api.put(own, "c", "Nadia Sorel founded Quellmark. " * 200, None)
                checks.doctor_is_green(self.read(own))

    Bound.world, Bound.doors = world, Doors(world)
    Bound.with_doctor = "the doctor while workers run" not in KNOWN_FAILURES
    run_state_machine_as_test(
        Bound,
        settings=settings(
            max_examples=1,
            stateful_step_count=8,
            derandomize=True,
            database=None,
            deadline=None,
            phases=(Phase.generate,),
            suppress_health_check=list(HealthCheck),
        ),
    )
