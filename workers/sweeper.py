"""The sweep: delete expired rows, take jobs back from dead workers and wake workers for waiting jobs, even
without the broker.
"""

import random
import threading
from collections.abc import Callable

import structlog

from app.db.database import Database
from app.db.errors import DATABASE_ERRORS, describe_error
from app.http.idempotency import service as idempotency
from app.jobs import queue
from app.jobs.webhooks import service as webhooks
from app.tenancy.spaces import tenant_deletion
from app.tenancy.tenants import budgets

log = structlog.get_logger(__name__)


def sweep_and_wake_if_jobs_wait(database: Database) -> bool:
    """Take jobs back from dead workers, delete expired rows and wake workers; return whether jobs wait."""
    with database.open_platform() as platform:
        queue.requeue_jobs_with_expired_leases(platform)
        budgets.delete_expired_reservations(platform)
        idempotency.delete_old_requests(platform)
        webhooks.delete_old_messages(platform)
    # Before waiting jobs are counted, because it may queue some.
    tenant_deletion.continue_all_tenant_deletions(database)
    with database.open_platform() as platform:
        ready_count = queue.count_ready_jobs(platform, bound=1)
    if ready_count:
        database.wake()
    return bool(ready_count)


def sweep_forever(
    database: Database,
    interval_seconds: float,
    closed_event: threading.Event,
    report_overdue_jobs: Callable[[], None],
) -> None:
    """Sweep about every `interval_seconds` until `closed_event` is set; call `report_overdue_jobs` if jobs
    still wait one sweep after workers were woken.
    """
    was_woken = False
    # With jitter, so that many workers do not sweep at the same time; row locks keep them apart.
    while not closed_event.wait(interval_seconds * random.uniform(0.7, 1.3)):
        try:
            has_waiting_jobs = sweep_and_wake_if_jobs_wait(database)
        except DATABASE_ERRORS as error:
            log.warning("sweep_failed", **describe_error(error))
            continue
        if has_waiting_jobs and was_woken:
            report_overdue_jobs()
        was_woken = has_waiting_jobs
