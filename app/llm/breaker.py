"""A circuit breaker, so that a provider that is down is not called repeatedly (fault row 14)."""

import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

from app.llm.errors import AskedToWait, Parked

FAILURE_THRESHOLD = 4
COOLDOWN_SECONDS, MAX_COOLDOWN_SECONDS = 30.0, 600.0


@dataclass
class Breaker:
    """Opens after `threshold` consecutive failures, and lets one probe through after a cool-down.

    The cool-down doubles with each opening. While the breaker is open, `admit_call` raises Parked. `clock`
    returns monotonic seconds.
    """

    clock: Callable[[], float]
    threshold: int = FAILURE_THRESHOLD
    cooldown: float = COOLDOWN_SECONDS
    _failure_count: int = 0
    _opening_count: int = 0
    _open_until: float | None = None
    _is_probing: bool = False
    _reason: str = ""
    _is_binding: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def is_open(self) -> bool:
        """True if the next call would be refused, or be the probe."""
        return self._open_until is not None

    @property
    def may_recover_at_any_moment(self) -> bool:
        """True if its cause may end at any moment; False if the provider named a time."""
        return self._open_until is not None and not self._is_binding

    def admit_call(self) -> None:
        """Let a call through, or raise Parked with the seconds until the next try."""
        with self._lock:
            if self._open_until is None:
                return
            seconds_left = self._open_until - self.clock()
            refusal_class = AskedToWait if self._is_binding else Parked
            if seconds_left > 0:
                raise refusal_class(self._reason, retry_after=seconds_left)
            if self._is_probing:
                raise refusal_class(self._reason, retry_after=self.cooldown / 6)
            self._is_probing = True

    def record_answer_and_close(self) -> None:
        """Close the breaker: the provider answered, whatever it said."""
        with self._lock:
            self._failure_count = self._opening_count = 0
            self._open_until = None
            self._is_probing = self._is_binding = False

    def record_failure(self, reason: str) -> None:
        """Count a failure: the provider did not answer, or something else answered in its place."""
        with self._lock:
            self._failure_count += 1
            self._reason = reason
            if self._is_probing or self._failure_count >= self.threshold:
                self._open_circuit(
                    min(MAX_COOLDOWN_SECONDS, self.cooldown * 2**self._opening_count), is_binding=False
                )

    def allow_another_probe(self) -> None:
        """Allow another probe: the result, such as a rate limit, said nothing about the provider's health."""
        with self._lock:
            self._is_probing = False

    def open_circuit_for(self, seconds: float, reason: str, *, is_binding: bool = False) -> None:
        """Open at once, for a refusal that affects every call, such as a wrong key or an exhausted quota.

        With `is_binding` the provider named the time itself, and is not called before it is over.
        """
        with self._lock:
            self._reason = reason
            self._open_circuit(seconds, is_binding=is_binding)

    def _open_circuit(self, seconds: float, *, is_binding: bool) -> None:
        # Calls in flight when the breaker opens fail too; they belong to the same outage.
        now = self.clock()
        if self._open_until is None or self._open_until <= now or self._is_probing:
            self._opening_count = min(self._opening_count + 1, 20)
            self._open_until = now + seconds
            self._is_binding = is_binding
        self._is_probing = False


@dataclass
class Breakers:
    """One breaker per key, such as (tenant, provider), so that one tenant's outage affects no other."""

    clock: Callable[[], float]
    threshold: int = FAILURE_THRESHOLD
    cooldown: float = COOLDOWN_SECONDS
    _breaker_by_key: dict[Hashable, Breaker] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def list_retryable_breakers(self) -> dict[Hashable, Breaker]:
        """Return, by key, the open breakers whose cause may end at any moment."""
        with self._lock:
            return {
                key: breaker
                for key, breaker in self._breaker_by_key.items()
                if breaker.may_recover_at_any_moment
            }

    def get_breaker(self, key: Hashable) -> Breaker:
        """Return the breaker of this key, creating it if needed."""
        with self._lock:
            if key not in self._breaker_by_key:
                self._breaker_by_key[key] = Breaker(self.clock, self.threshold, self.cooldown)
            return self._breaker_by_key[key]
