"""The client, and one space as it sees it: the generated methods, and by hand what files and streams need."""

import asyncio
import datetime as dt
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from uuid import UUID

import httpx2

from citegraph_client.asynchronous.transport import AsyncTransport
from citegraph_client.call import OMIT, Call, Omit
from citegraph_client.errors import JobFailed, NotFound, StreamBroken
from citegraph_client.events import AskEvent, DoneEvent, EventReader, ask_event, broken, end_reason, job_event
from citegraph_client.files import File, check_whole, form_of, uploads_of
from citegraph_client.generated import answers as a
from citegraph_client.generated import bodies as b
from citegraph_client.generated.async_methods import AsyncClientMethods, AsyncSpaceMethods
from citegraph_client.options import Wait, options_of

_STREAM = "text/event-stream"
_FINAL = ("done", "failed", "cancelled")


class AsyncSpace(AsyncSpaceMethods):
    """One knowledge space. Its name is looked up once, with the first request."""

    def __init__(self, transport: AsyncTransport, name_or_id: str | UUID) -> None:
        self._transport = transport
        self._named = name_or_id
        self._id: UUID | None = None

    async def find_id(self) -> UUID:
        """The space's id. Raises NotFound where the key reaches no space of that name."""
        if self._id is None:
            self._id = _as_id(self._named) or await self._look_up()
        return self._id

    async def add_text(
        self,
        text: str,
        *,
        title: str | Omit = OMIT,
        source_uri: str | Omit = OMIT,
        language: str | Omit = OMIT,
        metadata: Mapping[str, Any] | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> a.SubmissionAnswer:
        """Hand in a text; `job` of the answer takes it in, see `wait`. New text at a known `source_uri`
        replaces the old.
        """
        fields = {
            "text": text,
            "title": title,
            "source_uri": source_uri,
            "language": language,
            "metadata": metadata,
        }
        return await self._send(
            Call("POST", "/documents", body=fields, key=idempotency_key), a.SubmissionAnswer
        )

    async def submit_documents(
        self, documents: Sequence[b.DocumentBody], *, idempotency_key: str | None = None
    ) -> a.SubmissionAnswer:
        """Hand in up to 100 documents; what cannot be read is listed in `refused`."""
        body = {"documents": list(documents)}
        return await self._send(
            Call("POST", "/documents", body=body, key=idempotency_key), a.SubmissionAnswer
        )

    async def upload(
        self,
        *files: File,
        title: str | Omit = OMIT,
        source_uri: str | Omit = OMIT,
        source_uris: Sequence[str] | Omit = OMIT,
        format: str | Omit = OMIT,
        trust: float | Omit = OMIT,
        metadata: Mapping[str, Any] | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> a.SubmissionAnswer:
        """Hand in files: paths, or names with bytes. A title or an address is for one file alone; the
        addresses of several are `source_uris`, in their order.
        """
        form = form_of(
            {
                "title": title,
                "source_uri": source_uri,
                "source_uris": source_uris,
                "format": format,
                "trust": trust,
                "metadata": metadata,
            }
        )
        call = Call("POST", "/documents", files=uploads_of(files), form=form, key=idempotency_key)
        return await self._send(call, a.SubmissionAnswer)

    async def estimate_documents(self, documents: Sequence[b.DocumentBody]) -> a.EstimateAnswer:
        """Chunks, calls, tokens and cost of these documents; nothing is stored and no model called."""
        body = {"documents": list(documents)}
        return await self._send(Call("POST", "/documents/estimate", body=body, reads=True), a.EstimateAnswer)

    async def estimate_files(
        self, *files: File, source_uris: Sequence[str] | Omit = OMIT, format: str | Omit = OMIT
    ) -> a.EstimateAnswer:
        """The same for files, see `upload`."""
        form = form_of({"source_uris": source_uris, "format": format})
        call = Call("POST", "/documents/estimate", files=uploads_of(files), form=form, reads=True)
        return await self._send(call, a.EstimateAnswer)

    async def preview_document(
        self, document_id: UUID | str, document: b.DocumentBody
    ) -> a.VersionPreviewAnswer:
        """Say what this content would change as the next version of the document; nothing is stored."""
        call = Call("POST", f"/documents/{document_id}/preview", body=dict(document), reads=True)
        return await self._send(call, a.VersionPreviewAnswer)

    async def wait(
        self, job: a.JobAnswer | a.SubmissionAnswer | UUID | str, *, timeout: float | None = None
    ) -> a.JobDetailAnswer | None:
        """The job once it is done; None for a submission with nothing to do.

        Raises JobFailed where it ends otherwise, TimeoutError after `timeout` seconds.
        """
        if isinstance(job, a.SubmissionAnswer):
            if job.job is None:
                return None
            job = job.job
        job_id = job.id if isinstance(job, a.JobAnswer) else job
        deadline = None if timeout is None else time.monotonic() + timeout
        pause = 0.1
        while True:
            found = await self.read_job(job_id)
            if found.state == "done":
                return found
            if found.state in _FINAL:
                raise JobFailed(found)
            if deadline is not None and time.monotonic() >= deadline:
                raise TimeoutError(f"Job {found.id} is still {found.state}.")
            await asyncio.sleep(pause)
            pause = min(2.0, pause * 1.5)

    async def wait_for_deletion(self, *, timeout: float | None = None) -> a.DeletionAnswer:
        """The receipt of this space's deletion, once all of its rows are removed.

        Raises TimeoutError after `timeout` seconds, NotFound where nobody has deleted it.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        pause = 0.1
        while True:
            found = await self.read_space_deletion()
            if found.state == "done":
                return found
            if deadline is not None and time.monotonic() >= deadline:
                raise TimeoutError(f"{sum(found.rows.values())} rows of the space are removed so far.")
            await asyncio.sleep(pause)
            pause = min(2.0, pause * 1.5)

    async def watch_job(self, job_id: UUID | str) -> AsyncIterator[a.JobAnswer]:
        """The job whenever it changes, until its end. Raises StreamBroken where it cannot be watched on."""
        ended = False
        while not ended:
            ended = True
            async for name, data in self._events(Call("GET", f"/jobs/{job_id}/events", accept=_STREAM)):
                job = job_event(name, data)
                if job is not None:
                    yield job
                elif name == "end" and end_reason(data) == "time_limit":
                    ended = False
                elif name == "end" and end_reason(data) != "finished":
                    raise broken(data)

    async def ask_stream(
        self,
        question: str,
        *,
        scope: b.AnswerScope | Omit = OMIT,
        history: Sequence[b.TurnBody] | Omit = OMIT,
        context_format: b.ContextFormat | Omit = OMIT,
        as_of: dt.datetime | str | Omit | None = OMIT,
        idempotency_key: str | None = None,
    ) -> AsyncIterator[AskEvent]:
        """The answer while it is written: its context, each sentence, its citations, the whole at the end.

        Leaving the loop early hangs up, which stops the model. Raises StreamBroken without a whole answer.
        """
        body = {
            "question": question,
            "scope": scope,
            "history": history,
            "context_format": context_format,
            "as_of": as_of,
        }
        is_whole = False
        async for name, data in self._events(
            Call("POST", "/ask", body=body, key=idempotency_key, accept=_STREAM)
        ):
            event = ask_event(name, data)
            if event is not None:
                is_whole = isinstance(event, DoneEvent)
                yield event
        if not is_whole:
            raise StreamBroken("The answer broke off.")

    @asynccontextmanager
    async def export_space(self, format: str = "jsonl") -> AsyncIterator[AsyncIterator[bytes]]:
        """The space as a file, as bytes arrive: jsonl, graphml, csv-nodes, csv-edges, cypher or turtle."""
        call = await self._whole(Call("GET", "/export", query={"format": format}, accept="*/*"))
        async with self._transport.stream(call) as pieces:
            yield pieces

    async def export_to(self, path: str | Path, format: str = "jsonl") -> Path:
        """Write the space to a file. Raises StreamBroken for JSON Lines that were cut off."""
        target = Path(path)
        with target.open("wb") as file:
            async with self.export_space(format) as pieces:
                async for piece in pieces:
                    file.write(piece)
        if format == "jsonl":
            check_whole(target)
        return target

    async def import_space(self, file: File, *, idempotency_key: str | None = None) -> a.ImportAnswer:
        """Write the JSON Lines of an export into this space, which must be empty."""
        call = Call("POST", "/import", files=uploads_of([file]), key=idempotency_key)
        return await self._send(call, a.ImportAnswer)

    async def _whole(self, call: Call) -> Call:
        return call.within(f"/v1/spaces/{await self.find_id()}")

    async def _events(self, call: Call) -> AsyncIterator[tuple[str, str]]:
        reader = EventReader()
        async with self._transport.stream(await self._whole(call)) as pieces:
            async for piece in pieces:
                for event in reader.feed(piece):
                    yield event

    async def _look_up(self) -> UUID:
        client = AsyncClientMethods()
        client._transport = self._transport
        async for space in client.list_spaces(page_size=200):
            if space.name == self._named:
                return space.id
        raise NotFound(404, {"code": "not_found", "detail": f"No space called {self._named!r}."})


class AsyncCitegraph(AsyncClientMethods):
    """A service and a key for it. Where they are not given, CITEGRAPH_URL and CITEGRAPH_API_KEY are read.

    `timeout` is of one try, in seconds; a Retry-After above `longest_wait` is raised and not waited for.
    A request is tried again `max_retries` times, and for `retry_seconds` if that is longer; `on_wait` is
    called before each pause.
    """

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        timeout: float = 60.0,
        max_retries: int = 3,
        longest_wait: float = 60.0,
        retry_seconds: float = 0.0,
        on_wait: Callable[[Wait], None] | None = None,
        http: httpx2.AsyncClient | None = None,
    ) -> None:
        options = options_of(
            base_url,
            api_key,
            timeout=timeout,
            max_retries=max_retries,
            longest_wait=longest_wait,
            retry_seconds=retry_seconds,
            on_wait=on_wait,
        )
        self._transport = AsyncTransport(options, http)

    def spaces(self, name_or_id: str | UUID) -> AsyncSpace:
        """One of the tenant's spaces, by name or id. Nothing is sent yet."""
        return AsyncSpace(self._transport, name_or_id)

    async def read_metrics(self) -> str:
        """The service's counters, as Prometheus reads them."""
        return await self._read_text(Call("GET", "/metrics"))

    async def close(self) -> None:
        """Close all connections."""
        await self._transport.http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


def _as_id(name_or_id: str | UUID) -> UUID | None:
    """The id, where it is one: a UUID is never taken for a name."""
    try:
        return name_or_id if isinstance(name_or_id, UUID) else UUID(name_or_id)
    except ValueError:
        return None
