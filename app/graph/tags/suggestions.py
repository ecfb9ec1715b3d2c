"""Shapes of tag suggestions and of the material they are made from (requirement 11.1)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from app.ids import NodeId


class Origin(StrEnum):
    """Who set or suggests a tag."""

    PERSON = "person"
    RULES = "rules"
    MODEL = "model"


class Tagging(NamedTuple):
    """The last time that a person set a node's tags: who, when, and which tags of a person it replaced."""

    by: str
    at: datetime
    before: tuple[str, ...]


class TagFact(NamedTuple):
    """A claim about the node, its other end, and what that one is tagged."""

    relation_type: str
    outgoing: bool
    other_name: str
    other_type: str
    quote: str | None
    other_tags: Sequence[str]


class Said(NamedTuple):
    """A fact of the space, of any of its nodes: its sentence, and the types of its ends."""

    quote: str | None
    from_type: str
    to_type: str


@dataclass(frozen=True, slots=True)
class TagMaterial:
    """The material on a node that may be tagged: its strongest claims, and the tags that it has."""

    node_id: NodeId
    canonical_name: str
    node_type: str
    aliases: tuple[str, ...]
    facts: tuple[TagFact, ...]
    tags: tuple[tuple[str, Origin], ...]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Tags for a node, at most eight, the most relevant first; `current` are those that it has."""

    node_id: NodeId
    canonical_name: str
    node_type: str
    tags: tuple[str, ...]
    by: Origin
    current: tuple[tuple[str, Origin], ...]
