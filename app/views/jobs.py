"""Jobs and what they skipped."""

from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import Field

from app.jobs.states import JobState
from app.views.view import View


class JobAnswer(View):
    """A job in its current state."""

    id: UUID
    kind: str
    state: JobState
    stage: str = Field(description="Its current stage, in words.")
    progress: float = Field(description="Per cent done.")
    elapsed_seconds: float | None = Field(description="From its first claim until its end.")
    seconds_left: float | None = Field(
        description="Estimated from the speed so far; null without an estimate."
    )
    counts: dict[str, Any] = Field(
        description="documents, chunks, nodes, edges, and dropped items by reason."
    )
    attempt: int
    crash_count: int
    cancel_requested: bool
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float
    error_code: str | None
    error_message: str | None
    created_at: datetime
    started_at: datetime | None
    finalized_at: datetime | None

    def dump_without_clock(self) -> dict[str, Any]:
        """Return the fields that change only when the job does, without those that change with the time."""
        return self.model_dump(exclude={"elapsed_seconds", "seconds_left"})


class JobErrorAnswer(View):
    """A document or chunk that the job skipped because it failed, with the reason."""

    document_id: UUID | None
    chunk_id: UUID | None
    chunk_ordinal: int | None = Field(
        description="The chunk's position in its document at that time, from 0."
    )
    code: str
    message: str
    created_at: datetime


class JobDetailAnswer(JobAnswer):
    """A job with the first hundred documents and chunks that it skipped because they failed."""

    errors: list[JobErrorAnswer]
