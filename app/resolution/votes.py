"""A node's name, type and senses by the votes of its mentions, which can be added and taken back. Pure."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from app.resolution.entity_resolver import KnownNode, choose_name, choose_type


class Vote(NamedTuple):
    """One mention's name, the type where its text shows one, and the sense where it says one."""

    name: str
    node_type: str | None
    sense: str | None = None


def with_sense(name: str, sense: str) -> str:
    """The canonical name of a thing of one sense: "Mercury (planet)"."""
    bracket = f" ({sense})"
    return name if not sense or name.endswith(bracket) else name + bracket


def apply_votes(node: KnownNode, mentions: Sequence[Vote], *, sign: int) -> KnownNode:
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
    metadata["nameVotes"], metadata["typeVotes"] = dict(names), dict(types)
    if senses or "senseVotes" in metadata:
        metadata["senseVotes"] = dict(senses)
    return KnownNode(
        node.id,
        with_sense(choose_name(names), metadata.get("sense", "")) if names else node.canonical_name,
        choose_type(types) if types else node.node_type,
        node.mention_count + sign * len(mentions),
        metadata,
    )
