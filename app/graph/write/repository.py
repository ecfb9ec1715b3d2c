"""The SQL statements that write the graph, each a named .sql file; the rules are in `graph_writer`."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID, uuid4

from app.db.arrays import RowVector
from app.db.session import SpaceSession
from app.graph.invalidation.shapes import PersonDecision
from app.graph.resolution.entity_resolver import KnownNode
from app.graph.resolution.votes import Vote
from app.graph.validity import Basis, Polarity, Precision
from app.ids import ChunkId, DocumentId, EdgeId, NodeId

Row = tuple[Any, ...]
CountByName = dict[str, int]
"""Numbers of rows that were written, by the names under which a job shows them."""


def _transpose_rows(rows: Sequence[Row], column_names: Sequence[str]) -> dict[str, list[Any]]:
    """Return the rows as one list per column, for `unnest`."""
    return {column_name: [row[index] for row in rows] for index, column_name in enumerate(column_names)}


class NodeOfFullName(NamedTuple):
    """A full name, and a node that it identifies."""

    normalised_name: str
    node: KnownNode


def list_nodes_by_full_name(space: SpaceSession, names: Sequence[str]) -> list[NodeOfFullName]:
    """Return (normalised name, node) for every node that one of these full names identifies."""
    rows = space.run("graph.write.list_nodes_by_full_name", {"names": sorted(set(names))})
    return [NodeOfFullName(name, KnownNode(NodeId(node_id), *columns)) for name, node_id, *columns in rows]


class InsertedNode(NamedTuple):
    """A stored node, and whether it is new."""

    node: KnownNode
    is_new: bool


def insert_nodes(space: SpaceSession, rows: Sequence[Row]) -> list[InsertedNode]:
    """Insert (id, name, type, metadata as JSON) rows; return the stored nodes with whether each is new."""
    stored_rows = space.run(
        "graph.write.insert_nodes", _transpose_rows(rows, ("ids", "names", "types", "metadata"))
    )
    return [InsertedNode(KnownNode(NodeId(row[0]), *row[1:5]), bool(row[5])) for row in stored_rows]


def insert_attributes_and_count_new(space: SpaceSession, rows: Sequence[Row]) -> int:
    """Insert attribute rows and return how many are new.

    The columns are chunk, node, name, JSON value, said of, quote, start, end, date, confidence and subject.
    """
    columns = (
        "chunks", "nodes", "names", "values", "said_of", "quotes", "starts", "ends", "dates", "confidences",
        "subjects",
    )  # fmt: skip
    return len(space.run("graph.write.insert_attributes_and_count_new", _transpose_rows(rows, columns)))


def set_attributes_in_metadata_by_votes(space: SpaceSession, node_ids: Iterable[NodeId]) -> None:
    """Set attributes in these nodes' metadata to the latest dated values, else to the most frequent ones."""
    space.run("graph.write.set_attributes_in_metadata_by_votes", {"nodes": sorted(set(node_ids))})


def delete_attributes_and_statements_of_chunks(
    space: SpaceSession, chunk_ids: Sequence[ChunkId]
) -> list[NodeId]:
    """Delete the attributes and statements of these chunks; return the nodes that lost an attribute."""
    rows = space.run("graph.write.delete_attributes_of_chunks", {"chunks": list(chunk_ids)})
    return [NodeId(node_id) for node_id, is_attribute in rows if is_attribute]


def merge_nodes(
    space: SpaceSession, loser_ids: Sequence[NodeId], winner_ids: Sequence[NodeId]
) -> dict[NodeId, KnownNode]:
    """Move everything of each loser to its winner and delete the losers; return the updated winners."""
    parameters = {"losers": list(loser_ids), "winners": list(winner_ids)}
    space.run("graph.write.merge_nodes", parameters)
    space.run("graph.write.drop_merged", parameters)
    set_attributes_in_metadata_by_votes(space, winner_ids)
    return recount_nodes(space, winner_ids)


def recount_nodes(space: SpaceSession, node_ids: Sequence[NodeId]) -> dict[NodeId, KnownNode]:
    """Recount mentions, votes and edges of these nodes; return the nodes as stored afterwards."""
    rows = space.run("graph.write.recount_nodes", {"nodes": sorted(set(node_ids))})
    return {NodeId(row[0]): KnownNode(NodeId(row[0]), *row[1:]) for row in rows}


def delete_names_of_nodes(space: SpaceSession, node_ids: Sequence[NodeId]) -> None:
    """Delete the names and spelling keys of these nodes."""
    space.run("graph.write.drop_names", {"nodes": list(node_ids)})


def insert_names(space: SpaceSession, rows: Sequence[Row]) -> None:
    """Insert (normalised name, node id, name as written, kind) rows."""
    space.run("graph.write.insert_names", _transpose_rows(rows, ("names", "nodes", "written", "kinds")))


