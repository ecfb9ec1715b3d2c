"""Around every request: its id, its log line, its place in the metrics, and the last catch of errors."""

import re
import time
from collections.abc import Callable, Iterable
from uuid import uuid4

import structlog
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.registry import Collector
from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.api import problems
from app.http.caller_rates import HEADERS
from app.observability import tracing

CLIENT_GONE = 499
"""The status that logs and metrics have for a client that hung up before its request was read."""

log = structlog.get_logger(__name__)


class Metrics:
    """Counters of one application; labels name routes and statuses, never a tenant or a space."""

    def __init__(self, *, recalls_dropped: Callable[[], int], others: Iterable[Collector] = ()) -> None:
        self.registry = CollectorRegistry()
        for collector in others:
            self.registry.register(collector)
        Gauge(
            "citegraph_recalls_dropped",
            "Recalls and queries that this process noted and lost since its start.",
            registry=self.registry,
        ).set_function(recalls_dropped)
        self._requests = Counter(
            "citegraph_http_requests",
            "Requests answered.",
            ["method", "route", "status"],
            registry=self.registry,
        )
        self._refusals = Counter(
            "citegraph_refusals",
            "Requests refused with 429 or 503, by the problem's code.",
            ["reason"],
            registry=self.registry,
        )
        self._seconds = Histogram(
            "citegraph_http_request_seconds",
            "Seconds from a request's first byte to its answer's last.",
            ["method", "route"],
            registry=self.registry,
            buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
        )

    def count_request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Add one request."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)

    def count_refusal(self, code: str) -> None:
        """Add one request that was refused for now."""
        self._refusals.labels(code).inc()


_METHODS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})

_UUID = r"([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})"
_IDS = {"space": re.compile(rf"/spaces/{_UUID}(?:/|$)"), "job": re.compile(rf"/jobs/{_UUID}(?:/|$)")}


class Recording:
    """Outermost: gives each request an id, and answers what nothing within has answered."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, watching."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        # Always our own: a caller's id in our logs could be forged or hold anything.
        request_id = uuid4().hex
        scope.setdefault("state", {})["request_id"] = request_id
        started = time.monotonic()
        status = 0

        async def marked(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["x-request-id"] = request_id
                headers["x-content-type-options"] = "nosniff"
                headers.setdefault("cache-control", "no-store")
                headers.update(scope["state"].get(HEADERS, {}))
            await send(message)

        ids = _find_ids(scope["path"])
        with (
            tracing.start_span(
                "request", parent=_read_trace_parent(scope), request_id=request_id, **ids
            ) as span,
            structlog.contextvars.bound_contextvars(request_id=request_id, **ids),
        ):
            try:
                await self._app(scope, receive, marked)
            except ClientDisconnect:
                # Nobody is left to answer, and nothing is wrong here.
                status = scope["state"].get(problems.CUT_OFF, CLIENT_GONE)
            except Exception as error:
                if status:
                    # The answer has begun: it can only be cut short.
                    log.error("answer_cut_short", exc_info=error)
                    status = 500
                else:
                    problem = problems.build_problem(error, request_id)
                    scope["state"][problems.REFUSED] = problem.refused_for
                    await problem(scope, receive, marked)
            finally:
                seconds = time.monotonic() - started
                # Whatever somebody called a method stays out of labels and lines.
                route, method = _get_route_template(scope), scope["method"]
                method = method if method in _METHODS else "other"
                if refused_for := scope["state"].get(problems.REFUSED):
                    self._metrics.count_refusal(refused_for)
                self._metrics.count_request(method, route, status, seconds)
                # The template, not the path: whatever somebody typed into an address stays out of logs.
                span.set_name(f"{method} {route}")
                span.set_attributes(
                    http__request__method=method, http__route=route, http__response__status_code=status
                )
                log.info("request", method=method, route=route, status=status, ms=round(seconds * 1000, 1))
                # Bound by `admission`, which is further in.
                structlog.contextvars.unbind_contextvars("tenant")


def _find_ids(path: str) -> dict[str, str]:
    """The space and the job that the path names, where it is an id: for every line of the request."""
    return {name: match[1].lower() for name, pattern in _IDS.items() if (match := pattern.search(path))}


def _read_trace_parent(scope: Scope) -> str | None:
    """Where in the caller's own trace the request was made, if it says so."""
    if not tracing.is_tracing():
        return None
    return next((value.decode("latin-1") for name, value in scope["headers"] if name == b"traceparent"), None)


def _get_route_template(scope: Scope) -> str:
    if route := scope.get("route"):
        return str(route.path)
    # What is mounted (files of the dashboard, agents) has one template for all that is under it.
    mounted = scope.get("root_path", "").removeprefix(scope.get("app_root_path", ""))
    return f"{mounted}/{{path}}" if mounted else "unmatched"
