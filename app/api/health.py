"""Health, readiness and the API's description. They need no key and contain nothing about a tenant.

The number of these requests is not limited, so expensive results are computed once and shared.
"""

import json
from typing import Literal

from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from app.api.key_scopes import CitegraphDep
from app.api.protocol.route import ApiRoute
from app.api.shared_results import SharedResult
from app.db.health import check_ready_and_get_revision
from app.views.view import View

READY_SECONDS = 1.0
"""How long an outcome of `/readyz` is reused."""

router = APIRouter(tags=["health"], route_class=ApiRoute)


class Health(View):
    """The process responds."""

    status: Literal["ok"] = "ok"


class ReplicaStates(View):
    """The numbers of replicas that are up to date, too far behind the primary, and not responding."""

    in_sync: int
    lagging: int
    unreachable: int


class Readiness(View):
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


@router.get("/readyz")
async def read_readiness(request: Request, citegraph: CitegraphDep) -> Readiness:
    """Report that the database is reachable, has this version's schema and row-level security; otherwise 503
    with the reason. The result is at most one second old.
    """

    def check_readiness() -> Readiness:
        revision = check_ready_and_get_revision(citegraph.database)
        has_broker_responded = citegraph.broker.responds()
        replicas = citegraph.database.replicas
        return Readiness(
            schema_revision=revision,
            broker="ok" if has_broker_responded else "silent",
            workers=citegraph.broker.workers.count_alive() if has_broker_responded else None,
            replicas=None
            if replicas is None
            else ReplicaStates(**replicas.start_checking_and_count_states()),
        )

    readiness: SharedResult[Readiness] = request.app.state.readiness
    return await readiness.get_or_compute(check_readiness)


@router.get("/openapi.json", include_in_schema=False)
async def read_description(request: Request) -> Response:
    """Return the OpenAPI document, serialized once: building it blocks the event loop for a moment."""

    def render() -> bytes:
        return json.dumps(request.app.openapi(), ensure_ascii=False, separators=(",", ":")).encode()

    description: SharedResult[bytes] = request.app.state.description
    return Response(await description.get_or_compute(render), media_type="application/json")