class AddedVote(NamedTuple):
    """The vote of a new mention, with its node."""

    node_id: NodeId
    vote: Vote


def insert_mentions(
    space: SpaceSession, rows: Sequence[Row], *, trust_by_chunk: Mapping[ChunkId, float]
) -> list[AddedVote]:
    """Insert mentions; return the votes of the new ones, each with its node.

    The rows are (chunk, node, surface, start, end, name, type, titular, sense); `trust_by_chunk` is that in
    each chunk's document.
    """
    columns = ("chunks", "nodes", "surfaces", "starts", "ends", "names", "types", "titulars", "senses")
    added_rows = space.run("graph.write.insert_mentions", _transpose_rows(rows, columns))
    return [
        AddedVote(NodeId(row[1]), Vote(row[2], row[3], row[4], trust_by_chunk[ChunkId(row[0])]))
        for row in added_rows
    ]


class NodeUpdate(NamedTuple):
    """The change of a node with its mentions; `added_mention_count` is negative for deleted mentions."""

    node_id: NodeId
    added_mention_count: int
    name: str
    normalised_name: str
    node_type: str
    metadata_json: str
    confidence: float


def add_mention_counts_and_set_names(space: SpaceSession, updates: Sequence[NodeUpdate]) -> None:
    """Add the mention counts of the updates to their nodes, and set the names, types and votes."""
    columns = ("ids", "counts", "names", "normalised", "types", "metadata", "confidences")
    space.run("graph.write.add_mention_counts_and_set_names", _transpose_rows(updates, columns))


class ReturnedEdge(NamedTuple):
    """An edge whose lost evidence was added again, with its key and the nodes that it joins."""

    key: UUID
    edge_id: EdgeId
    from_node_id: NodeId
    to_node_id: NodeId


@dataclass(frozen=True, slots=True)
class InsertedEdges:
    """The result of `insert_edges_and_confirm_claims`.

    `fresh_count` counts new edges; `restated_keys` are the keys of edges that another document stated before
    and that ended since.
    """

    fresh_count: int
    restated_keys: list[UUID]
    returned_rows: list[ReturnedEdge]


EdgeClaimKey = tuple[NodeId, str, NodeId]
"""The source, the relation type and the target of an edge."""


class EdgeRow(NamedTuple):
    """An edge as it is written; `metadata` is JSON. `polarity` to `end_precision` are its validity."""

    key: UUID
    id: EdgeId
    from_node_id: NodeId
    to_node_id: NodeId
    relation_type: str
    weight: float
    chunk_id: ChunkId
    metadata: str
    polarity: Polarity
    begins_at: datetime | None
    begin_precision: Precision | None
    begin_basis: Basis | None
    ends_at: datetime | None
    end_precision: Precision | None
    document_id: DocumentId

    @property
    def claim_key(self) -> EdgeClaimKey:
        """The claim that the edge states or denies."""
        return (self.from_node_id, self.relation_type, self.to_node_id)


_EDGE_PARAMETERS = (
    "keys", "ids", "from_nodes", "to_nodes", "relations", "weights", "chunks", "metadata", "polarities",
    "begins", "begin_precisions", "bases", "ends", "end_precisions", "documents", )  # fmt: skip
"""The parameters of statements that write edges: one list for each field of `EdgeRow`, in order."""


def update_edges_extracted_by_other_reader_and_count(space: SpaceSession, rows: Sequence[EdgeRow]) -> int:
    """Update key, quote, weight and dates of edges that another reader extracted from the same text.

    Returns how many were updated.
    """
    return (
        len(
            space.run(
                "graph.write.update_edges_extracted_by_other_reader_and_count",
                _transpose_rows(rows, _EDGE_PARAMETERS),
            )
        )
        if rows
        else 0
    )


def detach_chunks_from_unstated_edges(
    space: SpaceSession, chunk_ids: Sequence[ChunkId], keys: Sequence[UUID]
) -> dict[EdgeId, DocumentId]:
    """Detach these chunks from all edges except those with these keys.

    Returns the detached edges, each with its document.
    """
    rows = space.run(
        "graph.write.detach_chunks_from_unstated_edges", {"chunks": list(chunk_ids), "keys": list(keys)}
    )
    return {EdgeId(row[0]): DocumentId(row[1]) for row in rows}


def list_edges_to_end_by_earlier_decisions(
    space: SpaceSession, keys: Sequence[UUID]
) -> dict[PersonDecision, list[EdgeId]]:
    """Return those of these edges whose claim a person ended in all its other rows, by decision.

    Only edges that hold are returned, and only decisions made after their text was added count.
    """
    edges_by_decision: dict[PersonDecision, list[EdgeId]] = defaultdict(list)
    if keys:
        for edge_id, *decision in space.run(
            "graph.write.list_edges_ended_by_earlier_decisions", {"keys": list(keys)}
        ):
            edges_by_decision[PersonDecision._make(decision)].append(EdgeId(edge_id))
    return edges_by_decision


