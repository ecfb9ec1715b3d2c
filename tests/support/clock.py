"""A clock that stands still until a test moves it."""


class Clock:
    """Seconds since some moment; `now` is what it says."""

    now = 0.0

    def __call__(self) -> float:
        return self.now
