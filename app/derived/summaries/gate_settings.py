"""How patient the gate is, and which nodes it looks at: values alone, for whoever only asks when."""

from dataclasses import dataclass
from datetime import timedelta

FIRM = 5.0
"""Length of a pool past which one more fact turns it too little for the drift threshold as it stands."""
LEAST_FACTS = 2
"""A node of one fact is told by that fact: it gets no summary."""


@dataclass(frozen=True, slots=True)
class GateSettings:
    """How patient the gate is.

    `threshold` is a cosine distance, 0 to 2, for facts that pool to a length of at most `FIRM`; of more
    facts it takes less (`threshold`). `burst_episodes` within `burst_window` make a burst, which is waited
    out unless it has held off `burst_cap` episodes.
    """

    drift_threshold: float = 0.001
    burst_window: timedelta = timedelta(minutes=5)
    burst_episodes: int = 3
    burst_cap: int = 20
    staleness_limit: timedelta = timedelta(days=30)
