"""The HTTP server of `citegraph serve`: uvicorn, with limits on the number, age and waste of connections.

This code runs before any key is checked. So each address may open few connections, none may be slow for long,
and at the limit the connection that has waited longest without a request is closed.
"""

import asyncio
import json
import math
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, ClassVar
from uuid import uuid4

import h11
import uvicorn
from fastapi import FastAPI
from starlette.types import Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle
from uvicorn.protocols.utils import get_remote_addr

from app.api import problems
from app.api.metrics import Metrics
from app.domain.client_networks import compute_network_of_client
from app.errors import TooMany
from app.http.authentication import is_operator_key
from app.http.connections import Connections
from app.http.keyless_rates import KeylessRequests
from app.limits import BODY_PIECES
from app.settings import Settings

MAX_HEAD_BYTES = 40_000
"""Limit on a request head that arrives in parts; `body_limits` measures complete heads."""
CLOSE_SECONDS = 10.0
DRAIN_SECONDS = 2.0
"""How long a client that is still sending may take to read a refusal before the connection is cut."""
REFUSAL_SECONDS = 1.0
"""Delay of the refusal for an address that asks too often, which slows down clients that retry at once."""
MIN_PIECE_BYTES = 256
"""Parsing costs per piece: beyond the free pieces, the pieces of a body must have this size on average."""
_TOO_OFTEN_CODE = "too_many_without_key"
_TOO_OFTEN_DETAIL = "Too many requests without a valid key came from this address; try again shortly."
# If the queue of new connections is full, clients retry after a whole second. As many may be accepted at once
# before any is counted; they need file descriptors too.
_BACKLOG = 2_048


SHUTDOWN_SECONDS = 20
LAST_REQUEST_SECONDS = SHUTDOWN_SECONDS - 2.0
"""How long a request may take after shutdown begins, before its connection is cut."""
MAX_WORKER_SILENCE_SECONDS = 60
"""A worker process that does not answer its parent for this long is killed and replaced; a process that died
is noticed within the same time.
"""


def configure_server(app: FastAPI, settings: Settings) -> uvicorn.Config:
    """Return the uvicorn configuration of the application with the limits of the settings."""

    class Protocol(BoundedProtocol):
        pass

    bind_protocol(Protocol, app, settings)
    return _build_config(app, settings, Protocol)


def configure_workers(
    create_app: Callable[[], FastAPI], settings: Settings, worker_count: int
) -> uvicorn.Config:
    """Return the uvicorn configuration for `worker_count` processes on one socket; `create_app` builds their
    application.

    Each process applies the limits by itself: the factory calls `bind_protocol` with `WorkerProtocol`.
    """
    return _build_config(
        create_app,
        settings,
        WorkerProtocol,
        factory=True,
        workers=worker_count,
        timeout_worker_healthcheck=MAX_WORKER_SILENCE_SECONDS,
    )


def bind_protocol(protocol: type["BoundedProtocol"], app: FastAPI, settings: Settings) -> None:
    """Set the class attributes that the connections of one server share."""

    def is_verified(token: str) -> bool:
        return app.state.keyring.was_valid_at_last_lookup(token) or is_operator_key(
            token, settings.operator_key
        )

    protocol.metrics = app.state.metrics
    protocol.admitted_connections = Connections(
        settings, app.state.metrics.registry, reserved_descriptors=_BACKLOG
    )
    protocol.keyless_requests = KeylessRequests(
        settings, is_verified, app.state.sessions.was_valid_at_last_lookup
    )


def _build_config(
    app: FastAPI | Callable[[], FastAPI],
    settings: Settings,
    protocol: type["BoundedProtocol"],
    **options: Any,
) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        http=protocol,
        ws="none",
        backlog=_BACKLOG,
        h11_max_incomplete_event_size=MAX_HEAD_BYTES,
        timeout_keep_alive=math.ceil(settings.idle_timeout),
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        proxy_headers=False,
        server_header=False,
        log_config=None,
        access_log=False,
        **options,
    )


class _StrictConnection(h11.Connection):
    """Refuses requests that two parsers could understand differently, and bodies in very small pieces."""

    refused_status = 400

    def next_event(self) -> Any:
        """Return the next event. Raises RemoteProtocolError."""
        try:
            event = super().next_event()
        except h11.RemoteProtocolError as error:
            self.refused_status = error.error_status_hint
            raise
        if isinstance(event, h11.Request):
            header_names = {name for name, _ in event.headers}
            if b"transfer-encoding" in header_names and (
                b"content-length" in header_names or event.http_version < b"1.1"
            ):
                raise h11.RemoteProtocolError("A body of two lengths.")
            self._piece_count = self._byte_count = 0
        elif isinstance(event, h11.Data):
            self._piece_count += 1
            self._byte_count += len(event.data)
            if (
                self._piece_count > BODY_PIECES.maximum
                and self._piece_count * MIN_PIECE_BYTES > self._byte_count
            ):
                raise h11.RemoteProtocolError("A body in crumbs.")
        return event


