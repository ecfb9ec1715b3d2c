"""Model calls: the ledger of costs, and the cache of answers."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import DateTime, Index, Integer, Numeric, Text, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from app.db.base import (
    Base,
    SpaceOwned,
    build_created_at_column,
    build_foreign_key_within_space,
    build_space_foreign_key,
)


class ModelCall(SpaceOwned, Base):
    """One model call, paid or answered from the cache."""

    __tablename__ = "model_call"
    __table_args__ = (
        build_space_foreign_key(),
        Index("ix_model_call_created", "knowledge_space_id", "created_at"),
        Index("ix_model_call_job", "knowledge_space_id", "job_id"),
        {"comment": "Ledger of model calls: purpose, tokens, cost, latency; no prompt and no answer."},
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, comment="uuid v7, made by the application.")
    job_id: Mapped[UUID | None] = mapped_column(
        comment="The job that called; not a foreign key: the ledger outlives jobs."
    )
    purpose: Mapped[str] = mapped_column(Text, comment="entities, relations, embedding, summary, answer, …")
    model: Mapped[str] = mapped_column(Text, comment="The model's name as sent.")
    prompt_tokens: Mapped[int] = mapped_column(Integer, server_default="0", comment="Tokens sent.")
    completion_tokens: Mapped[int] = mapped_column(Integer, server_default="0", comment="Tokens received.")
    passage_tokens: Mapped[int | None] = mapped_column(
        Integer,
        comment="Tokens of the passages asked about, as counted here; null if it asked about none.",
    )
    cost_usd: Mapped[float] = mapped_column(Numeric(18, 8), server_default="0", comment="Price, US dollars.")
    latency_ms: Mapped[int] = mapped_column(Integer, server_default="0", comment="Wall time of the call.")
    cached: Mapped[bool] = mapped_column(server_default=text("false"), comment="Answered without a call.")
    outcome: Mapped[str] = mapped_column(Text, server_default="ok", comment="ok, or the class of the error.")
    created_at: Mapped[datetime] = build_created_at_column()


class ModelAnswer(SpaceOwned, Base):
    """A validated model answer, cached per space so that the same question is paid only once."""

    __tablename__ = "model_answer"
    __table_args__ = (
        build_space_foreign_key(),
        Index("ix_model_answer_untied", "knowledge_space_id", postgresql_where=text("NOT of_chunks")),
        {"comment": "Cache of validated model answers, per space and never shared; committed before use."},
    )

    key: Mapped[str] = mapped_column(
        Text, primary_key=True, comment="SHA-256 of model, parameters, prompt version, prompt."
    )
    answer: Mapped[dict[str, Any]] = mapped_column(JSONB, comment="The answer, after validation.")
    of_chunks: Mapped[bool] = mapped_column(
        server_default=text("false"), comment="Whether it is about chunks, which model_answer_chunk names."
    )
    created_at: Mapped[datetime] = build_created_at_column()


class ModelAnswerChunk(SpaceOwned, Base):
    """A chunk that a cached answer is about."""

    __tablename__ = "model_answer_chunk"
    __table_args__ = (
        build_foreign_key_within_space("chunk_id", "knowledge_chunk.id"),
        # No foreign key to the answer: it is deleted when the last of these rows is gone.
        Index("ix_model_answer_chunk_key", "knowledge_space_id", "key"),
        {"comment": "Which chunks a stored answer of a model is about; it is deleted with the last of them."},
    )

    chunk_id: Mapped[UUID] = mapped_column(primary_key=True, comment="A chunk that the model was shown.")
    key: Mapped[str] = mapped_column(Text, primary_key=True, comment="The answer about it.")


class ModelAnswerLease(SpaceOwned, Base):
    """An answer that one process asks a model for, so that no other process pays for it as well."""

    __tablename__ = "model_answer_lease"
    __table_args__ = (
        build_space_foreign_key(),
        {
            "comment": (
                "Answers that a process asks a model for at this moment: others wait for them instead of"
                " paying twice."
            )
        },
    )

    key: Mapped[str] = mapped_column(
        Text, primary_key=True, comment="The answer, by its key in model_answer."
    )
    holder: Mapped[UUID] = mapped_column(
        comment="uuid v7, made by the asking process for one group of calls."
    )
    expires_at: Mapped[datetime] = mapped_column(
        DateTime(timezone=True), comment="When another process may ask; the holder renews it while it lives."
    )
    answer: Mapped[dict[str, Any] | None] = mapped_column(
        JSONB(none_as_null=True),
        comment="An answer that is not stored, for those who wait for it; it goes with the lease.",
    )
