"""Data shapes of tag suggestions and of the material for them (requirement 11.1)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from app.ids import NodeId


class Origin(StrEnum):
    """Who set or suggested a tag."""

    PERSON = "person"
    RULES = "rules"
    MODEL = "model"


class Tagging(NamedTuple):
    """The last time that a person set a node's tags: who, when, and the tags set by a person before."""

    by: str
    at: datetime
    before: tuple[str, ...]


class TagCount(NamedTuple):
    """A tag and the number of nodes that have it."""

    tag: str
    nodes: int


class NodeTag(NamedTuple):
    """A tag of a node, and who set it."""

    tag: str
    origin: Origin


class TagFact(NamedTuple):
    """A claim about a node: its relation, its other end, and the tags of that."""

    relation_type: str
    outgoing: bool
    other_name: str
    other_type: str
    quote: str | None
    other_tags: Sequence[str]


class SpaceFact(NamedTuple):
    """A fact of the space about any node: its sentence, and the types of its ends."""

    quote: str | None
    from_type: str
    to_type: str


@dataclass(frozen=True, slots=True)
class TagMaterial:
    """The material for suggesting tags for a node: its strongest claims, and its present tags."""

    node_id: NodeId
    canonical_name: str
    node_type: str
    aliases: tuple[str, ...]
    facts: tuple[TagFact, ...]
    tags: tuple[NodeTag, ...]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Suggested tags for a node, at most eight, most relevant first; `current` are its present tags."""

    node_id: NodeId
    canonical_name: str
    node_type: str
    tags: tuple[str, ...]
    by: Origin
    current: tuple[NodeTag, ...]
