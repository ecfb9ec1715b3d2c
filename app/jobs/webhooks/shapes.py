"""Values of webhooks: the kinds of events, and messages to send."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from app.ids import TenantId

JOB_DONE = "job.done"
JOB_FAILED = "job.failed"
BUDGET_REACHED = "budget.reached"
CONFLICT_FOUND = "conflict.found"
TEST = "test"
EVENTS = (JOB_DONE, JOB_FAILED, BUDGET_REACHED, CONFLICT_FOUND)
"""The events that a webhook can subscribe to; `test` is sent on request."""


@dataclass(frozen=True)
class PendingDeliveries:
    """Undelivered messages of all tenants, counted up to 10,000; `retried` of them have failed once or
    more.
    """

    count: int
    oldest: datetime | None
    retried: int


@dataclass(frozen=True)
class DueMessage:
    """A message that a worker has leased to send it."""

    id: UUID
    tenant_id: TenantId
    webhook_id: UUID
    fence: int
    attempts: int
    failures: int
    url: str
    secrets: tuple[str, ...]
    event: str
    data: dict[str, Any]
    created_at: datetime
