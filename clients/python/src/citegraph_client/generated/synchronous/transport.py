"""The transport: one request with its tries, and pages that are read as one goes on.

Written by `make client` from the asynchronous one; not edited.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any, Generic, Protocol, TypeVar

import httpx2
from pydantic import TypeAdapter

from citegraph_client.call import Call
from citegraph_client.errors import ConnectionFailed, error_of
from citegraph_client.options import Options, Wait, retry_after, wait_before_next
from citegraph_client.shape import Shape

T = TypeVar("T")
Item = TypeVar("Item")


class AnyPage(Protocol):
    """Any page of a list."""

    @property
    def next_cursor(self) -> str | None:
        """The cursor of the next page; None at the end."""
        ...


Page = TypeVar("Page", bound=AnyPage)


class Transport:
    """Sends requests over one pool of connections."""

    def __init__(self, options: Options, http: httpx2.Client | None = None) -> None:
        self.options = options
        self.http = http or httpx2.Client(timeout=options.timeout)

    def answer(self, call: Call) -> httpx2.Response:
        """The whole answer. Raises ApiError, ConnectionFailed."""
        return self._sent(self._request(call), whole=True)

    @contextmanager
    def stream(self, call: Call) -> Iterator[Iterator[bytes]]:
        """The bytes of the answer as they arrive; it is asked for again only until its head has come."""
        response = self._sent(self._request(call), whole=False)
        try:
            yield self._pieces(response)
        finally:
            response.close()

    def _pieces(self, response: httpx2.Response) -> Iterator[bytes]:
        try:
            for piece in response.iter_bytes():
                yield piece
        except httpx2.RequestError as error:
            raise ConnectionFailed(f"{type(error).__name__}: {error}") from error

    def _request(self, call: Call) -> httpx2.Request:
        # Built once: every try has the same key, and a form the same boundary.
        return self.http.build_request(
            call.method,
            self.options.base_url + call.path,
            params=call.parameters(),
            headers={**self.options.headers(), **call.headers()},
            content=call.content(),
            files=[("file", file) for file in call.files] or None,
            data=dict(call.form) or None,
            timeout=self.options.timeout,
        )

    def _sent(self, request: httpx2.Request, *, whole: bool) -> httpx2.Response:
        tried, started = 0, monotonic()
        while True:
            tried += 1
            try:
                response = self.http.send(request, stream=True)
                if response.is_success and not whole:
                    return response
                self._read(response)
            except httpx2.UnsupportedProtocol as error:
                raise ConnectionFailed(str(error)) from error
            except httpx2.RequestError as error:
                reason = f"{type(error).__name__}: {error}"
                wait = wait_before_next(self.options, tried, None, {}, elapsed=monotonic() - started)
                if wait is None:
                    raise ConnectionFailed(reason) from error
            else:
                if response.is_success:
                    return response
                refusal = error_of(response.status_code, response.content, retry_after(response.headers))
                reason = str(refusal)
                wait = wait_before_next(
                    self.options,
                    tried,
                    response.status_code,
                    response.headers,
                    elapsed=monotonic() - started,
                )
                if wait is None:
                    raise refusal
            if self.options.on_wait is not None:
                self.options.on_wait(Wait(tried, wait, reason))
            time.sleep(wait)

    @staticmethod
    def _read(response: httpx2.Response) -> None:
        try:
            response.read()
        finally:
            response.close()


class Caller:
    """What the generated methods call. A space says how a path of theirs becomes a whole one."""

    _transport: Transport

    def _whole(self, call: Call) -> Call:
        return call

    def _send(self, call: Call, answer: type[T]) -> T:
        """The answer in its shape."""
        response = self._transport.answer(self._whole(call))
        value = TypeAdapter(answer).validate_json(response.content)
        if isinstance(value, Shape):
            value._etag = response.headers.get("etag")
        return value

    def _perform(self, call: Call) -> None:
        """Carry out what has no answer."""
        self._transport.answer(self._whole(call))

    def _read_text(self, call: Call) -> str:
        response = self._transport.answer(self._whole(call.changed(accept="*/*")))
        return response.text


class Pages(Generic[Item, Page]):
    """The items of a list, fetched page by page as they are asked for."""

    def __init__(self, caller: Caller, call: Call, page: type[Page]) -> None:
        self._caller, self._call, self._page = caller, call, page

    def pages(self) -> Iterator[Page]:
        """The pages themselves, for totals and cursors."""
        call = self._call
        while True:
            page = self._caller._send(call, self._page)
            yield page
            if page.next_cursor is None:
                return
            call = call.changed(query={**call.query, "cursor": page.next_cursor})

    def first_page(self) -> Page:
        """The first page alone."""
        return self._caller._send(self._call, self._page)

    def __iter__(self) -> Iterator[Item]:
        for page in self.pages():
            items: Any = page.items  # type: ignore[attr-defined]
            for item in items:
                yield item
