"""The command `serve`; it imports nothing that only other commands need."""

import contextlib
import secrets
import socket
from functools import partial
from typing import Annotated

import typer
import uvicorn
from pydantic import SecretStr
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors import Multiprocess

from app.api.protocol.server import configure_server, configure_workers
from app.cli.context import open_citegraph, start_servers
from app.cli.processes.children import WithParent, terminate_at_end_of_stdin
from app.http.bulkheads import check_connection_pool_size
from app.main import create_app, create_app_for_worker, warm_up_application
from app.observability import tracing
from app.observability.logs import configure_logging
from app.settings import Settings, read_settings

MAX_WORKERS = 64


def serve(
    workers: Annotated[
        int, typer.Option(min=1, max=MAX_WORKERS, help="Number of server processes, on one address.")
    ] = 1,
    with_parent: WithParent = False,
) -> None:
    """Serve the API at CITEGRAPH_HOST and CITEGRAPH_PORT until a signal."""
    settings = read_settings()
    check_connection_pool_size(settings)
    configure_logging(settings)
    if with_parent:
        terminate_at_end_of_stdin()
    with start_servers(settings) as ready_settings:
        has_started = (
            _serve_api_in_this_process(ready_settings)
            if workers == 1
            else _serve_api_in_worker_processes(ready_settings, workers)
        )
    if not has_started:
        raise typer.Exit(1)


def _serve_api_in_this_process(settings: Settings) -> bool:
    with (
        tracing.record_spans_within(settings.otlp_endpoint, "citegraph-api"),
        open_citegraph(settings) as citegraph,
    ):
        app = create_app(citegraph)
        warm_up_application(app)
        server = uvicorn.Server(configure_server(app, settings))
        # uvicorn re-raises the interrupt after its shutdown.
        with contextlib.suppress(KeyboardInterrupt):
            server.run()
    return server.started


def bind_listener(config: uvicorn.Config) -> socket.socket:
    """Bind and return the socket on which several processes accept connections."""
    listener = config.bind_socket()
    # Connections inherit the option. asyncio sets it only on sockets that it creates itself. Without it the
    # body of a response waits until the client has acknowledged its head: 40 ms a request.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def _serve_api_in_worker_processes(settings: Settings, worker_count: int) -> bool:
    """Serve in several processes, replacing one that ends. Return whether they could start."""
    # All processes must verify cursors that any of them signed.
    secret = settings.cursor_secret or SecretStr(secrets.token_hex(32))
    shared_settings = settings.model_copy(update={"cursor_secret": secret})
    config = configure_workers(partial(create_app_for_worker, shared_settings), settings, worker_count)
    server = Multiprocess(config, sockets=[bind_listener(config)])
    server.run()
    return all(process.exitcode != STARTUP_FAILURE for process in server.processes)
