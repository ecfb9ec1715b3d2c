"""Claiming of jobs: a worker takes the lease of a job, extends it by heartbeats, and fences its writes.

An expired lease is swept, and the job is queued again. `fairness_repository` decides whose turn it is.
"""

import json
from collections.abc import Mapping, Sequence
from enum import Enum

from app.db.session import PlatformSession, SpaceSession
from app.ids import JobId, SpaceId, TenantId
from app.jobs.fairness_repository import lock_next_tenant
from app.jobs.kinds import SCHEMA_VERSION
from app.jobs.shapes import HeldLease, Lease


def claim_next_job(
    platform: PlatformSession, *, kinds: Sequence[str], worker: str, lease_seconds: float
) -> Lease | None:
    """Claim the next job of the tenant whose turn it is; None if there is none. Two statements, because the
    count must see the lock.
    """
    next_tenant_id = lock_next_tenant(platform, kinds=kinds)
    if next_tenant_id is None:
        return None
    rows = platform.run(
        "jobs.claim_job",
        {
            "kinds": list(kinds),
            "schema_version": SCHEMA_VERSION,
            "tenant": next_tenant_id,
            "seconds": lease_seconds,
            "worker": worker,
        },
    )
    if not rows:
        return None
    tenant_id, space_id, job_id, kind, arguments, fence, crash_count, trace_parent = rows[0]
    lease_ids = (TenantId(tenant_id), SpaceId(space_id), JobId(job_id))
    return Lease(*lease_ids, kind, arguments, fence, crash_count, trace_parent)


class LeaseState(Enum):
    """The state of a worker's lease of a job, seen by the job's next step."""

    VALID = "valid"
    CANCEL_REQUESTED = "cancel_requested"
    LOST = "lost"


def lock_lease_and_get_state(space: SpaceSession, lease: Lease) -> LeaseState:
    """Return the state of the lease; one that is not lost cannot end before the transaction does."""
    rows = space.run("jobs.lock_valid_lease", {"job": lease.job_id, "fence": lease.fence})
    if not rows:
        return LeaseState.LOST
    return LeaseState.CANCEL_REQUESTED if rows[0][0] else LeaseState.VALID


def record_progress_and_extend_lease(
    space: SpaceSession,
    lease: Lease,
    *,
    lease_seconds: float,
    stage: str | None,
    progress: float | None,
    counts: Mapping[str, int],
    has_progressed: bool,
) -> None:
    """Record the job's progress and extend its lease; does nothing if the transaction itself has ended the
    lease.
    """
    space.run(
        "jobs.record_step",
        {
            "job": lease.job_id,
            "fence": lease.fence,
            "seconds": lease_seconds,
            "stage": stage,
            "progress": progress,
            "counts": json.dumps(dict(counts)),
            "progressed": has_progressed,
        },
    )


def heartbeat_leases(platform: PlatformSession, leases: Sequence[Lease], *, lease_seconds: float) -> None:
    """Extend these leases to `lease_seconds` from now; leases that are no longer held are skipped."""
    platform.run(
        "jobs.heartbeat_leases",
        {
            "spaces": [lease.space_id for lease in leases],
            "jobs": [lease.job_id for lease in leases],
            "fences": [lease.fence for lease in leases],
            "seconds": lease_seconds,
        },
    )


def requeue_jobs_with_expired_leases(platform: PlatformSession) -> list[JobId]:
    """Take back jobs whose lease expired; return them, queued again with one more crash."""
    return [JobId(job_id) for (job_id,) in platform.run("jobs.sweep_expired_leases")]


def list_held_leases(platform: PlatformSession, *, limit: int = 200) -> list[HeldLease]:
    """Return the jobs that workers have now, in the order in which their leases expire."""
    return [
        HeldLease(*row)
        for row in platform.run("jobs.list_held_leases", {"limit": limit}, should_prepare=False)
    ]
