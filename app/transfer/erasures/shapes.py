"""Plain values of erasures that are repeated after a restore: what was erased, and what became of it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field


class Erasure(BaseModel):
    """One erasure as the audit log has it: ids, a time and options, never content. A line of the list."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    entry_id: UUID
    """The audit entry that recorded it."""
    kind: str
    tenant_id: UUID
    space_id: UUID | None = None
    ids: tuple[UUID, ...] = Field(min_length=1)
    """The erased objects: one, except of chunks that were evicted or questions that were deleted together."""
    erased_at: AwareDatetime
    prune: bool | None = None
    """Of a document: whether edges and nodes that lost their last evidence went with it; None if unknown."""


class Outcome(StrEnum):
    """The result of repeating an erasure."""

    ERASED = "erased"
    BEING_REMOVED = "being_removed"
    ALREADY_GONE = "already_gone"
    UNKNOWN_TENANT = "unknown_tenant"
    SUBMITTED_AGAIN = "submitted_again"
    REFUSED = "refused"


@dataclass(frozen=True)
class RepeatedErasure:
    """An erasure of the list, its outcome, and for a refusal the reason."""

    erasure: Erasure
    outcome: Outcome
    reason: str = ""


@dataclass(frozen=True)
class ErasureLog:
    """The erasures that the audit log has, and the time before which it has no entries any more."""

    erasures: list[Erasure]
    log_begin: datetime | None
