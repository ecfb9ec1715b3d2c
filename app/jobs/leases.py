"""The lease of a job: one worker has it until its time ends, and heartbeats renew it
(app/jobs/sql/heartbeat.sql).
"""

from dataclasses import dataclass
from typing import Any

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


class LeaseLost(Exception):
    """Another worker holds the job, or it is gone: stop without writing."""
