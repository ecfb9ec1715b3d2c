"""A node's name, type and senses by the votes of its mentions, which can be added and taken back. Pure.

Votes of the most trusted documents decide alone: one that is trusted less names and types only what none of
them does (decision 100).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from app.domain.node_types import DEFAULT_TYPE
from app.graph.resolution.entity_resolver import KnownNode, choose_canonical_name, choose_node_type

GIVEN = "given"
"""Where a node's metadata have the name that a person gave it, the one before, and whether it was new."""


LESS_TRUSTED = "lessTrustedVotes"
"""Where a node's metadata have the votes of documents that are trusted less than 1, by their trust."""
KINDS = ("nameVotes", "typeVotes", "senseVotes")


class Vote(NamedTuple):
    """One mention's name, the type where its text shows one, the sense where it says one, and the trust in
    its document.
    """

    name: str
    node_type: str | None
    sense: str | None = None
    trust: float = 1.0


def name_with_sense(name: str, sense: str) -> str:
    """The canonical name of a thing of one sense: "Mercury (planet)"."""
    bracket = f" ({sense})"
    return name if not sense or name.endswith(bracket) else name + bracket


def most_trusted_votes(metadata: Mapping[str, Any], kind: str) -> Counter[str]:
    """The votes of this kind of the most trusted documents that vote at all."""
    trusted = Counter(metadata.get(kind, {}))
    less_trusted: Mapping[str, Any] = metadata.get(LESS_TRUSTED, {})
    for votes in less_trusted.values():
        trusted.subtract(votes.get(kind, {}))
    if +trusted:
        return +trusted
    levels = sorted(less_trusted, key=float, reverse=True)
    return next((Counter(votes) for level in levels if (votes := less_trusted[level].get(kind))), Counter())


def choose_name_by_votes(metadata: Mapping[str, Any], *, fallback: str) -> str:
    """The name that a person gave, else that of most mentions with its sense, else the fallback."""
    given_name = metadata.get(GIVEN)
    if given_name:
        return str(given_name["name"])
    names = most_trusted_votes(metadata, "nameVotes")
    return name_with_sense(choose_canonical_name(names), metadata.get("sense", "")) if names else fallback


def choose_type_by_votes(metadata: Mapping[str, Any], *, fallback: str) -> str:
    """The type that most mentions show, else the fallback."""
    types = most_trusted_votes(metadata, "typeVotes")
    return choose_node_type(types) if types else fallback


def count_votes(metadata: Mapping[str, Any], votes: Mapping[Vote, int]) -> dict[str, Any]:
    """The metadata as these votes leave them, each as often as it comes, or less than 0 where it goes."""
    changed = dict(metadata)
    levels: dict[str, Any] = dict(changed.pop(LESS_TRUSTED, {}))
    counters = {kind: Counter(changed.pop(kind, {})) for kind in KINDS}
    lesser = {level: {kind: Counter(levels[level].get(kind, {})) for kind in KINDS} for level in levels}
    for vote, count in votes.items():
        counted = [counters]
        if vote.trust < 1:
            counted.append(lesser.setdefault(str(vote.trust), {kind: Counter() for kind in KINDS}))
        for kind, value in zip(KINDS, vote, strict=False):
            for by_kind in counted if value is not None else ():
                by_kind[kind][str(value)] += count
    names, types, senses = (dict(+counters[kind]) for kind in KINDS)
    changed |= {"nameVotes": names, "typeVotes": types, **({"senseVotes": senses} if senses else {})}
    # No level has more than all: the trust in a document may have changed since it was counted.
    remaining = {
        level: {kind: dict(votes) for kind, counter in by_kind.items() if (votes := counter & counters[kind])}
        for level, by_kind in lesser.items()
    }
    if any(remaining.values()):
        changed[LESS_TRUSTED] = {level: by_kind for level, by_kind in remaining.items() if by_kind}
    return changed


def apply_mention_votes(node: KnownNode, mentions: Sequence[Vote], *, sign: int) -> KnownNode:
    """The node as these mentions leave it when they come (1) or go (-1)."""
    counts = {vote: sign * count for vote, count in Counter(mentions).items()}
    metadata = count_votes(node.metadata, counts)
    # Where no text shows a type, or none that is still there, it is assumed. A type that came with an import
    # of nodes without texts, which have no votes, stays.
    is_voted = bool(metadata["typeVotes"]) or (bool(metadata["nameVotes"]) and "typeVotes" in node.metadata)
    return KnownNode(
        node.id,
        choose_name_by_votes(metadata, fallback=node.canonical_name),
        choose_type_by_votes(metadata, fallback=DEFAULT_TYPE if is_voted else node.node_type),
        node.mention_count + sign * len(mentions),
        metadata,
    )
