"""Documents, their bodies and their chunks."""

from datetime import datetime
from typing import Any
from uuid import UUID

from pgvector.sqlalchemy import HALFVEC
from sqlalchemy import (
    ARRAY,
    DOUBLE_PRECISION,
    CheckConstraint,
    Index,
    Integer,
    LargeBinary,
    Text,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB, TSVECTOR
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

_EMPTY_LIST = text("'[]'::jsonb")


class Document(SpaceOwned, Base):
    """A source text submitted to a space."""

    __tablename__ = "document"
    __table_args__ = (
        build_space_foreign_key(),
        build_foreign_key_within_space("job_id", "job.id", keeps_row=True),
        Index(
            "uq_document_source_uri",
            "knowledge_space_id",
            "source_uri",
            unique=True,
            postgresql_where=text("source_uri IS NOT NULL"),
        ),
        Index(
            "uq_document_content_hash",
            "knowledge_space_id",
            "content_hash",
            unique=True,
            postgresql_where=text("source_uri IS NULL"),
        ),
        Index("ix_document_content_hash", "knowledge_space_id", "content_hash"),
        Index("ix_document_job", "knowledge_space_id", "job_id"),
        # Partial index: only few documents are queued, processing or failed.
        Index(
            "ix_document_state",
            "knowledge_space_id",
            "state",
            "id",
            postgresql_where=text("state <> 'ready'"),
        ),
        Index("ix_document_created", "knowledge_space_id", "created_at", "id"),
        Index(
            "ix_document_quarantined",
            "knowledge_space_id",
            "id",
            postgresql_where=text("quarantined_chunks > 0"),
        ),
        Index(
            "ix_document_message",
            "knowledge_space_id",
            "message_id",
            "id",
            postgresql_where=text("message_id IS NOT NULL"),
        ),
        CheckConstraint("state IN ('queued', 'processing', 'ready', 'failed')", name="state"),
        CheckConstraint("source_kind IN ('user_edit', 'file', 'system', 'conversation')", name="source_kind"),
        CheckConstraint("(state = 'failed') = (failure_code IS NOT NULL)", name="failed_says_why"),
        CheckConstraint("trust >= 0.01::real AND trust <= 1", name="trust"),
        {"comment": "Source texts submitted to a space; the text itself stands in document_body."},
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, comment="uuid v7, made by the application.")
    title: Mapped[str] = mapped_column(
        Text, comment="Given, else read from the document, else its file name."
    )
    source_kind: Mapped[str] = mapped_column(Text, comment="user_edit, file, system or conversation.")
    source_uri: Mapped[str | None] = mapped_column(
        Text, comment="Where it came from; a later document with the same address replaces this one."
    )
    format: Mapped[str] = mapped_column(Text, comment="Name of its format, as docs/formats.md lists them.")
    encoding: Mapped[str | None] = mapped_column(
        Text, comment="How its bytes were taken for text, where they are text."
    )
    warnings: Mapped[list[str]] = mapped_column(
        JSONB,
        server_default=_EMPTY_LIST,
        comment="Sentences on the parts of its file that are not in its text.",
    )
    message_id: Mapped[str | None] = mapped_column(Text, comment="Of a mail: its Message-ID.")
    in_reply_to: Mapped[str | None] = mapped_column(
        Text, comment="Of a mail: the Message-ID of the mail that it answers."
    )
    language: Mapped[str | None] = mapped_column(Text, comment="ISO 639-1 code, detected or given.")
    meta: Mapped[dict[str, Any]] = mapped_column(
        "metadata", JSONB, server_default=EMPTY_OBJECT, comment="The submitter's own keys."
    )
    content_hash: Mapped[str] = mapped_column(
        Text, comment="SHA-256 of the bytes and what changes their reading; the same content is known by it."
    )
    byte_size: Mapped[int] = mapped_column(Integer, comment="Size of the submitted bytes.")
    version: Mapped[int] = mapped_column(
        Integer, server_default="1", comment="Rises when new content replaces old."
    )
    trust: Mapped[float] = mapped_column(
        DOUBLE_PRECISION,
        server_default="1",
        comment="From 0.01 to 1: the weight of its statements; they end no claim of a document with a higher "
        "trust.",
    )
    uploader: Mapped[str | None] = mapped_column(
        Text,
        comment="Who handed the current version in: key:, account: or operator: with an opaque id that "
        "outlives them. Null if not known.",
    )
    state: Mapped[str] = mapped_column(
        Text, server_default="queued", comment="queued, processing, ready or failed."
    )
    failure_code: Mapped[str | None] = mapped_column(Text, comment="Stable code of what went wrong.")
    failure_reason: Mapped[str | None] = mapped_column(Text, comment="One sentence for a person.")
    crash_count: Mapped[int] = mapped_column(
        Integer, server_default="0", comment="How many workers died while reading it; three make it failed."
    )
    chunk_count: Mapped[int] = mapped_column(
        Integer, server_default="0", comment="Chunks of the current version."
    )
    quarantined_chunks: Mapped[int] = mapped_column(
        Integer,
        server_default="0",
        comment=(
            "Chunks from which no graph could be extracted, as counted when it was last read; a retry reads "
            "these alone."
        ),
    )
    job_id: Mapped[UUID | None] = mapped_column(comment="The job that last took it in, or will.")
    created_at: Mapped[datetime] = build_created_at_column()
    updated_at: Mapped[datetime] = build_updated_at_column()


class DocumentBody(SpaceOwned, Base):
    """The submitted bytes, and the plain text that character ranges refer to."""

    __tablename__ = "document_body"
    __table_args__ = (
        build_foreign_key_within_space("document_id", "document.id"),
        {"comment": "A document's submitted bytes and its plain text, apart so that listings stay narrow."},
    )

    document_id: Mapped[UUID] = mapped_column(primary_key=True, comment="The document.")
    raw: Mapped[bytes] = mapped_column(LargeBinary, comment="The bytes as submitted.")
    text: Mapped[str | None] = mapped_column(Text, comment="Plain text; chunks are exact slices of it.")


class KnowledgeChunk(SpaceOwned, Base):
    """A contiguous piece of a document; the unit of embedding and citation."""

    __tablename__ = "knowledge_chunk"
    __table_args__ = (
        build_foreign_key_within_space("document_id", "document.id"),
        Index("ix_knowledge_chunk_document", "knowledge_space_id", "document_id", "ordinal"),
        Index("ix_knowledge_chunk_content_hash", "knowledge_space_id", "content_hash"),
        # Each row's lexemes contain a token of its space, so one index serves all spaces.
        Index("ix_knowledge_chunk_lexemes", "lexemes", postgresql_using="gin"),
        Index(
            "ix_knowledge_chunk_message",
            "knowledge_space_id",
            "message_id",
            "id",
            postgresql_where=text("message_id IS NOT NULL"),
        ),
        Index(
            "ix_knowledge_chunk_without_lexemes",
            "knowledge_space_id",
            postgresql_where=text("lexemes IS NULL"),
        ),
        CheckConstraint("char_start >= 0 AND char_end > char_start", name="char_range"),
        CheckConstraint("octet_length(text) <= 32768", name="text_size"),
        {"comment": "Contiguous pieces of documents: what is embedded, extracted from and cited."},
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, comment="uuid v7, made by the application.")
    document_id: Mapped[UUID] = mapped_column(comment="The document it is a slice of.")
    ordinal: Mapped[int] = mapped_column(Integer, comment="Place in the document, from 0.")
    text: Mapped[str] = mapped_column(Text, comment="Exactly document_body.text[char_start:char_end].")
    char_start: Mapped[int] = mapped_column(Integer, comment="First character in the document, from 0.")
    char_end: Mapped[int] = mapped_column(Integer, comment="One past the last character in the document.")
    heading_path: Mapped[list[str]] = mapped_column(
        ARRAY(Text), comment="Headings above it, outermost first."
    )
    token_count: Mapped[int] = mapped_column(Integer, comment="Length in model tokens.")
    content_hash: Mapped[str] = mapped_column(
        Text, comment="SHA-256 of the text; an unchanged chunk keeps its row."
    )
    speaker: Mapped[str | None] = mapped_column(Text, comment="Who said it, in a conversation.")
    said_at: Mapped[datetime | None] = mapped_column(comment="When it was said, in a conversation.")
    place: Mapped[str | None] = mapped_column(
        Text,
        comment=(
            "Where in the file it stands, in words (page 7; sheet Prices, row 12), where its format has such"
            " places."
        ),
    )
    places: Mapped[Any | None] = mapped_column(
        JSONB,
        comment=(
            "Where it stands in several places, each with the first character of its part, from 0:"
            ' [[0, "page 1"], [350, "page 2"]].'
        ),
    )
    embedding: Mapped[Any | None] = mapped_column(
        HALFVEC(), comment="The vector as versions before chunk_vector wrote it; no longer written or read."
    )
    lexemes: Mapped[Any | None] = mapped_column(
        TSVECTOR,
        comment="Words of title and headings (A) and text, and a token of the space; null until computed.",
    )
    extracted_by: Mapped[str | None] = mapped_column(
        Text, comment="model/prompt version that last read it to the end; null until then."
    )
    name_ties: Mapped[list[Any] | None] = mapped_column(
        JSONB,
        comment=(
            "Things that it gives several names: [node type or null, name, another name, …]; null where it"
            " gives none."
        ),
    )
    message_id: Mapped[str | None] = mapped_column(
        Text, comment="If a mail begins here, in a file of one or several: its Message-ID."
    )
    in_reply_to: Mapped[str | None] = mapped_column(
        Text, comment="If a mail begins here: the Message-ID of the mail that it answers."
    )
    quarantine_code: Mapped[str | None] = mapped_column(
        Text,
        comment="Stable code of why no graph could be extracted from it; null where one was, or nobody tried "
        "yet.",
    )
    quarantine_reason: Mapped[str | None] = mapped_column(Text, comment="One sentence about it for a person.")
    quarantined_since: Mapped[int | None] = mapped_column(
        Integer, comment="Version of the document in which that was first so."
    )
    created_at: Mapped[datetime] = build_created_at_column()
