"""Retries of webhook messages: the time of the next attempt, and when a webhook pauses or is disabled."""

from app.db.session import PlatformSession
from app.ids import TenantId
from app.jobs.webhooks import repository
from app.jobs.webhooks.sender import DeliveryResult
from app.jobs.webhooks.shapes import DueMessage
from app.tenancy.audit import service as audit

DISABLED_AFTER_DAYS = 7
DELAYS = (5.0, 30.0, 120.0, 600.0, 1_800.0, 7_200.0, 21_600.0, 43_200.0, 86_400.0, 86_400.0)
"""Seconds before each retry: eleven attempts in three and a half days."""
RESTS = (5.0, 30.0, 120.0, 600.0)
"""Seconds for which a webhook pauses after each consecutive failure, so that a dead server is not contacted
more often.
"""


def record_delivery_attempt(platform: PlatformSession, due: DueMessage, sent: DeliveryResult) -> None:
    """Record the outcome of an attempt: delivered, or the time of the next one. The webhook pauses after a
    failure. It is disabled after a week of failures, and at once if its server answers 410.
    """
    if sent.is_delivered and sent.status is not None:
        repository.mark_delivered(platform, due, sent.status)
        return
    attempt_index = due.attempts - 1
    reason = repository.record_failed_delivery(
        platform,
        due,
        status=sent.status,
        error=sent.error or "refused",
        delay=DELAYS[attempt_index] if attempt_index < len(DELAYS) else None,
        pause=RESTS[min(due.failures, len(RESTS) - 1)],
        days=DISABLED_AFTER_DAYS,
    )
    if reason is not None:
        audit.record_platform(
            platform,
            "webhook.disable",
            tenant_id=TenantId(due.tenant_id),
            target=due.webhook_id,
            details={"reason": reason},
        )
