"""The statements of erasing; what is erased is `erasure`'s business."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from uuid import UUID

from app.db.session import SpaceSession
from app.ids import DocumentId, EdgeId, NodeId


@contextmanager
def rolled_back_trial(space: SpaceSession) -> Iterator[None]:
    """Take back all that is done inside, but not what the ORM writes: a removal is tried, to say what it
    would change.
    """
    space.connection.execute("SAVEPOINT trial", prepare=False)
    try:
        yield
    finally:
        space.connection.execute("ROLLBACK TO SAVEPOINT trial", prepare=False)


def edges_replaced_by(space: SpaceSession, document_id: DocumentId) -> list[EdgeId]:
    """The edges that earlier texts of this document stated and that ended when these were replaced."""
    rows = space.run("graph.write.edges_replaced_by", {"document": document_id})
    return [EdgeId(row[0]) for row in rows]


def end_nodes_of_edges(space: SpaceSession, edges: Collection[EdgeId]) -> list[NodeId]:
    """The nodes at the ends of these edges."""
    if not edges:
        return []
    return [NodeId(row[0]) for row in space.run("graph.write.end_nodes_of_edges", {"edges": sorted(edges)})]


def redact_endings(space: SpaceSession, edges: Collection[EdgeId]) -> None:
    """Erase reasons in a person's words and dates of the text from what the ledger says of these edges."""
    if edges:
        space.run("graph.write.redact_endings", {"edges": sorted(edges)})


def names_in_mentions(space: SpaceSession, nodes: Iterable[NodeId]) -> list[tuple[NodeId, str, str]]:
    """(node, name, words of the text) as the chunks have them that name these nodes, each once."""
    rows = space.run("graph.write.names_in_mentions", {"nodes": sorted(nodes)})
    return [(NodeId(row[0]), row[1], row[2]) for row in rows]


def names_found_in_texts(
    space: SpaceSession, names: Sequence[tuple[NodeId, str, Collection[str]]]
) -> set[tuple[NodeId, str]]:
    """Those of (node, name, longer names of the node) whose words stand, not as a part of these, in a text,
    heading or title of a chunk that names the node.
    """
    rows = space.run(
        "graph.write.names_found_in_texts",
        {
            "nodes": [node_id for node_id, _, _ in names],
            "names": [name for _, name, _ in names],
            # Where there is none, what stands in no line of text; a bar in a name would end it.
            "longer": [
                "|".join(row.replace("|", "") for row in longer) or "\n\n\n" for _, _, longer in names
            ],
        },
    )
    return {(NodeId(row[0]), row[1]) for row in rows}


def existing_chunks(space: SpaceSession, chunk_ids: Collection[UUID]) -> set[UUID]:
    """Those of these chunks that stand."""
    rows = space.run("graph.write.existing_chunks", {"chunks": sorted(chunk_ids)})
    return {row[0] for row in rows}


def nodes_whose_texts_change(
    space: SpaceSession, nodes: Collection[NodeId], renamed_nodes: Collection[NodeId]
) -> list[NodeId]:
    """These nodes, and the renamed ones with their neighbours; vectors of what was renamed go."""
    parameters = {"nodes": sorted(nodes), "renamed": sorted(renamed_nodes)}
    return [NodeId(row[0]) for row in space.run("graph.write.nodes_whose_texts_change", parameters)]
