"""How long an address must wait after wrong passwords for one account.

Failures are counted by account and address together, so an attacker who guesses delays only that address, and
the owner can sign in from elsewhere meanwhile. Accounts that do not exist are counted in the same way, so
that they cannot be told apart. Each process counts for itself (docs/decisions/0056).
"""

import hashlib
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from app.domain.client_networks import compute_network_of_client
from app.errors import TooMany

MAX_FAILURES_WITHOUT_DELAY = 5
"""Number of consecutive wrong passwords without a delay."""
FIRST_DELAY_SECONDS = 2.0
"""The first delay; each further failure doubles it."""
MAX_DELAY_SECONDS = 900.0
FAILURE_MEMORY_SECONDS = 3_600.0
"""Failures are forgotten after this time without another one."""
MAX_REMEMBERED_FAILURES = 50_000


class TooManyFailures(TooMany):
    """This address has failed too often; it may try again after some time."""

    code = "too_many_failures"

    def __init__(self, seconds: float) -> None:
        self.retry_after = seconds
        super().__init__(f"Too many wrong passwords from here: try again in {math.ceil(seconds)} seconds.")


@dataclass
class _Failures:
    count: int
    last_at: float
    delayed_until: float


class SignInDelays:
    """Counts wrong passwords by account and address; above the limit the oldest entries are forgotten."""

    def __init__(self, *, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = threading.Lock()
        # In the order of the last failure.
        self._failures: OrderedDict[bytes, _Failures] = OrderedDict()

    def check_not_delayed(self, email: str, client_address: str) -> None:
        """Raise TooManyFailures while the address has to wait."""
        with self._lock:
            failures = self._failures.get(_hash_email_and_network(email, client_address))
            now = self._now()
            if failures is not None and failures.delayed_until > now:
                raise TooManyFailures(failures.delayed_until - now)

    def count_failure(self, email: str, client_address: str) -> None:
        """Count a wrong password."""
        key, now = _hash_email_and_network(email, client_address), self._now()
        with self._lock:
            failures = self._failures.pop(key, None)
            failure_count = 1
            if failures is not None and now - failures.last_at < FAILURE_MEMORY_SECONDS:
                failure_count = failures.count + 1
            self._failures[key] = _Failures(failure_count, now, now + _compute_delay_seconds(failure_count))
            if len(self._failures) > MAX_REMEMBERED_FAILURES:
                self._failures.popitem(last=False)

    def clear_failures(self, email: str, client_address: str) -> None:
        """Reset the count after a successful sign-in from there."""
        with self._lock:
            self._failures.pop(_hash_email_and_network(email, client_address), None)


def _compute_delay_seconds(failure_count: int) -> float:
    excess_failures = failure_count - MAX_FAILURES_WITHOUT_DELAY
    return (
        0.0
        if excess_failures < 0
        else min(MAX_DELAY_SECONDS, FIRST_DELAY_SECONDS * 2.0 ** min(excess_failures, 30))
    )


def _hash_email_and_network(email: str, client_address: str) -> bytes:
    return hashlib.blake2b(
        f"{compute_network_of_client(client_address)} {email.strip().lower()}".encode(), digest_size=16
    ).digest()
