"""The mention counts of nodes: raised with new mentions, lowered with deleted ones, with names and votes."""

import json
from collections import defaultdict
from collections.abc import Collection, Sequence

from app.db.session import SpaceSession
from app.graph.names import normalise_name
from app.graph.resolution.entity_resolver import Candidate, KnownNode, ResolvedNode, keep_one_spelling
from app.graph.resolution.votes import Vote, build_node_with_votes
from app.graph.write import repository
from app.graph.write.repository import AddedVote, NodeUpdate
from app.ids import NodeId


def raise_mention_counts_and_rename_nodes(
    space: SpaceSession,
    resolved_nodes: Sequence[ResolvedNode],
    candidates: Sequence[Candidate],
    added_votes: Sequence[AddedVote],
    nameless_ids: Collection[NodeId],
) -> None:
    """Raise the mention counts of nodes by the mentions that were added to them, and choose their names anew.

    `added_votes` has a vote for each added mention. The nodes of `nameless_ids` lost their earlier names.
    """
    votes_by_node: dict[NodeId, list[Vote]] = defaultdict(list)
    for node_id, vote in added_votes:
        votes_by_node[node_id].append(vote)
    node_updates = []
    for resolved_node in resolved_nodes:
        assert resolved_node.known_node is not None
        changed_node = build_node_with_votes(
            resolved_node.known_node, votes_by_node[resolved_node.known_node.id], sign=1
        )
        known_node = resolved_node.known_node
        earlier_names = (
            []
            if known_node.id in nameless_ids
            else [*known_node.metadata.get("aliases", []), known_node.canonical_name]
        )
        alias_by_normalised_name: dict[str, str] = {}
        for written_name in (*earlier_names, *resolved_node.full_names.values()):
            keep_one_spelling(alias_by_normalised_name, written_name)
        own_name = normalise_name(changed_node.canonical_name)
        changed_node.metadata["aliases"] = sorted(
            written_name
            for normalised_name, written_name in alias_by_normalised_name.items()
            if normalised_name != own_name
        )
        confidence = max(candidates[index].entity.confidence for index in resolved_node.candidate_indices)
        node_updates.append(build_node_update(changed_node, len(votes_by_node[changed_node.id]), confidence))
    repository.add_mention_counts_and_set_names(space, node_updates)


def build_node_update(node: KnownNode, added_mention_count: int, confidence: float) -> NodeUpdate:
    """Return the update that adds this number of mentions to the node, and sets its name, type and votes.

    The number is negative for deleted mentions.
    """
    name = node.canonical_name
    return NodeUpdate(
        node.id,
        added_mention_count,
        name,
        normalise_name(name),
        node.node_type,
        json.dumps(node.metadata),
        confidence,
    )
