"""Metrics of the queue: read from Postgres at most every five seconds, however often they are scraped.

Every API process of an installation shows the same numbers: a dashboard takes their maximum, not their sum.
"""

import time
from collections.abc import Iterable

import anyio
import structlog
from anyio.to_thread import run_sync
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from app.db.database import Database
from app.db.errors import DATABASE_ERRORS, describe_error
from app.errors import ConfigurationError
from app.jobs import queue
from app.jobs.shapes import JobCount

log = structlog.get_logger(__name__)

REUSE_SECONDS = 5.0
"""How long the values of one read are reused."""
WAIT_SECONDS = 1.0
"""How long a scrape waits for the database before it leaves out the queue's metrics."""
TENANT_BUCKET_COUNT = 16
"""Number of buckets to which a hash of the id assigns tenants: they show that a tenant waits, but not which.
"""
_STATEMENT_SECONDS = 2.0


class LastReadQueueMetrics(Collector):
    """The state of the queue at the last read; empty if the database did not answer."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._thread_limiter = anyio.CapacityLimiter(1)
        self._expires_at = 0.0
        self._is_reading = False
        self._is_up = False
        self._job_counts: list[JobCount] = []
        self._wait_by_bucket: dict[int, float] = {}

    async def refresh(self) -> None:
        """Read the queue again if the last read is too old. Waits at most one second and never raises."""
        if self._is_reading or time.monotonic() < self._expires_at:
            return
        self._is_reading = True
        with anyio.move_on_after(WAIT_SECONDS) as deadline:
            await run_sync(self._refresh_queue_figures, limiter=self._thread_limiter, abandon_on_cancel=True)
        if deadline.cancelled_caught:
            self._is_up, self._job_counts, self._wait_by_bucket = False, [], {}

    def collect(self) -> Iterable[Metric]:
        """Return the values of the last read as Prometheus metrics."""
        up_gauge = GaugeMetricFamily("citegraph_database_up", "1 if the database answered the last read.")
        up_gauge.add_metric([], float(self._is_up))
        yield up_gauge
        size_gauge = GaugeMetricFamily(
            "citegraph_queue_jobs", "Waiting, postponed and running jobs, by kind.", labels=["kind", "state"]
        )
        for kind, state, job_count in self._job_counts:
            size_gauge.add_metric([kind, state], job_count)
        yield size_gauge
        age_gauge = GaugeMetricFamily(
            "citegraph_queue_age_seconds",
            "Seconds that the oldest ready job has waited, by bucket of tenants.",
            labels=["bucket"],
        )
        for bucket in range(TENANT_BUCKET_COUNT if self._is_up else 0):
            age_gauge.add_metric([str(bucket)], self._wait_by_bucket.get(bucket, 0.0))
        yield age_gauge

    def _refresh_queue_figures(self) -> None:
        try:
            with self._database.open_platform() as platform:
                platform.limit_statement_time(_STATEMENT_SECONDS)
                platform.prefer_index_order()
                self._job_counts = queue.count_jobs_by_kind(platform)
                self._wait_by_bucket = queue.read_longest_wait_seconds_by_tenant_bucket(
                    platform, buckets=TENANT_BUCKET_COUNT
                )
            self._is_up = True
        except (*DATABASE_ERRORS, ConfigurationError) as error:
            self._is_up, self._job_counts, self._wait_by_bucket = False, [], {}
            log.warning("queue_not_read", **describe_error(error))
        finally:
            self._expires_at = time.monotonic() + REUSE_SECONDS
            self._is_reading = False
