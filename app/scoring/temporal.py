"""How fresh a result is (requirement 9.4)."""

from datetime import datetime, timedelta

HALF_LIFE = timedelta(days=30)
"""Age at which half of the weight is left; requirement 9.4 names the weight and leaves its scale open."""


def temporal(last_seen_at: datetime | None, *, now: datetime, half_life: timedelta = HALF_LIFE) -> float:
    """1.0 for something seen now or later, halving every `half_life`; 0 for what was never seen (None)."""
    if last_seen_at is None:
        return 0.0
    age = (now - last_seen_at) / half_life
    return 1.0 if age <= 0 else float(0.5**age)
