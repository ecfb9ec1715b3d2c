"""Reads and writes of webhooks and of the messages in their outbox."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import delete, func, select, tuple_

from app.db.models import Webhook, WebhookDelivery
from app.db.session import PlatformSession, SpaceSession, TenantSession
from app.domain.relation_types import CONTAINMENT_RELATIONS
from app.ids import JobId
from app.jobs.webhooks.shapes import DueMessage, PendingDeliveries


def add_webhook(tenant: TenantSession, webhook: Webhook) -> None:
    """Store a webhook."""
    tenant.orm.add(webhook)
    tenant.orm.flush()


def count_webhooks(tenant: TenantSession) -> int:
    """Return the number of the tenant's webhooks."""
    query = select(func.count()).select_from(Webhook).where(Webhook.tenant_id == tenant.tenant_id)
    return tenant.orm.scalars(query).one()


def find_webhook(tenant: TenantSession, webhook_id: UUID, *, for_update: bool = False) -> Webhook | None:
    """Return the webhook with that id, or None."""
    query = select(Webhook).where(Webhook.tenant_id == tenant.tenant_id, Webhook.id == webhook_id)
    return tenant.orm.scalars(query.with_for_update() if for_update else query).one_or_none()


def list_webhooks(tenant: TenantSession, *, after: UUID | None = None, limit: int = 100) -> Sequence[Webhook]:
    """Return the tenant's webhooks, oldest first."""
    query = select(Webhook).where(Webhook.tenant_id == tenant.tenant_id).order_by(Webhook.id).limit(limit)
    return tenant.orm.scalars(query if after is None else query.where(Webhook.id > after)).all()


def delete_webhook(tenant: TenantSession, webhook_id: UUID) -> bool:
    """Remove the webhook with its messages; return False if there is none."""
    query = delete(Webhook).where(Webhook.tenant_id == tenant.tenant_id, Webhook.id == webhook_id)
    return tenant.orm.execute(query.returning(Webhook.id)).first() is not None


DeliveryCursor = tuple[datetime, UUID]
"""Time and id of the last message of a page."""


def list_deliveries(
    tenant: TenantSession, webhook_id: UUID, *, after: DeliveryCursor | None, limit: int
) -> Sequence[WebhookDelivery]:
    """Return a page of the webhook's messages, newest first."""
    position = tuple_(WebhookDelivery.created_at, WebhookDelivery.id)
    query = (
        select(WebhookDelivery)
        .where(WebhookDelivery.tenant_id == tenant.tenant_id, WebhookDelivery.webhook_id == webhook_id)
        .order_by(WebhookDelivery.created_at.desc(), WebhookDelivery.id.desc())
        .limit(limit)
    )
    return tenant.orm.scalars(query if after is None else query.where(position < after)).all()


def lock_delivery(tenant: TenantSession, webhook_id: UUID, delivery_id: UUID) -> WebhookDelivery | None:
    """Return the message with that id, locked, or None."""
    query = select(WebhookDelivery).where(
        WebhookDelivery.tenant_id == tenant.tenant_id,
        WebhookDelivery.webhook_id == webhook_id,
        WebhookDelivery.id == delivery_id,
    )
    return tenant.orm.scalars(query.with_for_update()).one_or_none()


def add_delivery(tenant: TenantSession, delivery: WebhookDelivery) -> None:
    """Add a message to the outbox."""
    tenant.orm.add(delivery)
    tenant.orm.flush()


def does_any_webhook_want_conflicts(space: SpaceSession) -> bool:
    """Return whether a webhook of the tenant asks for conflicts."""
    return space.run("jobs.webhooks.is_conflict_wanted") == [(True,)]


class NodeRelation(NamedTuple):
    """A node and a type of relation of which it has contradicting values."""

    node_id: UUID
    relation_type: str


