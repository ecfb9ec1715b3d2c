"""The graph: nodes, their names, their mentions in chunks, and edges."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    REAL,
    CheckConstraint,
    Computed,
    Index,
    Integer,
    PrimaryKeyConstraint,
    Text,
    UniqueConstraint,
    desc,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from app.db.base import (
    Base,
    SpaceOwned,
    build_created_at_column,
    build_foreign_key_within_space,
    build_space_foreign_key,
    build_updated_at_column,
)
from app.db.models.tenancy import EMPTY_OBJECT


class GraphNode(SpaceOwned, Base):
    """One thing, unique by (space, canonical name, node type)."""

    __tablename__ = "graph_node"
    __table_args__ = (
        build_space_foreign_key(),
        UniqueConstraint("knowledge_space_id", "canonical_name", "node_type"),
        Index("ix_graph_node_mention_count", "knowledge_space_id", desc("mention_count"), "id"),
        Index("ix_graph_node_type", "knowledge_space_id", "node_type", desc("mention_count"), "id"),
        CheckConstraint("octet_length(canonical_name) BETWEEN 1 AND 512", name="canonical_name_size"),
        CheckConstraint("confidence >= 0 AND confidence <= 1", name="confidence_range"),
        CheckConstraint("source IN ('extraction', 'manual')", name="source"),
        {
            "comment": (
                "Nodes: people, products, places, ideas. Unique by canonical_name and node_type in a space."
            ),
            # Counts change often and no index holds out_degree or in_degree: leave room for HOT updates.
            "postgresql_with": {"fillfactor": "80"},
        },
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, comment="uuid v7, made by the application.")
    canonical_name: Mapped[str] = mapped_column(Text, comment="The fullest name the documents give it.")
    node_type: Mapped[str] = mapped_column(
        Text, comment="Open set: Product, Person, Concept, API, Organization, …"
    )
    meta: Mapped[dict[str, Any]] = mapped_column(
        "metadata",
        JSONB,
        server_default=EMPTY_OBJECT,
        comment="aliases, firstSeenChunkId, typeVotes, attributes; open for more keys.",
    )
    mention_count: Mapped[int] = mapped_column(
        Integer, server_default="0", comment="How many chunks name it."
    )
    out_degree: Mapped[int] = mapped_column(
        Integer, server_default="0", comment="How many edge rows leave it."
    )
    in_degree: Mapped[int] = mapped_column(
        Integer, server_default="0", comment="How many edge rows enter it."
    )
    confidence: Mapped[float] = mapped_column(
        REAL, server_default="1", comment="Highest extraction confidence, 0 to 1."
    )
    source: Mapped[str] = mapped_column(Text, server_default="extraction", comment="extraction or manual.")
    first_seen_at: Mapped[datetime] = mapped_column(
        server_default=text("now()"), comment="First ingest that named it."
    )
    last_seen_at: Mapped[datetime] = mapped_column(
        server_default=text("now()"), comment="Last ingest that named it."
    )
    created_at: Mapped[datetime] = build_created_at_column()
    updated_at: Mapped[datetime] = build_updated_at_column()
    deleted_at: Mapped[datetime | None] = mapped_column(
        comment="Not used any more: a node exists as long as its row."
    )


class NodeName(SpaceOwned, Base):
    """A name of a node: its canonical name, an alias or a short form."""

    __tablename__ = "node_name"
    __table_args__ = (
        build_foreign_key_within_space("node_id", "graph_node.id"),
        Index("ix_node_name_node", "knowledge_space_id", "node_id"),
        Index(
            "ix_node_name_spelling",
            "knowledge_space_id",
            "spelling_key",
            postgresql_where=text("spelling_key IS NOT NULL"),
        ),
        CheckConstraint("kind IN ('canonical', 'alias', 'short')", name="kind"),
        {
            "comment": (
                "Every name a node is known by, normalised for look-up: one index probe finds an anchor."
            )
        },
    )

    normalised_name: Mapped[str] = mapped_column(
        Text(collation="C"), primary_key=True, comment="Lower case, folded, no punctuation."
    )
    node_id: Mapped[UUID] = mapped_column(primary_key=True, comment="The node so named.")
    name: Mapped[str] = mapped_column(Text, comment="The name as the documents write it.")
    kind: Mapped[str] = mapped_column(
        Text, comment="canonical and alias identify the node everywhere; short only within one document."
    )
    spelling_key: Mapped[str | None] = mapped_column(
        Text(collation="C"),
        comment="How it sounds (function spelling_key): misspelled names have the same or nearly so.",
    )


class NodeMention(SpaceOwned, Base):
    """One chunk naming one node."""

    __tablename__ = "node_mention"
    __table_args__ = (
        build_foreign_key_within_space("node_id", "graph_node.id"),
        build_foreign_key_within_space("chunk_id", "knowledge_chunk.id"),
        # Index-only: a graph walk reads the mentions of hundreds of chunks.
        PrimaryKeyConstraint(
            "knowledge_space_id",
            "chunk_id",
            "node_id",
            name="pk_node_mention",
            postgresql_include=["titular"],
        ),
        Index("ix_node_mention_node", "knowledge_space_id", "node_id", "chunk_id"),
        # A node named by too many chunks is searched through the chunks that are about it.
        Index("ix_node_mention_titular", "knowledge_space_id", "node_id", postgresql_where=text("titular")),
        {"comment": "Which chunk names which node, where it does so first, and as what type it read there."},
    )

    chunk_id: Mapped[UUID] = mapped_column(primary_key=True, comment="The chunk.")
    node_id: Mapped[UUID] = mapped_column(primary_key=True, comment="The node that it names.")
    surface_form: Mapped[str] = mapped_column(Text, comment="The words of the first mention in the chunk.")
    name: Mapped[str] = mapped_column(Text, comment="The fullest name that the chunk's document gives it.")
    char_start: Mapped[int] = mapped_column(
        Integer, comment="First character of those words in the chunk, from 0."
    )
    char_end: Mapped[int] = mapped_column(Integer, comment="One past their last character in the chunk.")
    node_type: Mapped[str | None] = mapped_column(
        Text, comment="The type that this chunk shows; null where it shows none."
    )
    titular: Mapped[bool] = mapped_column(
        server_default=text("false"),
        comment="Whether the name is the title of the chunk's document or its innermost heading.",
    )
    sense: Mapped[str | None] = mapped_column(
        Text,
        comment="Which of several things of that name the chunk means; null where it does not say.",
    )


EDGE_PAYLOAD = [
    "relation_type",
    "evidence_chunk_id",
    "id",
    "confidence",
    "status",
    "deleted_at",
    "invalidated_at",
]


class GraphEdge(SpaceOwned, Base):
    """One directed, typed claim between two nodes, stated by one chunk; parallel edges are normal."""

    __tablename__ = "graph_edge"
    __table_args__ = (
        build_foreign_key_within_space("from_node_id", "graph_node.id"),
        build_foreign_key_within_space("to_node_id", "graph_node.id"),
        build_foreign_key_within_space("evidence_chunk_id", "knowledge_chunk.id", keeps_row=True),
        UniqueConstraint("knowledge_space_id", "extraction_key"),
        # Ordering by weight only serves the LIMIT of a hop; the included columns avoid heap access (design
        # section 5).
        Index(
            "ix_graph_edge_from_weight",
            "knowledge_space_id",
            "from_node_id",
            desc("weight"),
            postgresql_include=["to_node_id", *EDGE_PAYLOAD],
        ),
        Index(
            "ix_graph_edge_to_weight",
            "knowledge_space_id",
            "to_node_id",
            desc("weight"),
            postgresql_include=["from_node_id", *EDGE_PAYLOAD],
        ),
        # Wide on purpose: with a narrow pair index the generic plan would sort all edges of a hub.
        Index(
            "ix_graph_edge_pair",
            "knowledge_space_id",
            "from_node_id",
            "to_node_id",
            postgresql_include=["weight", *EDGE_PAYLOAD],
        ),
        Index(
            "ix_graph_edge_ended",
            "knowledge_space_id",
            "from_node_id",
            "to_node_id",
            postgresql_where=text("invalidated_at IS NOT NULL AND deleted_at IS NULL"),
        ),
        Index(
            "ix_graph_edge_ends_ahead",
            "knowledge_space_id",
            "from_node_id",
            "to_node_id",
            postgresql_where=text("ends_at IS NOT NULL AND deleted_at IS NULL"),
        ),
        Index("ix_graph_edge_evidence", "knowledge_space_id", "evidence_chunk_id"),
        Index("ix_graph_edge_relation", "knowledge_space_id", "relation_type", desc("weight"), "id"),
        CheckConstraint("weight >= 0 AND weight <= 'Infinity' AND weight <> 'NaN'", name="weight_range"),
        CheckConstraint("status IN ('staged', 'confirmed')", name="status"),
        CheckConstraint("relation_type ~ '^[a-z][a-z0-9_]{0,63}$'", name="relation_type_form"),
        CheckConstraint("confidence >= 0 AND confidence <= 1", name="confidence_range"),
        CheckConstraint("polarity IN ('asserted', 'denied', 'reported')", name="polarity"),
        # Denials count as ended, so that every statement that filters ended edges leaves them out too.
        CheckConstraint(
            "(polarity = 'denied')"
            " = (invalidated_at IS NOT DISTINCT FROM '0001-01-02 00:00:00+00'::timestamptz)",
            name="denial_never_held",
        ),
        # Reports likewise, with another timestamp.
        CheckConstraint(
            "(polarity = 'reported')"
            " = (invalidated_at IS NOT DISTINCT FROM '0001-01-03 00:00:00+00'::timestamptz)",
            name="report_never_held",
        ),
        CheckConstraint(
            "valid_from_precision IN ('year', 'month', 'day')"
            " AND valid_to_precision IN ('year', 'month', 'day')",
            name="precision",
        ),
        CheckConstraint("valid_from_basis IN ('sentence', 'document')", name="basis"),
        {
            "comment": (
                "Edges: each row is one piece of evidence for a directed, typed claim. Rows are not unique by"
                " claim."
            )
        },
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, comment="uuid v7, made by the application.")
    from_node_id: Mapped[UUID] = mapped_column(comment="Who or what the claim is about.")
    to_node_id: Mapped[UUID] = mapped_column(comment="Who or what it relates to.")
    relation_type: Mapped[str] = mapped_column(Text, comment="The verb, lower snake_case; direction matters.")
    weight: Mapped[float] = mapped_column(
        REAL,
        comment=(
            "confidence x times seen in the chunk, over the largest of its ingest: 0 to 1 (requirement 4.3)."
        ),
    )
    evidence_chunk_id: Mapped[UUID | None] = mapped_column(
        comment="The chunk that states it; null once that is gone."
    )
    status: Mapped[str] = mapped_column(
        Text,
        server_default="staged",
        comment="confirmed once two documents state it or a person does, else staged.",
    )
    meta: Mapped[dict[str, Any]] = mapped_column(
        "metadata",
        JSONB,
        comment=(
            "confidence, model, extractedAt, quote, charStart and charEnd (in the chunk); open for more keys."
        ),
    )
    confidence: Mapped[float] = mapped_column(
        REAL,
        Computed("((metadata -> 'confidence')::real)", persisted=True),
        comment="metadata's confidence, for filters.",
    )
    extraction_key: Mapped[UUID] = mapped_column(
        comment=(
            "128 bits of the hash of chunk text, prompt version, model and claim: a retry never adds a row."
        )
    )
    created_at: Mapped[datetime] = build_created_at_column()
    polarity: Mapped[str] = mapped_column(
        Text,
        server_default="asserted",
        comment=(
            "denied where the sentence says that the claim does not hold, or not any more; reported where it"
            " only says who claims it."
        ),
    )
    valid_from: Mapped[datetime | None] = mapped_column(
        comment="Since when it holds, or for a denial does not: by its sentence, else its document's date."
    )
    valid_from_precision: Mapped[str | None] = mapped_column(
        Text,
        comment="How exact valid_from was stated: year, month or day.",
    )
    valid_from_basis: Mapped[str | None] = mapped_column(
        Text, comment="Where valid_from was read: in the sentence, or from the document's date."
    )
    valid_to: Mapped[datetime | None] = mapped_column(
        comment="Up to which year, month or day it held, where its sentence says so: its first moment."
    )
    valid_to_precision: Mapped[str | None] = mapped_column(
        Text, comment="How exact valid_to was stated: year, month or day."
    )
    invalidated_at: Mapped[datetime | None] = mapped_column(
        comment=(
            "When a later source or a person ended the claim; for a denial, and for a report, always the same"
            " early moment."
        )
    )
    ends_at: Mapped[datetime | None] = mapped_column(
        comment=(
            "A moment ahead at which it will end, as far as is known; of a claim that begins later without a"
            " known end the last day of 9999."
        )
    )
    deleted_at: Mapped[datetime | None] = mapped_column(
        comment="Set on an edge that queries must no longer show."
    )
    access_count: Mapped[int] = mapped_column(
        Integer, server_default="0", comment="Not counted here any more: edge_recall has it."
    )
    last_accessed_at: Mapped[datetime | None] = mapped_column(
        comment="Not counted here any more: edge_recall has it."
    )


class GraphLayout(SpaceOwned, Base):
    """Positions of a part of the drawn graph, for one state of the graph and its communities."""

    __tablename__ = "graph_layout"
    __table_args__ = (
        build_space_foreign_key(),
        CheckConstraint("octet_length(part) BETWEEN 1 AND 200", name="part_size"),
        {
            "comment": (
                "Positions of the nodes of a drawn graph: ids and numbers, no text of a document. May be "
                "emptied at any time."
            )
        },
    )

    part: Mapped[str] = mapped_column(
        Text(collation="C"),
        primary_key=True,
        comment="Which drawing: the top level, the inside of a community, or the ties of one.",
    )
    version: Mapped[str] = mapped_column(
        Text, comment="The graph's revision and the run of communities that it was worked out for."
    )
    body: Mapped[bytes] = mapped_column(comment="Ids, places and sums, as JSON.")
    created_at: Mapped[datetime] = build_created_at_column()
