"""Health, readiness, metrics and the API's description. They need no key and contain nothing about a tenant.

The number of these requests is not limited, so expensive results are computed once and shared.
"""

import json
import time
from collections.abc import Callable
from typing import Generic, Literal, TypeVar

import anyio
from fastapi import APIRouter, Request
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from pydantic import Field
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from app.api.deps import CitegraphDep
from app.api.protocol.route import ApiRoute
from app.api.shapes import Answer
from app.db.health import check_ready

READY_SECONDS = 1.0
"""How long an outcome of `/readyz` is reused."""

Value = TypeVar("Value")

router = APIRouter(tags=["health"], route_class=ApiRoute)


class Health(Answer):
    """The process responds."""

    status: Literal["ok"] = "ok"


class ReplicaStates(Answer):
    """The numbers of replicas that are up to date, too far behind the primary, and not responding."""

    near: int
    behind: int
    away: int


class Readiness(Answer):
    """The service can do its work. The other fields are informative: without a broker jobs start some seconds
    later, without a worker they wait, and without a replica the primary is read.
    """

    status: Literal["ready"] = "ready"
    schema_revision: str
    broker: Literal["ok", "silent"]
    workers: int | None = Field(
        description="Worker processes seen within a minute; null if the broker does not respond."
    )
    replicas: ReplicaStates | None = Field(
        description="Replicas by state, as this process sees them; null if none is configured."
    )


@router.get("/healthz")
async def read_health() -> Health:
    """Report that the process is alive; nothing else is checked."""
    return Health()


class Shared(Generic[Value]):
    """A result that is shared by all callers for a number of seconds. Callers that wait for it hold no
    thread.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._lock = anyio.Lock()
        self._until = 0.0
        self._outcome: Value | Exception | None = None

    async def read(self, look: Callable[[], Value]) -> Value:
        """Return the result of `look`, or raise the error that it raised."""
        async with self._lock:
            outcome = self._outcome
            if outcome is None or time.monotonic() >= self._until:
                try:
                    outcome = await run_in_threadpool(look)
                except Exception as error:
                    outcome = error
                self._outcome, self._until = outcome, time.monotonic() + self._seconds
        if isinstance(outcome, Exception):
            # Without the traceback: every raise of the shared exception would add to it.
            raise outcome.with_traceback(None)
        return outcome


@router.get("/readyz")
async def read_readiness(request: Request, citegraph: CitegraphDep) -> Readiness:
    """Report that the database is reachable, has this version's schema and row-level security; otherwise 503
    with the reason. The result is at most one second old.
    """

    def look() -> Readiness:
        revision = check_ready(citegraph.database)
        broker_responds = citegraph.broker.answers()
        replicas = citegraph.database.replicas
        return Readiness(
            schema_revision=revision,
            broker="ok" if broker_responds else "silent",
            workers=citegraph.broker.workers.count_alive() if broker_responds else None,
            replicas=None if replicas is None else ReplicaStates(**replicas.count_states()),
        )

    readiness: Shared[Readiness] = request.app.state.readiness
    return await readiness.read(look)


@router.get("/openapi.json", include_in_schema=False)
async def read_description(request: Request) -> Response:
    """Return the OpenAPI document, serialized once: building it blocks the event loop for a moment."""

    def render() -> bytes:
        return json.dumps(request.app.openapi(), ensure_ascii=False, separators=(",", ":")).encode()

    description: Shared[bytes] = request.app.state.description
    return Response(await description.read(render), media_type="application/json")


@router.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
async def read_metrics(request: Request) -> Response:
    """Return the metrics of this process and the state of the queue for Prometheus; one scrape is written at
    a time.
    """
    await request.app.state.queue_metrics.refresh()
    metrics: Shared[bytes] = request.app.state.written_metrics
    body = await metrics.read(lambda: generate_latest(request.app.state.metrics.registry))
    return Response(body, media_type=CONTENT_TYPE_LATEST)
