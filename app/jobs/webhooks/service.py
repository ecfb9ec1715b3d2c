"""Rules of webhooks: a tenant's addresses that receive events, and the outbox from which workers send.

A message is written in the transaction of its event and sent after it, at least once: a receiver recognizes a
repetition by its id. It contains ids, codes and numbers, never text of a document.
"""

import base64
import json
import secrets
from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

from app.db.models import Webhook, WebhookDelivery
from app.db.session import PlatformSession, SpaceSession, TenantSession
from app.errors import Conflict, InvalidInput, NotFound, QuotaExceeded
from app.ids import JobId, create_id
from app.jobs.webhooks import repository, sender
from app.jobs.webhooks.addresses import parse_and_check_webhook_url
from app.jobs.webhooks.delivery_retries import DISABLED_AFTER_DAYS, record_delivery_attempt
from app.jobs.webhooks.repository import DeliveryCursor, count_pending_deliveries, list_webhooks
from app.jobs.webhooks.sender import DeliveryResult
from app.jobs.webhooks.shapes import EVENTS, TEST, DueMessage
from app.limits import WEBHOOK_PENDING, WEBHOOKS
from app.tenancy.audit import service as audit

__all__ = [
    "DISABLED_AFTER_DAYS",
    "DeliveryCursor",
    "count_pending_deliveries",
    "list_webhooks",
    "record_delivery_attempt",
]

OLD_SECRET_HOURS = 24
"""How long after a change messages are also signed with the previous secret."""
MESSAGE_LIFETIME_DAYS = 30
"""How long messages are shown and can be sent again."""
LEASE_SECONDS = 60.0
_COMPARED_TENANTS = 32
"""Number of tenants whose first messages are compared, so that those to working servers are sent first."""
_MAX_DELETED_MESSAGES = 5_000


def add_webhook(
    tenant: TenantSession, *, url: str, events: Collection[str], actor: str, allowed_hosts: frozenset[str]
) -> Webhook:
    """Add a webhook with its own secret. Raises InvalidInput, and QuotaExceeded above `WEBHOOKS.maximum`."""
    _check_event_names(events)
    parse_and_check_webhook_url(url, allowed_hosts)
    webhook_count = repository.count_webhooks(tenant)
    if webhook_count >= WEBHOOKS.maximum:
        raise QuotaExceeded("webhooks", used=webhook_count, limit=WEBHOOKS.maximum, added=1)
    webhook = Webhook(
        id=create_id(),
        tenant_id=tenant.tenant_id,
        url=url,
        events=sorted(set(events)),
        secret=_create_secret(),
    )
    repository.add_webhook(tenant, webhook)
    audit.record(tenant, "webhook.add", actor=actor, target=webhook.id, details={"events": webhook.events})
    return webhook


def get_webhook(tenant: TenantSession, webhook_id: UUID, *, for_update: bool = False) -> Webhook:
    """Return the webhook. Raises NotFound."""
    webhook = repository.find_webhook(tenant, webhook_id, for_update=for_update)
    if webhook is None:
        raise NotFound("webhook")
    return webhook


def set_webhook_enabled(tenant: TenantSession, webhook_id: UUID, *, enabled: bool, actor: str) -> Webhook:
    """Enable or disable the webhook and reset its failures; messages that wait are sent once it is enabled.

    Raises NotFound.
    """
    repository.wake_webhook_delivery(tenant)
    webhook = get_webhook(tenant, webhook_id, for_update=True)
    if enabled:
        webhook.disabled_at = webhook.disabled_reason = None
    elif webhook.disabled_at is None:
        webhook.disabled_at, webhook.disabled_reason = datetime.now(UTC), "request"
    webhook.failing_since, webhook.failures, webhook.retry_at = None, 0, None
    audit.record(tenant, "webhook.enable" if enabled else "webhook.disable", actor=actor, target=webhook.id)
    return webhook


def rotate_secret(tenant: TenantSession, webhook_id: UUID, *, actor: str) -> Webhook:
    """Give the webhook a new secret; for a day messages are signed with both. Raises NotFound."""
    webhook = get_webhook(tenant, webhook_id, for_update=True)
    webhook.old_secret, webhook.secret = webhook.secret, _create_secret()
    webhook.old_secret_until = datetime.now(UTC) + timedelta(hours=OLD_SECRET_HOURS)
    audit.record(tenant, "webhook.rotate", actor=actor, target=webhook.id)
    return webhook


def delete_webhook(tenant: TenantSession, webhook_id: UUID, *, actor: str) -> None:
    """Remove the webhook with its messages. Raises NotFound."""
    if not repository.delete_webhook(tenant, webhook_id):
        raise NotFound("webhook")
    audit.record(tenant, "webhook.remove", actor=actor, target=webhook_id)


