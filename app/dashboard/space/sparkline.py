"""A row of numbers as small bars, drawn on the server as SVG."""

from collections.abc import Sequence

from markupsafe import Markup

WIDTH, HEIGHT = 120.0, 28.0
_BAR_SHARE = 0.68
"""The share of each value's width that its bar fills."""
_MIN_BAR_HEIGHT = 1.5
"""The height of the bar of a zero, so that the day is visible."""


def draw_sparkline(values: Sequence[float], label: str) -> Markup:
    """Draw a bar for each value, the first on the left; all flat if every value is 0.

    `label` is the text for screen readers.
    """
    if len(values) < 2:
        return Markup("")
    largest_value = max(values)
    step = WIDTH / len(values)
    bars = Markup("")
    for index, value in enumerate(values):
        height = (
            max(_MIN_BAR_HEIGHT, HEIGHT * value / largest_value)
            if largest_value > 0 and value > 0
            else _MIN_BAR_HEIGHT
        )
        bars += Markup(
            '<rect{kind} x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}"/>'
        ).format(
            kind="" if value > 0 else Markup(' class="none"'),
            x=index * step + step * (1 - _BAR_SHARE) / 2,
            y=HEIGHT - height,
            width=step * _BAR_SHARE,
            height=height,
        )
    return Markup(
        '<svg class="sparkline" viewBox="0 0 {width:g} {height:g}" preserveAspectRatio="none" role="img"'
        ' aria-label="{label}">{bars}</svg>'
    ).format(width=WIDTH, height=HEIGHT, label=label, bars=bars)
