"""The lease of a job: one worker has it until it expires; heartbeats renew it
(app/jobs/sql/heartbeat_leases.sql). Also rows of the queue for operators.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from app.ids import JobId, SpaceId, TenantId


@dataclass(frozen=True)
class Lease:
    """A job that one worker has until the lease expires; `fence` distinguishes its writes from a
    predecessor's.
    """

    tenant_id: TenantId
    space_id: SpaceId
    job_id: JobId
    kind: str
    arguments: dict[str, Any]
    fence: int
    crash_count: int
    trace_parent: str | None = None


class LeaseLost(Exception):
    """Another worker has the job, or it was removed: stop without writing."""


@dataclass(frozen=True, slots=True)
class WaitingTenant:
    """A tenant with waiting or running jobs; `ready` could begin now, `later` are postponed.

    `oldest` is the time since which the first of the ready jobs has waited.
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
    """A job that a worker has now, until its lease expires or is renewed."""

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
    """Numbers of recently ended jobs of all tenants, and the median duration of the successful ones in
    seconds.
    """

    done: int
    failed: int
    median_seconds: float


@dataclass(frozen=True, slots=True)
class FailedJob:
    """A job that failed recently, without any text of what it read."""

    job_id: UUID
    tenant_id: UUID
    tenant: str
    kind: str
    error_code: str | None
    finalized_at: datetime


class JobCount(NamedTuple):
    """The number of jobs of a kind in a state: waiting, postponed or running."""

    kind: str
    state: str
    jobs: int


@dataclass(frozen=True, slots=True)
class ParkedJobs:
    """Jobs that wait for what their code names to end, for example a model server that does not respond.

    `since` is when the first of them was queued, `run_after` when it is tried again.
    """

    error_code: str
    count: int
    tenants: int
    since: datetime
    run_after: datetime
