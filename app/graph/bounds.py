"""The numbers of a space's graph and of questions to it: the platform's where the space sets none of its own."""

from dataclasses import dataclass

from app.db.session import SpaceSession
from app.settings import Settings
from app.spaces import service as spaces


@dataclass(frozen=True, slots=True)
class Bounds:
    """Mentions that make a node established (requirement 3.3), edges of a node and facts of an answer (9.1).

    `max_tags` are those of a node (11.1).
    """

    promotion_threshold: int
    fan_out: int
    max_facts: int
    max_tags: int


def bounds_of(space: SpaceSession, settings: Settings) -> Bounds:
    """The numbers of the open space. No statement: its settings came with the door."""
    own = spaces.settings_of(space)
    return Bounds(
        own.chosen(settings, "promotion_threshold"),
        own.chosen(settings, "fan_out"),
        own.chosen(settings, "max_facts"),
        own.chosen(settings, "max_tags"),
    )
