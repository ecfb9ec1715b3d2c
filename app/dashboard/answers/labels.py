"""Place the labels of drawn lines so that none overlaps another or a box. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

LETTER_WIDTH = 6.2
"""The mean width of a letter at the font size of the drawing."""
_HEIGHT_ABOVE_BASELINE, _HEIGHT_BELOW_BASELINE = 9.0, 3.0


@dataclass(frozen=True)
class Spot:
    """A position for a name: a point of its base line, and the side of the name that is aligned to it."""

    x: float
    y: float
    anchor: str


@dataclass(frozen=True)
class Area:
    """An occupied rectangle."""

    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, area: "Area") -> bool:
        """Return whether the two rectangles overlap."""
        return (
            self.left < area.right
            and area.left < self.right
            and self.top < area.bottom
            and area.top < self.bottom
        )


def measure_area(text: str, spot: Spot) -> Area:
    """Return the rectangle that a name occupies at a position."""
    width = LETTER_WIDTH * len(text)
    x = spot.x - {"start": 0.0, "middle": width / 2, "end": width}[spot.anchor]
    return Area(x, spot.y - _HEIGHT_ABOVE_BASELINE, x + width, spot.y + _HEIGHT_BELOW_BASELINE)


def place_names(
    names: Sequence[str], spots: Sequence[Sequence[Spot]], occupied_areas: Sequence[Area]
) -> list[Spot | None]:
    """Return the first free position of each name, in order; None if all of its positions are occupied.

    A line without a label shows its name on hover, and the list below the drawing has it in words.
    """
    occupied_areas = list(occupied_areas)
    chosen_spots: list[Spot | None] = []
    for name, candidate_spots in zip(names, spots, strict=True):
        for spot in candidate_spots:
            area = measure_area(name, spot)
            if not any(area.overlaps(occupied_area) for occupied_area in occupied_areas):
                occupied_areas.append(area)
                chosen_spots.append(spot)
                break
        else:
            chosen_spots.append(None)
    return chosen_spots
