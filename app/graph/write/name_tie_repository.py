"""The SQL statements of `name_ties`."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from app.db.session import SpaceSession
from app.graph.resolution.name_ties import NameTie
from app.ids import ChunkId, NodeId


def store_name_ties(space: SpaceSession, ties_by_chunk: Mapping[ChunkId, Collection[NameTie]]) -> None:
    """Store these ties on their chunks, in place of earlier ones."""
    chunk_ids = sorted(ties_by_chunk)
    tie_texts = [
        json.dumps(sorted([[tie.node_type, *tie.names] for tie in ties_by_chunk[chunk_id]], key=str))
        for chunk_id in chunk_ids
    ]
    space.run("graph.write.store_name_ties", {"chunks": chunk_ids, "ties": tie_texts})


def clear_name_ties(space: SpaceSession, chunk_ids: Sequence[ChunkId]) -> None:
    """Delete the ties of chunks that are read again."""
    space.run("graph.write.clear_name_ties", {"chunks": list(chunk_ids)})


class TieOfNode(NamedTuple):
    """A tie between names, and a node that its chunk mentions."""

    node_id: NodeId
    tie: NameTie


def list_name_ties_of_chunks(space: SpaceSession, chunk_ids: Sequence[ChunkId]) -> list[TieOfNode]:
    """Return the ties of these chunks, each with every node that its chunk mentions."""
    return _build_ties_from_rows(
        space.run("graph.write.list_name_ties_of_chunks", {"chunks": list(chunk_ids)})
    )


def list_name_ties_of_nodes(space: SpaceSession, node_ids: Iterable[NodeId]) -> list[TieOfNode]:
    """Return the ties of all chunks that mention these nodes, and the names of their mentions."""
    return _build_ties_from_rows(
        space.run("graph.write.list_name_ties_of_nodes", {"nodes": sorted(node_ids)})
    )


NameOfNode = tuple[NodeId, str]
"""A node, and one of its normalised names."""


def list_chunks_with_names(space: SpaceSession, names_of_nodes: Collection[NameOfNode]) -> list[ChunkId]:
    """Return the chunks that mention one of these nodes and contain its name in the mention, the text, the
    headings or the title, as written.
    """
    rows = space.run(
        "graph.write.list_chunks_with_names",
        {"nodes": [node_id for node_id, _ in names_of_nodes], "names": [name for _, name in names_of_nodes]},
    )
    return [ChunkId(row[0]) for row in rows]


def mark_merges_of_names_undone(space: SpaceSession, names_of_nodes: Collection[NameOfNode]) -> None:
    """Mark the merges by texts into these nodes as undone if one of the two had one of these names."""
    space.run(
        "graph.write.mark_merges_of_names_undone",
        {"nodes": [node_id for node_id, _ in names_of_nodes], "names": [name for _, name in names_of_nodes]},
    )


def _build_ties_from_rows(rows: Iterable[Any]) -> list[TieOfNode]:
    return [TieOfNode(NodeId(node_id), NameTie(tie[0], tuple(tie[1:]))) for node_id, tie in rows]
