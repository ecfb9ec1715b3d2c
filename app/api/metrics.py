"""`/metrics`: the Prometheus registry of an API process and the route that Prometheus scrapes.

`request_log` counts the requests, `queue_metrics` reads the state of the queue. The route needs no key, and
no label names a tenant or a space.
"""

from collections.abc import Callable, Iterable

from fastapi import APIRouter, Request
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from prometheus_client.registry import Collector
from starlette.responses import Response

from app.api.protocol.route import ApiRoute
from app.api.shared_results import SharedResult

router = APIRouter(tags=["health"], route_class=ApiRoute)


class Metrics:
    """Counters of one application; labels are routes and statuses, never a tenant or a space."""

    def __init__(
        self, *, count_dropped_recalls: Callable[[], int], other_collectors: Iterable[Collector] = ()
    ) -> None:
        self.registry = CollectorRegistry()
        for collector in other_collectors:
            self.registry.register(collector)
        Gauge(
            "citegraph_recalls_dropped",
            "Recalls and queries that this process recorded and lost since its start.",
            registry=self.registry,
        ).set_function(count_dropped_recalls)
        self._request_counter = Counter(
            "citegraph_http_requests",
            "Requests answered.",
            ["method", "route", "status"],
            registry=self.registry,
        )
        self._refusal_counter = Counter(
            "citegraph_refusals",
            "Requests refused with 429 or 503, by the problem's code.",
            ["reason"],
            registry=self.registry,
        )
        self._request_seconds = Histogram(
            "citegraph_http_request_seconds",
            "Seconds from a request's first byte to its answer's last.",
            ["method", "route"],
            registry=self.registry,
            buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
        )

    def count_request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count one request."""
        self._request_counter.labels(method, route, str(status)).inc()
        self._request_seconds.labels(method, route).observe(seconds)

    def count_refusal(self, code: str) -> None:
        """Count one temporary refusal."""
        self._refusal_counter.labels(code).inc()


@router.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
async def read_metrics(request: Request) -> Response:
    """Return the metrics of this process and the state of the queue for Prometheus; one scrape is written at
    a time.
    """
    await request.app.state.queue_metrics.refresh()
    metrics: SharedResult[bytes] = request.app.state.written_metrics
    body = await metrics.get_or_compute(lambda: generate_latest(request.app.state.metrics.registry))
    return Response(body, media_type=CONTENT_TYPE_LATEST)
