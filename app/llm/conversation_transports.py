"""Transports that record requests to a model server, and one that replays a recording.

Imported only when needed, because it imports the HTTP packages.
"""

import json
import time
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

import httpx2
import structlog

from app.llm.conversations import (
    RECORDED_HEADERS,
    ConversationFolder,
    Exchange,
    Recording,
    format_now,
    strip_credentials,
)
from app.llm.errors import NOT_RECORDED_CODE

log = structlog.get_logger(__name__)

_TIMEOUT_ERROR, _CONNECTION_ERROR = "timeout", "connection"
_END_OF_STREAM = b"[DONE]"


def _get_relative_path(request: httpx2.Request, base_url: str) -> str:
    """Return the request's path relative to the server's base URL."""
    return request.url.path.removeprefix(urlsplit(base_url).path.rstrip("/"))


def _parse_body(request: httpx2.Request) -> Mapping[str, Any]:
    try:
        body = json.loads(request.read())
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


class RecordingTransport(httpx2.BaseTransport):
    """Sends through another transport and records requests and responses.

    A failed write is logged and the call goes on: a full disk loses the recording, not the answer.
    """

    def __init__(
        self, sender: httpx2.BaseTransport, folder: ConversationFolder, *, base_url: str, secret: str | None
    ) -> None:
        self._sender = sender
        self._folder = folder
        self._base_url = base_url
        self._secret = secret

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Return the response; its body is recorded when it has been read to the end."""
        # Ask for uncompressed answers, so that recordings are readable.
        request.headers["accept-encoding"] = "identity"
        begun_exchange = _BegunExchange(
            self._folder, self._secret, self._base_url, _get_relative_path(request, self._base_url), request
        )
        try:
            response = self._sender.handle_request(request)
        except httpx2.TransportError as error:
            begun_exchange.store(error=_get_error_kind(error))
            raise
        assert isinstance(response.stream, httpx2.SyncByteStream)
        return httpx2.Response(
            status_code=response.status_code,
            headers=response.headers,
            stream=_RecordedBody(response, begun_exchange),
            extensions=response.extensions,
        )

    def close(self) -> None:
        """Close the connections."""
        self._sender.close()


class _BegunExchange:
    """A request in progress, to be recorded when its response is complete."""

    def __init__(
        self,
        folder: ConversationFolder,
        secret: str | None,
        base_url: str,
        path: str,
        request: httpx2.Request,
    ) -> None:
        self._folder, self._secret = folder, secret
        self._server, self._path, self._request = strip_credentials(base_url), path, _parse_body(request)
        self._sent_at, self._started_at = format_now(), time.monotonic()

    def store(
        self,
        *,
        status: int = 0,
        headers: Mapping[str, str] | None = None,
        answer: bytes = b"",
        error: str | None = None,
    ) -> None:
        sent_headers = headers or {}
        exchange = Exchange(
            server=self._server,
            path=self._path,
            request=self._request,
            at=self._sent_at,
            seconds=round(time.monotonic() - self._started_at, 3),
            status=status,
            headers={name: sent_headers[name] for name in RECORDED_HEADERS if name in sent_headers},
            answer=answer,
            error=error,
        )
        try:
            self._folder.write_exchange(exchange, secret=self._secret)
        except OSError as fault:
            log.warning("conversation_not_recorded", reason=fault.strerror)


class _RecordedBody(httpx2.SyncByteStream):
    def __init__(self, response: httpx2.Response, begun_exchange: _BegunExchange) -> None:
        self._response = response
        self._begun_exchange = begun_exchange
        self._body_chunks: list[bytes] = []
        self._is_stored = False

    def __iter__(self) -> Iterator[bytes]:
        assert isinstance(self._response.stream, httpx2.SyncByteStream)
        try:
            for body_chunk in self._response.stream:
                self._body_chunks.append(body_chunk)
                yield body_chunk
        except httpx2.TransportError as error:
            self._store_exchange_once(_get_error_kind(error))
            raise
        self._store_exchange_once(None)

    def close(self) -> None:
        # A stream of events ends before its connection does. An answer that was not read to its end is not
        # recorded.
        if _END_OF_STREAM in b"".join(self._body_chunks[-4:]):
            self._store_exchange_once(None)
        self._response.close()

    def _store_exchange_once(self, error: str | None) -> None:
        if not self._is_stored:
            self._is_stored = True
            self._begun_exchange.store(
                status=self._response.status_code,
                headers=self._response.headers,
                answer=b"".join(self._body_chunks),
                error=error,
            )


def _get_error_kind(error: httpx2.TransportError) -> str:
    return _TIMEOUT_ERROR if isinstance(error, httpx2.TimeoutException) else _CONNECTION_ERROR


class ReplayingTransport(httpx2.BaseTransport):
    """Answers from a recording without a connection; refuses a request that was not recorded."""

    def __init__(self, recording: Recording, *, base_url: str) -> None:
        self._recording = recording
        self._base_url = base_url

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Return the recorded response, byte for byte."""
        exchange = self._recording.advance_to_next_exchange(
            _get_relative_path(request, self._base_url), _parse_body(request)
        )
        if exchange is None:
            return httpx2.Response(
                404, json={"error": {"code": NOT_RECORDED_CODE, "message": "This request was not recorded."}}
            )
        if not exchange.status:
            raise _build_error(exchange.error)
        return httpx2.Response(exchange.status, headers=exchange.headers, stream=_ReplayedBody(exchange))


class _ReplayedBody(httpx2.SyncByteStream):
    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange

    def __iter__(self) -> Iterator[bytes]:
        yield self._exchange.answer
        if self._exchange.error is not None:
            raise _build_error(self._exchange.error)


def _build_error(error_kind: str | None) -> httpx2.TransportError:
    if error_kind == _TIMEOUT_ERROR:
        return httpx2.ReadTimeout("The recorded answer did not come in time.")
    return httpx2.ReadError("The recorded connection broke off.")
