"""A node's name, type and senses by the votes of its mentions, which can be added and removed. Pure.

Only the votes of the most trusted documents count: votes of less trusted ones decide name and type only if no
others exist (decision 100).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from app.domain.node_types import DEFAULT_TYPE
from app.graph.resolution.entity_resolver import KnownNode, choose_canonical_name, choose_node_type

GIVEN_NAME_KEY = "given"
"""The metadata key of the name given by a person, the name before it, and whether it was new."""


LESS_TRUSTED_VOTES_KEY = "lessTrustedVotes"
"""The metadata key of the votes from documents with a trust below 1, by their trust."""
VOTE_KINDS = ("nameVotes", "typeVotes", "senseVotes")


class Vote(NamedTuple):
    """The vote of one mention: its name, type and sense, if its text shows them, and the document's trust."""

    name: str
    node_type: str | None
    sense: str | None = None
    trust: float = 1.0


def format_name_with_sense(name: str, sense: str) -> str:
    """Return the canonical name of an entity with a sense: "Mercury (planet)"."""
    bracket = f" ({sense})"
    return name if not sense or name.endswith(bracket) else name + bracket


def count_votes_of_most_trusted_documents(metadata: Mapping[str, Any], votes_key: str) -> Counter[str]:
    """Return the votes of this kind from the most trusted documents that have any."""
    trusted_votes = Counter(metadata.get(votes_key, {}))
    votes_by_trust: Mapping[str, Any] = metadata.get(LESS_TRUSTED_VOTES_KEY, {})
    for votes in votes_by_trust.values():
        trusted_votes.subtract(votes.get(votes_key, {}))
    if +trusted_votes:
        return +trusted_votes
    trust_levels = sorted(votes_by_trust, key=float, reverse=True)
    return next(
        (
            Counter(votes)
            for trust_level in trust_levels
            if (votes := votes_by_trust[trust_level].get(votes_key))
        ),
        Counter(),
    )


def choose_name_by_votes(metadata: Mapping[str, Any], *, fallback: str) -> str:
    """Return the name given by a person, else the most mentioned one with its sense, else the fallback."""
    given_name = metadata.get(GIVEN_NAME_KEY)
    if given_name:
        return str(given_name["name"])
    name_votes = count_votes_of_most_trusted_documents(metadata, "nameVotes")
    return (
        format_name_with_sense(choose_canonical_name(name_votes), metadata.get("sense", ""))
        if name_votes
        else fallback
    )


def choose_type_by_votes(metadata: Mapping[str, Any], *, fallback: str) -> str:
    """Return the most mentioned type, else the fallback."""
    type_votes = count_votes_of_most_trusted_documents(metadata, "typeVotes")
    return choose_node_type(type_votes) if type_votes else fallback


def build_metadata_with_votes(metadata: Mapping[str, Any], votes: Mapping[Vote, int]) -> dict[str, Any]:
    """Return the metadata with these votes added; a negative count removes votes."""
    changed_metadata = dict(metadata)
    stored_votes_by_trust: dict[str, Any] = dict(changed_metadata.pop(LESS_TRUSTED_VOTES_KEY, {}))
    total_counters = {kind: Counter(changed_metadata.pop(kind, {})) for kind in VOTE_KINDS}
    counters_by_trust = {
        trust_level: {kind: Counter(stored_votes_by_trust[trust_level].get(kind, {})) for kind in VOTE_KINDS}
        for trust_level in stored_votes_by_trust
    }
    for vote, count in votes.items():
        changed_counters = [total_counters]
        if vote.trust < 1:
            changed_counters.append(
                counters_by_trust.setdefault(str(vote.trust), {kind: Counter() for kind in VOTE_KINDS})
            )
        for kind, value in zip(VOTE_KINDS, vote, strict=False):
            for counters_by_kind in changed_counters if value is not None else ():
                counters_by_kind[kind][str(value)] += count
    names, types, senses = (dict(+total_counters[kind]) for kind in VOTE_KINDS)
    changed_metadata |= {"nameVotes": names, "typeVotes": types, **({"senseVotes": senses} if senses else {})}
    # A level may not exceed the total: a document's trust may have changed since its votes were counted.
    remaining_votes = {
        trust_level: {
            kind: dict(votes)
            for kind, counter in counters_by_kind.items()
            if (votes := counter & total_counters[kind])
        }
        for trust_level, counters_by_kind in counters_by_trust.items()
    }
    if any(remaining_votes.values()):
        changed_metadata[LESS_TRUSTED_VOTES_KEY] = {
            trust_level: counters_by_kind
            for trust_level, counters_by_kind in remaining_votes.items()
            if counters_by_kind
        }
    return changed_metadata


def build_node_with_votes(node: KnownNode, votes: Sequence[Vote], *, sign: int) -> KnownNode:
    """Return the node after these mentions are added (`sign` 1) or removed (`sign` -1)."""
    counts = {vote: sign * count for vote, count in Counter(votes).items()}
    metadata = build_metadata_with_votes(node.metadata, counts)
    # If no remaining text shows a type, the default is assumed. The type of imported nodes without texts,
    # which have no votes, stays.
    is_voted = bool(metadata["typeVotes"]) or (bool(metadata["nameVotes"]) and "typeVotes" in node.metadata)
    return KnownNode(
        node.id,
        choose_name_by_votes(metadata, fallback=node.canonical_name),
        choose_type_by_votes(metadata, fallback=DEFAULT_TYPE if is_voted else node.node_type),
        node.mention_count + sign * len(votes),
        metadata,
    )
