"""Attributes of nodes besides their relations: typed values (requirement 5.6), and statements as written."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import REAL, Index, Integer, Text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from app.db.base import Base, SpaceOwned, build_foreign_key_within_space


class NodeAttribute(SpaceOwned, Base):
    """A value of an attribute, or a statement, that one chunk gives about one node."""

    __tablename__ = "node_attribute"
    __table_args__ = (
        build_foreign_key_within_space("node_id", "graph_node.id"),
        build_foreign_key_within_space("chunk_id", "knowledge_chunk.id"),
        Index("ix_node_attribute_confidence", "knowledge_space_id", "node_id", "confidence"),
        {
            "comment": (
                "Typed attributes of nodes as chunks state them, of which what most chunks say stands in the"
                " node's metadata; and statements: what a clause says of a node, as it is written."
            )
        },
    )

    chunk_id: Mapped[UUID] = mapped_column(primary_key=True, comment="The chunk that states it.")
    node_id: Mapped[UUID] = mapped_column(primary_key=True, comment="The node that it is said of.")
    name: Mapped[str] = mapped_column(
        Text(collation="C"),
        primary_key=True,
        comment="The attribute, as the space's settings call it; of a statement the words of its predicate.",
    )
    value: Mapped[Any] = mapped_column(
        JSONB,
        comment=(
            "A text, a number, true or false; a date as text, YYYY, YYYY-MM or YYYY-MM-DD. Of a statement the"
            " words behind its predicate."
        ),
    )
    said_of: Mapped[str] = mapped_column(Text, comment="The name that the chunk gives the node, normalised.")
    quote: Mapped[str] = mapped_column(Text, comment="The words of the chunk that state it.")
    char_start: Mapped[int] = mapped_column(
        Integer,
        primary_key=True,
        autoincrement=False,
        comment="First character of those words in the chunk, from 0.",
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
    subject: Mapped[str | None] = mapped_column(
        Text,
        comment="Of a statement the words before its predicate; null where they are the node's name alone.",
    )
    confidence: Mapped[float | None] = mapped_column(
        REAL,
        comment=(
            "How likely a statement was read rightly, 0 to 1; null of an attribute that the space asks for."
        ),
    )
