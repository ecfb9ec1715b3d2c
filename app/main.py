"""The HTTP application: `create_app` takes the parts that `wiring` built, `create_from_environment` builds
them.
"""

import functools
import gc
import math
import multiprocessing
import os
import secrets
import signal
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
from fastapi import APIRouter, FastAPI
from fastapi.routing import APIRoute
from prometheus_client.core import CounterMetricFamily
from starlette.routing import BaseRoute

from app.api import (
    ask,
    document_text,
    documents,
    embedding,
    export,
    golden,
    health,
    jobs,
    keys,
    many_documents,
    memory,
    metrics,
    overview,
    problems,
    retrieve,
    space_import,
    spaces,
    tenants,
    trials,
    version_preview,
    webhooks,
)
from app.api.graph import communities, conflicts, edges, merges, nodes, splits, summaries, tags, values, walks
from app.api.metrics import Metrics
from app.api.protocol.body_limits import BodyLimits, create_json_threads
from app.api.protocol.server import WorkerProtocol, bind_protocol
from app.api.queue_metrics import LastReadQueueMetrics
from app.api.reference import page as reference
from app.api.reference.description import SCHEMA_REFERENCE, TAGS, complete_description
from app.api.request_log import RequestLog
from app.api.shared_results import SharedResult
from app.dashboard import app as dashboard
from app.dashboard.routing import ProblemPages
from app.db.engine import count_connections
from app.http.authentication import MCP_PATH, Authentication, Keyring, Sessions
from app.http.bulkheads import Bulkheads, TenantRequests
from app.http.caller_rates import CallerRates
from app.http.replica_reads import ReplicaReads
from app.http.shared_buckets import SharedBuckets
from app.http.shared_streams import Watcher
from app.lazy import import_object
from app.mcp.endpoint import McpEndpoint, McpRoute
from app.observability import tracing
from app.observability.counters import CONNECTIONS, REPLICA_LAG, RETRIEVAL_CACHE, ReadingCollector
from app.observability.logs import configure_logging
from app.settings import Settings, read_settings
from app.tenancy.accounts.sign_in_delays import SignInDelays
from app.tenancy.tenants.api_keys import Caller
from app.wiring import Citegraph, build_citegraph

_PROBLEM = {
    problems.PROBLEM_MEDIA_TYPE: {"schema": {"$ref": SCHEMA_REFERENCE.format(model="ProblemDocument")}}
}
_REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"description": description, "content": _PROBLEM}
    for status, description in {
        400: "The body cannot be read.",
        401: "No valid key.",
        403: "The key lacks the scope.",
        404: "Nothing of that id in the caller's reach.",
        408: "The request came too slowly.",
        409: "The state of the thing forbids it.",
        413: "The body is over its limit.",
        415: "The content type cannot be read.",
        422: "A value cannot be accepted.",
        429: (
            "The tenant has as many of these under way as it may, or an address asks too often without a"
            " valid key; Retry-After says when to try again."
        ),
        503: "A part is down or busy; try again.",
    }.items()
}


def _name_operation(route: APIRoute) -> str:
    """Return the name of the function: what a generated client calls the method."""
    return route.name


@functools.cache
def _build_routes() -> tuple[BaseRoute, ...]:
    """Return every route that is the same in all applications of a process.

    FastAPI derives from the routes, at the first request, what it needs to serve them: 0.6 s of processor. It
    keeps the result with these objects, so that only the first application of a process needs that time.
    """
    router = APIRouter(generate_unique_id_function=_name_operation)
    for unlimited_module in (health, metrics):
        router.include_router(
            unlimited_module.router, responses={status: _REFUSALS[status] for status in (422, 429, 503)}
        )
    for route_module in (
        tenants,
        keys,
        spaces,
        embedding,
        documents,
        document_text,
        many_documents,
        version_preview,
        overview,
        jobs,
        nodes,
        edges,
        walks,
        merges,
        export,
        space_import,
        conflicts,
        tags,
        communities,
        summaries,
        retrieve,
        ask,
        memory,
        splits,
        values,
        trials,
        golden,
        webhooks,
    ):
        router.include_router(route_module.router, responses=_REFUSALS)
    router.include_router(reference.router)
    router.mount(
        f"{reference.REFERENCE_PATH}/static", reference.build_static_files(), name="reference_static"
    )
    dashboard.add_pages(router)
    return tuple(router.routes)