def delete_mentions_of_chunks(space: SpaceSession, chunk_ids: Sequence[ChunkId]) -> None:
    """Delete the mentions of chunks that are read again."""
    space.run("graph.write.delete_mentions_of_chunks", {"chunks": list(chunk_ids)})


def insert_edges_and_confirm_claims(space: SpaceSession, rows: Sequence[EdgeRow]) -> InsertedEdges:
    """Insert edges."""
    parameters = _transpose_rows(rows, _EDGE_PARAMETERS)
    with space.pipelined():
        insertion = space.send("graph.write.insert_edges", parameters)
        restated_query = space.send("graph.write.count_inserted", parameters)
    edge_rows, restated_rows = insertion.result(), restated_query.result()
    space.run("graph.write.confirm_edges", {"keys": [row.key for row in rows]})
    returned_rows = [
        ReturnedEdge(key, EdgeId(edge_id), NodeId(from_node_id), NodeId(to_node_id))
        for key, edge_id, from_node_id, to_node_id, is_new in sorted(edge_rows)
        if not is_new
    ]
    return InsertedEdges(
        len(edge_rows) - len(returned_rows), [row[0] for row in restated_rows], returned_rows
    )


KeyedEnds = tuple[UUID, NodeId, NodeId]
"""The key of an edge, and the nodes that it leads from and to."""


class EdgeEnds(NamedTuple):
    """An edge, and the nodes that it leads from and to."""

    edge_id: EdgeId
    from_node_id: NodeId
    to_node_id: NodeId


def list_edges_with_other_ends(space: SpaceSession, rows: Sequence[KeyedEnds]) -> list[EdgeEnds]:
    """Return the edges stored with other ends than these (key, from, to) rows; the ends are the rows'."""
    columns = _transpose_rows(rows, ("keys", "from_nodes", "to_nodes"))
    return [
        EdgeEnds(EdgeId(row[0]), NodeId(row[1]), NodeId(row[2]))
        for row in (space.run("graph.write.list_edges_with_other_ends", columns) if rows else ())
    ]


def repoint_edges_and_list_concerned_nodes(space: SpaceSession, rows: Sequence[EdgeEnds]) -> list[NodeId]:
    """Set the ends of edges from (edge, from, to) rows; return all nodes concerned."""
    columns = _transpose_rows(rows, ("edges", "from_nodes", "to_nodes"))
    return [
        NodeId(row[0]) for row in space.run("graph.write.repoint_edges_and_list_concerned_nodes", columns)
    ]


def mark_ends_of_edges_changed(space: SpaceSession, edge_ids: Sequence[EdgeId]) -> None:
    """Record, for the summaries, that the facts of the end nodes of these edges changed."""
    space.run("graph.write.mark_ends_of_edges_changed", {"edges": list(edge_ids), "note": uuid4()})


class NodeAndVote(NamedTuple):
    """A node, and the vote of one of its mentions."""

    node: KnownNode
    vote: Vote


def list_nodes_and_votes_of_chunks(space: SpaceSession, chunk_ids: Sequence[ChunkId]) -> list[NodeAndVote]:
    """Return the node and the vote of each mention in these chunks, ordered by node."""
    rows = space.run("graph.write.list_mentions_of_chunks", {"chunks": list(chunk_ids)})
    return [NodeAndVote(KnownNode(NodeId(row[0]), *row[1:5]), Vote(*row[5:])) for row in rows]


class DetachedEdges(NamedTuple):
    """Edges without a supporting chunk, each with its document, and edges that another chunk supports."""

    document_by_unsupported_edge: dict[EdgeId, DocumentId]
    moved_edge_ids: list[EdgeId]


def detach_chunks_from_edges(space: SpaceSession, chunk_ids: Sequence[ChunkId]) -> DetachedEdges:
    """Detach these chunks from the edges that they support.

    Returns the edges that no other chunk with the same text supports, each with its document, and the edges
    now supported by another chunk.
    """
    rows = space.run("graph.write.detach_chunks_from_edges", {"chunks": list(chunk_ids)})
    documents_of_bare_edges = {EdgeId(row[0]): DocumentId(row[1]) for row in rows if row[2]}
    return DetachedEdges(documents_of_bare_edges, [EdgeId(row[0]) for row in rows if not row[2]])


def delete_vectors_and_recalls_of_edges(space: SpaceSession, edge_ids: Iterable[EdgeId]) -> None:
    """Delete vectors and recalls of edges that lost their evidence, and mark their end nodes as changed."""
    space.run("graph.write.delete_vectors_and_recalls_of_edges", {"edges": sorted(edge_ids), "note": uuid4()})


