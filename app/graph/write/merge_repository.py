"""The SQL statements behind merges and verdicts, each a named .sql file; the rules are in `merges`."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from app.db.session import SpaceSession
from app.graph.resolution.entity_resolver import KnownNode
from app.graph.resolution.shapes import (
    MAX_NAMES,
    Merge,
    MergeOrder,
    NameAndType,
    PairSide,
    StoredVerdict,
)
from app.graph.resolution.unmerge_plan import LedgerRow, Mention, NameRow, NodeWithNames
from app.graph.write.repository import EdgeEnds
from app.ids import ChunkId, EdgeId, NodeId


def record_merges_and_list_edges_to_move(
    space: SpaceSession, orders: Sequence[MergeOrder]
) -> dict[UUID, list[UUID]]:
    """Insert ledger rows for merges about to be made; map each merge id to the edges that it will move."""
    merge_ids = [order.id for order in orders]
    rows = space.run(
        "graph.write.record_merges",
        {
            "ids": merge_ids,
            "losers": [order.loser_id for order in orders],
            "winners": [order.winner_id for order in orders],
            "reasons": [order.reason for order in orders],
            "deciders": [order.decided_by for order in orders],
            "confidences": [order.confidence for order in orders],
        },
    )
    edges_by_merge: dict[UUID, list[UUID]] = {merge_id: [] for merge_id in merge_ids}
    for merge_id, edge_id in rows:
        edges_by_merge[merge_id].append(edge_id)
    return edges_by_merge


def confirm_edges_with_two_documents_and_list_changed(
    space: SpaceSession, edge_ids: Sequence[UUID]
) -> list[EdgeEnds]:
    """Confirm claims that two documents now state through these edges; return those changed."""
    rows = space.run("graph.write.confirm_moved_edges", {"edges": list(edge_ids)})
    return [EdgeEnds(EdgeId(row[0]), NodeId(row[1]), NodeId(row[2])) for row in rows]


MergeAndEdge = tuple[UUID, UUID]
"""The ids of a merge, and of an edge that it confirmed."""


def record_edges_confirmed_by_merges(space: SpaceSession, merge_and_edge_ids: Sequence[MergeAndEdge]) -> None:
    """Store (merge id, edge id) pairs: the merge confirmed the edge."""
    space.run(
        "graph.write.record_confirmed_edges",
        {"merges": [row[0] for row in merge_and_edge_ids], "edges": [row[1] for row in merge_and_edge_ids]},
    )


def list_merges(space: SpaceSession, *, after: UUID | None = None, limit: int = 100) -> list[Merge]:
    """Return a page of the ledger, newest first; `after` is the id of the previous page's last row."""
    rows = space.run("graph.write.list_merges", {"after": after, "only": None, "limit": limit})
    return [Merge(*row) for row in rows]


def get_merge(space: SpaceSession, merge_id: UUID) -> Merge:
    """Return this row of the ledger, which must exist."""
    (row,) = space.run("graph.write.list_merges", {"after": None, "only": merge_id, "limit": 1})
    return Merge(*row)


def list_merges_into_same_node(space: SpaceSession, merge_id: UUID) -> list[LedgerRow]:
    """Return this merge, even if undone, and all merges into the same node that are in force, in order."""
    return [
        LedgerRow.from_row(row)
        for row in space.run("graph.write.list_merges_still_in_force", {"merge": merge_id})
    ]


def find_merge_that_removed_node(space: SpaceSession, node_id: NodeId) -> UUID | None:
    """Return the id of the merge in force that removed this node, or None."""
    rows = space.run("graph.write.find_merge_that_removed_node", {"node": node_id})
    return rows[0][0] if rows else None


