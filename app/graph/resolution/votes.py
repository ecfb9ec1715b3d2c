"""A node's name, type and senses by the votes of its mentions, which can be added and taken back. Pure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from app.graph.resolution.entity_resolver import KnownNode, choose_canonical_name, choose_node_type

GIVEN = "given"
"""Where a node's metadata have the name that a person gave it, the one before, and whether it was new."""


class Vote(NamedTuple):
    """One mention's name, the type where its text shows one, and the sense where it says one."""

    name: str
    node_type: str | None
    sense: str | None = None


def name_with_sense(name: str, sense: str) -> str:
    """The canonical name of a thing of one sense: "Mercury (planet)"."""
    bracket = f" ({sense})"
    return name if not sense or name.endswith(bracket) else name + bracket


def choose_name_by_votes(metadata: Mapping[str, Any], names: Counter[str], *, fallback: str) -> str:
    """The name that a person gave, else that of most mentions with its sense, else the fallback."""
    given_name = metadata.get(GIVEN)
    if given_name:
        return str(given_name["name"])
    return name_with_sense(choose_canonical_name(names), metadata.get("sense", "")) if names else fallback


def apply_mention_votes(node: KnownNode, mentions: Sequence[Vote], *, sign: int) -> KnownNode:
    """The node as these mentions leave it when they come (1) or go (-1)."""
    metadata = dict(node.metadata)
    names, types = Counter(metadata.get("nameVotes", {})), Counter(metadata.get("typeVotes", {}))
    senses = Counter(metadata.get("senseVotes", {}))
    for name, node_type, sense in mentions:
        names[name] += sign
        if node_type is not None:
            types[node_type] += sign
        if sense is not None:
            senses[sense] += sign
    names, types, senses = +names, +types, +senses
    # Where no text shows a type, or none that is still there, it is assumed. A type that came with an import
    # of nodes without texts, which have no votes, stays.
    is_voted = bool(types) or (bool(names) and "typeVotes" in metadata)
    metadata["nameVotes"], metadata["typeVotes"] = dict(names), dict(types)
    metadata.pop("senseVotes", None)
    if senses:
        metadata["senseVotes"] = dict(senses)
    return KnownNode(
        node.id,
        choose_name_by_votes(metadata, names, fallback=node.canonical_name),
        choose_node_type(types) if is_voted else node.node_type,
        node.mention_count + sign * len(mentions),
        metadata,
    )
