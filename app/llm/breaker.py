"""The circuit breaker: a provider that is down is not asked again and again (fault row 14)."""

import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

from app.llm.errors import AskedToWait, Parked

THRESHOLD = 4
COOLDOWN, LONGEST_COOLDOWN = 30.0, 600.0


@dataclass
class Breaker:
    """Closed until `threshold` failures in a row, then open for a cool-down that doubles, then one probe.

    While it is open `admit` raises Parked. `clock` gives seconds that never go back.
    """

    clock: Callable[[], float]
    threshold: int = THRESHOLD
    cooldown: float = COOLDOWN
    _failures: int = 0
    _openings: int = 0
    _open_until: float | None = None
    _probing: bool = False
    _reason: str = ""
    _binding: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def is_open(self) -> bool:
        """True where the next call would be refused, or be the probe."""
        return self._open_until is not None

    @property
    def may_be_tried(self) -> bool:
        """True where it is open for a cause that may end at any moment: not where the provider named one."""
        return self._open_until is not None and not self._binding

    def admit(self) -> None:
        """Let a call through. Raises Parked with the seconds until it is worth trying."""
        with self._lock:
            if self._open_until is None:
                return
            seconds = self._open_until - self.clock()
            refusal = AskedToWait if self._binding else Parked
            if seconds > 0:
                raise refusal(self._reason, retry_after=seconds)
            if self._probing:
                raise refusal(self._reason, retry_after=self.cooldown / 6)
            self._probing = True

    def record_success(self) -> None:
        """The provider answered: whatever it said, it is there."""
        with self._lock:
            self._failures = self._openings = 0
            self._open_until = None
            self._probing = self._binding = False

    def record_failure(self, reason: str) -> None:
        """The provider did not answer, or not as itself."""
        with self._lock:
            self._failures += 1
            self._reason = reason
            if self._probing or self._failures >= self.threshold:
                self._open(min(LONGEST_COOLDOWN, self.cooldown * 2**self._openings), binding=False)

    def record_undecided(self) -> None:
        """The call said nothing about the provider's health (a rate limit): a probe may be made again."""
        with self._lock:
            self._probing = False

    def open_for(self, seconds: float, reason: str, *, binding: bool = False) -> None:
        """Open at once, for a refusal that concerns every call: a wrong key, a used-up quota.

        With `binding` the provider itself named the time, and is not asked before.
        """
        with self._lock:
            self._reason = reason
            self._open(seconds, binding=binding)

    def _open(self, seconds: float, *, binding: bool) -> None:
        # Calls that were in flight when it opened fail as well: they are one outage, not several.
        now = self.clock()
        if self._open_until is None or self._open_until <= now or self._probing:
            self._openings = min(self._openings + 1, 20)
            self._open_until = now + seconds
            self._binding = binding
        self._probing = False


@dataclass
class Breakers:
    """One breaker per key, such as (tenant, provider): one tenant's dead server is nobody else's."""

    clock: Callable[[], float]
    threshold: int = THRESHOLD
    cooldown: float = COOLDOWN
    _made: dict[Hashable, Breaker] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def list_retryable(self) -> dict[Hashable, Breaker]:
        """The open ones whose cause may have ended without a word, by their keys."""
        with self._lock:
            return {key: breaker for key, breaker in self._made.items() if breaker.may_be_tried}

    def get_breaker(self, key: Hashable) -> Breaker:
        """The breaker of this key."""
        with self._lock:
            if key not in self._made:
                self._made[key] = Breaker(self.clock, self.threshold, self.cooldown)
            return self._made[key]
