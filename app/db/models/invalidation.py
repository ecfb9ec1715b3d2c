"""The ledger of ended claims: which edge, since when, by whom, why, and whether it was undone."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, Index, Text, text
from sqlalchemy.orm import Mapped, mapped_column

from app.db.base import Base, SpaceOwned, build_created_at_column, build_space_foreign_key


class EdgeInvalidation(SpaceOwned, Base):
    """One edge that a decision ended; rows of one decision share its id."""

    __tablename__ = "edge_invalidation"
    __table_args__ = (
        # No foreign key to edges: the ledger outlives them, as the ledger of merges outlives nodes.
        build_space_foreign_key(),
        # An edge can be ended only once: of two concurrent decisions one is refused.
        Index(
            "uq_edge_invalidation_standing",
            "knowledge_space_id",
            "edge_id",
            unique=True,
            postgresql_where=text("undone_at IS NULL"),
        ),
        Index("ix_edge_invalidation_edge", "knowledge_space_id", "edge_id", "id"),
        Index("ix_edge_invalidation_decision", "knowledge_space_id", "decision_id"),
        Index("ix_edge_invalidation_source", "knowledge_space_id", "source_edge_id"),
        # Used when a document is deleted, to find the decisions that it caused.
        Index(
            "ix_edge_invalidation_document",
            "knowledge_space_id",
            "document_id",
            postgresql_where=text("document_id IS NOT NULL"),
        ),
        CheckConstraint("kind IN ('person', 'source', 'replaced')", name="kind"),
        CheckConstraint("undone_kind IN ('person', 'source', 'replaced')", name="undone_kind"),
        CheckConstraint("(kind = 'source') = (source_edge_id IS NOT NULL)", name="source_names_its_edge"),
        CheckConstraint("(undone_at IS NULL) = (undone_kind IS NULL)", name="undone_by_somebody"),
        CheckConstraint("octet_length(reason) BETWEEN 1 AND 4000", name="reason_size"),
        {
            "comment": (
                "Ledger of ended claims: who or which later source ended an edge, why, and whether that was"
                " undone."
            )
        },
    )

    id: Mapped[UUID] = mapped_column(
        primary_key=True, comment="uuid v7, made by the application: in the order of the decisions."
    )
    decision_id: Mapped[UUID] = mapped_column(comment="Shared by the edges that one decision ended.")
    edge_id: Mapped[UUID] = mapped_column(comment="The edge that ended; may be gone.")
    kind: Mapped[str] = mapped_column(Text, comment="person, or source: a later dated one of another value.")
    decided_by: Mapped[str] = mapped_column(Text, comment="The person's actor name; rules for a source.")
    reason: Mapped[str] = mapped_column(Text, comment="Why, in the words of who decided.")
    invalidated_at: Mapped[datetime] = mapped_column(
        comment="What the edge's invalidated_at became: the moment given, or the later source's date."
    )
    claim_dated_at: Mapped[datetime | None] = mapped_column(
        comment="The date of the ended claim that was compared with the source's."
    )
    source_edge_id: Mapped[UUID | None] = mapped_column(comment="The edge of the later source; may be gone.")
    source_chunk_id: Mapped[UUID | None] = mapped_column(comment="Its chunk at the time; may be gone.")
    document_id: Mapped[UUID | None] = mapped_column(comment="The document that was replaced; may be gone.")
    graph_revision: Mapped[int] = mapped_column(
        BigInteger, comment="The space's graph revision at the decision."
    )
    created_at: Mapped[datetime] = build_created_at_column()
    undone_at: Mapped[datetime | None] = mapped_column(comment="When it was undone; null while it holds.")
    undone_by: Mapped[str | None] = mapped_column(
        Text, comment="Who undid it; rules where a source fell away."
    )
    undone_kind: Mapped[str | None] = mapped_column(
        Text, comment="person, after whom no source ends the edge again, or source."
    )
