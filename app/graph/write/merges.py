"""Merge two nodes into one, and undo merges; every call runs under the graph's lock.

A merge writes a ledger row in its own transaction, from which it can be undone exactly: the loser gets back
its id, names, mentions and edges, and later mentions go to the node that they name.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple
from uuid import UUID

from app.db.changes import Change
from app.db.session import SpaceSession
from app.errors import Conflict, InvalidInput, NotFound
from app.graph.invalidation import superseding
from app.graph.names import normalise_name
from app.graph.resolution.entity_resolver import KnownNode
from app.graph.resolution.ledger_erasure import NO_NAME
from app.graph.resolution.name_similarity import list_spelling_keys_of_names
from app.graph.resolution.shapes import Merge, MergeOrder, NameAndType, NamePair, StoredVerdict, sort_pair
from app.graph.resolution.unmerge_plan import (
    LedgerRow,
    NameRow,
    NodeWithNames,
    UnmergePlan,
    build_names_with_kinds,
    list_aliases,
    plan_unmerge_and_update_other_rows,
)
from app.graph.resolution.votes import choose_name_by_votes, choose_type_by_votes, format_name_with_sense
from app.graph.write import merge_repository, repository
from app.graph.write.merge_repository import list_merges
from app.ids import ChunkId, NodeId
from app.tenancy.audit import service as audit
from app.tenancy.spaces import service as spaces

__all__ = ["list_merges"]

PERSON_REASON = "person"


def apply_merges(space: SpaceSession, orders: Sequence[MergeOrder]) -> dict[NodeId, KnownNode]:
    """Apply these merges, each with a row in the ledger; return the winners with their new counts and votes.

    No node may be both loser and winner. Names, edges, mentions and keys move; edges that would become loops
    are kept in the ledger; claims that two documents now state are confirmed.
    """
    edges_by_merge = merge_repository.record_merges_and_list_edges_to_move(space, orders)
    recounted_nodes = repository.merge_nodes(
        space,
        [merge_order.loser_id for merge_order in orders],
        [merge_order.winner_id for merge_order in orders],
    )
    moved_edge_ids = sorted({edge_id for edge_ids in edges_by_merge.values() for edge_id in edge_ids})
    confirmed_rows = (
        merge_repository.confirm_edges_with_two_documents_and_list_changed(space, moved_edge_ids)
        if moved_edge_ids
        else []
    )
    if confirmed_rows:
        merges_by_winner: dict[NodeId, list[UUID]] = defaultdict(list)
        for merge_id, order in zip(edges_by_merge, orders, strict=True):
            merges_by_winner[order.winner_id].append(merge_id)
        merges_and_edges = {
            (merge_id, edge_id)
            for edge_id, *end_node_ids in confirmed_rows
            for end_node_id in end_node_ids
            for merge_id in merges_by_winner.get(end_node_id, ())
        }
        merge_repository.record_edges_confirmed_by_merges(space, sorted(merges_and_edges))
    return recounted_nodes


def merge_and_rename_winners(space: SpaceSession, orders: Sequence[MergeOrder]) -> None:
    """Apply merges outside of an ingest and rename the winners by votes."""
    if not orders:
        return
    recounted_nodes = apply_merges(space, orders)
    superseding.recompute_endings_after_merge_or_split(space, recounted_nodes)
    winners = merge_repository.get_nodes_with_names_and_keys(space, recounted_nodes)
    for node in winners.values():
        rename_node_by_votes(
            space, node, node.node, fallback=_get_name_and_type(node.node), keeps_name_if_taken=True
        )


def merge_nodes_by_person(space: SpaceSession, winner_id: NodeId, loser_id: NodeId, *, actor: str) -> Merge:
    """Merge two nodes as a person decided, and store the verdict. Raises NotFound, InvalidInput."""
    if winner_id == loser_id:
        raise InvalidInput("A node cannot be merged into itself.", code="same_node")
    spaces.lock_graph_and_increment_revision(space)
    nodes = merge_repository.get_nodes_with_names_and_keys(space, (winner_id, loser_id))
    if len(nodes) < 2:
        raise NotFound("node")
    loser, winner = nodes[loser_id], nodes[winner_id]
    # The decision overrules earlier verdicts on pairs of their names.
    overruled_pairs = [
        (verdict.a, verdict.b)
        for verdict in merge_repository.list_verdicts_on_names(space, loser.names)
        if {verdict.a[0], verdict.b[0]} <= loser.names.keys() | winner.names.keys()
    ]
    record_persons_verdicts(
        space,
        [*overruled_pairs, (build_verdict_name_of_node(loser.node), build_verdict_name_of_node(winner.node))],
        are_same=True,
        actor=actor,
    )
    order = MergeOrder(loser_id, winner_id, PERSON_REASON, actor)
    merge_and_rename_winners(space, [order])
    space.mark_change(Change.GRAPH)
    audit.record(space, "node.merge", actor=actor, target=order.id, other_targets=[winner_id, loser_id])
    return merge_repository.get_merge(space, order.id)


def unmerge_nodes_by_person(space: SpaceSession, merge_id: UUID, *, actor: str) -> NodeId:
    """Undo a merge, store the verdict "not the same", and return the id of the restored node.

    The node gets back its names, its mentions and edges as far as they still exist, and the mentions added
    since under a name that only it has. Raises NotFound; Conflict if the merge is already undone, if nothing
    is left of one of the two nodes, if the winner was deleted or merged into another, or if another node has
    the name.
    """
    spaces.lock_graph_and_increment_revision(space)
    space.mark_change(Change.GRAPH)
    merge_rows = merge_repository.list_merges_into_same_node(space, merge_id)
    row = next((merge_row for merge_row in merge_rows if merge_row.id == merge_id), None)
    if row is None:
        raise NotFound("merge")
    if row.undone_at is not None:
        raise Conflict("This merge is undone already.", code="already_undone")
    if NO_NAME in (row.loser_name, row.winner_record["canonical_name"]):
        raise Conflict(_explain_what_is_gone(row), code="nothing_left")
    winner = merge_repository.get_nodes_with_names_and_keys(space, [row.winner_id]).get(row.winner_id)
    if winner is None:
        later_merge = merge_repository.find_merge_that_removed_node(space, row.winner_id)
        if later_merge is not None:
            raise Conflict(
                f"The node was itself merged into another: undo {later_merge} first.", code="merged_again"
            )
        raise Conflict("The node that it was merged into does not exist any more.", code="winner_gone")
    plan = plan_unmerge_and_update_other_rows(row, merge_rows, winner)
    restored_names = winner.names | {
        name: name_row for name, name_row in plan.winner_names.items() if name_row is not None
    }
    removed_names = {name for name, name_row in plan.winner_names.items() if name_row is None}
    # Names that the winner got from the loser, with the winner's own sense.
    sense = winner.node.metadata.get("sense", "")
    lent_names = {
        normalise_name(format_name_with_sense(row.loser_names[name].name, sense)) for name in removed_names
    }
    lent_names.discard(normalise_name(row.winner_record["canonical_name"]))
    winner.names = {
        name: name_row for name, name_row in restored_names.items() if name not in removed_names | lent_names
    }
    winner.confidence = plan.confidence
    winner.first_seen_at, winner.last_seen_at = plan.first_seen_at, plan.last_seen_at
    merge_repository.restore_merged_node(space, row)
    moved_chunk_ids = _return_mentions_and_attributes_to_loser(
        space, row, plan, winner, loser_only_names=removed_names
    )
    merge_repository.move_edges_back_to_loser(space, row)
    if plan.loops:
        merge_repository.restore_edges_collapsed_to_loops(space, plan.loops)
    vector_set = spaces.lock_vector_set_shared_and_get_number(space)
    merge_repository.restore_vectors(space, row, plan.loops, vector_set=vector_set)
    merge_repository.move_new_edges_to_loser(space, row, moved_chunk_ids)
    if row.confirmed_edges:
        merge_repository.recount_supporting_documents(space, row.confirmed_edges)
    if plan.other_rows:
        merge_repository.update_winner_in_ledger(space, plan.other_rows)
    merge_repository.mark_merge_undone(space, merge_id, actor=actor)
    loser = merge_repository.get_nodes_with_names_and_keys(space, [row.loser_id])[row.loser_id]
    loser.names = row.loser_names
    loser.keys = winner.keys
    recounted_nodes = repository.recount_nodes(space, [row.winner_id, row.loser_id])
    repository.set_attributes_in_metadata_by_votes(space, [row.winner_id, row.loser_id])
    # Rename the winner first: it may have the loser's name and must give it up.
    # If its name from before all merges was erased, it gets the name from before this merge.
    earlier_winner = (
        row.winner_record if plan.winner_record["canonical_name"] == NO_NAME else plan.winner_record
    )
    earlier_name = FallbackName(earlier_winner["canonical_name"], earlier_winner["node_type"])
    remaining_winner = rename_node_by_votes(
        space, winner, recounted_nodes[row.winner_id], fallback=earlier_name
    )
    returned_node = rename_node_by_votes(
        space, loser, recounted_nodes[row.loser_id], fallback=FallbackName(row.loser_name, row.loser_type)
    )
    record_persons_verdicts(
        space,
        [(build_verdict_name_of_node(returned_node), build_verdict_name_of_node(remaining_winner))],
        are_same=False,
        actor=actor,
    )
    superseding.recompute_endings_after_merge_or_split(space, (row.winner_id, row.loser_id))
    audit.record(
        space, "node.unmerge", actor=actor, target=merge_id, other_targets=[row.winner_id, row.loser_id]
    )
    return row.loser_id


def _explain_what_is_gone(row: LedgerRow) -> str:
    """Return a sentence on the node of a merge that nothing names any more, by the name of the other one."""
    winner_name = row.winner_record["canonical_name"]
    if row.loser_name != NO_NAME:
        gone = f"the node into which “{row.loser_name}” was merged"
    elif winner_name != NO_NAME:
        gone = f"the node that was merged into “{winner_name}”"
    else:
        gone = "the two merged nodes"
    return f"Nothing is left of {gone}: the texts with that name were deleted."


def _return_mentions_and_attributes_to_loser(
    space: SpaceSession,
    row: LedgerRow,
    plan: UnmergePlan,
    winner: NodeWithNames,
    *,
    loser_only_names: set[str],
) -> list[UUID]:
    """Return the loser's mentions to it, old and later ones.

    The result is the loser's chunks that do not mention the winner.
    """
    names_since_merge = [
        name for name in winner.node.metadata.get("nameVotes", {}) if normalise_name(name) in loser_only_names
    ]
    mentions = merge_repository.get_mentions_in_chunks_or_by_names(
        space, row.winner_id, chunk_ids=sorted(row.loser_mentions), names=names_since_merge
    )
    loser_mentions = {
        chunk_id: row.loser_mentions.get(chunk_id, mention) for chunk_id, mention in mentions.items()
    }
    winner_mentions = {
        chunk_id: winner_mention
        for chunk_id in mentions
        if (winner_mention := plan.winner_mentions.get(chunk_id)) is not None
    }
    merge_repository.replace_mentions(space, row.winner_id, sorted(mentions), winner_mentions)
    merge_repository.replace_mentions(space, row.loser_id, [], loser_mentions)
    merge_repository.return_attributes_to_loser(
        space,
        row,
        moved_chunk_ids=sorted(set(loser_mentions) - set(winner_mentions)),
        shared_chunk_ids=sorted(winner_mentions),
        names=sorted(row.loser_names),
    )
    return sorted(set(loser_mentions) - set(winner_mentions))


def recount_votes_and_rename_nodes_of_chunks(
    space: SpaceSession, chunk_ids: Sequence[ChunkId]
) -> list[NodeId]:
    """Recount the votes of these chunks' mentions, after the trust in their documents changed.

    Returns the renamed nodes.
    """
    node_ids = {node.id for node, _ in repository.list_nodes_and_votes_of_chunks(space, chunk_ids)}
    if not node_ids:
        return []
    recounted_nodes = repository.recount_nodes(space, sorted(node_ids))
    repository.set_attributes_in_metadata_by_votes(space, sorted(node_ids))
    nodes_with_names = merge_repository.get_nodes_with_names_and_keys(space, node_ids)
    renamed_ids = []
    for node_id in sorted(nodes_with_names):
        earlier_name_and_type = _get_name_and_type(recounted_nodes[node_id])
        named_node = rename_node_by_votes(
            space,
            nodes_with_names[node_id],
            recounted_nodes[node_id],
            fallback=earlier_name_and_type,
            keeps_name_if_taken=True,
        )
        if named_node.canonical_name != earlier_name_and_type[0]:
            renamed_ids.append(node_id)
    return renamed_ids


class FallbackName(NamedTuple):
    """The canonical name and the type of a node."""

    name: str
    node_type: str


def rename_node_by_votes(
    space: SpaceSession,
    node_with_names: NodeWithNames,
    recounted_node: KnownNode,
    *,
    fallback: FallbackName,
    keeps_name_if_taken: bool = False,
) -> KnownNode:
    """Name a node by its votes, else by `fallback`, and rewrite its names and keys.

    If another node has that name and type, a node with `keeps_name_if_taken` keeps its present name;
    otherwise raises Conflict.
    """
    voted_name_and_type = (
        choose_name_by_votes(recounted_node.metadata, fallback=fallback.name),
        choose_type_by_votes(recounted_node.metadata, fallback=fallback.node_type),
    )
    for canonical_name, node_type in (
        voted_name_and_type,
        *([_get_name_and_type(recounted_node)] if keeps_name_if_taken else []),
    ):
        metadata = {**recounted_node.metadata, "aliases": list_aliases(node_with_names.names, canonical_name)}
        named_node = KnownNode(
            recounted_node.id, canonical_name, node_type, recounted_node.mention_count, metadata
        )
        if merge_repository.store_name_and_type_if_free(space, named_node, node_with_names):
            break
    else:
        raise Conflict(
            "Another node has that name and type: merge or undo that one first.", code="name_taken"
        )
    if recounted_node.metadata.get("sense"):
        node_with_names.names.setdefault(normalise_name(canonical_name), NameRow(canonical_name, "alias"))
    node_with_names.names = build_names_with_kinds(node_with_names.names, canonical_name)
    full_names = [row.name for row in node_with_names.names.values() if row.kind != "short"]
    node_with_names.keys = list_spelling_keys_of_names(full_names, node_with_names.keys)
    merge_repository.replace_names_and_keys(space, [node_with_names])
    return named_node


def _get_name_and_type(node: KnownNode) -> FallbackName:
    return FallbackName(node.canonical_name, node.node_type)


def build_verdict_name_of_node(node: KnownNode) -> NameAndType:
    """Return the normalised name and the type by which verdicts refer to the node."""
    return NameAndType(normalise_name(node.canonical_name), node.node_type)


def record_persons_verdicts(
    space: SpaceSession, pairs: Iterable[NamePair], *, are_same: bool, actor: str
) -> None:
    """Store a person's verdict on pairs of names."""
    merge_repository.store_verdicts(
        space,
        [
            merge_repository.DecidedVerdict(
                StoredVerdict(*sort_pair(*pair), are_same, by_person=True), actor, "", 1.0
            )
            for pair in pairs
        ],
    )
