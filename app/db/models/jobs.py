"""Jobs: a row is authoritative for background work (requirement 5.4); a Celery message only wakes workers."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    REAL,
    BigInteger,
    CheckConstraint,
    Index,
    Integer,
    Numeric,
    Text,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from app.db.base import (
    Base,
    Operational,
    SpaceOwned,
    build_created_at_column,
    build_foreign_key_within_space,
    build_tenant_and_space_foreign_key,
)
from app.db.models.tenancy import EMPTY_OBJECT


class Job(SpaceOwned, Operational, Base):
    """One run of a kind of background work with its arguments; ids and numbers, no content."""

    __tablename__ = "job"
    __table_args__ = (
        build_tenant_and_space_foreign_key(),
        Index(
            "ix_job_ready", "tenant_id", "run_after", "created_at", postgresql_where=text("state = 'queued'")
        ),
        Index("ix_job_running", "tenant_id", "lease_until", postgresql_where=text("state = 'running'")),
        Index("ix_job_space", "knowledge_space_id", "created_at", "id"),
        Index("ix_job_owner", "knowledge_space_id", "tenant_id"),
        CheckConstraint("state IN ('queued', 'running', 'done', 'failed', 'cancelled')", name="state"),
        CheckConstraint(
            "(finalized_at IS NOT NULL) = (state IN ('done', 'failed', 'cancelled'))",
            name="final_states_have_a_time",
        ),
        CheckConstraint("(state = 'running') = (lease_until IS NOT NULL)", name="running_has_a_lease"),
        CheckConstraint("progress >= 0 AND progress <= 100", name="progress_range"),
        {
            "comment": (
                "Background work: state, lease, fence, attempts, stage and counts. Readable across spaces by"
                " the platform only."
            )
        },
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, comment="uuid v7, made by the application.")
    tenant_id: Mapped[UUID] = mapped_column(
        comment="The owner of the space; jobs are shared out fairly by it."
    )
    kind: Mapped[str] = mapped_column(
        Text, comment="What to do, as family.verb; outlives renames in the code."
    )
    schema_version: Mapped[int] = mapped_column(
        Integer, server_default="1", comment="Form of arguments; a worker leaves newer ones to newer workers."
    )
    arguments: Mapped[dict[str, Any]] = mapped_column(
        JSONB, server_default=EMPTY_OBJECT, comment="Ids and flags only."
    )
    state: Mapped[str] = mapped_column(
        Text, server_default="queued", comment="queued, running, done, failed, cancelled."
    )
    stage: Mapped[str] = mapped_column(
        Text, server_default="waiting", comment="The current step, for people."
    )
    progress: Mapped[float] = mapped_column(REAL, server_default="0", comment="Per cent done, 0 to 100.")
    counts: Mapped[dict[str, Any]] = mapped_column(
        JSONB,
        server_default=EMPTY_OBJECT,
        comment="documents, chunks, nodes, mentions, edges, dropped by reason.",
    )
    trace_parent: Mapped[str | None] = mapped_column(
        Text, comment="Where in a trace it was queued, as W3C writes it; null outside of one."
    )
    attempt: Mapped[int] = mapped_column(Integer, server_default="0", comment="How often it was claimed.")
    max_attempts: Mapped[int] = mapped_column(
        Integer, server_default="8", comment="Failed attempts before it is failed."
    )
    failures: Mapped[int] = mapped_column(
        Integer, server_default="0", comment="Attempts that ended in an error."
    )
    crash_count: Mapped[int] = mapped_column(
        Integer,
        server_default="0",
        comment="Leases that ran out because the worker died; bounded by max_attempts.",
    )
    run_after: Mapped[datetime] = mapped_column(
        server_default=text("now()"), comment="Not claimed before this time."
    )
    lease_until: Mapped[datetime | None] = mapped_column(comment="Until when the claim holds unless renewed.")
    fence: Mapped[int] = mapped_column(
        BigInteger, server_default="0", comment="Rises with each claim; a write with an older one is refused."
    )
    worker: Mapped[str | None] = mapped_column(Text, comment="Host and process that hold the claim.")
    cancel_requested: Mapped[bool] = mapped_column(
        server_default=text("false"), comment="Someone asked it to stop."
    )
    prompt_tokens: Mapped[int] = mapped_column(
        BigInteger, server_default="0", comment="Tokens sent to models."
    )
    completion_tokens: Mapped[int] = mapped_column(
        BigInteger, server_default="0", comment="Tokens models wrote."
    )
    cost_usd: Mapped[float] = mapped_column(
        Numeric(18, 8), server_default="0", comment="Price of its model calls."
    )
    error_code: Mapped[str | None] = mapped_column(Text, comment="Stable code of the last error.")
    error_message: Mapped[str | None] = mapped_column(
        Text, comment="One fixed sentence about it, never content."
    )
    created_at: Mapped[datetime] = build_created_at_column()
    started_at: Mapped[datetime | None] = mapped_column(comment="First claim.")
    finalized_at: Mapped[datetime | None] = mapped_column(comment="When it reached a final state.")

    @property
    def elapsed_seconds(self) -> float | None:
        """Seconds from the first claim to the end, or to now; None before the first claim."""
        if self.started_at is None:
            return None
        return round(((self.finalized_at or datetime.now(UTC)) - self.started_at).total_seconds(), 1)

    @property
    def seconds_left(self) -> float | None:
        """Estimated seconds left at the pace so far; None if there is no estimate."""
        if self.state != "running" or self.progress <= 0 or self.elapsed_seconds is None:
            return None
        return round(self.elapsed_seconds * (100 - self.progress) / self.progress, 1)


class JobError(SpaceOwned, Base):
    """One document or chunk that a job quarantined, with the reason."""

    __tablename__ = "job_error"
    __table_args__ = (
        build_foreign_key_within_space("job_id", "job.id"),
        Index("ix_job_error_job", "knowledge_space_id", "job_id", "created_at"),
        {"comment": "Documents and chunks that a job set aside, and why; the rest of the job continued."},
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, comment="uuid v7, made by the application.")
    job_id: Mapped[UUID] = mapped_column(comment="The job.")
    document_id: Mapped[UUID | None] = mapped_column(comment="The document set aside, if one.")
    chunk_id: Mapped[UUID | None] = mapped_column(comment="The chunk set aside, if one.")
    chunk_ordinal: Mapped[int | None] = mapped_column(
        Integer, comment="Place of the chunk in its document, from 0, as it stood then."
    )
    code: Mapped[str] = mapped_column(Text, comment="Stable code.")
    message: Mapped[str] = mapped_column(Text, comment="One sentence for a person.")
    created_at: Mapped[datetime] = build_created_at_column()
