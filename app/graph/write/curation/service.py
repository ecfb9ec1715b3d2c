"""A person's decisions about nodes other than merging and splitting: names, and pairs kept apart.

A name given by a person takes precedence over the votes of mentions, which are still counted. Every change
runs under the graph's lock, writes an audit row, and can be undone.
"""

from datetime import UTC, datetime

from app.db.changes import Change
from app.db.session import SpaceSession
from app.errors import Conflict, InvalidInput, NotFound
from app.graph import input_checks
from app.graph.names import normalise_name
from app.graph.resolution.entity_resolver import KnownNode
from app.graph.resolution.shapes import NameAndType, sort_pair
from app.graph.resolution.unmerge_plan import NameRow, NodeWithNames
from app.graph.resolution.votes import (
    GIVEN_NAME_KEY,
    build_metadata_with_votes,
    choose_name_by_votes,
    choose_type_by_votes,
)
from app.graph.shapes import Node
from app.graph.write import merge_repository, merges, near_duplicates
from app.graph.write.curation import repository
from app.graph.write.curation.repository import list_merges_and_splits_of_node, list_pairs_kept_apart
from app.graph.write.curation.shapes import ChunkMention, GivenName, MergePreview
from app.ids import ChunkId, NodeId
from app.limits import NODE_NAME, PAGE
from app.tenancy.audit import service as audit
from app.tenancy.spaces import service as spaces

__all__ = ["list_merges_and_splits_of_node", "list_pairs_kept_apart"]

CONTEXT_CHARACTERS = 90
"""Number of characters shown on each side of a mention."""


def rename_node(space: SpaceSession, node_id: NodeId, name: str, *, actor: str) -> KnownNode:
    """Give a node a name chosen by a person; its former name stays as an alias.

    Raises NotFound, InvalidInput, and Conflict `name_taken` if another node of the type has the name, or
    `same_name`.
    """
    new_name = " ".join(name.split())
    if not normalise_name(new_name) or len(new_name) > NODE_NAME.maximum:
        raise InvalidInput(
            f"A name has 1 to {NODE_NAME.maximum} characters, not only signs.", code="bad_name"
        )
    input_checks.check_length_and_characters("name", new_name)
    node = _lock_graph_and_get_node(space, node_id)
    if new_name == node.node.canonical_name:
        raise Conflict("The node is called so already.", code="same_name")
    normalised_name = normalise_name(new_name)
    given_name_entry = node.node.metadata.get(GIVEN_NAME_KEY) or {"before": node.node.canonical_name}
    # Remove the name that only the person's earlier decision had added.
    _drop_name_given_by_person(node)
    node.node.metadata[GIVEN_NAME_KEY] = {
        "name": new_name,
        "before": given_name_entry["before"],
        "added": normalised_name not in node.names,
        "by": actor,
        "at": datetime.now(UTC).isoformat(),
    }
    node.names[normalised_name] = NameRow(new_name, "alias")
    renamed_node = _rename_node_by_votes_and_mark_change(space, node)
    audit.record(space, "node.rename", actor=actor, target=node_id)
    return renamed_node


def restore_name_from_texts(space: SpaceSession, node_id: NodeId, *, actor: str) -> KnownNode:
    """Name a node by its texts again. Raises NotFound, Conflict `no_given_name` or `name_taken`."""
    node = _lock_graph_and_get_node(space, node_id)
    given_name_entry = node.node.metadata.get(GIVEN_NAME_KEY)
    if not given_name_entry:
        raise Conflict("Nobody gave this node a name.", code="no_given_name")
    _drop_name_given_by_person(node)
    # None, not a missing key: metadata are merged into the row's, and null removes the key.
    node.node.metadata[GIVEN_NAME_KEY] = None
    renamed_node = _rename_node_by_votes_and_mark_change(
        space, node, previous_name=str(given_name_entry["before"])
    )
    audit.record(space, "node.restore_name", actor=actor, target=node_id)
    return renamed_node


def get_name_given_by_person(node: Node) -> GivenName | None:
    """Return the name that a person gave the node, or None if its name comes from texts."""
    given_name_entry = node.metadata.get(GIVEN_NAME_KEY)
    if not given_name_entry:
        return None
    named_at_text = given_name_entry.get("at")
    return GivenName(
        given_name_entry["name"],
        given_name_entry.get("by"),
        named_at_text and datetime.fromisoformat(named_at_text),
    )


