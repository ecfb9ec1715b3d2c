"""The outermost middleware: request ids, log lines, metrics, and a handler for errors that nothing else
caught.
"""

import re
import time
from uuid import uuid4

import structlog
from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.api import problems
from app.api.metrics import Metrics
from app.http.caller_rates import HEADERS_STATE_KEY
from app.observability import tracing

CLIENT_CLOSED_REQUEST = 499
"""The status in logs and metrics for a client that hung up before its request was read."""

log = structlog.get_logger(__name__)


_METHODS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})

_UUID = r"([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})"
_ID_PATTERN_BY_NAME = {
    "space": re.compile(rf"/spaces/{_UUID}(?:/|$)"),
    "job": re.compile(rf"/jobs/{_UUID}(?:/|$)"),
}


class RequestLog:
    """Outermost middleware: gives each request an id, and answers uncaught errors."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and record its outcome."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        # Never the caller's id, which could be forged or contain anything.
        request_id = uuid4().hex
        scope.setdefault("state", {})["request_id"] = request_id
        started_at = time.monotonic()
        status = 0

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["x-request-id"] = request_id
                headers["x-content-type-options"] = "nosniff"
                headers.setdefault("cache-control", "no-store")
                headers.update(scope["state"].get(HEADERS_STATE_KEY, {}))
            await send(message)

        ids_in_path = _find_space_and_job_ids(scope["path"])
        with (
            tracing.start_span(
                "request", parent=_read_trace_parent(scope), request_id=request_id, **ids_in_path
            ) as span,
            structlog.contextvars.bound_contextvars(request_id=request_id, **ids_in_path),
        ):
            try:
                await self._app(scope, receive, send_with_headers)
            except ClientDisconnect:
                # The client is gone and there is no error to report.
                status = scope["state"].get(problems.CUT_OFF_STATUS_KEY, CLIENT_CLOSED_REQUEST)
            except Exception as error:
                if status:
                    # The response has begun: it can only be cut short.
                    log.error("answer_cut_short", exc_info=error)
                    status = 500
                else:
                    problem = problems.build_problem(error, request_id)
                    scope["state"][problems.REFUSAL_CODE_KEY] = problem.refused_for
                    await problem(scope, receive, send_with_headers)
            finally:
                seconds = time.monotonic() - started_at
                # Unknown method names stay out of labels and log lines.
                route, method = _get_route_template(scope), scope["method"]
                method = method if method in _METHODS else "other"
                if refusal_reason := scope["state"].get(problems.REFUSAL_CODE_KEY):
                    self._metrics.count_refusal(refusal_reason)
                self._metrics.count_request(method, route, status, seconds)
                # The template instead of the path: whatever a client puts into a path stays out of logs.
                span.set_name(f"{method} {route}")
                span.set_attributes(
                    http__request__method=method, http__route=route, http__response__status_code=status
                )
                log.info("request", method=method, route=route, status=status, ms=round(seconds * 1000, 1))
                # Bound by `authentication`, an inner middleware.
                structlog.contextvars.unbind_contextvars("tenant")


def _find_space_and_job_ids(path: str) -> dict[str, str]:
    """Return the ids of space and job in the path, for every log line of the request."""
    return {
        name: match[1].lower()
        for name, pattern in _ID_PATTERN_BY_NAME.items()
        if (match := pattern.search(path))
    }


def _read_trace_parent(scope: Scope) -> str | None:
    """Return the traceparent header of the request if tracing is on and it has one."""
    if not tracing.is_tracing():
        return None
    return next((value.decode("latin-1") for name, value in scope["headers"] if name == b"traceparent"), None)


def _get_route_template(scope: Scope) -> str:
    if route := scope.get("route"):
        return str(route.path)
    # Mounted applications (files of the dashboard, agents) have one template for all their paths.
    mount_path = scope.get("root_path", "").removeprefix(scope.get("app_root_path", ""))
    return f"{mount_path}/{{path}}" if mount_path else "unmatched"