class BoundedProtocol(H11Protocol):
    """One connection. Class attributes are shared by the connections of one server."""

    admitted_connections: ClassVar[Connections]
    keyless_requests: ClassVar[KeylessRequests]
    metrics: ClassVar[Metrics]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        # The class is replaced, not the object: what a connection costs before it is admitted is the cost of
        # a flood.
        self.conn.__class__ = _StrictConnection
        assert isinstance(self.conn, _StrictConnection)
        self._application: Any = self.app
        self.app = self._run_application
        self._address = ""
        self._is_admitted = False
        self._is_draining = False
        self._is_stream = False
        self._answered_cycle: RequestResponseCycle | None = None
        # Start of the current phase: a head that is awaited or arriving, or a body.
        self._waiting_since = self._checked_at = self.loop.time()
        self._received_bytes = 0
        self._has_begun_head = False
        self._stall: tuple[float, int] | None = None
        self._closing_since: float | None = None

    @property
    def is_busy(self) -> bool:
        """Return whether a request is being read or answered."""
        return self.cycle is not None and not self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Admit the connection, or refuse it at once."""
        self.transport = transport
        remote_address = get_remote_addr(transport)
        self._address = compute_network_of_client(remote_address[0]) if remote_address else ""
        if not self.admitted_connections.admit(self, self._address):
            self.metrics.count_refusal("busy")
            transport.write(_build_refusal(503, "busy", "Too many connections are open; try again shortly."))
            transport.close()
            return
        self._is_admitted = True
        super().connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection; a running request is told that its client is gone."""
        if self._is_admitted:
            self.admitted_connections.remove(self)
            super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse the data, unless the rest of the connection is refused."""
        if not self._is_admitted or self._is_draining:
            return
        if self.is_busy:
            self._received_bytes += len(data)
        elif not self._has_begun_head:
            if self.keyless_requests.would_refuse_head(self._address, data):
                self._is_draining = True
                self.loop.call_later(
                    REFUSAL_SECONDS,
                    self._refuse_and_close_connection,
                    429,
                    _TOO_OFTEN_CODE,
                    _TOO_OFTEN_DETAIL,
                )
                return
            self._has_begun_head = True
            self._waiting_since = self.loop.time()
        super().data_received(data)
        self._record_begin_or_end_of_request()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._record_begin_or_end_of_request()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002
        """Refuse invalid HTTP with an answer in the usual error format."""
        self.keyless_requests.take_token(self._address, "")
        if getattr(self.conn, "refused_status", 400) == 431:
            self._refuse_and_close_connection(431, *problems.CODE_AND_DETAIL_BY_STATUS[431])
        else:
            self._refuse_and_close_connection(
                400, "malformed_request", "The request is not valid HTTP, or could be read in two ways."
            )

    def abort(self) -> None:
        """Close the connection without an answer."""
        self.transport.abort()

    def shutdown(self) -> None:
        """End streams at once, because they would not end by themselves; other requests get
        LAST_REQUEST_SECONDS.

        A cut stream looks to its client like a lost connection: a page that watches reconnects when there is
        a server.
        """
        super().shutdown()
        if self.is_busy:
            self.loop.call_later(0.0 if self._is_stream else LAST_REQUEST_SECONDS, self.transport.close)

    def close_if_slow(self, now: float) -> None:
        """Close the connection if its client was too slow."""
        settings = self.admitted_connections.settings
        seconds_since_check, self._checked_at = now - self._checked_at, now
        if self.transport.is_closing():
            # The transport waits for the client to read what was written.
            self._closing_since = self._closing_since or now
            if now - self._closing_since > CLOSE_SECONDS:
                self.abort()
        elif self.flow.write_paused:
            stalled_since, stalled_bytes = self._stall = self._stall or (
                now,
                self.transport.get_write_buffer_size(),
            )
            if now - stalled_since > settings.transfer_timeout + stalled_bytes / settings.min_transfer_rate:
                self.admitted_connections.count_ended("slow_reader")
                self.abort()
        elif not self.is_busy:
            if now - self._waiting_since > settings.head_timeout:
                if self._has_begun_head:
                    self.admitted_connections.count_ended("slow_head")
                    self._refuse_and_close_connection(
                        408, "request_timeout", "The head of the request took too long."
                    )
                else:
                    self.transport.close()
        elif self.cycle.more_body and not self._is_draining:
            if self.flow.read_paused:
                # The server itself has paused reading.
                self._waiting_since += seconds_since_check
            elif (
                now - self._waiting_since
                > settings.transfer_timeout + self._received_bytes / settings.min_transfer_rate
            ):
                self.admitted_connections.count_ended("slow_body")
                self._refuse_and_close_connection(
                    408, "request_timeout", "The body of the request took too long."
                )
        if not self.flow.write_paused:
            self._stall = None

    def _record_begin_or_end_of_request(self) -> None:
        """Record whether a request has begun or ended."""
        if self.is_busy and self.cycle is not self._answered_cycle:
            self._answered_cycle = self.cycle
            self._received_bytes = 0
            self._has_begun_head = False
            self.admitted_connections.begin_request(self)
        elif not self.is_busy and self._answered_cycle is not None:
            self._answered_cycle = None
            self.admitted_connections.end_request(self)
        else:
            return
        self._waiting_since = self.loop.time()

    def _refuse_and_close_connection(self, status: int, code: str, detail: str) -> None:
        """Send a refusal without the application and close; a request that is being read sees a disconnected
        client.
        """
        if self.transport.is_closing():
            return
        if self.is_busy:
            self.scope["state"][problems.CUT_OFF_STATUS_KEY] = status
            self.cycle.disconnected = True
            self.cycle.message_event.set()
            if self.cycle.response_started:
                self.abort()
                return
        if status in problems.TEMPORARY_STATUSES:
            self.admitted_connections.count_ended(code)
            self.metrics.count_refusal(code)
        self._is_draining = True
        self.transport.write(_build_refusal(status, code, detail))
        self.transport.close()

    async def _run_application(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the application. An answer that begins before the end of the body closes the connection after
        it was sent.
        """
        request_cycle = self.cycle
        must_close = False
        is_keyless = self.keyless_requests.is_keyless(scope)
        is_refused = is_keyless and not self.keyless_requests.take_token(self._address, scope["path"])

        async def send_or_drain(message: Message) -> None:
            nonlocal must_close
            is_start = message["type"] == "http.response.start"
            if is_start:
                self._is_stream = _get_content_type(message).startswith(b"text/event-stream")
            if is_start and is_keyless and scope["state"].keys() & {"caller", "operator"}:
                self.keyless_requests.return_token(self._address, scope["path"])
            if is_start and (request_cycle.more_body or is_refused):
                must_close = request_cycle.more_body and not self.conn.they_are_waiting_for_100_continue
                message = {**message, "headers": [*message.get("headers", ()), (b"connection", b"close")]}
            elif must_close and not message.get("more_body", False) and request_cycle.more_body:
                await send({**message, "more_body": True})
                await self._drain_input(request_cycle)
                message = {"type": "http.response.body", "body": b""}
            await send(message)

        application = self._refuse_keyless if is_refused else self._application
        await application(scope, receive, send_or_drain)

    async def _refuse_keyless(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer without the application, which would write a log line and look up the key."""
        self.admitted_connections.count_ended(_TOO_OFTEN_CODE)
        self.metrics.count_refusal(_TOO_OFTEN_CODE)
        problem = problems.build_problem(TooMany(_TOO_OFTEN_DETAIL, code=_TOO_OFTEN_CODE), uuid4().hex)
        problem.headers["cache-control"] = "no-store"
        await problem(scope, receive, send)

    async def _drain_input(self, cycle: RequestResponseCycle) -> None:
        """Read and discard input until the client hangs up; if it were cut off while it sends, it might not
        see the answer.
        """
        self._is_draining = True
        self.flow.resume_reading()
        try:
            async with asyncio.timeout(DRAIN_SECONDS):
                while not cycle.disconnected:
                    cycle.message_event.clear()
                    await cycle.message_event.wait()
        except TimeoutError:
            pass


class WorkerProtocol(BoundedProtocol):
    """A connection of one of several processes. It has a name of its own because a child process imports it
    by name.
    """


def _get_content_type(message: Message) -> bytes:
    return next((bytes(value) for name, value in message.get("headers", ()) if name == b"content-type"), b"")


def _build_refusal(status: int, code: str, detail: str) -> bytes:
    """Return the bytes of a complete response, for use without an application."""
    body = json.dumps(problems.build_problem_document(status, code, detail, uuid4().hex)).encode("ascii")
    lines = [
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
        f"content-type: {problems.PROBLEM_MEDIA_TYPE}",
        f"content-length: {len(body)}",
        "cache-control: no-store",
        "connection: close",
    ]
    if status in problems.TEMPORARY_STATUSES:
        lines.append(f"retry-after: {problems.RETRY_AFTER_SECONDS}")
    return "\r\n".join([*lines, "", ""]).encode("ascii") + body