def get_nodes_with_names_and_keys(
    space: SpaceSession, node_ids: Iterable[NodeId]
) -> dict[NodeId, NodeWithNames]:
    """Return those of these nodes that exist, with their names and keys."""
    sorted_ids = sorted(set(node_ids))
    names_by_node: dict[NodeId, dict[str, NameRow]] = defaultdict(dict)
    for node_id, normalised_name, name, name_kind in space.run(
        "graph.write.get_names_of_nodes", {"nodes": sorted_ids}
    ):
        names_by_node[node_id][normalised_name] = NameRow(name, name_kind)
    keys_by_node: dict[NodeId, set[str]] = defaultdict(set)
    for node_id, key in space.run("graph.write.get_keys_of_nodes", {"nodes": sorted_ids}):
        keys_by_node[node_id].add(key)
    return {
        row[0]: NodeWithNames(
            KnownNode(NodeId(row[0]), *row[1:5]),
            row[5],
            row[6],
            row[7],
            names_by_node[row[0]],
            keys_by_node[row[0]],
        )
        for row in space.run("graph.write.get_nodes_with_names_and_keys", {"nodes": sorted_ids})
    }


class NamesToCompare(NamedTuple):
    """Nodes as sides of a comparison of names, and all their normalised names."""

    side_by_node_id: dict[NodeId, PairSide]
    normalised_names: set[str]


def get_names_to_compare(space: SpaceSession, node_ids: Iterable[NodeId]) -> NamesToCompare:
    """Return those of these nodes that exist, for comparing names, and all their normalised names."""
    rows = space.run("graph.write.get_names_to_compare", {"nodes": sorted(set(node_ids))})
    side_by_node_id = {
        NodeId(row[0]): PairSide(
            NodeId(row[0]),
            row[1],
            row[2],
            frozenset(row[4]),
            (row[1], *sorted(row[5] or ())[: MAX_NAMES - 1]),
            row[3],
        )
        for row in rows
    }
    return NamesToCompare(side_by_node_id, {name for row in rows for name in row[6] or ()})


def get_mentions_in_chunks_or_by_names(
    space: SpaceSession, node_id: NodeId, *, chunk_ids: Sequence[UUID], names: Sequence[str]
) -> dict[UUID, Mention]:
    """Return the node's mentions in these chunks, and those under one of these names, by chunk."""
    rows = space.run(
        "graph.write.get_mentions_of_node", {"node": node_id, "chunks": list(chunk_ids), "names": list(names)}
    )
    return {row[0]: Mention(*row[1:]) for row in rows}


def replace_mentions(
    space: SpaceSession,
    node_id: NodeId,
    removed_chunk_ids: Sequence[UUID],
    added_mentions: Mapping[UUID, Mention],
) -> None:
    """Delete the node's mentions in the `removed_chunk_ids` chunks, then insert `added_mentions`."""
    if removed_chunk_ids:
        space.run("graph.write.drop_mentions", {"node": node_id, "chunks": list(removed_chunk_ids)})
    if added_mentions:
        chunk_ids = sorted(added_mentions)
        mentions = [added_mentions[chunk_id] for chunk_id in chunk_ids]
        space.run(
            "graph.write.insert_mentions",
            {
                "chunks": chunk_ids,
                "nodes": [node_id] * len(mentions),
                "surfaces": [mention.surface for mention in mentions],
                "starts": [mention.start for mention in mentions],
                "ends": [mention.end for mention in mentions],
                "names": [mention.name for mention in mentions],
                "types": [mention.node_type for mention in mentions],
                "titulars": [mention.titular for mention in mentions],
                "senses": [mention.sense for mention in mentions],
            },
        )


def return_attributes_to_loser(
    space: SpaceSession,
    row: LedgerRow,
    *,
    moved_chunk_ids: Sequence[UUID],
    shared_chunk_ids: Sequence[UUID],
    names: Sequence[str],
) -> None:
    """Return the attributes of these chunks to the loser.

    If a chunk mentions both nodes (`shared_chunks`), only attributes of the loser's names are returned.
    """
    space.run(
        "graph.write.return_attributes_to_loser",
        {
            "winner": row.winner_id,
            "loser": row.loser_id,
            "moved": list(moved_chunk_ids),
            "shared": list(shared_chunk_ids),
            "names": list(names),
        },
    )


