"""Limits on the concurrent work of each tenant, so that no other tenant waits for it (docs/decisions/0026).

A plain `def` route works on the database: `ApiRoute` takes a query slot of its tenant. An `async def` route
waits for something else: it takes the slots it needs by dependencies, and a query slot only while it has a
transaction open. Slots are counted by the key's tenant, never by a value that a caller can invent.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Self, TypeVar

from fastapi import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from app.errors import ConfigurationError
from app.http.concurrency_limit import ConcurrencyLimit
from app.settings import Settings

Value = TypeVar("Value")

SHORT_WAIT_SECONDS = 1.0
"""Seconds that most requests wait for a slot before they are refused."""
OTHER_CONNECTIONS = 4
"""Connections that a process needs besides those of queries and questions."""
LONG_WAIT_SECONDS = 10.0
"""Seconds that a question or an export waits: the one before may take as long, and waiting holds no thread.
"""


@dataclass(frozen=True)
class Bulkheads:
    """The limits of one process."""

    requests: ConcurrencyLimit
    queries: ConcurrencyLimit
    questions: ConcurrencyLimit
    uploads: ConcurrencyLimit
    estimates: ConcurrencyLimit
    streams: ConcurrencyLimit
    exports: ConcurrencyLimit

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        """Return the limits of the settings."""
        return cls(
            requests=ConcurrencyLimit(
                settings.max_requests,
                settings.tenant_requests,
                wait_seconds=0.0,
                code="too_many_requests",
                noun="requests",
            ),
            queries=ConcurrencyLimit(
                settings.max_queries,
                settings.tenant_queries,
                wait_seconds=SHORT_WAIT_SECONDS,
                code="too_many_requests",
                noun="requests",
            ),
            questions=ConcurrencyLimit(
                settings.llm_parallel,
                settings.tenant_questions,
                wait_seconds=LONG_WAIT_SECONDS,
                code="too_many_questions",
                noun="questions",
            ),
            uploads=ConcurrencyLimit(
                settings.max_uploads,
                settings.tenant_uploads,
                wait_seconds=SHORT_WAIT_SECONDS,
                code="too_many_uploads",
                noun="uploads",
            ),
            estimates=ConcurrencyLimit(
                settings.max_estimates,
                settings.tenant_estimates,
                wait_seconds=SHORT_WAIT_SECONDS,
                code="too_many_estimates",
                noun="dry runs",
            ),
            streams=ConcurrencyLimit(
                settings.max_streams,
                settings.tenant_streams,
                wait_seconds=0.0,
                code="too_many_streams",
                noun="streams of events",
            ),
            exports=ConcurrencyLimit(
                settings.max_exports,
                settings.tenant_exports,
                wait_seconds=LONG_WAIT_SECONDS,
                code="too_many_exports",
                noun="exports",
            ),
        )


def check_connection_pool_size(settings: Settings) -> None:
    """Raise ConfigurationError if the connection pool is too small, so that requests would wait for each
    other.
    """
    needed_connections = settings.max_queries + settings.llm_parallel + OTHER_CONNECTIONS
    if settings.pool_size + settings.pool_overflow < needed_connections:
        raise ConfigurationError(
            f"CITEGRAPH_POOL_SIZE and CITEGRAPH_POOL_OVERFLOW must be {needed_connections} together:"
            f" CITEGRAPH_MAX_QUERIES {settings.max_queries}, CITEGRAPH_LLM_PARALLEL {settings.llm_parallel}"
            f" and {OTHER_CONNECTIONS} for keys, streams and what was recalled."
        )


def get_bulkheads(request: Request) -> Bulkheads:
    """Return the limits of this process."""
    bulkheads = request.app.state.bulkheads
    assert isinstance(bulkheads, Bulkheads)
    return bulkheads


def accepts_stream(request: Request) -> bool:
    """Return whether the client accepts an answer as a stream of events."""
    accept_header = request.headers.get("accept", "").lower()
    return any(
        media_range.split(";")[0].strip() == "text/event-stream" for media_range in accept_header.split(",")
    )


class TenantRequests:
    """Refuses, before the body, requests of a tenant that has as many open requests as it may."""

    def __init__(self, app: ASGIApp, bulkheads: Bulkheads) -> None:
        self._app = app
        self._requests = bulkheads.requests

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and count it while it is open."""
        caller = scope.get("state", {}).get("caller")
        if caller is None:
            await self._app(scope, receive, send)
            return
        async with self._requests.occupy_slot(caller.tenant_id):
            await self._app(scope, receive, send)


async def run_in_query_slot_of_tenant(request: Request, work: Callable[[], Awaitable[Value]]) -> Value:
    """Return the result of `work`, run in a query slot of its tenant; the operator counts as a tenant."""
    caller = getattr(request.state, "caller", None)
    async with get_bulkheads(request).queries.occupy_slot(caller.tenant_id if caller else None):
        return await work()
