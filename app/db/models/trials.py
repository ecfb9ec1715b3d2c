"""Trials: what another model or other settings extracted from a sample of chunks."""

from typing import Any
from uuid import UUID

from sqlalchemy import REAL, CheckConstraint, Index, Text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from app.db.base import Base, SpaceOwned, build_foreign_key_within_space


class TrialReading(SpaceOwned, Base):
    """The claims that one trial extracted from one chunk; deleted with either."""

    __tablename__ = "trial_reading"
    __table_args__ = (
        build_foreign_key_within_space("job_id", "job.id"),
        build_foreign_key_within_space("chunk_id", "knowledge_chunk.id"),
        Index("ix_trial_reading_chunk", "knowledge_space_id", "chunk_id"),
        CheckConstraint("seconds >= 0", name="seconds"),
        {
            "comment": (
                "Trials: what another model, or other settings, extracted from a sample of chunks. Nothing "
                "of it is in the graph."
            )
        },
    )

    job_id: Mapped[UUID] = mapped_column(primary_key=True, comment="The trial: the job that read the chunk.")
    chunk_id: Mapped[UUID] = mapped_column(primary_key=True, comment="The chunk that was read.")
    claims: Mapped[list[Any]] = mapped_column(
        JSONB,
        comment=(
            "The claims that were read in it, each with its ends, relation type, polarity, confidence and"
            " quote."
        ),
    )
    failure: Mapped[str | None] = mapped_column(
        Text, comment="Stable code of why it could not be read; null where it was."
    )
    seconds: Mapped[float] = mapped_column(REAL, comment="Its share of the time that its documents took.")
