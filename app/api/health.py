"""Whether the service lives and can serve, and its metrics. Open to all: they tell nothing of any tenant."""

from typing import Literal

from fastapi import APIRouter, Request
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.responses import Response

from app.api.deps import Parts
from app.api.shapes import Answer
from app.db.health import check_ready

router = APIRouter(tags=["health"])


class Health(Answer):
    """The process answers."""

    status: Literal["ok"] = "ok"


class Readiness(Answer):
    """The service can do its work. `broker` is for information: without it jobs start some seconds later."""

    status: Literal["ready"] = "ready"
    schema_revision: str
    broker: Literal["ok", "silent"]


@router.get("/healthz")
def read_health() -> Health:
    """The process lives; nothing else is asked."""
    return Health()


@router.get("/readyz")
def read_readiness(parts: Parts) -> Readiness:
    """The database is reachable, at this version's schema, and walled; else 503 with the reason."""
    revision = check_ready(parts.database)
    return Readiness(schema_revision=revision, broker="ok" if parts.broker.answers() else "silent")


@router.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
def read_metrics(request: Request) -> Response:
    """Requests by method, route and status, and how long they took, for Prometheus."""
    body = generate_latest(request.app.state.metrics.registry)
    return Response(body, media_type=CONTENT_TYPE_LATEST)
