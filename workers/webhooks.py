"""Sends the messages of webhooks, in a thread of each worker process."""

import random
import threading
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

import structlog

from app.db.database import Database
from app.db.errors import DATABASE_ERRORS, describe_error
from app.jobs.webhooks import service as webhooks
from app.jobs.webhooks.shapes import DueMessage
from app.observability.counters import WEBHOOKS_SENT
from app.settings import Settings

log = structlog.get_logger(__name__)

CHECK_SECONDS = 2.0
"""Seconds between two checks for due messages."""
MAX_PARALLEL_DELIVERIES = 4
_CLOSING_SECONDS = 15.0


class WebhookDeliverer:
    """Leases due messages and sends them, a few at a time, one of each tenant."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._allowed_hosts = settings.listed_webhook_hosts
        self._closed_event = threading.Event()
        self._thread = threading.Thread(target=self._deliver_forever, daemon=True, name="webhooks")

    def start(self) -> None:
        """Start the thread, which ends with the process."""
        self._thread.start()

    def close(self) -> None:
        """Stop the thread. Messages that it leased but did not send are sent by another worker later."""
        self._closed_event.set()
        self._thread.join(timeout=_CLOSING_SECONDS)

    def deliver_due_messages(self) -> int:
        """Send messages until none is due; return how many were sent. No transaction is open while sending.

        A thread that has finished takes the next message at once, so that a slow server occupies only one
        thread.
        """
        sent_count = 0
        running_futures: set[Future[None]] = set()
        with ThreadPoolExecutor(MAX_PARALLEL_DELIVERIES) as threads:
            while not self._closed_event.is_set():
                with self._database.open_platform() as platform:
                    messages = webhooks.lease_due_messages_of_distinct_tenants(
                        platform, limit=MAX_PARALLEL_DELIVERIES - len(running_futures)
                    )
                running_futures.update(
                    threads.submit(self._send_message_and_record_result, message) for message in messages
                )
                sent_count += len(messages)
                if not running_futures:
                    break
                is_full = len(running_futures) == MAX_PARALLEL_DELIVERIES
                finished_futures, running_futures = wait(
                    running_futures, None if is_full else CHECK_SECONDS, return_when=FIRST_COMPLETED
                )
                for future in finished_futures:
                    future.result()
        return sent_count

    def _send_message_and_record_result(self, due_message: DueMessage) -> None:
        delivery_result = webhooks.post_message(due_message, allowed_hosts=self._allowed_hosts)
        with self._database.open_platform() as platform:
            webhooks.record_delivery_attempt(platform, due_message, delivery_result)
        outcome = "delivered" if delivery_result.is_delivered else delivery_result.error or "refused"
        self._database.counters.add(WEBHOOKS_SENT, outcome)
        log.info(
            "webhook_sent",
            tenant=str(due_message.tenant_id),
            webhook=str(due_message.webhook_id),
            about=due_message.event,
            attempt=due_message.attempts,
            status=delivery_result.status,
            error=delivery_result.error,
        )

    def _deliver_forever(self) -> None:
        while not self._closed_event.wait(CHECK_SECONDS * random.uniform(0.7, 1.3)):
            try:
                self.deliver_due_messages()
            except DATABASE_ERRORS as error:
                log.warning("webhooks_not_sent", **describe_error(error))
