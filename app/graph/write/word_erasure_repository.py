"""The SQL statements of `word_erasure`."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple
from uuid import UUID

from app.db.session import SpaceSession
from app.graph.write.name_tie_repository import NameOfNode
from app.ids import DocumentId, EdgeId, NodeId


@contextmanager
def try_changes_and_roll_back(space: SpaceSession) -> Iterator[None]:
    """Roll back all SQL executed inside the block, to try a removal and report what it would change.

    Changes that the ORM writes are not rolled back.
    """
    space.connection.execute("SAVEPOINT trial", prepare=False)
    try:
        yield
    finally:
        space.connection.execute("ROLLBACK TO SAVEPOINT trial", prepare=False)


def list_edges_replaced_by_document(space: SpaceSession, document_id: DocumentId) -> list[EdgeId]:
    """Return the edges stated by earlier texts of this document that ended when those texts were replaced."""
    rows = space.run("graph.write.list_edges_replaced_by_document", {"document": document_id})
    return [EdgeId(row[0]) for row in rows]


def list_end_nodes_of_edges(space: SpaceSession, edge_ids: Collection[EdgeId]) -> list[NodeId]:
    """Return the nodes at the ends of these edges."""
    if not edge_ids:
        return []
    return [
        NodeId(row[0])
        for row in space.run("graph.write.list_end_nodes_of_edges", {"edges": sorted(edge_ids)})
    ]


def erase_reasons_and_dates_of_endings(space: SpaceSession, edge_ids: Collection[EdgeId]) -> None:
    """Erase persons' reasons and the texts' dates from the ledger entries about these edges."""
    if edge_ids:
        space.run("graph.write.erase_reasons_and_dates_of_endings", {"edges": sorted(edge_ids)})


class MentionedName(NamedTuple):
    """A name of a node and its surface in a mention."""

    node_id: NodeId
    name: str
    surface: str


def list_names_in_mentions(space: SpaceSession, node_ids: Iterable[NodeId]) -> list[MentionedName]:
    """Return the distinct (node, name, surface) of the mentions of these nodes."""
    rows = space.run("graph.write.list_names_in_mentions", {"nodes": sorted(node_ids)})
    return [MentionedName(NodeId(row[0]), row[1], row[2]) for row in rows]


DoubtfulName = tuple[NodeId, str, Collection[str]]
"""A node, one of its names, and its longer names."""


def find_names_in_texts(space: SpaceSession, names_of_nodes: Sequence[DoubtfulName]) -> set[NameOfNode]:
    """Return the (node, name) whose words occur in a text, heading or title of a chunk mentioning the node.

    An occurrence inside a longer name of the node does not count.
    """
    rows = space.run(
        "graph.write.find_names_in_texts",
        {
            "nodes": [node_id for node_id, _, _ in names_of_nodes],
            "names": [name for _, name, _ in names_of_nodes],
            # Without longer names, a pattern that no line contains. A "|" in a name would end the
            # alternative.
            "longer": [
                "|".join(longer_name.replace("|", "") for longer_name in longer_names) or "\n\n\n"
                for _, _, longer_names in names_of_nodes
            ],
        },
    )
    return {(NodeId(row[0]), row[1]) for row in rows}


def select_existing_chunks(space: SpaceSession, chunk_ids: Collection[UUID]) -> set[UUID]:
    """Return those of these chunks that exist."""
    rows = space.run("graph.write.select_existing_chunks", {"chunks": sorted(chunk_ids)})
    return {row[0] for row in rows}


def drop_vectors_of_renamed_nodes(
    space: SpaceSession, node_ids: Collection[NodeId], renamed_node_ids: Collection[NodeId]
) -> list[NodeId]:
    """Delete the vectors of renamed nodes; return the renamed nodes and the neighbours of those."""
    parameters = {"nodes": sorted(node_ids), "renamed": sorted(renamed_node_ids)}
    return [NodeId(row[0]) for row in space.run("graph.write.drop_vectors_of_renamed_nodes", parameters)]