def replace_names_and_keys(space: SpaceSession, nodes: Sequence[NodeWithNames]) -> None:
    """Rewrite the names and keys of these nodes."""
    space.run("graph.write.drop_names", {"nodes": [node.node.id for node in nodes]})
    name_rows = sorted((name, node.node.id, row) for node in nodes for name, row in node.names.items())
    space.run(
        "graph.write.insert_names",
        {
            "names": [row[0] for row in name_rows],
            "nodes": [row[1] for row in name_rows],
            "written": [row[2].name for row in name_rows],
            "kinds": [row[2].kind for row in name_rows],
        },
    )
    insert_spelling_keys(space, [(key, node.node.id) for node in nodes for key in node.keys])


KeyOfNode = tuple[str, NodeId]
"""A spelling key, and the node that has it."""


def insert_spelling_keys(space: SpaceSession, rows: Iterable[KeyOfNode]) -> None:
    """Insert (spelling key, node id) rows."""
    sorted_rows = sorted(set(rows))
    space.run(
        "graph.write.insert_spelling_keys",
        {"keys": [row[0] for row in sorted_rows], "nodes": [row[1] for row in sorted_rows]},
    )


class NodeOfSpellingKey(NamedTuple):
    """A spelling key, and a node that has it."""

    spelling_key: str
    node: KnownNode


def list_nodes_by_spelling_key(space: SpaceSession, keys: Iterable[str]) -> list[NodeOfSpellingKey]:
    """Return (key, node) for every node that has one of these spelling keys."""
    rows = space.run("graph.write.list_nodes_by_spelling_key", {"keys": sorted(set(keys))})
    return [NodeOfSpellingKey(key, KnownNode(NodeId(node_id), *columns)) for key, node_id, *columns in rows]


def restore_merged_node(space: SpaceSession, row: LedgerRow) -> None:
    """Restore the loser of a merge and its tags; its id serves as its name for now."""
    space.run("graph.write.restore_merged_node", {"merge": row.id, "node": row.loser_id})
    space.run("graph.write.restore_tags", {"merge": row.id})


def move_edges_back_to_loser(space: SpaceSession, row: LedgerRow) -> None:
    """Return the edges that the merge moved to the loser, unless they were moved again since."""
    space.run(
        "graph.write.move_edges_back",
        {
            "edges_from": row.edges_from,
            "edges_to": row.edges_to,
            "winner": row.winner_id,
            "loser": row.loser_id,
        },
    )


def move_new_edges_to_loser(space: SpaceSession, row: LedgerRow, chunk_ids: Sequence[UUID]) -> None:
    """Move edges of these chunks written since the merge to the loser."""
    space.run(
        "graph.write.move_new_edges_to_loser",
        {
            "winner": row.winner_id,
            "loser": row.loser_id,
            "since": row.created_at,
            "chunks": list(chunk_ids),
        },
    )


def restore_edges_collapsed_to_loops(space: SpaceSession, loops: Sequence[Mapping[str, Any]]) -> None:
    """Insert the edges that a merge had turned into loops, with the given ends."""
    space.run("graph.write.restore_edges_collapsed_to_loops", {"loops": json.dumps(list(loops), default=str)})


def restore_vectors(
    space: SpaceSession, row: LedgerRow, loops: Sequence[Mapping[str, Any]], *, vector_set: int
) -> None:
    """Restore the vector of the loser, and those of the facts between it and the winner."""
    loops_json = json.dumps(list(loops), default=str)
    space.run("graph.write.restore_vectors", {"merge": row.id, "loops": loops_json, "into_set": vector_set})


def recount_supporting_documents(space: SpaceSession, edge_ids: Sequence[UUID]) -> None:
    """Recount how many documents state the claims of these edges."""
    space.run("graph.write.recount_supporting_documents", {"edges": list(edge_ids)})


