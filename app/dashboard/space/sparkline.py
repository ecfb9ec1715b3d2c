"""A row of numbers as a small line, drawn on the server as SVG."""

from collections.abc import Sequence

from markupsafe import Markup

WIDTH, HEIGHT = 120.0, 28.0
_EDGE = 2.0


def sparkline(values: Sequence[float], label: str) -> Markup:
    """The line from the first value to the last, above a fill; flat at the bottom where nothing counts.

    `label` is what a reader hears instead.
    """
    if len(values) < 2:
        return Markup("")
    top = max(values)
    step = WIDTH / (len(values) - 1)
    reach = HEIGHT - 2 * _EDGE
    points = [
        (index * step, HEIGHT - _EDGE - (reach * value / top if top > 0 else 0.0))
        for index, value in enumerate(values)
    ]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return Markup(
        '<svg class="sparkline" viewBox="0 0 {width:g} {height:g}" preserveAspectRatio="none" role="img"'
        ' aria-label="{label}"><polygon points="0,{height:g} {line} {width:g},{height:g}"/>'
        '<polyline points="{line}"/></svg>'
    ).format(width=WIDTH, height=HEIGHT, label=label, line=line)
