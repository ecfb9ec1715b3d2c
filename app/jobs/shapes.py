"""The lease of a job: one worker has it until its time ends, and heartbeats renew it
(app/jobs/sql/heartbeat_leases.sql).
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from app.ids import JobId, SpaceId, TenantId


@dataclass(frozen=True)
class Lease:
    """A job that is one worker's until its time ends; `fence` tells its writes from a predecessor's."""

    tenant_id: TenantId
    space_id: SpaceId
    job_id: JobId
    kind: str
    arguments: dict[str, Any]
    fence: int
    crash_count: int
    trace_parent: str | None = None


class LeaseLost(Exception):
    """Another worker holds the job, or it is gone: stop without writing."""


@dataclass(frozen=True, slots=True)
class WaitingTenant:
    """A tenant with jobs that wait or run; `ready` could begin now, `later` have been put off.

    `oldest` is since when the first of those that are ready waits.
    """

    tenant_id: UUID
    name: str
    max_running: int
    last_claimed_at: datetime | None
    ready: int
    later: int
    oldest: datetime | None
    running: int


@dataclass(frozen=True, slots=True)
class HeldLease:
    """A job that a worker has at the moment, until its lease ends or is renewed."""

    job_id: UUID
    worker: str
    kind: str
    stage: str
    progress: float
    attempt: int
    lease_until: datetime
    started_at: datetime | None
    tenant: str


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Jobs of all tenants that ended lately, and the median of the seconds that those took that are done."""

    done: int
    failed: int
    median_seconds: float


@dataclass(frozen=True, slots=True)
class FailedJob:
    """A job that failed lately, without a word about what it read."""

    job_id: UUID
    tenant_id: UUID
    tenant: str
    kind: str
    error_code: str | None
    finalized_at: datetime


@dataclass(frozen=True, slots=True)
class ParkedJobs:
    """Jobs that wait for the end of what their code names, as a model server that does not answer.

    `since` is when the first of them was queued, `run_after` when it is tried again.
    """

    error_code: str
    count: int
    tenants: int
    since: datetime
    run_after: datetime
