"""The interface of a space that commands submit files to: in this machine's database or on a server."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from app.cli.files import FileReader, SkippedFile
from app.documents.folder_plan import Move
from app.documents.shapes import StoredFile, Submission
from app.ids import DocumentId, JobId

UNREAD_STATES = ("queued", "processing")
"""States of documents that a job has yet to read."""


@dataclass
class BatchOutcome:
    """The outcome of one batch: each document's address, id, outcome and job, and the refused files.

    `waiting_job_ids` holds the jobs that have yet to read any of the documents, including unchanged ones.
    """

    documents: list[dict[str, Any]] = field(default_factory=list)
    waiting_job_ids: list[JobId] = field(default_factory=list)
    refused_files: list[SkippedFile] = field(default_factory=list)


class FileTarget(Protocol):
    """One space of one tenant. Each method is complete even if the next call never comes."""

    reader: FileReader
    """Reads local files as the space will, including files inside them."""
    max_documents: int
    """Maximum number of submissions in a batch."""
    max_bytes: int
    poll_seconds: float
    """Seconds between two polls of a job."""

    def read_file(self, path: Path, address: str) -> Iterator[Submission | SkippedFile]:
        """Yield what is submitted for a file: its documents, or the whole file if the target unpacks it."""
        ...

    def list_stored_files_below(self, address: str) -> list[StoredFile]:
        """Return the documents whose addresses begin with `address`."""
        ...

    def preview_removals(self, document_ids: Sequence[DocumentId], *, prune: bool) -> list[dict[str, Any]]:
        """Return the receipts that removing these documents, one after another, would have."""
        ...

    def move_documents(self, moves: Sequence[Move]) -> None:
        """Give documents their new addresses."""
        ...

    def submit_batch(self, batch: Sequence[Submission]) -> BatchOutcome:
        """Submit these documents as one job. Raises TooMany if the tenant's quota has no room for them."""
        ...

    def estimate_batch(
        self, batch: Sequence[Submission], refused_files: list[SkippedFile], /
    ) -> list[dict[str, Any]]:
        """Return estimates of ingesting parts of the batch; add files that are none to `refused_files`."""
        ...

    def remove_document(self, document_id: DocumentId, *, prune: bool) -> dict[str, Any] | None:
        """Remove a document and return the receipt; None if it is already gone."""
        ...

    def get_jobs(self, job_ids: Sequence[JobId]) -> list[dict[str, Any]]:
        """Return the current state of the jobs, in the order of `job_ids`."""
        ...

    def list_job_errors(self, job_ids: Sequence[JobId]) -> list[dict[str, Any]]:
        """Return the ingest errors of these jobs: quarantined documents and chunks."""
        ...

    def count_workers(self) -> int | None:
        """Return the number of worker processes seen within a minute; None if that cannot be found out."""
        ...
