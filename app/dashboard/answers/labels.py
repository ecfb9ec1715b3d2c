"""Places the names of drawn lines where none lies over another or over a box; pure."""

from collections.abc import Sequence
from dataclasses import dataclass

LETTER = 6.2
"""The mean width of a letter of a name, at its size in the drawing."""
_ABOVE, _BELOW = 9.0, 3.0


@dataclass(frozen=True)
class Spot:
    """A place for a name: a point of its base line, and which side of the name stands there."""

    x: float
    y: float
    anchor: str


@dataclass(frozen=True)
class Area:
    """A rectangle that is taken."""

    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, area: "Area") -> bool:
        """Return whether the two have room in common."""
        return (
            self.left < area.right
            and area.left < self.right
            and self.top < area.bottom
            and area.top < self.bottom
        )


def measure_area(text: str, spot: Spot) -> Area:
    """The room that a name takes at a place."""
    width = LETTER * len(text)
    x = spot.x - {"start": 0.0, "middle": width / 2, "end": width}[spot.anchor]
    return Area(x, spot.y - _ABOVE, x + width, spot.y + _BELOW)


def place_names(
    names: Sequence[str], spots: Sequence[Sequence[Spot]], occupied: Sequence[Area]
) -> list[Spot | None]:
    """The first free place of each name, in their order; None where every one is taken.

    A line without a name says it to whoever points at it, and the list beneath has it in words.
    """
    areas = list(occupied)
    chosen_spots: list[Spot | None] = []
    for name, candidates in zip(names, spots, strict=True):
        for spot in candidates:
            area = measure_area(name, spot)
            if not any(area.overlaps(obstacle) for obstacle in areas):
                areas.append(area)
                chosen_spots.append(spot)
                break
        else:
            chosen_spots.append(None)
    return chosen_spots
