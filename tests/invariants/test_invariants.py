"""Some hundreds of random acts with fixed seeds; `make soak` goes on (requirement 18.5)."""

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.invariants.acts import Acts
from tests.invariants.doors import Doors
from tests.invariants.world import World

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("sequences", "steps"), [(1, 3), pytest.param(5, 25, marks=pytest.mark.soak)])
def test_no_sequence_of_acts_breaks_an_invariant(
    world: World, steady_roles: None, sequences: int, steps: int
) -> None:
    doors = Doors(world)

    class Bound(Acts):
        """The machine in this test's world."""

    Bound.world, Bound.doors = world, doors
    run_state_machine_as_test(
        Bound,
        settings=settings(
            max_examples=sequences,
            stateful_step_count=steps,
            derandomize=True,
            database=None,
            deadline=None,
            phases=(Phase.generate,),
            suppress_health_check=list(HealthCheck),
        ),
    )
