"""The client, and one space as it sees it: the generated methods, and by hand what files and streams need.

Written by `make client` from the asynchronous one; not edited.
"""

import datetime as dt
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from uuid import UUID

import httpx2

from citegraph_client.call import OMIT, Call, Omit
from citegraph_client.errors import JobFailed, NotFound, StreamBroken
from citegraph_client.events import AskEvent, DoneEvent, EventReader, ask_event, broken, end_reason, job_event
from citegraph_client.files import File, check_whole, form_of, uploads_of
from citegraph_client.generated import answers as a
from citegraph_client.generated import bodies as b
from citegraph_client.generated.synchronous.methods import ClientMethods, SpaceMethods
from citegraph_client.generated.synchronous.transport import Transport
from citegraph_client.options import Wait, options_of

_STREAM = "text/event-stream"
_FINAL = ("done", "failed", "cancelled")


class Space(SpaceMethods):
    """One knowledge space. Its name is looked up once, with the first request."""

    def __init__(self, transport: Transport, name_or_id: str | UUID) -> None:
        self._transport = transport
        self._named = name_or_id
        self._id: UUID | None = None

    def find_id(self) -> UUID:
        """The space's id. Raises NotFound where the key reaches no space of that name."""
        if self._id is None:
            self._id = _as_id(self._named) or self._look_up()
        return self._id

    def add_text(
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
        return self._send(Call("POST", "/documents", body=fields, key=idempotency_key), a.SubmissionAnswer)

    def submit_documents(
        self, documents: Sequence[b.DocumentBody], *, idempotency_key: str | None = None
    ) -> a.SubmissionAnswer:
        """Hand in up to 100 documents; what cannot be read is listed in `refused`."""
        body = {"documents": list(documents)}
        return self._send(Call("POST", "/documents", body=body, key=idempotency_key), a.SubmissionAnswer)

    def upload(
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
        return self._send(call, a.SubmissionAnswer)

    def estimate_documents(self, documents: Sequence[b.DocumentBody]) -> a.EstimateAnswer:
        """Chunks, calls, tokens and cost of these documents; nothing is stored and no model called."""
        body = {"documents": list(documents)}
        return self._send(Call("POST", "/documents/estimate", body=body, reads=True), a.EstimateAnswer)

    def estimate_files(
        self, *files: File, source_uris: Sequence[str] | Omit = OMIT, format: str | Omit = OMIT
    ) -> a.EstimateAnswer:
        """The same for files, see `upload`."""
        form = form_of({"source_uris": source_uris, "format": format})
        call = Call("POST", "/documents/estimate", files=uploads_of(files), form=form, reads=True)
        return self._send(call, a.EstimateAnswer)

    def preview_document(self, document_id: UUID | str, document: b.DocumentBody) -> a.VersionPreviewAnswer:
        """Say what this content would change as the next version of the document; nothing is stored."""
        call = Call("POST", f"/documents/{document_id}/preview", body=dict(document), reads=True)
        return self._send(call, a.VersionPreviewAnswer)

    def wait(
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
            found = self.read_job(job_id)
            if found.state == "done":
                return found
            if found.state in _FINAL:
                raise JobFailed(found)
            if deadline is not None and time.monotonic() >= deadline:
                raise TimeoutError(f"Job {found.id} is still {found.state}.")
            time.sleep(pause)
            pause = min(2.0, pause * 1.5)

    def wait_for_deletion(self, *, timeout: float | None = None) -> a.DeletionAnswer:
        """The receipt of this space's deletion, once all of its rows are removed.

        Raises TimeoutError after `timeout` seconds, NotFound where nobody has deleted it.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        pause = 0.1
        while True:
            found = self.read_space_deletion()
            if found.state == "done":
                return found
            if deadline is not None and time.monotonic() >= deadline:
                raise TimeoutError(f"{sum(found.rows.values())} rows of the space are removed so far.")
            time.sleep(pause)
            pause = min(2.0, pause * 1.5)

    def watch_job(self, job_id: UUID | str) -> Iterator[a.JobAnswer]:
        """The job whenever it changes, until its end. Raises StreamBroken where it cannot be watched on."""
        ended = False
        while not ended:
            ended = True
            for name, data in self._events(Call("GET", f"/jobs/{job_id}/events", accept=_STREAM)):
                job = job_event(name, data)
                if job is not None:
                    yield job
                elif name == "end" and end_reason(data) == "time_limit":
                    ended = False
                elif name == "end" and end_reason(data) != "finished":
                    raise broken(data)

    def ask_stream(
        self,
        question: str,
        *,
        scope: b.AnswerScope | Omit = OMIT,
        history: Sequence[b.TurnBody] | Omit = OMIT,
        context_format: b.ContextFormat | Omit = OMIT,
        as_of: dt.datetime | str | Omit | None = OMIT,
        idempotency_key: str | None = None,
    ) -> Iterator[AskEvent]:
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
        for name, data in self._events(Call("POST", "/ask", body=body, key=idempotency_key, accept=_STREAM)):
            event = ask_event(name, data)
            if event is not None:
                is_whole = isinstance(event, DoneEvent)
                yield event
        if not is_whole:
            raise StreamBroken("The answer broke off.")

    @contextmanager
    def export_space(self, format: str = "jsonl") -> Iterator[Iterator[bytes]]:
        """The space as a file, as bytes arrive: jsonl, graphml, csv-nodes, csv-edges, cypher or turtle."""
        call = self._whole(Call("GET", "/export", query={"format": format}, accept="*/*"))
        with self._transport.stream(call) as pieces:
            yield pieces

    def export_to(self, path: str | Path, format: str = "jsonl") -> Path:
        """Write the space to a file. Raises StreamBroken for JSON Lines that were cut off."""
        target = Path(path)
        with target.open("wb") as file:
            with self.export_space(format) as pieces:
                for piece in pieces:
                    file.write(piece)
        if format == "jsonl":
            check_whole(target)
        return target

    def import_space(self, file: File, *, idempotency_key: str | None = None) -> a.ImportAnswer:
        """Write the JSON Lines of an export into this space, which must be empty."""
        call = Call("POST", "/import", files=uploads_of([file]), key=idempotency_key)
        return self._send(call, a.ImportAnswer)

    def _whole(self, call: Call) -> Call:
        return call.within(f"/v1/spaces/{self.find_id()}")

    def _events(self, call: Call) -> Iterator[tuple[str, str]]:
        reader = EventReader()
        with self._transport.stream(self._whole(call)) as pieces:
            for piece in pieces:
                for event in reader.feed(piece):
                    yield event

    def _look_up(self) -> UUID:
        client = ClientMethods()
        client._transport = self._transport
        for space in client.list_spaces(page_size=200):
            if space.name == self._named:
                return space.id
        raise NotFound(404, {"code": "not_found", "detail": f"No space called {self._named!r}."})


class Citegraph(ClientMethods):
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
        http: httpx2.Client | None = None,
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
        self._transport = Transport(options, http)

    def spaces(self, name_or_id: str | UUID) -> Space:
        """One of the tenant's spaces, by name or id. Nothing is sent yet."""
        return Space(self._transport, name_or_id)

    def read_metrics(self) -> str:
        """The service's counters, as Prometheus reads them."""
        return self._read_text(Call("GET", "/metrics"))

    def close(self) -> None:
        """Close all connections."""
        self._transport.http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _as_id(name_or_id: str | UUID) -> UUID | None:
    """The id, where it is one: a UUID is never taken for a name."""
    try:
        return name_or_id if isinstance(name_or_id, UUID) else UUID(name_or_id)
    except ValueError:
        return None
