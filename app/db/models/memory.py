"""Recalls of chunks and edges, in tables separate from the rows they count."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, Double
from sqlalchemy.orm import Mapped, mapped_column

from app.db.base import Base, SpaceOwned, build_foreign_key_within_space

_SCORES = "total_score >= 0 AND total_score < 'Infinity'"
# Counters change often and are in no index: leave room for HOT updates.
_ROOM = {"fillfactor": "80"}


class _RecallTotals:
    """The totals of the recalls of one chunk or edge."""

    recall_count: Mapped[int] = mapped_column(BigInteger, comment="How often it was returned to a caller.")
    total_score: Mapped[float] = mapped_column(
        Double, comment="Sum of the scores that it was returned with, each 0 to 1."
    )
    last_recalled_at: Mapped[datetime] = mapped_column(
        comment="When it was last returned, by the database's clock."
    )


class ChunkRecall(_RecallTotals, SpaceOwned, Base):
    """How often, with what score and when one chunk was returned (requirement 12.1); no row means never."""

    __tablename__ = "chunk_recall"
    __table_args__ = (
        build_foreign_key_within_space("chunk_id", "knowledge_chunk.id"),
        CheckConstraint("recall_count > 0", name="recalled"),
        CheckConstraint(_SCORES, name="total_score_range"),
        {
            "comment": (
                "How often, with which scores and when last chunks were returned to callers; eviction "
                "decides by it."
            ),
            "postgresql_with": _ROOM,
        },
    )

    chunk_id: Mapped[UUID] = mapped_column(primary_key=True, comment="The chunk.")


class EdgeRecall(_RecallTotals, SpaceOwned, Base):
    """The same for one edge, for the usage boost and the decay of its score (requirement 9.4)."""

    __tablename__ = "edge_recall"
    __table_args__ = (
        build_foreign_key_within_space("edge_id", "graph_edge.id"),
        CheckConstraint("recall_count > 0", name="recalled"),
        CheckConstraint(_SCORES, name="total_score_range"),
        {
            "comment": (
                "How often, with which scores and when last edges were returned to callers; part of the "
                "score of a fact."
            ),
            "postgresql_with": _ROOM,
        },
    )

    edge_id: Mapped[UUID] = mapped_column(primary_key=True, comment="The edge.")