def store_name_and_type_if_free(space: SpaceSession, node: KnownNode, node_with_names: NodeWithNames) -> bool:
    """Store name, type and metadata of `node`, with confidence and dates of `node_with_names`.

    Returns False if another node has that name and type.
    """
    return bool(
        space.run(
            "graph.write.write_voted_name_and_type",
            {
                "node": node.id,
                "name": node.canonical_name,
                "node_type": node.node_type,
                "metadata": json.dumps(node.metadata),
                "confidence": node_with_names.confidence,
                "first_seen_at": node_with_names.first_seen_at,
                "last_seen_at": node_with_names.last_seen_at,
            },
        )
    )


def update_winner_in_ledger(space: SpaceSession, rows: Sequence[LedgerRow]) -> None:
    """Store what these ledger rows record about their winner."""
    space.run(
        "graph.write.update_winner_in_ledger",
        {
            "ids": [row.id for row in rows],
            "winners": [json.dumps(row.winner_record) for row in rows],
            "names": [_dump_names_as_json(row.winner_names) for row in rows],
            "mentions": [_dump_mentions_as_json(row.winner_mentions) for row in rows],
            "loops": [json.dumps(row.loops) for row in rows],
        },
    )


def list_merges_involving_nodes(space: SpaceSession, node_ids: Iterable[NodeId]) -> list[LedgerRow]:
    """Return the ledger rows about these nodes and about the nodes merged into them, in order."""
    rows = space.run("graph.write.list_merges_involving_nodes", {"nodes": sorted(set(node_ids))})
    return [LedgerRow.from_row(row) for row in rows]


def update_ledger_rows(space: SpaceSession, rows: Sequence[LedgerRow]) -> None:
    """Rewrite these rows of the ledger."""
    space.run(
        "graph.write.update_ledger_rows",
        {
            "ids": [row.id for row in rows],
            "loser_names": [row.loser_name for row in rows],
            "losers": [json.dumps(row.loser_record, default=str) for row in rows],
            "winners": [json.dumps(row.winner_record, default=str) for row in rows],
            "names": [_dump_names_as_json(row.loser_names) for row in rows],
            "winner_names": [_dump_names_as_json(row.winner_names) for row in rows],
            "mentions": [_dump_mentions_as_json(row.loser_mentions) for row in rows],
            "winner_mentions": [_dump_mentions_as_json(row.winner_mentions) for row in rows],
            "loops": [json.dumps(row.loops, default=str) for row in rows],
        },
    )


def _dump_names_as_json(names: Mapping[str, NameRow]) -> str:
    return json.dumps([[name, *name_row] for name, name_row in names.items()])


def _dump_mentions_as_json(mentions: Mapping[UUID, Mention]) -> str:
    return json.dumps([[str(chunk), *mention] for chunk, mention in mentions.items()])


def mark_merge_undone(space: SpaceSession, merge_id: UUID, *, actor: str) -> None:
    """Record that the merge is undone."""
    space.run("graph.write.mark_merge_undone", {"merge": merge_id, "actor": actor})


def list_verdicts_on_names(space: SpaceSession, names: Iterable[str]) -> list[StoredVerdict]:
    """Return the verdicts on pairs that contain one of these normalised names."""
    rows = space.run("graph.write.list_verdicts_on_names", {"names": sorted(set(names))})
    return [StoredVerdict(NameAndType(*row[:2]), NameAndType(*row[2:4]), row[4], row[5]) for row in rows]


class DecidedVerdict(NamedTuple):
    """A verdict with who decided it, why, and how surely."""

    verdict: StoredVerdict
    decided_by: str
    reason: str
    confidence: float


