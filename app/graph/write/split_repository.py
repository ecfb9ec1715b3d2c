"""The SQL statements behind splits of nodes, each a named .sql file; the rules are in `splits`."""

from collections.abc import Collection, Sequence
from typing import NamedTuple
from uuid import UUID

from app.db.session import SpaceSession
from app.graph.resolution.shapes import Split, SplitOrder
from app.ids import ChunkId, DocumentId, NodeId


class MovedMention(NamedTuple):
    """A mention that a split moves: its chunk, its name there, and the chunk's hash and text."""

    chunk_id: ChunkId
    name: str
    content_hash: str
    text: str


class TextOfPart(NamedTuple):
    """A chunk whose text mentions a split's part; the first chunk of a split also carries its seals."""

    split_id: UUID
    chunk_id: ChunkId
    text: str
    decided_by: str
    seals: list[bytes] | None


class MentionOfSense(NamedTuple):
    """A mention that states a sense; `node_index` is the position of its node among those asked about."""

    node_index: int
    chunk_id: ChunkId
    name: str


NodeAndSenses = tuple[NodeId, Collection[str]]


def list_mentions_of_senses(
    space: SpaceSession, senses_of_nodes: Sequence[NodeAndSenses]
) -> list[MentionOfSense]:
    """Return (index in `senses_of_nodes`, chunk, name) of each mention stating one of its node's senses."""
    node_senses = [
        (index, node_id, sense)
        for index, (node_id, senses) in enumerate(senses_of_nodes)
        for sense in sorted(senses)
    ]
    mention_rows = space.run(
        "graph.write.list_mentions_of_senses",
        {
            "places": [index for index, _, _ in node_senses],
            "nodes": [node_id for _, node_id, _ in node_senses],
            "senses": [sense for _, _, sense in node_senses],
        },
    )
    return [MentionOfSense(row[0], ChunkId(row[1]), row[2]) for row in mention_rows]


def list_mentions_to_split(
    space: SpaceSession,
    node_id: NodeId,
    *,
    chunk_ids: Sequence[ChunkId],
    document_ids: Sequence[DocumentId],
    limit: int,
) -> list[MovedMention]:
    """Return at most `limit` of the node's mentions in these chunks or documents."""
    rows = space.run(
        "graph.write.list_mentions_to_split",
        {"node": node_id, "chunks": list(chunk_ids), "documents": list(document_ids), "limit": limit},
    )
    return [MovedMention(ChunkId(row[0]), *row[1:]) for row in rows]


def move_mentions_and_record_splits(
    space: SpaceSession,
    orders: Sequence[SplitOrder],
    *,
    content_hashes: Sequence[str] = (),
    seals: Sequence[bytes] = (),
) -> None:
    """Move these mentions, with the edges and attributes of their chunks, and write the ledger."""
    moves = [(order.node_id, order.new_node_id, chunk_id) for order in orders for chunk_id in order.chunk_ids]
    space.run(
        "graph.write.split_nodes",
        {
            "nodes": [node_id for node_id, _, _ in moves],
            "new_nodes": [new_node_id for _, new_node_id, _ in moves],
            "chunks": [chunk_id for _, _, chunk_id in moves],
        },
    )
    space.run(
        "graph.write.record_splits",
        {
            "ids": [order.id for order in orders],
            "nodes": [order.node_id for order in orders],
            "new_nodes": [order.new_node_id for order in orders],
            "mentions": [len(order.chunk_ids) for order in orders],
            "reasons": [order.reason for order in orders],
            "deciders": [order.decided_by for order in orders],
            "hashes": sorted(set(content_hashes)),
            "seals": sorted(seals),
        },
    )


def list_splits(space: SpaceSession, *, after: UUID | None = None, limit: int = 100) -> list[Split]:
    """Return a page of the ledger, newest first; `after` is the id of the previous page's last row."""
    rows = space.run("graph.write.list_splits", {"after": after, "only": None, "limit": limit})
    return [Split(*row) for row in rows]


def find_split(space: SpaceSession, split_id: UUID) -> Split | None:
    """Return this row of the ledger, or None."""
    rows = space.run("graph.write.list_splits", {"after": None, "only": split_id, "limit": 1})
    return Split(*rows[0]) if rows else None


def mark_split_undone(space: SpaceSession, split_id: UUID, *, actor: str) -> None:
    """Record that the split is undone."""
    space.run("graph.write.mark_split_undone", {"split": split_id, "actor": actor})


def list_chunks_of_missing_split_parts(
    space: SpaceSession, chunk_ids: Collection[ChunkId]
) -> list[TextOfPart]:
    """Return those of these chunks that mention a part of a person's split which no longer exists."""
    rows = space.run("graph.write.list_split_texts_without_node", {"chunks": sorted(set(chunk_ids))})
    return [TextOfPart(row[0], ChunkId(row[1]), *row[2:]) for row in rows]


class SplitAndNode(NamedTuple):
    """A split, and the node that is its part again."""

    split_id: UUID
    node_id: NodeId


def link_splits_to_nodes(space: SpaceSession, splits_and_nodes: Sequence[SplitAndNode]) -> None:
    """Link splits to the nodes that are their parts again, from (split, node) pairs."""
    space.run(
        "graph.write.link_splits_to_nodes",
        {
            "splits": [split_id for split_id, _ in splits_and_nodes],
            "nodes": [node_id for _, node_id in splits_and_nodes],
        },
    )


def get_node_of_each_chunk(
    space: SpaceSession, chunk_ids: Collection[ChunkId], node_ids: Collection[NodeId]
) -> dict[ChunkId, NodeId]:
    """Map each chunk to the one of these nodes that it mentions.

    If it mentions none: to the one that a person's split assigned a chunk with the same text to.
    """
    rows = space.run(
        "graph.write.get_node_of_each_chunk", {"chunks": sorted(chunk_ids), "nodes": sorted(node_ids)}
    )
    return {ChunkId(row[0]): NodeId(row[1]) for row in rows}
