"""Settings of the gate, in a module without dependencies."""

from dataclasses import dataclass
from datetime import timedelta

FIRM_LENGTH = 5.0
"""Length of a pooled vector above which the drift threshold decreases."""
MIN_FACTS = 2
"""Minimum number of facts for a summary: a single fact speaks for itself."""


@dataclass(frozen=True, slots=True)
class GateSettings:
    """Thresholds of the gate.

    `drift_threshold` is a cosine distance, 0 to 2, for facts with a pooled length of at most `FIRM_LENGTH`;
    longer vectors get a smaller one. `burst_episodes` within `burst_window` make a burst, during which
    refreshes are deferred until `burst_cap` episodes have been deferred.
    """

    drift_threshold: float = 0.001
    burst_window: timedelta = timedelta(minutes=5)
    burst_episodes: int = 3
    burst_cap: int = 20
    staleness_limit: timedelta = timedelta(days=30)