def store_verdicts(space: SpaceSession, rows: Sequence[DecidedVerdict]) -> None:
    """Store these verdicts; only a person's verdict replaces a person's."""
    row_by_pair = {(row.verdict.a, row.verdict.b): row for row in rows}
    sorted_rows = [row_by_pair[pair] for pair in sorted(row_by_pair)]
    space.run(
        "graph.write.store_verdicts",
        {
            "names_a": [row.verdict.a[0] for row in sorted_rows],
            "types_a": [row.verdict.a[1] for row in sorted_rows],
            "names_b": [row.verdict.b[0] for row in sorted_rows],
            "types_b": [row.verdict.b[1] for row in sorted_rows],
            "sames": [row.verdict.same for row in sorted_rows],
            "persons": [row.verdict.by_person for row in sorted_rows],
            "deciders": [row.decided_by for row in sorted_rows],
            "reasons": [row.reason for row in sorted_rows],
            "confidences": [row.confidence for row in sorted_rows],
        },
    )


ChunkMention = tuple[ChunkId, NodeId]
"""A chunk and a node that it mentions."""


def find_chunk_node_mentions(
    space: SpaceSession, chunk_ids: Iterable[ChunkId], node_ids: Iterable[NodeId]
) -> set[ChunkMention]:
    """Return the (chunk, node) pairs among these in which the chunk mentions the node."""
    rows = space.run(
        "graph.write.find_chunk_node_mentions",
        {"chunks": sorted(set(chunk_ids)), "nodes": sorted(set(node_ids))},
    )
    return {(ChunkId(row[0]), NodeId(row[1])) for row in rows}


NodeIdPair = tuple[NodeId, NodeId]
"""The ids of two nodes that may be one entity."""


def list_node_pairs_with_common_spelling_key(
    space: SpaceSession, chunk_ids: Sequence[ChunkId] | None, *, max_nodes_per_key: int, limit: int
) -> list[NodeIdPair]:
    """Return pairs of nodes with a common key of likely spellings.

    With `chunk_ids`, one of the nodes is mentioned there; with None, pairs of the whole space.
    """
    bounds = {"widest": max_nodes_per_key, "limit": limit}
    if chunk_ids is None:
        rows = space.run("graph.write.list_node_pairs_with_common_spelling_key", bounds)
    else:
        rows = space.run(
            "graph.write.list_pairs_with_common_likely_key", {"chunks": list(chunk_ids), **bounds}
        )
    return [(NodeId(row[0]), NodeId(row[1])) for row in rows]


class StoredPairs(NamedTuple):
    """Pairs of similar nodes as last computed, most similar first; times are in seconds."""

    graph_revision: int
    computing_seconds: float
    age_seconds: float
    pairs: list[NodeIdPair]


def get_last_stored_doubtful_pairs(space: SpaceSession) -> StoredPairs | None:
    """Return the space's stored pairs, or None if none are stored."""
    rows = space.run("graph.write.find_stored_pairs")
    if not rows:
        return None
    revision, seconds, age, first_ids, second_ids = rows[0]
    pairs = list(zip(map(NodeId, first_ids), map(NodeId, second_ids), strict=True))
    return StoredPairs(revision, seconds, age, pairs)


def store_doubtful_pairs(
    space: SpaceSession,
    pairs: Sequence[NodeIdPair],
    *,
    graph_revision: int,
    computing_seconds: float,
) -> None:
    """Store the pairs, most similar first, for all processes."""
    space.run(
        "graph.write.store_pairs",
        {
            "revision": graph_revision,
            "seconds": computing_seconds,
            "ones": [first_id for first_id, _ in pairs],
            "others": [second_id for _, second_id in pairs],
        },
    )


def delete_stored_doubtful_pairs(space: SpaceSession) -> None:
    """Delete the stored pairs, so that the next listing compares names again."""
    space.run("graph.write.discard_stored_pairs")


def get_passages_around_names(
    space: SpaceSession, node_ids: Iterable[NodeId], *, margin: int
) -> dict[NodeId, str]:
    """Return a passage of one chunk for each node: `margin` characters on each side of its name."""
    rows = space.run(
        "graph.write.get_passages_around_names", {"nodes": sorted(set(node_ids)), "around": margin}
    )
    return {NodeId(row[0]): row[1] for row in rows}