def enqueue_test_message(tenant: TenantSession, webhook_id: UUID, *, actor: str) -> WebhookDelivery:
    """Queue a message that only says that it is a test.

    Raises NotFound, and Conflict if the webhook is disabled or its outbox is full.
    """
    webhook = get_webhook(tenant, webhook_id)
    _check_enabled(webhook)
    if (
        repository.count_pending_of_webhook(tenant, webhook_id, bound=WEBHOOK_PENDING.maximum)
        >= WEBHOOK_PENDING.maximum
    ):
        raise Conflict(
            f"{WEBHOOK_PENDING.maximum:,} messages wait for this webhook already.", code="webhook_full"
        )
    delivery = WebhookDelivery(
        id=create_id(),
        tenant_id=webhook.tenant_id,
        webhook_id=webhook.id,
        event=TEST,
        event_key=f"test {create_id()}",
        data={"test": True},
    )
    repository.add_delivery(tenant, delivery)
    audit.record(tenant, "webhook.test", actor=actor, target=webhook.id)
    return delivery


def list_deliveries(
    tenant: TenantSession,
    webhook_id: UUID,
    *,
    after: DeliveryCursor | None = None,
    limit: int = 100,
) -> Sequence[WebhookDelivery]:
    """Return the webhook's messages of the last 30 days, newest first. Raises NotFound."""
    get_webhook(tenant, webhook_id)
    return repository.list_deliveries(tenant, webhook_id, after=after, limit=limit)


def queue_delivered_message_again(
    tenant: TenantSession, webhook_id: UUID, delivery_id: UUID, *, actor: str
) -> WebhookDelivery:
    """Queue the message again under its own id. Raises NotFound, and Conflict if it is already waiting."""
    webhook = get_webhook(tenant, webhook_id)
    repository.wake_webhook_delivery(tenant)
    delivery = repository.lock_delivery(tenant, webhook_id, delivery_id)
    if delivery is None:
        raise NotFound("delivery")
    _check_enabled(webhook)
    if delivery.state == "pending":
        raise Conflict("This message waits to be sent already.", code="delivery_pending")
    delivery.state, delivery.attempts, delivery.ended_at = "pending", 0, None
    delivery.next_at = datetime.now(UTC)
    audit.record(tenant, "webhook.replay", actor=actor, target=webhook_id, other_targets=[delivery_id])
    return delivery


def notify_webhooks_of_conflicts(space: SpaceSession, job_id: JobId) -> None:
    """Notify the tenant's webhooks if the job's documents contradict what holds, in the job's transaction."""
    relations = space.settings.single_valued_relations
    # Asked first, since most tenants have no such webhook and the conflicts are found in the content.
    if not relations or not repository.does_any_webhook_want_conflicts(space):
        return
    if conflicts := repository.list_conflicts_of_job(space, job_id, relations):
        repository.add_conflict_message(space, job_id, conflicts)


def lease_due_messages_of_distinct_tenants(platform: PlatformSession, *, limit: int) -> list[DueMessage]:
    """Return due messages, leased to this process; at most one of each tenant."""
    return repository.lease_due_messages_of_distinct_tenants(
        platform, limit=limit, max_compared_tenants=max(_COMPARED_TENANTS, limit), lease_seconds=LEASE_SECONDS
    )


def post_message(due_message: DueMessage, *, allowed_hosts: frozenset[str]) -> DeliveryResult:
    """Send the message once, without an open transaction; failures are returned as codes."""
    return sender.post_signed_message(
        due_message.url,
        str(due_message.id),
        _build_message_body(due_message),
        due_message.secrets,
        allowed_hosts=allowed_hosts,
    )


def delete_old_messages(platform: PlatformSession) -> None:
    """Remove messages older than 30 days, a bounded number."""
    repository.delete_old_messages(platform, days=MESSAGE_LIFETIME_DAYS, limit=_MAX_DELETED_MESSAGES)


def _build_message_body(due_message: DueMessage) -> bytes:
    """Return the message as it is sent, the same at every attempt."""
    message = {
        "type": due_message.event,
        "timestamp": due_message.created_at.isoformat(),
        "data": due_message.data,
    }
    return json.dumps(message, separators=(",", ":"), sort_keys=True).encode()


def _check_enabled(webhook: Webhook) -> None:
    if webhook.disabled_at is not None:
        raise Conflict("The webhook is disabled: enable it first.", code="webhook_disabled")


def _check_event_names(events: Collection[str]) -> None:
    if not events or set(events) - set(EVENTS):
        raise InvalidInput(f"Events are {', '.join(EVENTS)}; at least one.", code="unknown_event")


def _create_secret() -> str:
    return "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()
