"""The command that serves the API, and none of what other commands need."""

import contextlib
import gc

import typer
import uvicorn

from app.api.edge.server import configure
from app.cli.context import connected, servers
from app.cli.processes.children import WithParent, end_with_parent
from app.edge.bulkheads import check_pool
from app.main import create_app
from app.observability import tracing
from app.settings import read_settings
from app.telemetry import configure_logging


def serve(with_parent: WithParent = False) -> None:
    """Serve the API until a signal; CITEGRAPH_HOST and CITEGRAPH_PORT say where."""
    settings = read_settings()
    check_pool(settings)
    configure_logging(settings)
    if with_parent:
        end_with_parent()
    with (
        servers(settings) as ready,
        tracing.running(settings.otlp_endpoint, "citegraph-api"),
        connected(ready) as citegraph,
    ):
        app = create_app(citegraph)
        # Half a second of work, which the first who asks for it would take from all that are served
        # meanwhile.
        app.openapi()
        # What is there from the start stays: a collection that looks through all of it stops the event loop
        # for 0.4 seconds, and a burst of connections sets one off.
        gc.collect()
        gc.freeze()
        server = uvicorn.Server(configure(app, ready))
        # Which uvicorn raises again once all is given back.
        with contextlib.suppress(KeyboardInterrupt):
            server.run()
    if not server.started:
        raise typer.Exit(1)
