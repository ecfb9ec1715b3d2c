"""The transport: one request with its tries, and pages that are read as one goes on."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
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


class AsyncTransport:
    """Sends requests over one pool of connections."""

    def __init__(self, options: Options, http: httpx2.AsyncClient | None = None) -> None:
        self.options = options
        self.http = http or httpx2.AsyncClient(timeout=options.timeout)

    async def answer(self, call: Call) -> httpx2.Response:
        """The whole answer. Raises ApiError, ConnectionFailed."""
        return await self._sent(self._request(call), whole=True)

    @asynccontextmanager
    async def stream(self, call: Call) -> AsyncIterator[AsyncIterator[bytes]]:
        """The bytes of the answer as they arrive; it is asked for again only until its head has come."""
        response = await self._sent(self._request(call), whole=False)
        try:
            yield self._pieces(response)
        finally:
            await response.aclose()

    async def _pieces(self, response: httpx2.Response) -> AsyncIterator[bytes]:
        try:
            async for piece in response.aiter_bytes():
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

    async def _sent(self, request: httpx2.Request, *, whole: bool) -> httpx2.Response:
        tried, started = 0, monotonic()
        while True:
            tried += 1
            try:
                response = await self.http.send(request, stream=True)
                if response.is_success and not whole:
                    return response
                await self._read(response)
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
            await asyncio.sleep(wait)

    @staticmethod
    async def _read(response: httpx2.Response) -> None:
        try:
            await response.aread()
        finally:
            await response.aclose()


class AsyncCaller:
    """What the generated methods call. A space says how a path of theirs becomes a whole one."""

    _transport: AsyncTransport

    async def _whole(self, call: Call) -> Call:
        return call

    async def _send(self, call: Call, answer: type[T]) -> T:
        """The answer in its shape."""
        response = await self._transport.answer(await self._whole(call))
        value = TypeAdapter(answer).validate_json(response.content)
        if isinstance(value, Shape):
            value._etag = response.headers.get("etag")
        return value

    async def _perform(self, call: Call) -> None:
        """Carry out what has no answer."""
        await self._transport.answer(await self._whole(call))

    async def _read_text(self, call: Call) -> str:
        response = await self._transport.answer(await self._whole(call.changed(accept="*/*")))
        return response.text


class AsyncPages(Generic[Item, Page]):
    """The items of a list, fetched page by page as they are asked for."""

    def __init__(self, caller: AsyncCaller, call: Call, page: type[Page]) -> None:
        self._caller, self._call, self._page = caller, call, page

    async def pages(self) -> AsyncIterator[Page]:
        """The pages themselves, for totals and cursors."""
        call = self._call
        while True:
            page = await self._caller._send(call, self._page)
            yield page
            if page.next_cursor is None:
                return
            call = call.changed(query={**call.query, "cursor": page.next_cursor})

    async def first_page(self) -> Page:
        """The first page alone."""
        return await self._caller._send(self._call, self._page)

    async def __aiter__(self) -> AsyncIterator[Item]:
        async for page in self.pages():
            items: Any = page.items  # type: ignore[attr-defined]
            for item in items:
                yield item
