"""The statements that write the graph, each a named .sql file; what to write is graph_writer's business."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from app.db.session import SpaceSession
from app.graph.invalidation.shapes import PersonDecision
from app.graph.resolution.entity_resolver import KnownNode
from app.graph.resolution.votes import Vote
from app.ids import ChunkId, DocumentId, EdgeId, NodeId

Row = tuple[Any, ...]


def _rows_to_columns(rows: Sequence[Row], names: Sequence[str]) -> dict[str, list[Any]]:
    """Rows as one list a column, for unnest."""
    return {name: [row[index] for row in rows] for index, name in enumerate(names)}


def nodes_by_full_name(space: SpaceSession, names: Sequence[str]) -> list[tuple[str, KnownNode]]:
    """(normalised name, node) for every node that one of these full names identifies."""
    rows = space.run("graph.write.nodes_by_full_name", {"names": sorted(set(names))})
    return [(name, KnownNode(NodeId(node_id), *columns)) for name, node_id, *columns in rows]


def insert_nodes(space: SpaceSession, rows: Sequence[Row]) -> list[tuple[KnownNode, bool]]:
    """Of (id, name, type, metadata as JSON) rows: the nodes as they stand, and whether each is new."""
    stored = space.run(
        "graph.write.insert_nodes", _rows_to_columns(rows, ("ids", "names", "types", "metadata"))
    )
    return [(KnownNode(NodeId(row[0]), *row[1:5]), bool(row[5])) for row in stored]


def insert_attributes(space: SpaceSession, rows: Sequence[Row]) -> int:
    """How many of these rows are new: chunk, node, name, JSON value, said of, quote, start, end, date,
    confidence and subject.
    """
    columns = (
        "chunks", "nodes", "names", "values", "said_of", "quotes", "starts", "ends", "dates", "confidences",
        "subjects",
    )  # fmt: skip
    return len(space.run("graph.write.insert_attributes", _rows_to_columns(rows, columns)))


def update_metadata_by_attribute_votes(space: SpaceSession, nodes: Iterable[NodeId]) -> None:
    """Write into the metadata of these nodes what the latest dated chunk, else most chunks, say of them."""
    space.run("graph.write.update_metadata_by_attribute_votes", {"nodes": sorted(set(nodes))})


def delete_attributes_of_chunks(space: SpaceSession, chunks: Sequence[ChunkId]) -> list[NodeId]:
    """Delete what these chunks state of nodes; return the nodes of which an attribute went."""
    rows = space.run("graph.write.delete_attributes_of_chunks", {"chunks": list(chunks)})
    return [NodeId(node_id) for node_id, is_attribute in rows if is_attribute]


def merge_nodes(
    space: SpaceSession, losers: Sequence[NodeId], winners: Sequence[NodeId]
) -> dict[NodeId, KnownNode]:
    """Give each winner all that its loser has and drop the losers; the winners as they then stand."""
    pairs = {"losers": list(losers), "winners": list(winners)}
    space.run("graph.write.merge_nodes", pairs)
    space.run("graph.write.drop_merged", pairs)
    update_metadata_by_attribute_votes(space, winners)
    return recount_nodes(space, winners)


def recount_nodes(space: SpaceSession, nodes: Sequence[NodeId]) -> dict[NodeId, KnownNode]:
    """Count mentions, votes and edges of these nodes anew; the nodes as they then stand."""
    rows = space.run("graph.write.recount_nodes", {"nodes": sorted(set(nodes))})
    return {NodeId(row[0]): KnownNode(NodeId(row[0]), *row[1:]) for row in rows}


def insert_names(space: SpaceSession, rows: Sequence[Row]) -> None:
    """Store (normalised name, node id, name as written, kind) rows."""
    space.run("graph.write.insert_names", _rows_to_columns(rows, ("names", "nodes", "written", "kinds")))


def insert_mentions(
    space: SpaceSession, rows: Sequence[Row], *, trust: Mapping[ChunkId, float]
) -> list[tuple[NodeId, Vote]]:
    """Of (chunk, node, surface, start, end, name, type, titular, sense) rows, the votes of those not there
    yet, each with its node; `trust` is that in the document of each chunk.
    """
    columns = ("chunks", "nodes", "surfaces", "starts", "ends", "names", "types", "titulars", "senses")
    added_rows = space.run("graph.write.insert_mentions", _rows_to_columns(rows, columns))
    return [(NodeId(row[1]), Vote(row[2], row[3], row[4], trust[ChunkId(row[0])])) for row in added_rows]


def update_nodes(space: SpaceSession, rows: Sequence[Row]) -> None:
    """Apply (id, mentions to add, name, normalised name, type, metadata as JSON, confidence) rows."""
    columns = ("ids", "counts", "names", "normalised", "types", "metadata", "confidences")
    space.run("graph.write.update_nodes", _rows_to_columns(rows, columns))


@dataclass(frozen=True, slots=True)
class InsertedEdges:
    """How many edges are new; the keys of those that another document stated before and that ended since; and
    (key, id, from, to) of those that had lost their evidence and got it back.
    """

    fresh: int
    restated: list[UUID]
    returned: list[tuple[UUID, EdgeId, NodeId, NodeId]]


EDGE_ROW = (
    "keys",
    "ids",
    "from_nodes",
    "to_nodes",
    "relations",
    "weights",
    "chunks",
    "metadata",
    "polarities",
    "begins",
    "begin_precisions",
    "bases",
    "ends",
    "end_precisions",
    "documents",
)
"""The columns of an edge as it is written."""


def restate_edges(space: SpaceSession, rows: Sequence[Row]) -> int:
    """Give each row of an edge that stands in the same text, as another reader had read it, the key, quote,
    weight and dates of these; how many. The rows are those of `insert_edges`.
    """
    return len(space.run("graph.write.restate_edges", _rows_to_columns(rows, EDGE_ROW))) if rows else 0


def forget_unstated(
    space: SpaceSession, chunk_ids: Sequence[ChunkId], keys: Sequence[UUID]
) -> dict[EdgeId, DocumentId]:
    """Take these chunks from under all edges but those of these keys: the edges, each with its document."""
    rows = space.run("graph.write.forget_unstated", {"chunks": list(chunk_ids), "keys": list(keys)})
    return {EdgeId(row[0]): DocumentId(row[1]) for row in rows}


def decided_before(space: SpaceSession, keys: Sequence[UUID]) -> dict[PersonDecision, list[EdgeId]]:
    """Those of these edges that hold while a person ended their claim in all its other rows, after their
    text had come; by the decision.
    """
    decided: dict[PersonDecision, list[EdgeId]] = defaultdict(list)
    if keys:
        for edge_id, *decision in space.run("graph.write.decided_before", {"keys": list(keys)}):
            decided[PersonDecision._make(decision)].append(EdgeId(edge_id))
    return decided


def forget_mentions(space: SpaceSession, chunk_ids: Sequence[ChunkId]) -> None:
    """Delete the mentions of chunks that stand and are read anew."""
    space.run("graph.write.forget_mentions", {"chunks": list(chunk_ids)})


def insert_edges(space: SpaceSession, rows: Sequence[Row]) -> InsertedEdges:
    """Store (key, id, from, to, relation, weight, chunk, metadata as JSON, validity, document) rows; validity
    is polarity, beginning, its precision and basis, end, its precision.
    """
    parameters = _rows_to_columns(rows, EDGE_ROW)
    with space.pipelined():
        inserting = space.send("graph.write.insert_edges", parameters)
        counting = space.send("graph.write.count_inserted", parameters)
    written, restated = inserting.result(), counting.result()
    space.run("graph.write.confirm_edges", {"keys": [row[0] for row in rows]})
    returned = [
        (key, EdgeId(edge), NodeId(start), NodeId(end))
        for key, edge, start, end, fresh in sorted(written)
        if not fresh
    ]
    return InsertedEdges(len(written) - len(returned), [row[0] for row in restated], returned)


def repoint_edges(space: SpaceSession, rows: Sequence[tuple[EdgeId, NodeId, NodeId]]) -> list[NodeId]:
    """Give edges the ends of these (edge, from, to) rows; all nodes concerned."""
    columns = _rows_to_columns(rows, ("edges", "from_nodes", "to_nodes"))
    return [NodeId(row[0]) for row in space.run("graph.write.repoint_edges", columns)]


def mark_ends_of_edges_changed(space: SpaceSession, edge_ids: Sequence[EdgeId]) -> None:
    """Note for the summaries that the facts of the ends of these edges changed."""
    space.run("graph.write.mark_ends_of_edges_changed", {"edges": list(edge_ids), "note": uuid4()})


def mentions_of_chunks(space: SpaceSession, chunk_ids: Sequence[ChunkId]) -> list[tuple[KnownNode, Vote]]:
    """Return the mentions of these chunks: the node and the vote of each, node by node."""
    rows = space.run("graph.write.mentions_of_chunks", {"chunks": list(chunk_ids)})
    return [(KnownNode(NodeId(row[0]), *row[1:5]), Vote(*row[5:])) for row in rows]


def detach_chunks_from_edges(
    space: SpaceSession, chunk_ids: Sequence[ChunkId]
) -> tuple[dict[EdgeId, DocumentId], list[EdgeId]]:
    """Take these chunks from under their edges.

    Returns those that no other chunk of that text supports, each with the document that stated it, and those
    that rest on another one now.
    """
    rows = space.run("graph.write.detach_chunks_from_edges", {"chunks": list(chunk_ids)})
    bare = {EdgeId(row[0]): DocumentId(row[1]) for row in rows if row[2]}
    return bare, [EdgeId(row[0]) for row in rows if not row[2]]


def delete_vectors_and_recalls_of_edges(space: SpaceSession, edge_ids: Iterable[EdgeId]) -> None:
    """Delete vectors and recalls of edges that lost their evidence; their ends are noted as changed."""
    space.run("graph.write.delete_vectors_and_recalls_of_edges", {"edges": sorted(edge_ids), "note": uuid4()})


def delete_all_unused_nodes(space: SpaceSession) -> int:
    """Remove all nodes that no edge touches and no chunk names, and verdicts on their names; how many."""
    return len(_delete_orphaned_verdicts(space, space.run("graph.write.delete_all_unused_nodes")))


def _delete_orphaned_verdicts(space: SpaceSession, rows: Sequence[Row]) -> list[NodeId]:
    """Delete the verdicts on these (node, its normalised names) whose names no node has now; the nodes."""
    delete_verdicts_on_names(space, {name for _, names in rows for name in names})
    return [NodeId(row[0]) for row in rows]


def delete_verdicts_on_names(space: SpaceSession, names: Collection[str]) -> None:
    """Delete the verdicts on pairs of which one of these names, where no node has it any more, is a part."""
    if names:
        space.run("graph.write.delete_verdicts_on_names", {"names": sorted(names)})


def blank_unnamed_nodes(space: SpaceSession) -> list[NodeId]:
    """Take every word from the nodes that nothing names, and the verdicts on their names; they stay for
    their edges: which.
    """
    rows = space.run("graph.write.blank_unnamed_nodes")
    if rows:
        nodes = {"nodes": [row[0] for row in rows]}
        space.run("graph.write.drop_names", nodes)
        space.run("graph.write.drop_words", nodes)
    return _delete_orphaned_verdicts(space, rows)


def evidence_weight_shares(space: SpaceSession, edge_ids: Sequence[EdgeId]) -> tuple[float, float]:
    """The weight of some edges, and that of the edges with evidence which join the same nodes."""
    lost, remaining = space.run("graph.write.evidence_weight_shares", {"edges": list(edge_ids)})[0]
    return round(lost, 4), round(remaining, 4)


def delete_edges(space: SpaceSession, edge_ids: Sequence[EdgeId]) -> list[NodeId]:
    """Remove these edges; the nodes at their ends."""
    return [NodeId(row[0]) for row in space.run("graph.write.delete_edges", {"edges": list(edge_ids)})]


def delete_unused_nodes(space: SpaceSession, node_ids: Sequence[NodeId]) -> set[NodeId]:
    """Remove those of these nodes that no edge touches and no chunk names, with the verdicts on their names;
    which.
    """
    return set(
        _delete_orphaned_verdicts(
            space, space.run("graph.write.delete_unused_nodes", {"nodes": list(node_ids)})
        )
    )


def count_nodes_of_document(space: SpaceSession, document_id: DocumentId) -> int:
    """How many nodes the document's chunks name."""
    return int(space.run("graph.write.count_nodes_of_document", {"document": document_id})[0][0])


