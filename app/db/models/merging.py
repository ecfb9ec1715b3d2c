"""Entity resolution: merges and splits that can be undone, verdicts on pairs, and keys of spellings."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    REAL,
    BigInteger,
    CheckConstraint,
    Index,
    Integer,
    LargeBinary,
    Text,
    Uuid,
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
)

NO_IDS = text("'{}'::uuid[]")
NO_ROWS = text("'[]'::jsonb")
NAME = Text(collation="C")


class NodeMerge(SpaceOwned, Base):
    """A node that was merged into another, with everything needed to undo it."""

    __tablename__ = "node_merge"
    __table_args__ = (
        # No foreign keys to nodes: the ledger outlives both, and the loser no longer exists.
        build_space_foreign_key(),
        Index("ix_node_merge_winner", "knowledge_space_id", "winner_node_id"),
        Index("ix_node_merge_loser", "knowledge_space_id", "loser_node_id"),
        CheckConstraint("reason IN ('exact', 'alias', 'string', 'embedding', 'model', 'person')", "reason"),
        CheckConstraint("confidence >= 0 AND confidence <= 1", "confidence_range"),
        {"comment": "Ledger of merges: which node became part of which, why, by whom, and how to undo it."},
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, comment="uuid v7: in the order of the merges.")
    winner_node_id: Mapped[UUID] = mapped_column(comment="The node that stayed when this was written.")
    loser_node_id: Mapped[UUID] = mapped_column(
        comment="The node that was removed; undoing the merge restores it under this id."
    )
    loser_name: Mapped[str] = mapped_column(Text, comment="The canonical name it had.")
    loser_type: Mapped[str] = mapped_column(Text, comment="The node type it had.")
    loser: Mapped[dict[str, Any]] = mapped_column(
        JSONB, comment="metadata, confidence, source and times that it had."
    )
    winner: Mapped[dict[str, Any]] = mapped_column(
        JSONB, comment="Name, type, confidence and first_seen_at of the winner before."
    )
    names: Mapped[list[Any]] = mapped_column(
        JSONB, server_default=NO_ROWS, comment="The loser's names: [normalised, as written, kind]."
    )
    winner_names: Mapped[list[Any]] = mapped_column(
        JSONB, server_default=NO_ROWS, comment="Those of the same names that the winner had before."
    )
    mentions: Mapped[list[Any]] = mapped_column(
        JSONB, server_default=NO_ROWS, comment="Its mentions: [chunk, words, start, end, name, type]."
    )
    winner_mentions: Mapped[list[Any]] = mapped_column(
        JSONB, server_default=NO_ROWS, comment="The winner's own mentions in the same chunks, likewise."
    )
    edges_from: Mapped[list[UUID]] = mapped_column(
        ARRAY(Uuid), server_default=NO_IDS, comment="Edges that left the loser."
    )
    edges_to: Mapped[list[UUID]] = mapped_column(
        ARRAY(Uuid), server_default=NO_IDS, comment="Edges that entered the loser."
    )
    loops: Mapped[list[Any]] = mapped_column(
        JSONB,
        server_default=NO_ROWS,
        comment="Edges between the two, removed; without quotes, which their passages still hold.",
    )
    confirmed_edges: Mapped[list[UUID]] = mapped_column(
        ARRAY(Uuid),
        server_default=NO_IDS,
        comment="Edges whose claim two documents state only since the merge.",
    )
    reason: Mapped[str] = mapped_column(Text, comment="exact, alias, string, embedding, model or person.")
    decided_by: Mapped[str] = mapped_column(Text, comment="rules, a model's name, or a person's actor name.")
    confidence: Mapped[float] = mapped_column(
        REAL, server_default="1", comment="How sure the decision was, 0 to 1."
    )
    vectors: Mapped[list[Any]] = mapped_column(
        JSONB, server_default=NO_ROWS, comment="The loser's vectors: [set, vector as text]."
    )
    graph_revision: Mapped[int] = mapped_column(
        BigInteger,
        comment="The space's graph revision of it: merges are undone by this order, not by clocks.",
    )
    created_at: Mapped[datetime] = build_created_at_column()
    undone_at: Mapped[datetime | None] = mapped_column(comment="When it was undone; null while it holds.")
    undone_by: Mapped[str | None] = mapped_column(Text, comment="Who undid it.")


class NodeSplit(SpaceOwned, Base):
    """A node of which a part became a separate node."""

    __tablename__ = "node_split"
    __table_args__ = (
        # No keys to nodes, as in the ledger of merges.
        build_space_foreign_key(),
        Index("ix_node_split_new", "knowledge_space_id", "new_node_id"),
        CheckConstraint("reason IN ('sense', 'person')", "reason"),
        {"comment": "Ledger of splits: which node became two, why, by whom; undone by merging the two."},
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, comment="uuid v7: in the order of the splits.")
    node_id: Mapped[UUID] = mapped_column(comment="The node that was split.")
    new_node_id: Mapped[UUID] = mapped_column(comment="The node that took a part of its mentions.")
    mentions: Mapped[int] = mapped_column(Integer, comment="How many mentions it took.")
    content_hashes: Mapped[list[str]] = mapped_column(
        ARRAY(Text),
        server_default=text("'{}'::text[]"),
        comment="Of a person's split, the hashes of the chunks that moved: their text goes there again.",
    )
    seals: Mapped[list[bytes]] = mapped_column(
        ARRAY(LargeBinary),
        server_default=text("'{}'::bytea[]"),
        comment="What the part is called, for each mention that moved: readable with its text alone.",
    )
    reason: Mapped[str] = mapped_column(Text, comment="sense or person.")
    decided_by: Mapped[str] = mapped_column(Text, comment="rules, a model's name, or a person's actor name.")
    created_at: Mapped[datetime] = build_created_at_column()
    undone_at: Mapped[datetime | None] = mapped_column(comment="When it was undone; null while it holds.")
    undone_by: Mapped[str | None] = mapped_column(Text, comment="Who undid it.")


class NodePairVerdict(SpaceOwned, Base):
    """A decision about whether two names mean one thing; each pair is decided once."""

    __tablename__ = "node_pair_verdict"
    __table_args__ = (
        build_space_foreign_key(),
        Index("ix_node_pair_verdict_second", "knowledge_space_id", "name_b"),
        CheckConstraint("(name_a, type_a) <= (name_b, type_b)", "ordered"),
        CheckConstraint("confidence >= 0 AND confidence <= 1", "confidence_range"),
        {"comment": "Verdicts on pairs of names, so that no pair is decided twice and a rejection is kept."},
    )

    name_a: Mapped[str] = mapped_column(NAME, primary_key=True, comment="The first name, normalised.")
    type_a: Mapped[str] = mapped_column(NAME, primary_key=True, comment="The node type of the first.")
    name_b: Mapped[str] = mapped_column(NAME, primary_key=True, comment="The second name, normalised.")
    type_b: Mapped[str] = mapped_column(NAME, primary_key=True, comment="The node type of the second.")
    same: Mapped[bool] = mapped_column(comment="Whether both names mean the same thing.")
    decided_by: Mapped[str] = mapped_column(Text, comment="A model's name, or a person's actor name.")
    by_person: Mapped[bool] = mapped_column(
        server_default=text("false"), comment="A person's word; no model replaces it."
    )
    reason: Mapped[str] = mapped_column(
        Text, server_default="", comment="Why, in a few words of who decided."
    )
    confidence: Mapped[float] = mapped_column(
        REAL, server_default="1", comment="How sure the decision was, 0 to 1."
    )
    created_at: Mapped[datetime] = build_created_at_column()


class NodeNameKey(SpaceOwned, Base):
    """A key shared by different spellings of a name, derived from the name."""

    __tablename__ = "node_name_key"
    __table_args__ = (
        build_foreign_key_within_space("node_id", "graph_node.id"),
        Index("ix_node_name_key_node", "knowledge_space_id", "node_id"),
        {"comment": "Keys by which other spellings of a name are found without reading all names."},
    )

    key: Mapped[str] = mapped_column(
        NAME, primary_key=True, comment="=core|type of sure spellings; @, ~, ^ and # of likely ones."
    )
    node_id: Mapped[UUID] = mapped_column(primary_key=True, comment="A node with a name of that key.")


class KeptPairs(SpaceOwned, Base):
    """The pairs of similar names in a space, for one state of its graph."""

    __tablename__ = "kept_pairs"
    __table_args__ = (
        build_space_foreign_key(),
        CheckConstraint("cardinality(first_nodes) = cardinality(second_nodes)", name="both_ends"),
        {
            "comment": (
                "Pairs of nodes with names that are alike: ids alone, no word of any document. May be"
                " emptied at any time."
            )
        },
    )

    graph_revision: Mapped[int] = mapped_column(
        BigInteger, comment="The space's graph revision that the names were compared at."
    )
    seconds: Mapped[float] = mapped_column(REAL, comment="How long it took to compare them.")
    first_nodes: Mapped[list[UUID]] = mapped_column(
        ARRAY(Uuid), comment="One node of each pair, the likest pair first."
    )
    second_nodes: Mapped[list[UUID]] = mapped_column(ARRAY(Uuid), comment="The other node of each pair.")
    created_at: Mapped[datetime] = build_created_at_column()
