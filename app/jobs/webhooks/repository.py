"""Reads and writes of webhooks and of the messages in their outbox."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import delete, func, select, tuple_

from app.db.models import Webhook, WebhookDelivery
from app.db.session import PlatformSession, SpaceSession, TenantSession
from app.domain.relation_types import LIES_IN
from app.ids import JobId
from app.jobs.webhooks.shapes import Due, PendingDeliveries


def add_webhook(tenant: TenantSession, webhook: Webhook) -> None:
    """Store a webhook."""
    tenant.orm.add(webhook)
    tenant.orm.flush()


def count_webhooks(tenant: TenantSession) -> int:
    """How many the tenant has."""
    query = select(func.count()).select_from(Webhook).where(Webhook.tenant_id == tenant.tenant_id)
    return tenant.orm.scalars(query).one()


def find_webhook(tenant: TenantSession, webhook_id: UUID, *, lock: bool = False) -> Webhook | None:
    """The webhook of that id."""
    query = select(Webhook).where(Webhook.tenant_id == tenant.tenant_id, Webhook.id == webhook_id)
    return tenant.orm.scalars(query.with_for_update() if lock else query).one_or_none()


def list_webhooks(tenant: TenantSession, *, after: UUID | None = None, limit: int = 100) -> Sequence[Webhook]:
    """The tenant's webhooks, oldest first."""
    query = select(Webhook).where(Webhook.tenant_id == tenant.tenant_id).order_by(Webhook.id).limit(limit)
    return tenant.orm.scalars(query if after is None else query.where(Webhook.id > after)).all()


def delete_webhook(tenant: TenantSession, webhook_id: UUID) -> bool:
    """Remove the webhook with its messages; False where there is none."""
    query = delete(Webhook).where(Webhook.tenant_id == tenant.tenant_id, Webhook.id == webhook_id)
    return tenant.orm.execute(query.returning(Webhook.id)).first() is not None


def list_deliveries(
    tenant: TenantSession, webhook_id: UUID, *, after: tuple[datetime, UUID] | None, limit: int
) -> Sequence[WebhookDelivery]:
    """A page of its messages, newest first."""
    position = tuple_(WebhookDelivery.created_at, WebhookDelivery.id)
    query = (
        select(WebhookDelivery)
        .where(WebhookDelivery.tenant_id == tenant.tenant_id, WebhookDelivery.webhook_id == webhook_id)
        .order_by(WebhookDelivery.created_at.desc(), WebhookDelivery.id.desc())
        .limit(limit)
    )
    return tenant.orm.scalars(query if after is None else query.where(position < after)).all()


def find_delivery(tenant: TenantSession, webhook_id: UUID, delivery_id: UUID) -> WebhookDelivery | None:
    """The message of that id, locked."""
    query = select(WebhookDelivery).where(
        WebhookDelivery.tenant_id == tenant.tenant_id,
        WebhookDelivery.webhook_id == webhook_id,
        WebhookDelivery.id == delivery_id,
    )
    return tenant.orm.scalars(query.with_for_update()).one_or_none()


def add_delivery(tenant: TenantSession, delivery: WebhookDelivery) -> None:
    """Put a message in the outbox."""
    tenant.orm.add(delivery)
    tenant.orm.flush()


def add_conflict_message(space: SpaceSession, job_id: JobId, relations: Sequence[str]) -> None:
    """Put a message in the outbox where the job's documents contradict what stands."""
    parameters = {"job": str(job_id), "relations": list(relations), "lies_in": list(LIES_IN)}
    space.run("jobs.webhooks.add_conflict_message", parameters)


def count_all_pending(platform: PlatformSession) -> PendingDeliveries:
    """Count the messages of all tenants that were not delivered yet."""
    return PendingDeliveries(*platform.run("jobs.webhooks.count_all_pending", prepare=False)[0])


def count_pending_of_webhook(tenant: TenantSession, webhook_id: UUID, *, bound: int) -> int:
    """Count the webhook's messages that wait, up to a bound."""
    waiting = (
        select(WebhookDelivery.id)
        .where(WebhookDelivery.webhook_id == webhook_id, WebhookDelivery.state == "pending")
        .limit(bound)
    )
    return tenant.orm.scalars(select(func.count()).select_from(waiting.subquery())).one()


def wake_delivery(tenant: TenantSession) -> None:
    """Let workers look for the tenant's messages; before a lock of a webhook, as everywhere."""
    tenant.run("jobs.webhooks.wake_delivery")


def lease_due_messages(platform: PlatformSession, *, limit: int, turns: int, seconds: float) -> list[Due]:
    """Lease messages that are due, of so many turns of tenants."""
    rows = platform.run(
        "jobs.webhooks.lease_due_messages", {"limit": limit, "turns": turns, "seconds": seconds}
    )
    return [_due_from_row(row) for row in rows]


def mark_delivered(platform: PlatformSession, due: Due, status: int) -> None:
    """Note that the message arrived."""
    platform.run("jobs.webhooks.mark_delivered", {"id": due.id, "fence": due.fence, "status": status})


def record_failed_delivery(
    platform: PlatformSession,
    due: Due,
    *,
    status: int | None,
    error: str,
    delay: float | None,
    pause: float,
    days: int,
) -> str | None:
    """Note that it did not, when to try it and its webhook again; return why that was disabled, if it was."""
    values = {
        "id": due.id,
        "fence": due.fence,
        "status": status,
        "error": error,
        "delay": delay,
        "rest": pause,
        "days": days,
    }
    rows = platform.run("jobs.webhooks.record_failed_delivery", values)
    return rows[0][0] if rows else None


def delete_old_messages(platform: PlatformSession, *, days: int, limit: int) -> None:
    """Remove old messages."""
    platform.run("jobs.webhooks.purge_deliveries", {"days": days, "limit": limit})


def _due_from_row(row: tuple[Any, ...]) -> Due:
    *_, secret, old_secret, event, data, created_at = row
    id, tenant_id, webhook_id, fence, attempts, failures, url = row[:7]
    secrets = (secret,) if old_secret is None else (secret, old_secret)
    if isinstance(data, str):
        data = json.loads(data)
    return Due(id, tenant_id, webhook_id, fence, attempts, failures, url, secrets, event, data, created_at)