def facts_without_vector(space: SpaceSession, chunk_ids: Sequence[ChunkId]) -> list[tuple[UUID, str]]:
    """(edge, the fact in words) for the facts of these chunks that have no vector yet."""
    rows = space.run("graph.write.facts_without_vector", {"chunks": list(chunk_ids)})
    return [(row[0], f"{row[1]} {row[2]} {row[3]}") for row in rows]


def nodes_without_vector(space: SpaceSession, chunk_ids: Sequence[ChunkId]) -> list[tuple[UUID, str]]:
    """(node, name) for the nodes named by these chunks that have no vector yet."""
    rows = space.run("graph.write.nodes_without_vector", {"chunks": list(chunk_ids)})
    return [(row[0], row[1]) for row in rows]


def insert_fact_vectors(space: SpaceSession, rows: Sequence[tuple[UUID, str]], *, into_set: int) -> None:
    """Store (edge, vector) rows of one set."""
    space.run(
        "graph.write.insert_fact_vectors",
        {**_rows_to_columns(rows, ("ids", "embeddings")), "into_set": into_set},
    )


def insert_node_vectors(space: SpaceSession, rows: Sequence[tuple[UUID, str]], *, into_set: int) -> None:
    """Store (node, vector) rows of one set."""
    space.run(
        "graph.write.insert_node_vectors",
        {**_rows_to_columns(rows, ("ids", "embeddings")), "into_set": into_set},
    )
