"""A squarified treemap: areas proportional to sizes, each as close to a square as its row allows. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle of the picture."""

    x: float
    y: float
    width: float
    height: float

    def inset(self, margin: float, *, heading_height: float = 0.0) -> "Rect":
        """Return the rectangle inside a border and below a heading; no size is negative."""
        return Rect(
            self.x + margin,
            self.y + margin + heading_height,
            max(0.0, self.width - 2 * margin),
            max(0.0, self.height - 2 * margin - heading_height),
        )


def compute_treemap_rectangles(sizes: Sequence[float], rect: Rect) -> list[Rect]:
    """Return a rectangle for each size, in order, which together fill `rect`.

    Sizes are positive and sorted in descending order. Rows are laid along the shorter side; a rectangle joins
    the current row as long as that improves the row's worst aspect ratio (Bruls, Huizing and van Wijk, 2000).
    """
    total_size = sum(sizes)
    if not sizes or total_size <= 0 or rect.width <= 0 or rect.height <= 0:
        return [Rect(rect.x, rect.y, 0.0, 0.0) for _ in sizes]
    areas = [size * rect.width * rect.height / total_size for size in sizes]
    rects: list[Rect] = []
    free_rect, row_start = rect, 0
    while row_start < len(areas):
        side_length = min(free_rect.width, free_rect.height)
        row_end = row_start + 1
        worst_ratio = _compute_worst_ratio(areas[row_start:row_end], side_length)
        while (
            row_end < len(areas)
            and (longer_row_ratio := _compute_worst_ratio(areas[row_start : row_end + 1], side_length))
            <= worst_ratio
        ):
            worst_ratio, row_end = longer_row_ratio, row_end + 1
        free_rect = _append_row_and_return_free_area(areas[row_start:row_end], free_rect, rects)
        row_start = row_end
    return rects


def _compute_worst_ratio(row_areas: Sequence[float], side_length: float) -> float:
    """Return the greatest aspect ratio (longer side over shorter) of the row's rectangles."""
    total_area = sum(row_areas)
    if total_area <= 0 or side_length <= 0:
        return float("inf")
    return max(
        side_length**2 * max(row_areas) / total_area**2,
        total_area**2 / (side_length**2 * max(min(row_areas), 1e-9)),
    )


def _append_row_and_return_free_area(row_areas: Sequence[float], rect: Rect, rects: list[Rect]) -> Rect:
    """Append the row's rectangles, laid along the shorter side, to `rects`; return the remaining area."""
    total_area = sum(row_areas)
    if rect.width >= rect.height:
        depth, offset = total_area / rect.height if rect.height else 0.0, rect.y
        for area in row_areas:
            length = area / depth if depth else 0.0
            rects.append(Rect(rect.x, offset, depth, length))
            offset += length
        return Rect(rect.x + depth, rect.y, max(0.0, rect.width - depth), rect.height)
    depth, offset = total_area / rect.width if rect.width else 0.0, rect.x
    for area in row_areas:
        length = area / depth if depth else 0.0
        rects.append(Rect(offset, rect.y, length, depth))
        offset += length
    return Rect(rect.x, rect.y + depth, rect.width, max(0.0, rect.height - depth))
