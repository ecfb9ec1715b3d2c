"""Golden questions of a space, and their results in runs."""

from datetime import datetime
from decimal import Decimal
from uuid import UUID

from sqlalchemy import REAL, Boolean, CheckConstraint, Index, Numeric, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.db.base import (
    Base,
    SpaceOwned,
    build_created_at_column,
    build_foreign_key_within_space,
    build_space_foreign_key,
)


class GoldenQuestion(SpaceOwned, Base):
    """A golden question of the space with its expected result."""

    __tablename__ = "golden_question"
    __table_args__ = (
        build_space_foreign_key(),
        UniqueConstraint("knowledge_space_id", "question", name="uq_golden_question_question"),
        {
            "comment": (
                "Questions by which a space measures its answers, with what is expected; written by people,"
                " never taken from documents."
            )
        },
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, comment="Id of the question.")
    question: Mapped[str] = mapped_column(Text, comment="The question, in words.")
    answers: Mapped[str] = mapped_column(
        Text, comment="Texts of which the answer holds one, a line each; empty: any answer."
    )
    sources: Mapped[str] = mapped_column(
        Text,
        comment=(
            "Ids, addresses or titles of documents of which the answer cites one, a line each; without"
            " answers and sources the question is to be refused."
        ),
    )
    created_at: Mapped[datetime] = build_created_at_column()


class GoldenOutcome(SpaceOwned, Base):
    """The result of one question in one run; deleted with either."""

    __tablename__ = "golden_outcome"
    __table_args__ = (
        build_foreign_key_within_space("job_id", "job.id"),
        build_foreign_key_within_space("question_id", "golden_question.id"),
        Index("ix_golden_outcome_question", "knowledge_space_id", "question_id"),
        CheckConstraint("reply IN ('answered', 'refused', 'failed')", name="reply"),
        CheckConstraint("seconds >= 0 AND cost_usd >= 0", name="measures"),
        {"comment": "Outcome and cost of each golden question in each run, without any text of an answer."},
    )

    job_id: Mapped[UUID] = mapped_column(primary_key=True, comment="The run: the job that asked.")
    question_id: Mapped[UUID] = mapped_column(primary_key=True, comment="The question that was asked.")
    reply: Mapped[str] = mapped_column(Text, comment="answered, refused, or failed with an error.")
    answer_held: Mapped[bool | None] = mapped_column(
        Boolean, comment="Whether the answer held an expected text; null where none is expected."
    )
    source_cited: Mapped[bool | None] = mapped_column(
        Boolean, comment="Whether it cited an expected document; null where none is expected."
    )
    seconds: Mapped[float] = mapped_column(REAL, comment="How long the answer took.")
    cost_usd: Mapped[Decimal] = mapped_column(Numeric(18, 8), comment="What its calls to a model cost.")
