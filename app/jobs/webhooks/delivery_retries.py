"""Retries of webhook messages: the time of the next attempt, and when a webhook pauses or is disabled."""

from app.db.session import PlatformSession
from app.ids import TenantId
from app.jobs.webhooks import repository
from app.jobs.webhooks.sender import DeliveryResult
from app.jobs.webhooks.shapes import DueMessage
from app.tenancy.audit import service as audit

DISABLED_AFTER_DAYS = 7
RETRY_DELAYS_SECONDS = (5.0, 30.0, 120.0, 600.0, 1_800.0, 7_200.0, 21_600.0, 43_200.0, 86_400.0, 86_400.0)
"""Seconds before each retry: eleven attempts in three and a half days."""
PAUSES_SECONDS = (5.0, 30.0, 120.0, 600.0)
"""Seconds for which a webhook pauses after each consecutive failure, so that a dead server is not contacted
more often.
"""


def record_delivery_attempt(
    platform: PlatformSession, due_message: DueMessage, delivery_result: DeliveryResult
) -> None:
    """Record the outcome of an attempt: delivered, or the time of the next one. The webhook pauses after a
    failure. It is disabled after a week of failures, and at once if its server answers 410.
    """
    if delivery_result.is_delivered and delivery_result.status is not None:
        repository.mark_delivered(platform, due_message, delivery_result.status)
        return
    attempt_index = due_message.attempts - 1
    reason = repository.record_failure_and_get_disabled_reason(
        platform,
        due_message,
        status=delivery_result.status,
        error=delivery_result.error or "refused",
        retry_delay_seconds=RETRY_DELAYS_SECONDS[attempt_index]
        if attempt_index < len(RETRY_DELAYS_SECONDS)
        else None,
        pause_seconds=PAUSES_SECONDS[min(due_message.failures, len(PAUSES_SECONDS) - 1)],
        disabled_after_days=DISABLED_AFTER_DAYS,
    )
    if reason is not None:
        audit.record_platform_action(
            platform,
            "webhook.disable",
            tenant_id=TenantId(due_message.tenant_id),
            target=due_message.webhook_id,
            details={"reason": reason},
        )