def list_conflicts_of_job(
    space: SpaceSession, job_id: JobId, relation_types: Sequence[str]
) -> list[NodeRelation]:
    """Return the nodes and relations of which the job's documents contradict what holds in the graph."""
    parameters = {
        "job": str(job_id),
        "relations": list(relation_types),
        "lies_in": list(CONTAINMENT_RELATIONS),
    }
    return [NodeRelation(*row) for row in space.run("jobs.webhooks.list_conflicts", parameters)]


def add_conflict_message(space: SpaceSession, job_id: JobId, conflicts: Sequence[NodeRelation]) -> None:
    """Add a message about the job's conflicts to the outbox for each webhook that asks for them."""
    conflict_records = [
        {"node_id": str(conflict.node_id), "relation_type": conflict.relation_type} for conflict in conflicts
    ]
    parameters = {"job": str(job_id), "conflicts": json.dumps(conflict_records)}
    space.run("jobs.webhooks.add_conflict_message", parameters)


def count_pending_deliveries(platform: PlatformSession) -> PendingDeliveries:
    """Count the undelivered messages of all tenants."""
    return PendingDeliveries(*platform.run("jobs.webhooks.count_pending_deliveries", should_prepare=False)[0])


def count_pending_of_webhook(tenant: TenantSession, webhook_id: UUID, *, bound: int) -> int:
    """Count the webhook's pending messages, up to `bound`."""
    waiting_deliveries = (
        select(WebhookDelivery.id)
        .where(WebhookDelivery.webhook_id == webhook_id, WebhookDelivery.state == "pending")
        .limit(bound)
    )
    return tenant.orm.scalars(select(func.count()).select_from(waiting_deliveries.subquery())).one()


def wake_webhook_delivery(tenant: TenantSession) -> None:
    """Make workers look for the tenant's messages. Call it before locking a webhook, as everywhere."""
    tenant.run("jobs.webhooks.wake_delivery")


def lease_due_messages_of_distinct_tenants(
    platform: PlatformSession, *, limit: int, max_compared_tenants: int, lease_seconds: float
) -> list[DueMessage]:
    """Lease due messages; those of `max_compared_tenants` tenants are compared."""
    rows = platform.run(
        "jobs.webhooks.lease_due_messages",
        {"limit": limit, "turns": max_compared_tenants, "seconds": lease_seconds},
    )
    return [_build_due_message_from_row(row) for row in rows]


def mark_delivered(platform: PlatformSession, due_message: DueMessage, status: int) -> None:
    """Record that the message was delivered."""
    platform.run(
        "jobs.webhooks.mark_delivered", {"id": due_message.id, "fence": due_message.fence, "status": status}
    )


def record_failure_and_get_disabled_reason(
    platform: PlatformSession,
    due_message: DueMessage,
    *,
    status: int | None,
    error: str,
    retry_delay_seconds: float | None,
    pause_seconds: float,
    disabled_after_days: int,
) -> str | None:
    """Record a failed attempt, with the next times for the message and its webhook; return why the webhook
    was disabled, or None.
    """
    parameters = {
        "id": due_message.id,
        "fence": due_message.fence,
        "status": status,
        "error": error,
        "delay": retry_delay_seconds,
        "rest": pause_seconds,
        "days": disabled_after_days,
    }
    rows = platform.run("jobs.webhooks.record_failed_delivery", parameters)
    return rows[0][0] if rows else None


def delete_old_messages(platform: PlatformSession, *, days: int, limit: int) -> None:
    """Remove messages older than `days`, at most `limit` of them."""
    platform.run("jobs.webhooks.purge_deliveries", {"days": days, "limit": limit})


def _build_due_message_from_row(row: tuple[Any, ...]) -> DueMessage:
    *_, secret, old_secret, event, data, created_at = row
    delivery_id, tenant_id, webhook_id, fence, attempts, failures, url = row[:7]
    secrets = (secret,) if old_secret is None else (secret, old_secret)
    if isinstance(data, str):
        data = json.loads(data)
    return DueMessage(
        delivery_id, tenant_id, webhook_id, fence, attempts, failures, url, secrets, event, data, created_at
    )
