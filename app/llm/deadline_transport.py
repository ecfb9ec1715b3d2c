"""The transport of model calls: a connection pool whose operations respect the call's deadline.

Imported only when a client is created: its packages take a tenth of a second to import.
"""

import ssl
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import httpcore2
import httpx2

from app.llm.deadline import get_seconds_left_or_raise, may_caller_give_up, raise_if_abandoned

# Far above any expected answer: 10,000 entities are 600 kB.
MAX_REPLY_BYTES = 16_000_000
# Seconds between two checks of whether the caller has given up.
_ABANDON_CHECK_SECONDS = 0.25


class _Stream(httpcore2.NetworkStream):
    def __init__(self, inner: httpcore2.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if not may_caller_give_up():
            return self._inner.read(max_bytes, get_seconds_left_or_raise(timeout, httpcore2.ReadTimeout))
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            raise_if_abandoned()
            remaining_seconds = get_seconds_left_or_raise(
                None if deadline is None else deadline - time.monotonic(), httpcore2.ReadTimeout
            )
            is_last_read = remaining_seconds is not None and remaining_seconds <= _ABANDON_CHECK_SECONDS
            try:
                return self._inner.read(
                    max_bytes, remaining_seconds if is_last_read else _ABANDON_CHECK_SECONDS
                )
            except httpcore2.ReadTimeout:
                if is_last_read:
                    raise

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, get_seconds_left_or_raise(timeout, httpcore2.WriteTimeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        remaining_seconds = get_seconds_left_or_raise(timeout, httpcore2.ConnectTimeout)
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, remaining_seconds))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class _Backend(httpcore2.SyncBackend):
    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        remaining_seconds = get_seconds_left_or_raise(timeout, httpcore2.ConnectTimeout)
        return _Stream(super().connect_tcp(host, port, remaining_seconds, local_address, socket_options))


@contextmanager
def _translate_errors() -> Iterator[None]:
    """Translate the pool's exceptions into those that the openai package expects of a transport."""
    try:
        yield
    except httpcore2.TimeoutException as error:
        raise httpx2.ReadTimeout(str(error)) from error
    except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.ConnectionNotAvailable) as error:
        raise httpx2.ReadError(str(error)) from error


class _Body(httpx2.SyncByteStream):
    def __init__(self, stream: Iterable[bytes]) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        byte_count = 0
        with _translate_errors():
            for body_chunk in self._stream:
                byte_count += len(body_chunk)
                if byte_count > MAX_REPLY_BYTES:
                    raise httpx2.ReadError("The reply is too long.")
                yield body_chunk

    def close(self) -> None:
        close_stream = getattr(self._stream, "close", None)
        if close_stream is not None:
            close_stream()


@cache
def _get_ssl_context() -> ssl.SSLContext:
    """Return the context with the trusted certificates, which each process reads once."""
    return httpx2.create_ssl_context()


class DeadlineTransport(httpx2.BaseTransport):
    """Sends requests through one connection pool, each within the deadline of its call."""

    def __init__(self, *, max_connections: int) -> None:
        self._pool = httpcore2.ConnectionPool(
            ssl_context=_get_ssl_context(),
            max_connections=max_connections,
            max_keepalive_connections=max_connections,
            keepalive_expiry=60.0,
            network_backend=_Backend(),
        )

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send the request; return the response with an unread body."""
        stream = request.stream
        assert isinstance(stream, httpx2.SyncByteStream)
        with _translate_errors():
            response = self._pool.handle_request(
                httpcore2.Request(
                    method=request.method,
                    url=httpcore2.URL(
                        scheme=request.url.raw_scheme,
                        host=request.url.raw_host,
                        port=request.url.port,
                        target=request.url.raw_path,
                    ),
                    headers=request.headers.raw,
                    content=stream,
                    extensions=request.extensions,
                )
            )
        assert isinstance(response.stream, Iterable)
        return httpx2.Response(
            status_code=response.status,
            headers=response.headers,
            stream=_Body(response.stream),
            extensions=response.extensions,
        )

    def close(self) -> None:
        """Close the connections."""
        self._pool.close()
