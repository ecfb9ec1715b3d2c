"""Tags of nodes: at most eight words each, in the order of their relevance (requirement 11)."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, Index, SmallInteger, Text
from sqlalchemy.orm import Mapped, mapped_column

from app.db.base import Base, SpaceOwned, build_created_at_column, build_foreign_key_within_space


class NodeTag(SpaceOwned, Base):
    """One tag of one node."""

    __tablename__ = "node_tag"
    __table_args__ = (
        build_foreign_key_within_space("node_id", "graph_node.id"),
        Index("ix_node_tag_tag", "knowledge_space_id", "tag", "node_id"),
        CheckConstraint("char_length(tag) BETWEEN 1 AND 64", name="tag_size"),
        CheckConstraint("ordinal BETWEEN 0 AND 7", name="at_most_eight"),
        CheckConstraint("origin IN ('person', 'rules', 'model')", name="origin"),
        {"comment": "Tags of nodes: one word in lower case, at most eight to a node."},
    )

    node_id: Mapped[UUID] = mapped_column(primary_key=True, comment="The node.")
    tag: Mapped[str] = mapped_column(
        Text(collation="C"), primary_key=True, comment="One word in lower case; parts joined by hyphens."
    )
    ordinal: Mapped[int] = mapped_column(SmallInteger, comment="0 the most relevant of its node.")
    origin: Mapped[str] = mapped_column(
        Text,
        server_default="person",
        comment="Who set it: person, rules or model; a suggestion never replaces a person's.",
    )
    created_at: Mapped[datetime] = build_created_at_column()
