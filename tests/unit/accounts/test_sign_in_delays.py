"""Waits after wrong passwords: by account and address, growing, forgotten, bounded (review C5)."""

import pytest

from app.tenancy.accounts.sign_in_delays import (
    FAILURE_MEMORY_SECONDS,
    FIRST_DELAY_SECONDS,
    MAX_DELAY_SECONDS,
    MAX_FAILURES_WITHOUT_DELAY,
    MAX_REMEMBERED_FAILURES,
    SignInDelays,
    TooManyFailures,
)

EMAIL, HERE = "ada@example.com", "203.0.113.9"


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def delays(clock: Clock) -> SignInDelays:
    return SignInDelays(now=clock)


def wait(delays: SignInDelays, email: str = EMAIL, address: str = HERE) -> float:
    try:
        delays.check_not_delayed(email, address)
    except TooManyFailures as refused:
        return float(refused.retry_after)
    return 0.0


def fail(delays: SignInDelays, times: int, email: str = EMAIL, address: str = HERE) -> None:
    for _ in range(times):
        delays.count_failure(email, address)


def test_the_first_ones_are_free_and_each_further_one_doubles_the_wait(
    delays: SignInDelays, clock: Clock
) -> None:
    fail(delays, MAX_FAILURES_WITHOUT_DELAY - 1)
    assert wait(delays) == 0
    waits = []
    for _ in range(20):
        fail(delays, 1)
        waits.append(wait(delays))
        clock.now += waits[-1]
        assert wait(delays) == 0
    assert waits[:3] == [FIRST_DELAY_SECONDS, 2 * FIRST_DELAY_SECONDS, 4 * FIRST_DELAY_SECONDS]
    assert waits[-1] == MAX_DELAY_SECONDS


def test_only_this_account_from_this_address_waits(delays: SignInDelays) -> None:
    fail(delays, MAX_FAILURES_WITHOUT_DELAY)
    assert wait(delays, f" {EMAIL.upper()} ") > 0
    assert wait(delays, address="203.0.113.10") == 0
    assert wait(delays, email="grace@example.com") == 0


def test_one_network_of_ipv6_is_one_address(delays: SignInDelays) -> None:
    fail(delays, MAX_FAILURES_WITHOUT_DELAY, address="2001:db8:1:2::1")
    assert wait(delays, address="2001:db8:1:2:ffff::9") > 0
    assert wait(delays, address="2001:db8:1:3::1") == 0


def test_who_signs_in_begins_anew_and_so_does_who_rests(delays: SignInDelays, clock: Clock) -> None:
    fail(delays, MAX_FAILURES_WITHOUT_DELAY)
    delays.clear_failures(EMAIL, HERE)
    fail(delays, MAX_FAILURES_WITHOUT_DELAY - 1)
    assert wait(delays) == 0
    clock.now += FAILURE_MEMORY_SECONDS
    fail(delays, MAX_FAILURES_WITHOUT_DELAY - 1)
    assert wait(delays) == 0


def test_a_flood_of_made_up_accounts_is_bounded(delays: SignInDelays) -> None:
    fail(delays, MAX_FAILURES_WITHOUT_DELAY)
    for number in range(MAX_REMEMBERED_FAILURES + 100):
        delays.count_failure(f"{number}@example.com", HERE)
    assert len(delays._failures) == MAX_REMEMBERED_FAILURES


@pytest.mark.parametrize("address", ["::ffff:203.0.113.9", "::ffff:198.51.100.7"])
def test_ipv4_clients_of_a_dual_stack_socket_do_not_wait_for_one_another(
    delays: SignInDelays, address: str
) -> None:
    for _ in range(MAX_FAILURES_WITHOUT_DELAY + 1):
        delays.count_failure(EMAIL, address)
    assert wait(delays, address=address) > 0
    assert wait(delays, address="::ffff:192.0.2.1") == 0
