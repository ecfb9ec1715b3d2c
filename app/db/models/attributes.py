"""Attributes of nodes besides their relations: typed, each value where a chunk states it (5.6)."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKeyConstraint, Index, Integer, Text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from app.db.base import Base, SpaceOwned


class NodeAttribute(SpaceOwned, Base):
    """One value that one chunk gives one attribute of one node."""

    __tablename__ = "node_attribute"
    __table_args__ = (
        ForeignKeyConstraint(
            ["knowledge_space_id", "node_id"],
            ["graph_node.knowledge_space_id", "graph_node.id"],
            ondelete="CASCADE",
        ),
        ForeignKeyConstraint(
            ["knowledge_space_id", "chunk_id"],
            ["knowledge_chunk.knowledge_space_id", "knowledge_chunk.id"],
            ondelete="CASCADE",
        ),
        Index("ix_node_attribute_node", "knowledge_space_id", "node_id"),
        {
            "comment": (
                "Typed attributes of nodes as chunks state them; what most chunks say stands in the node's"
                " metadata."
            )
        },
    )

    chunk_id: Mapped[UUID] = mapped_column(primary_key=True, comment="The chunk that states it.")
    node_id: Mapped[UUID] = mapped_column(primary_key=True, comment="The node that it is said of.")
    name: Mapped[str] = mapped_column(
        Text(collation="C"), primary_key=True, comment="The attribute, as the space's settings call it."
    )
    value: Mapped[Any] = mapped_column(
        JSONB, comment="A text, a number, true or false; a date as text, YYYY, YYYY-MM or YYYY-MM-DD."
    )
    said_of: Mapped[str] = mapped_column(Text, comment="The name that the chunk gives the node, normalised.")
    quote: Mapped[str] = mapped_column(Text, comment="The words of the chunk that state it.")
    char_start: Mapped[int] = mapped_column(
        Integer, comment="First character of those words in the chunk, from 0."
    )
    char_end: Mapped[int] = mapped_column(Integer, comment="One past their last character in the chunk.")
    stated_at: Mapped[datetime | None] = mapped_column(
        comment=(
            "The date that the sentence gives the value, else of the turn or the document; null where none"
            " has one."
        )
    )
    ended_at: Mapped[datetime | None] = mapped_column(
        comment="Since when it does not hold, by a decision of a person; null while nobody ended it."
    )
    ended_by: Mapped[str | None] = mapped_column(Text, comment="Who decided that, as the audit names them.")
    ended_reason: Mapped[str | None] = mapped_column(Text, comment="Why, in their words.")