def preview_merge(space: SpaceSession, winner_id: NodeId, loser_id: NodeId) -> MergePreview:
    """Return the changes that a merge would make, without making it. Raises NotFound, InvalidInput."""
    if winner_id == loser_id:
        raise InvalidInput("A node cannot be merged into itself.", code="same_node")
    nodes = merge_repository.get_nodes_with_names_and_keys(space, (winner_id, loser_id))
    if len(nodes) < 2:
        raise NotFound("node")
    winner, loser = nodes[winner_id], nodes[loser_id]
    counts = repository.count_merge_changes(space, winner_id, loser_id)
    kept_metadata = {
        key: value for key, value in winner.node.metadata.items() if key in (GIVEN_NAME_KEY, "sense")
    }
    votes = build_metadata_with_votes(kept_metadata, counts.votes)
    winner_names = set(winner.names)
    merged_names = winner_names | set(loser.names)
    verdicts = merge_repository.list_verdicts_on_names(space, loser.names)
    return MergePreview(
        winner_id,
        loser_id,
        winner.node.canonical_name,
        loser.node.canonical_name,
        winner.node.node_type,
        loser.node.node_type,
        choose_name_by_votes(votes, fallback=winner.node.canonical_name),
        choose_type_by_votes(votes, fallback=winner.node.node_type),
        tuple(sorted(row.name for name, row in loser.names.items() if name not in winner_names)),
        tuple(sorted(row.name for name, row in loser.names.items() if name in winner_names)),
        counts.mentions,
        counts.shared_chunks,
        counts.edges_leaving,
        counts.edges_entering,
        counts.edges_between,
        counts.shared_claims,
        any(not verdict.same and {verdict.a.name, verdict.b.name} <= merged_names for verdict in verdicts),
    )


def keep_nodes_apart(space: SpaceSession, node_id: NodeId, other_id: NodeId, *, actor: str) -> None:
    """Store a person's verdict that two nodes differ: they are not proposed again, and no ingest merges them.

    Raises NotFound, InvalidInput.
    """
    if node_id == other_id:
        raise InvalidInput("A node is one thing with itself.", code="same_node")
    spaces.lock_graph_and_increment_revision(space)
    nodes = merge_repository.get_nodes_with_names_and_keys(space, (node_id, other_id))
    if len(nodes) < 2:
        raise NotFound("node")
    pair = (
        merges.build_verdict_name_of_node(nodes[node_id].node),
        merges.build_verdict_name_of_node(nodes[other_id].node),
    )
    merges.record_persons_verdicts(space, [pair], are_same=False, actor=actor)
    audit.record(space, "node.keep_apart", actor=actor, target=node_id, other_targets=[other_id])


def list_mentions(
    space: SpaceSession, node_id: NodeId, *, after: ChunkId | None = None, limit: int = 50
) -> list[ChunkMention]:
    """Return a page of the chunks that mention the node; `after` is the previous page's last chunk id."""
    input_checks.check_range("limit", limit, 1, PAGE.maximum)
    return repository.list_mentions(space, node_id, after=after, margin=CONTEXT_CHARACTERS, limit=limit)


def withdraw_decision_to_keep_apart(
    space: SpaceSession, name: NameAndType, other_name: NameAndType, *, actor: str
) -> None:
    """Withdraw the decision that two names are different nodes; the pair is doubtful again. Raises
    NotFound.
    """
    spaces.lock_graph_and_increment_revision(space)
    if not repository.delete_not_same_verdict_if_exists(space, *sort_pair(name, other_name)):
        raise NotFound("decision")
    near_duplicates.delete_stored_doubtful_pairs(space)
    audit.record(space, "node.reconsider", actor=actor)


def _lock_graph_and_get_node(space: SpaceSession, node_id: NodeId) -> NodeWithNames:
    spaces.lock_graph_and_increment_revision(space)
    node = merge_repository.get_nodes_with_names_and_keys(space, [node_id]).get(node_id)
    if node is None:
        raise NotFound("node")
    return node


def _drop_name_given_by_person(node: NodeWithNames) -> None:
    """Remove a name that only a person had added."""
    given_name_entry = node.node.metadata.get(GIVEN_NAME_KEY) or {}
    name = normalise_name(given_name_entry.get("name", ""))
    voted_names = {normalise_name(voted_name) for voted_name in node.node.metadata.get("nameVotes", {})}
    if given_name_entry.get("added") and name not in voted_names:
        node.names.pop(name, None)


def _rename_node_by_votes_and_mark_change(
    space: SpaceSession, node: NodeWithNames, *, previous_name: str | None = None
) -> KnownNode:
    fallback = merges.FallbackName(previous_name or node.node.canonical_name, node.node.node_type)
    renamed_node = merges.rename_node_by_votes(space, node, node.node, fallback=fallback)
    space.mark_change(Change.GRAPH)
    return renamed_node