def create_app(citegraph: Citegraph) -> FastAPI:
    """Return the HTTP application over these parts. The caller closes them."""
    app = FastAPI(
        title="Citegraph",
        summary="Multi-tenant GraphRAG on Postgres: every edge cites the sentence that states it.",
        version="1",
        openapi_tags=TAGS,
        # FastAPI's own pages load scripts from elsewhere; ours is in `reference`.
        docs_url=None,
        redoc_url=None,
        # Served by `health`, from bytes.
        openapi_url=None,
        redirect_slashes=False,
    )
    citegraph.build_all_parts()
    secret = citegraph.settings.cursor_secret
    replicas = citegraph.database.replicas
    app.state.citegraph = citegraph
    app.state.cursor_secret = secret.get_secret_value().encode() if secret else secrets.token_bytes(32)
    app.state.queue_metrics = LastReadQueueMetrics(citegraph.database)
    app.state.metrics = Metrics(
        count_dropped_recalls=lambda: citegraph.recall_recorder.dropped_count,
        other_collectors=(
            citegraph.database.counters,
            ReadingCollector(lambda: count_connections(citegraph.database.engine), CONNECTIONS),
            ReadingCollector(
                lambda: citegraph.retriever.cache_lookups, RETRIEVAL_CACHE, family=CounterMetricFamily
            ),
            app.state.queue_metrics,
            ReadingCollector(lambda: replicas.get_known_lags() if replicas is not None else {}, REPLICA_LAG),
        ),
    )
    app.state.keyring = Keyring(citegraph.database)
    app.state.sign_in_delays = SignInDelays()
    app.state.sessions = Sessions(citegraph.database)
    app.state.json_threads = create_json_threads()
    app.state.bulkheads = Bulkheads.from_settings(citegraph.settings)
    app.state.rates = SharedBuckets(citegraph.settings.redis_url or "")
    app.state.watcher = Watcher(citegraph.database)
    app.router.routes.append(
        McpRoute(
            MCP_PATH,
            McpEndpoint(citegraph, app.state.bulkheads, max_bytes=citegraph.settings.max_json_bytes),
        )
    )
    app.router.routes.extend(_build_routes())
    problems.install_error_handlers(app)
    if replicas is not None:
        app.add_middleware(ReplicaReads)
    app.add_middleware(BodyLimits, settings=citegraph.settings)
    app.add_middleware(TenantRequests, bulkheads=app.state.bulkheads)
    app.add_middleware(CallerRates, settings=citegraph.settings, buckets=app.state.rates)
    app.add_middleware(
        Authentication,
        keyring=app.state.keyring,
        sessions=app.state.sessions,
        operator_key=citegraph.settings.operator_key,
    )
    app.add_middleware(ProblemPages)
    # Added last, so outermost: it answers whatever nothing within did.
    app.add_middleware(RequestLog, metrics=app.state.metrics)
    app.state.readiness = SharedResult(health.READY_SECONDS)
    # Always new: whoever reads them after a request finds it counted.
    app.state.written_metrics = SharedResult[bytes](0.0)
    app.state.description = SharedResult(math.inf)
    app.openapi = complete_description(app.openapi)  # type: ignore[method-assign]
    return app


def serve_mcp(citegraph: Citegraph, caller: Callable[[], Awaitable[Caller]]) -> None:
    """Serve an agent over standard input and output until the input ends. `caller` identifies it."""
    anyio.run(
        import_object("app.mcp.stdio:serve_mcp_over_stdio"),
        caller,
        citegraph,
        Bulkheads.from_settings(citegraph.settings),
    )


def create_app_for_worker(settings: Settings) -> FastAPI:
    """Return the application of one of several processes; the process ends with its parent."""
    configure_logging(settings)
    threading.Thread(target=_stop_when_supervisor_ends, daemon=True, name="end_with_supervisor").start()
    app = _create_owned_app(settings)
    bind_protocol(WorkerProtocol, app, settings)
    warm_up_application(app)
    return app


def warm_up_application(app: FastAPI) -> None:
    """Do the work that the first request would otherwise wait for."""
    # Half a second of work.
    app.openapi()
    # What is there from the start stays: a collection that looks through all of it stops the event loop for
    # 0.4 seconds, and a burst of connections sets one off.
    gc.collect()
    gc.freeze()


def _stop_when_supervisor_ends() -> None:
    """Stop by SIGTERM when the supervising process has ended, since nobody else would stop this one."""
    supervisor = multiprocessing.parent_process()
    if supervisor is not None:
        supervisor.join()
        os.kill(os.getpid(), signal.SIGTERM)


def create_from_environment() -> FastAPI:
    """Return the application with the settings of the environment, for `uvicorn --factory
    app.main:create_from_environment`.

    Raises ConfigurationError for a missing or invalid setting. `citegraph serve` also limits connections and
    their time; another server needs a proxy for that. Run uvicorn with --no-access-log: its lines contain
    addresses as typed, ours name routes.
    """
    settings = read_settings()
    configure_logging(settings)
    return _create_owned_app(settings)


def _create_owned_app(settings: Settings) -> FastAPI:
    """Return the application over parts of its own, which it closes when the server stops."""
    tracing.start_tracing(settings.otlp_endpoint, "citegraph-api")
    citegraph = build_citegraph(settings)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        yield
        citegraph.close()
        tracing.stop_tracing()

    app = create_app(citegraph)
    app.router.lifespan_context = lifespan
    return app
