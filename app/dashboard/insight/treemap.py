"""A squarified treemap: areas in proportion to sizes, each as near to a square as its row allows. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rect:
    """A place in the picture."""

    x: float
    y: float
    width: float
    height: float

    def inset(self, by: float, *, top: float = 0.0) -> "Rect":
        """The place within a border, below a heading of that height; never of less than no size."""
        return Rect(
            self.x + by,
            self.y + by + top,
            max(0.0, self.width - 2 * by),
            max(0.0, self.height - 2 * by - top),
        )


def squarify(sizes: Sequence[float], rect: Rect) -> list[Rect]:
    """A rectangle for each size, in their order, that fill the place; sizes are above 0, the largest first.

    Rows are laid along the shorter side; one more joins a row as long as that makes its worst shape better
    (Bruls, Huizing and van Wijk, 2000).
    """
    total = sum(sizes)
    if not sizes or total <= 0 or rect.width <= 0 or rect.height <= 0:
        return [Rect(rect.x, rect.y, 0.0, 0.0) for _ in sizes]
    areas = [size * rect.width * rect.height / total for size in sizes]
    rects: list[Rect] = []
    free_rect, begin = rect, 0
    while begin < len(areas):
        side = min(free_rect.width, free_rect.height)
        end = begin + 1
        worst = _compute_worst_ratio(areas[begin:end], side)
        while end < len(areas) and (longer := _compute_worst_ratio(areas[begin : end + 1], side)) <= worst:
            worst, end = longer, end + 1
        free_rect = _lay_out_row(areas[begin:end], free_rect, rects)
        begin = end
    return rects


def _compute_worst_ratio(row: Sequence[float], side: float) -> float:
    """The longest side over the shortest of the row's rectangles, of the worst of them."""
    total = sum(row)
    if total <= 0 or side <= 0:
        return float("inf")
    return max(side**2 * max(row) / total**2, total**2 / (side**2 * max(min(row), 1e-9)))


def _lay_out_row(row: Sequence[float], rect: Rect, rects: list[Rect]) -> Rect:
    """Add the row's rectangles along the shorter side, and return the place that is left."""
    total = sum(row)
    if rect.width >= rect.height:
        depth, offset = total / rect.height if rect.height else 0.0, rect.y
        for area in row:
            length = area / depth if depth else 0.0
            rects.append(Rect(rect.x, offset, depth, length))
            offset += length
        return Rect(rect.x + depth, rect.y, max(0.0, rect.width - depth), rect.height)
    depth, offset = total / rect.width if rect.width else 0.0, rect.x
    for area in row:
        length = area / depth if depth else 0.0
        rects.append(Rect(offset, rect.y, length, depth))
        offset += length
    return Rect(rect.x, rect.y + depth, rect.width, max(0.0, rect.height - depth))
