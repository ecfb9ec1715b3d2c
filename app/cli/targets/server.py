"""A space on a server, reached with an API key through the project's client."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any
from uuid import UUID

import citegraph_client as client
from pydantic import ValidationError

from app.cli.files import FileReader, SkippedFile, read_file, replace_unstorable_bytes
from app.cli.output import print_note
from app.cli.targets.shapes import UNREAD_STATES, BatchOutcome
from app.documents.folder_plan import Move, split_moves_into_batches
from app.documents.shapes import StoredFile, Submission
from app.errors import CitegraphError, NotFound, Unavailable
from app.ids import DocumentId, JobId
from app.jobs.states import FINAL_STATES

EXTRACTION_FORMAT = "extraction"
"""The only format that a server does not detect by itself."""
_MAX_BATCH_DOCUMENTS = 200
# The first request checks the address: a server that starts is waited for, a wrong address not for long.
_FIRST_REQUEST_SECONDS, _REQUEST_SECONDS = 30.0, 600.0
_TIMEOUT_SECONDS = 300.0
"""Time-out of one attempt, long enough for a file that the server takes a minute to unpack."""
_SECONDS_BEFORE_NOTE = 2.0


class ServerTarget:
    """A FileTarget whose methods are API requests, retried under the same idempotency key.

    Files are sent whole: the server splits them in the same way as this machine does for the comparison.
    """

    max_documents = 50
    max_bytes = 20_000_000
    poll_seconds = 1.0

    def __init__(
        self,
        url: str,
        api_client: "client.Citegraph",
        space: "client.Space",
        space_name: str,
        reader: FileReader,
    ) -> None:
        self.reader = reader
        self._url, self._space, self._space_name = url, space, space_name
        self._client = api_client
        self._ended_jobs: dict[JobId, dict[str, Any]] = {}
        self._path_by_address: dict[str, str] = {}
        """The local paths of the files read, by address."""

    def read_file(self, path: Path, address: str) -> Iterator[Submission | SkippedFile]:
        """Yield the file as it is, without unpacking it."""
        self._path_by_address[address] = replace_unstorable_bytes(str(path))
        yield read_file(path, address, max_bytes=self.reader.max_bytes)

    def list_stored_files_below(self, address: str) -> list[StoredFile]:
        """Return the documents whose addresses begin with `address`."""
        with self._translate_errors():
            documents = self._space.list_documents(source_uri_prefix=address, page_size=_MAX_BATCH_DOCUMENTS)
            return [
                StoredFile(
                    DocumentId(document.id),
                    document.source_uri or "",
                    document.content_hash,
                    document.state,
                    document.failure_code,
                    document.failure_reason,
                    None if document.job_id is None else JobId(document.job_id),
                )
                for document in documents
            ]

    def preview_removals(self, document_ids: Sequence[DocumentId], *, prune: bool) -> list[dict[str, Any]]:
        """Return the receipts that removing at most 200 documents would have. Raises CitegraphError."""
        with self._translate_errors():
            answer = self._space.preview_removals(list(document_ids), prune=prune)
        return [receipt.model_dump() for receipt in answer.removals]

    def move_documents(self, moves: Sequence[Move]) -> None:
        """Give documents their new addresses, 200 in a request. Raises CitegraphError."""
        for batch in split_moves_into_batches(moves, _MAX_BATCH_DOCUMENTS):
            with self._translate_errors():
                self._space.move_documents(
                    [{"id": str(move.document.id), "source_uri": move.address} for move in batch]
                )

    def submit_batch(self, batch: Sequence[Submission]) -> BatchOutcome:
        """Submit these documents; a batch too large for the server is halved. Raises CitegraphError."""
        batch_outcome = BatchOutcome()
        self._submit_halving_large_batches(batch, batch_outcome)
        return batch_outcome

    def _submit_halving_large_batches(self, batch: Sequence[Submission], batch_outcome: BatchOutcome) -> None:
        def upload(*files: Any, **fields: Any) -> None:
            answer = self._space.upload(*files, trust=batch[0].trust, **fields)
            for document in answer.documents:
                batch_outcome.documents.append(
                    {
                        "source_uri": document.source_uri,
                        "document_id": document.id,
                        "outcome": document.outcome,
                        "job_id": document.job_id,
                    }
                )
                if document.job_id is not None and document.state in UNREAD_STATES:
                    batch_outcome.waiting_job_ids.append(JobId(document.job_id))
            batch_outcome.refused_files += self._list_refused_files(answer.refused, batch)

        self._send_batch(batch, upload, batch_outcome.refused_files)

    def estimate_batch(
        self, batch: Sequence[Submission], refused_files: list[SkippedFile], /
    ) -> list[dict[str, Any]]:
        """Return estimates of ingesting parts of the batch; add files that are none to `refused_files`."""
        estimates: list[dict[str, Any]] = []

        def estimate_files(*files: Any, **fields: Any) -> None:
            answer = self._space.estimate_files(*files, **fields)
            refused_files.extend(self._list_refused_files(answer.refused, batch))
            estimates.append(answer.model_dump(exclude={"refused"}))

        self._send_batch(batch, estimate_files, refused_files)
        return estimates

    def _send_batch(
        self, batch: Sequence[Submission], send: Callable[..., None], refused_files: list[SkippedFile]
    ) -> None:
        """Send the files of a batch with `send`; append files that the server refuses to `refused_files`."""
        files = [(PurePosixPath(file.source_uri or "").name, file.raw) for file in batch]
        fields: dict[str, Any] = {"source_uris": [file.source_uri or "" for file in batch]}
        if batch[0].format == EXTRACTION_FORMAT:
            fields["format"] = EXTRACTION_FORMAT
        with self._translate_errors():
            try:
                send(*files, **fields)
            except (client.TooLarge, client.UnsupportedFormat, client.InvalidInput) as error:
                if isinstance(error, client.TooLarge) and len(batch) > 1:
                    middle = len(batch) // 2
                    self._send_batch(batch[:middle], send, refused_files)
                    self._send_batch(batch[middle:], send, refused_files)
                elif error.code == "no_document_accepted":
                    refused_files += [
                        SkippedFile(
                            self._get_local_path(batch[_parse_file_index(fault["loc"])]),
                            fault["type"],
                            fault["msg"],
                        )
                        for fault in error.errors
                    ]
                elif len(batch) == 1:
                    refused_files.append(
                        SkippedFile(self._get_local_path(batch[0]), error.code, _format_api_error(error))
                    )
                else:
                    raise

    def _get_local_path(self, submission: Submission) -> str:
        """Return the local path of a file, else its address."""
        address = submission.source_uri or ""
        return self._path_by_address.get(address, address)

    def _list_refused_files(self, refusals: Sequence[Any], batch: Sequence[Submission]) -> list[SkippedFile]:
        """Return the refused files of a batch by their local paths, including files inside them."""
        skipped_files = []
        for refusal in refusals:
            submission = batch[refusal.index]
            inner_path = (refusal.name or "").removeprefix(submission.source_uri or "")
            skipped_files.append(
                SkippedFile(f"{self._get_local_path(submission)}{inner_path}", refusal.code, refusal.detail)
            )
        return skipped_files

    def remove_document(self, document_id: DocumentId, *, prune: bool) -> dict[str, Any] | None:
        """Remove a document and return the receipt; None if it is already gone."""
        with self._translate_errors():
            try:
                return self._space.delete_document(document_id, prune=prune).model_dump()
            except client.NotFound:
                return None

    def get_jobs(self, job_ids: Sequence[JobId]) -> list[dict[str, Any]]:
        """Return the current state of the jobs; those that have ended are not requested again."""
        pending_ids = {job_id for job_id in job_ids if job_id not in self._ended_jobs}
        job_by_id: dict[JobId, dict[str, Any]] = {}
        with self._translate_errors():
            # Jobs are listed newest first, and the pending ones are among the newest.
            for job in self._space.list_jobs(page_size=_MAX_BATCH_DOCUMENTS) if pending_ids else ():
                if job.id in pending_ids:
                    job_by_id[JobId(job.id)] = job.model_dump()
                if len(job_by_id) == len(pending_ids) or job.id < min(pending_ids):
                    break
            for job_id in pending_ids - job_by_id.keys():
                job_by_id[job_id] = self._space.read_job(job_id).model_dump(exclude={"errors"})
        self._ended_jobs |= {job_id: job for job_id, job in job_by_id.items() if job["state"] in FINAL_STATES}
        job_by_id |= self._ended_jobs
        return [job_by_id[job_id] for job_id in job_ids]

    def list_job_errors(self, job_ids: Sequence[JobId]) -> list[dict[str, Any]]:
        """Return the ingest errors of these jobs, at most the first hundred of each."""
        with self._translate_errors():
            return [error.model_dump() for job_id in job_ids for error in self._space.read_job(job_id).errors]

    def count_workers(self) -> int | None:
        """Return the number of worker processes seen within a minute; None if that cannot be found out."""
        try:
            return self._client.read_readiness().workers
        except (client.CitegraphError, ValidationError):
            return None

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        with translate_client_errors(self._url, self._space_name):
            yield


@contextmanager
def open_server_target(url: str, api_key: str, space_name: str, reader: FileReader) -> Iterator[ServerTarget]:
    """Yield the space with that name or id on the server. Raises CitegraphError."""
    url = url.rstrip("/")
    with translate_client_errors(url, space_name):
        with _open_client(url, api_key, _FIRST_REQUEST_SECONDS) as probing_client:
            space_id: UUID = probing_client.spaces(space_name).read_space().id
        api_client = _open_client(url, api_key, _REQUEST_SECONDS, timeout=_TIMEOUT_SECONDS)
    with api_client:
        yield ServerTarget(url, api_client, api_client.spaces(space_id), space_name, reader)


def _open_client(
    url: str, api_key: str, retry_seconds: float, *, timeout: float = 60.0
) -> "client.Citegraph":
    """Return a client that repeats requests for so long, and says so."""
    return client.Citegraph(
        url,
        api_key,
        timeout=timeout,
        retry_seconds=retry_seconds,
        on_wait=_WaitNotes(url, retry_seconds).print_note_if_wait_is_long,
    )


@dataclass
class _WaitNotes:
    """Prints one note for each request that waits for the server."""

    url: str
    retry_seconds: float
    waited_seconds: float = 0.0

    def print_note_if_wait_is_long(self, wait: "client.Wait") -> None:
        """Print the note when the pauses of the request reach _SECONDS_BEFORE_NOTE."""
        earlier_seconds = 0.0 if wait.tried == 1 else self.waited_seconds
        self.waited_seconds = earlier_seconds + wait.seconds
        if earlier_seconds < _SECONDS_BEFORE_NOTE <= self.waited_seconds:
            print_note(
                f"Waiting up to {self.retry_seconds:.0f} seconds for {self.url} ({wait.reason.rstrip('.')})."
                " Ctrl-C stops; the same command continues later."
            )


@contextmanager
def translate_client_errors(url: str, space_name: str) -> Iterator[None]:
    """Turn the client's exceptions into the application's; transient ones become Unavailable."""
    try:
        yield
    except client.Unauthenticated:
        raise CitegraphError(
            f"{url} does not know this API key. Create one there with `citegraph key create` and set"
            " CITEGRAPH_API_KEY or --api-key.",
            code="unauthenticated",
        ) from None
    except client.NotFound as error:
        if error.code == "not_found":
            raise NotFound(f"space within reach of this key: {space_name} at {url}") from None
        raise CitegraphError(f"{url} is not a Citegraph server, or has another version.") from None
    except client.ConnectionFailed as error:
        raise Unavailable(f"{url} cannot be reached ({error}).") from None
    except (client.RateLimited, client.Unavailable) as error:
        raise Unavailable(f"{url} refused for now: {_format_api_error(error)}", code=error.code) from None
    except client.ApiError as error:
        raise CitegraphError(
            f"{url} refused ({error.status}): {_format_api_error(error)}", code=error.code
        ) from None
    except ValidationError:
        raise CitegraphError(f"{url} is not a Citegraph server, or has another version.") from None
    except client.CitegraphError as error:
        raise CitegraphError(f"{url}: {error}") from None


def _format_api_error(error: client.ApiError) -> str:
    """Return the server's message, with the first value that it names."""
    faults = [f"{fault.get('loc', '')}: {fault.get('msg', '')}" for fault in error.errors[:1]]
    return " ".join([error.detail or error.code, *faults])


def _parse_file_index(location: str) -> int:
    """Return the index of the file that a location such as `body.file.3` names."""
    return int(location.rpartition(".")[2])