def delete_all_unused_nodes_and_count(space: SpaceSession) -> int:
    """Delete all nodes without edges and mentions, and the verdicts on their names; return how many nodes."""
    return len(
        _delete_orphaned_verdicts_and_list_nodes(
            space, space.run("graph.write.delete_all_unused_nodes_and_count")
        )
    )


def _delete_orphaned_verdicts_and_list_nodes(space: SpaceSession, rows: Sequence[Row]) -> list[NodeId]:
    """Delete verdicts on names that no node has any more; return the nodes of the rows.

    The rows are (node, its normalised names).
    """
    delete_verdicts_on_unused_names(space, {name for _, names in rows for name in names})
    return [NodeId(row[0]) for row in rows]


def delete_verdicts_on_unused_names(space: SpaceSession, names: Collection[str]) -> None:
    """Delete the verdicts on pairs that contain one of these names, if no node has the name any more."""
    if names:
        space.run("graph.write.delete_verdicts_on_names", {"names": sorted(names)})


def erase_words_of_unmentioned_nodes(space: SpaceSession) -> list[NodeId]:
    """Erase every word of nodes without mentions, and the verdicts on their names; return the nodes.

    The nodes stay because they have edges.
    """
    rows = space.run("graph.write.blank_unnamed_nodes")
    if rows:
        parameters = {"nodes": [row[0] for row in rows]}
        space.run("graph.write.drop_names", parameters)
        space.run("graph.write.drop_words", parameters)
    return _delete_orphaned_verdicts_and_list_nodes(space, rows)


class EvidenceWeights(NamedTuple):
    """The weight of edges that lost their evidence, and of the edges with evidence between the same nodes."""

    lost_weight: float
    remaining_weight: float


def sum_evidence_weights(space: SpaceSession, edge_ids: Sequence[EdgeId]) -> EvidenceWeights:
    """Return the weight of these edges, and of the edges with evidence between the same nodes."""
    lost_weight, remaining_weight = space.run("graph.write.sum_evidence_weights", {"edges": list(edge_ids)})[
        0
    ]
    return EvidenceWeights(round(lost_weight, 4), round(remaining_weight, 4))


def delete_edges_and_list_end_nodes(space: SpaceSession, edge_ids: Sequence[EdgeId]) -> list[NodeId]:
    """Delete these edges; return their end nodes."""
    return [
        NodeId(row[0])
        for row in space.run("graph.write.delete_edges_and_list_end_nodes", {"edges": list(edge_ids)})
    ]


def delete_unused_nodes(space: SpaceSession, node_ids: Sequence[NodeId]) -> set[NodeId]:
    """Delete those of these nodes without edges and mentions, and verdicts on their names; return them."""
    return set(
        _delete_orphaned_verdicts_and_list_nodes(
            space, space.run("graph.write.delete_unused_nodes", {"nodes": list(node_ids)})
        )
    )


def count_nodes_of_document(space: SpaceSession, document_id: DocumentId) -> int:
    """Return how many nodes the document's chunks mention."""
    return int(space.run("graph.write.count_nodes_of_document", {"document": document_id})[0][0])


class UnembeddedText(NamedTuple):
    """An edge or node without a vector, and the text to embed."""

    id: UUID
    text: str


def list_facts_without_vector(space: SpaceSession, chunk_ids: Sequence[ChunkId]) -> list[UnembeddedText]:
    """Return (edge, fact as text) for the facts of these chunks that have no vector."""
    rows = space.run("graph.write.list_facts_without_vector", {"chunks": list(chunk_ids)})
    return [UnembeddedText(row[0], f"{row[1]} {row[2]} {row[3]}") for row in rows]


def list_nodes_without_vector(space: SpaceSession, chunk_ids: Sequence[ChunkId]) -> list[UnembeddedText]:
    """Return (node, name) for the nodes mentioned in these chunks that have no vector."""
    rows = space.run("graph.write.list_nodes_without_vector", {"chunks": list(chunk_ids)})
    return [UnembeddedText(row[0], row[1]) for row in rows]


def insert_fact_vectors(space: SpaceSession, rows: Sequence[RowVector], *, vector_set: int) -> None:
    """Insert (edge, vector) rows of one vector set."""
    space.run(
        "graph.write.insert_fact_vectors",
        {**_transpose_rows(rows, ("ids", "embeddings")), "into_set": vector_set},
    )


def insert_node_vectors(space: SpaceSession, rows: Sequence[RowVector], *, vector_set: int) -> None:
    """Insert (node, vector) rows of one vector set."""
    space.run(
        "graph.write.insert_node_vectors",
        {**_transpose_rows(rows, ("ids", "embeddings")), "into_set": vector_set},
    )
