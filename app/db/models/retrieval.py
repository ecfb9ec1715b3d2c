"""Search data besides chunks: vectors of facts and nodes, and the frequency of words."""

from datetime import datetime
from typing import Any
from uuid import UUID

from pgvector.sqlalchemy import HALFVEC
from sqlalchemy import ARRAY, REAL, Integer, Text, text
from sqlalchemy.orm import Mapped, mapped_column

from app.db.base import Base, SpaceOwned, TriggerKey, build_foreign_key_within_space, build_space_foreign_key

_SEPARATE_TABLE_NOTE = "Its vector by the set's embedding model; apart, so that walks read narrow rows."


def _build_vector_set() -> Mapped[int]:
    return mapped_column(
        Integer,
        primary_key=True,
        server_default="0",
        comment="The set it belongs to: searches compare with that of knowledge_space.vector_set alone.",
    )


class ChunkVector(SpaceOwned, Base):
    """The vector of one chunk's text."""

    __tablename__ = "chunk_vector"
    __table_args__ = (
        build_foreign_key_within_space("chunk_id", "knowledge_chunk.id"),
        {"comment": "Vectors of chunks: of their texts."},
    )

    chunk_id: Mapped[UUID] = mapped_column(primary_key=True, comment="The chunk.")
    vector_set: Mapped[int] = _build_vector_set()
    embedding: Mapped[Any] = mapped_column(HALFVEC(), comment=_SEPARATE_TABLE_NOTE)


class FactVector(SpaceOwned, Base):
    """The vector of one edge written as a sentence: node, relation type, node (requirement 6.3)."""

    __tablename__ = "fact_vector"
    __table_args__ = (
        build_foreign_key_within_space("edge_id", "graph_edge.id"),
        {"comment": "Vectors of facts: node, relation type, node."},
    )

    edge_id: Mapped[UUID] = mapped_column(primary_key=True, comment="The edge that states the fact.")
    vector_set: Mapped[int] = _build_vector_set()
    embedding: Mapped[Any] = mapped_column(HALFVEC(), comment=_SEPARATE_TABLE_NOTE)


class NodeVector(SpaceOwned, Base):
    """The vector of one node's canonical name."""

    __tablename__ = "node_vector"
    __table_args__ = (
        build_foreign_key_within_space("node_id", "graph_node.id"),
        {"comment": "Vectors of node names."},
    )

    node_id: Mapped[UUID] = mapped_column(primary_key=True, comment="The node.")
    vector_set: Mapped[int] = _build_vector_set()
    embedding: Mapped[Any] = mapped_column(HALFVEC(), comment=_SEPARATE_TABLE_NOTE)


def _build_arguments_of_partitioned_table(kind: str, key: str, parent: str, comment: str) -> tuple[Any, ...]:
    """Return the table arguments for a table whose partitions hold the vectors of one large space each.

    Triggers maintain its key: a constraint would search the partitions of all spaces at each deletion.
    """
    return (
        TriggerKey(
            ["knowledge_space_id", key],
            [f"{parent}.knowledge_space_id", f"{parent}.id"],
            ondelete="CASCADE",
            triggers={
                f"dedicated_{kind}_vector": ("check_insert", "check_update"),
                f"dedicated_{kind}_vector_default": ("check_insert", "check_update"),
                parent: ("drop_dedicated_vectors",),
            },
        ),
        {"comment": comment, "postgresql_partition_by": "LIST (knowledge_space_id)"},
    )


class DedicatedChunkVector(SpaceOwned, Base):
    """The vector of one chunk's text, in a large space."""

    __tablename__ = "dedicated_chunk_vector"
    __table_args__ = _build_arguments_of_partitioned_table(
        "chunk",
        "chunk_id",
        "knowledge_chunk",
        "Vectors of chunks of large spaces, each in a partition of its own.",
    )

    chunk_id: Mapped[UUID] = mapped_column(primary_key=True, comment="The chunk.")
    vector_set: Mapped[int] = _build_vector_set()
    embedding: Mapped[Any] = mapped_column(HALFVEC(), comment=_SEPARATE_TABLE_NOTE)


class DedicatedFactVector(SpaceOwned, Base):
    """The vector of one edge written as a sentence, in a large space."""

    __tablename__ = "dedicated_fact_vector"
    __table_args__ = _build_arguments_of_partitioned_table(
        "fact", "edge_id", "graph_edge", "Vectors of facts of large spaces, each in a partition of its own."
    )

    edge_id: Mapped[UUID] = mapped_column(primary_key=True, comment="The edge that states the fact.")
    vector_set: Mapped[int] = _build_vector_set()
    embedding: Mapped[Any] = mapped_column(HALFVEC(), comment=_SEPARATE_TABLE_NOTE)


class DedicatedNodeVector(SpaceOwned, Base):
    """The vector of one node's canonical name, in a large space."""

    __tablename__ = "dedicated_node_vector"
    __table_args__ = _build_arguments_of_partitioned_table(
        "node",
        "node_id",
        "graph_node",
        "Vectors of node names of large spaces, each in a partition of its own.",
    )

    node_id: Mapped[UUID] = mapped_column(primary_key=True, comment="The node.")
    vector_set: Mapped[int] = _build_vector_set()
    embedding: Mapped[Any] = mapped_column(HALFVEC(), comment=_SEPARATE_TABLE_NOTE)


class SpaceStatistics(SpaceOwned, Base):
    """The frequency of words in one space."""

    __tablename__ = "space_statistics"
    __table_args__ = (
        build_space_foreign_key(),
        {
            "comment": (
                "How common words are in a space, so that a search begins with the rare ones; renewed after"
                " ingests."
            )
        },
    )

    chunks: Mapped[int] = mapped_column(Integer, comment="Chunks of the space when this was counted.")
    chunks_since: Mapped[int] = mapped_column(
        Integer, server_default="0", comment="Chunks read since; past a fifth of chunks it is counted anew."
    )
    common_lexemes: Mapped[list[str]] = mapped_column(
        ARRAY(Text),
        server_default=text("'{}'::text[]"),
        comment="Words in more than one of 200 chunks of a sample.",
    )
    common_shares: Mapped[list[float]] = mapped_column(
        ARRAY(REAL),
        server_default=text("'{}'::real[]"),
        comment="For each of them the share of the sample's chunks that hold it, 0 to 1.",
    )
    counted_at: Mapped[datetime] = mapped_column(
        server_default=text("now()"), comment="When this was counted."
    )
