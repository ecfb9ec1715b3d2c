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
        settings.promotion_threshold if own.promotion_threshold is None else own.promotion_threshold,
        settings.fan_out if own.fan_out is None else own.fan_out,
        settings.max_facts if own.max_facts is None else own.max_facts,
        settings.max_tags if own.max_tags is None else own.max_tags,
    )
