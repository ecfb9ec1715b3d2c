"""The breaker by a clock that only the test moves."""

import pytest

from app.llm.breaker import Breaker, Breakers
from app.llm.errors import Parked
from tests.support.clock import Clock


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def breaker(clock: Clock) -> Breaker:
    return Breaker(clock, threshold=3, cooldown=10)


def fail(breaker: Breaker, times: int) -> None:
    for _ in range(times):
        breaker.record_failure("down")


def test_it_opens_after_failures_in_a_row_alone(breaker: Breaker) -> None:
    fail(breaker, 2)
    breaker.record_answer_and_close()
    fail(breaker, 2)
    breaker.admit_call()
    fail(breaker, 1)
    with pytest.raises(Parked) as parked:
        breaker.admit_call()
    assert parked.value.retry_after == 10
    assert parked.value.reason == "down"


def test_after_the_cool_down_one_probe_decides(breaker: Breaker, clock: Clock) -> None:
    fail(breaker, 3)
    clock.now = 10
    breaker.admit_call()
    with pytest.raises(Parked):
        breaker.admit_call()
    breaker.record_answer_and_close()
    breaker.admit_call()
    assert not breaker.is_open


def test_the_cool_down_doubles_up_to_ten_minutes(breaker: Breaker, clock: Clock) -> None:
    fail(breaker, 3)
    lengths = []
    for _ in range(9):
        with pytest.raises(Parked) as parked:
            breaker.admit_call()
        lengths.append(parked.value.retry_after)
        clock.now += parked.value.retry_after
        breaker.admit_call()
        breaker.record_failure("down")
    assert lengths == [10, 20, 40, 80, 160, 320, 600, 600, 600]


def test_calls_in_flight_when_it_opens_are_one_outage(breaker: Breaker, clock: Clock) -> None:
    fail(breaker, 3)
    clock.now = 1
    fail(breaker, 5)
    with pytest.raises(Parked) as parked:
        breaker.admit_call()
    assert parked.value.retry_after == 9


def test_a_probe_that_says_nothing_lets_another_through(breaker: Breaker, clock: Clock) -> None:
    fail(breaker, 3)
    clock.now = 10
    breaker.admit_call()
    breaker.allow_another_probe()
    breaker.admit_call()
    assert breaker.is_open


def test_a_refused_key_opens_it_at_once(breaker: Breaker, clock: Clock) -> None:
    breaker.open_circuit_for(60, "the key is refused")
    with pytest.raises(Parked, match="the key is refused"):
        breaker.admit_call()
    clock.now = 60
    breaker.admit_call()
    assert breaker.is_open


def test_each_key_has_its_own(clock: Clock) -> None:
    breakers = Breakers(clock, threshold=1)
    breakers.get_breaker(("tenant a", "server")).record_failure("down")
    breakers.get_breaker(("tenant b", "server")).admit_call()
    with pytest.raises(Parked):
        breakers.get_breaker(("tenant a", "server")).admit_call()
