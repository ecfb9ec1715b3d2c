"""Summaries of nodes, the state and history of their gate, and the nodes that it has yet to check."""

from datetime import datetime
from typing import Any
from uuid import UUID

from pgvector.sqlalchemy import HALFVEC
from sqlalchemy import (
    ARRAY,
    REAL,
    BigInteger,
    DateTime,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    Text,
    Uuid,
)
from sqlalchemy import (
    text as clause,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from app.db.base import (
    Base,
    SpaceOwned,
    build_created_at_column,
    build_foreign_key_within_space,
    build_space_foreign_key,
)


def _build_summary_key() -> ForeignKeyConstraint:
    return build_foreign_key_within_space("node_id", "node_summary.node_id")


class TouchedNodes(SpaceOwned, Base):
    """The nodes whose facts one statement on edges changed; written by triggers with the change."""

    __tablename__ = "touched_nodes"
    __table_args__ = (
        build_space_foreign_key(),
        {
            "comment": (
                "Whose facts changed, a row for each statement on edges, written by triggers with the change;"
                " the next look at summaries gathers them."
            )
        },
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, comment="Random, made by the trigger.")
    nodes: Mapped[list[UUID]] = mapped_column(
        ARRAY(Uuid), comment="The ends of the edges that a statement wrote, changed or removed."
    )


class ChangedNode(SpaceOwned, Base):
    """A node whose facts changed since the gate checked it, collected from `TouchedNodes`."""

    __tablename__ = "changed_node"
    __table_args__ = (
        build_foreign_key_within_space("node_id", "graph_node.id"),
        {
            "comment": (
                "Nodes whose facts changed since the summary gate looked at them; gathered out of"
                " touched_nodes by the next look."
            ),
            # A hub changes between all checks, and no index contains the column: leave room for HOT updates.
            "postgresql_with": {"fillfactor": "80"},
        },
    )

    node_id: Mapped[UUID] = mapped_column(primary_key=True, comment="The node.")
    change: Mapped[UUID] = mapped_column(
        comment="A new value at each change, so that clearing a row does not clear a later change."
    )


class NodeSummary(SpaceOwned, Base):
    """The summary of one node, and the gate's state (`app.derived.summaries.gate.GateState`)."""

    __tablename__ = "node_summary"
    __table_args__ = (
        build_foreign_key_within_space("node_id", "graph_node.id"),
        Index(
            "ix_node_summary_due",
            "knowledge_space_id",
            "due_at",
            postgresql_where=clause("due_at IS NOT NULL"),
        ),
        {
            "comment": (
                "Summaries of nodes, cited, each with the state by which the gate decides about its next"
                " refresh."
            )
        },
    )

    node_id: Mapped[UUID] = mapped_column(primary_key=True, comment="The node.")
    text: Mapped[str] = mapped_column(Text, comment="The summary, in sentences.")
    citations: Mapped[list[Any]] = mapped_column(
        JSONB,
        comment='[{"char_start", "char_end", "edge_ids"}]: which characters of the text rest on which edges.',
    )
    written_by: Mapped[str] = mapped_column(Text, comment="rules or the model's name.")
    facts_hash: Mapped[bytes] = mapped_column(
        LargeBinary, comment="SHA-256 of the facts that the summary was written from."
    )
    embedding: Mapped[Any | None] = mapped_column(
        HALFVEC(),
        comment=(
            "The sum of those facts' vectors, each of length one (no longer than one: their mean, from before"
            " they were summed); null where none has one."
        ),
    )
    vector_set: Mapped[int] = mapped_column(
        Integer,
        server_default="0",
        comment="The set of vectors that embedding is the sum of; another set's is not compared with it.",
    )
    vector_of: Mapped[int] = mapped_column(Integer, comment="Number of the episode at which it was written.")
    summarised_at: Mapped[datetime] = mapped_column(comment="When it was written.")
    recent: Mapped[list[datetime]] = mapped_column(
        ARRAY(DateTime(timezone=True)),
        server_default=clause("'{}'::timestamptz[]"),
        comment="Times of the episodes of the burst window.",
    )
    in_burst: Mapped[bool] = mapped_column(
        server_default=clause("false"), comment="Whether they are a burst."
    )
    held: Mapped[int] = mapped_column(
        Integer, server_default="0", comment="Episodes that a burst has put off."
    )
    pending: Mapped[bool] = mapped_column(
        server_default=clause("false"), comment="Whether a refresh was deferred."
    )
    due_at: Mapped[datetime | None] = mapped_column(
        comment="When a deferred refresh is checked again; null where none is deferred."
    )
    last_reason: Mapped[str] = mapped_column(Text, comment="Why the gate last decided as it did.")
    looked_at: Mapped[datetime] = mapped_column(comment="When the gate last decided.")
    seen_claims: Mapped[bytes] = mapped_column(
        LargeBinary,
        comment="64 bits for each fact that the gate saw then, by which it tells facts added "
        "and removed since.",
    )
    episodes: Mapped[int] = mapped_column(Integer, comment="Decisions so far; the next one's number.")
    refreshed: Mapped[int] = mapped_column(Integer, comment="How many of them wrote the summary.")
    skipped: Mapped[int] = mapped_column(Integer, comment="How many did not.")
    created_at: Mapped[datetime] = build_created_at_column()


class SummaryEpisode(SpaceOwned, Base):
    """The gate's input about one node at one time, and its decision."""

    __tablename__ = "summary_episode"
    __table_args__ = (
        _build_summary_key(),
        {
            "comment": (
                "What the summary gate was asked, the last 25 to 50 times of each node: what `summaries"
                " replay` decides anew."
            )
        },
    )

    node_id: Mapped[UUID] = mapped_column(primary_key=True, comment="The node.")
    number: Mapped[int] = mapped_column(
        Integer, primary_key=True, comment="Its place in the history of the node, from 0."
    )
    at: Mapped[datetime] = mapped_column(comment="When the gate looked.")
    facts_hash: Mapped[bytes] = mapped_column(LargeBinary, comment="SHA-256 of the facts as they then stood.")
    came: Mapped[bool] = mapped_column(comment="Whether a fact was added.")
    negates: Mapped[bool] = mapped_column(comment="Whether an added fact denies something.")
    went: Mapped[bool] = mapped_column(comment="Whether a fact was invalidated.")
    embedding: Mapped[Any | None] = mapped_column(
        HALFVEC(),
        comment=(
            "The sum of the facts' vectors; null where vector_of names an earlier episode, or where no fact"
            " had one."
        ),
    )
    vector_of: Mapped[int] = mapped_column(
        Integer,
        comment="Number of the episode that has the vector: this one, or an earlier one of the same node.",
    )
    refreshed: Mapped[bool] = mapped_column(comment="Whether the summary was written.")
    reason: Mapped[str] = mapped_column(Text, comment="Why the gate decided so.")
    state: Mapped[dict[str, Any] | None] = mapped_column(
        JSONB,
        comment="At every twenty-fifth episode the state before it, so that what is older can go.",
    )
    state_embedding: Mapped[Any | None] = mapped_column(HALFVEC(), comment="The vector of that state.")


class SummaryCount(SpaceOwned, Base):
    """The number of the gate's decisions for one reason."""

    __tablename__ = "summary_count"
    __table_args__ = (
        build_space_foreign_key(),
        {"comment": "How often the summary gate refreshed and skipped, by reason."},
    )

    reason: Mapped[str] = mapped_column(Text, primary_key=True, comment="The reason of these decisions.")
    refreshed: Mapped[bool] = mapped_column(comment="Whether they wrote the summary.")
    decisions: Mapped[int] = mapped_column(BigInteger, comment="How many there were.")
    last_at: Mapped[datetime] = mapped_column(comment="When the last one was.")


class SummarySkip(SpaceOwned, Base):
    """A skipped refresh, stored for review."""

    __tablename__ = "summary_skip"
    __table_args__ = (
        _build_summary_key(),
        Index("ix_summary_skip_node", "knowledge_space_id", "node_id"),
        {
            "comment": (
                "One in fifty of the refreshes that the gate skipped, the newest 200 of a space, for a person"
                " to review."
            )
        },
    )

    id: Mapped[UUID] = mapped_column(
        primary_key=True, comment="uuid v7, made by the application: in the order of the skips."
    )
    node_id: Mapped[UUID] = mapped_column(comment="The node.")
    number: Mapped[int] = mapped_column(Integer, comment="Number of the episode.")
    at: Mapped[datetime] = mapped_column(comment="When the gate looked.")
    reason: Mapped[str] = mapped_column(Text, comment="Why it skipped.")
    drift: Mapped[float] = mapped_column(
        REAL, comment="Cosine distance of the facts' vectors from those of the summary, 0 to 2."
    )
    new_facts: Mapped[list[str]] = mapped_column(
        ARRAY(Text),
        server_default=clause("'{}'::text[]"),
        comment="At most five of the facts that were new, in words.",
    )
