"""The space that files are handed to, as commands see it: in the database of this machine or a server's."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from app.cli.files import FileReader, Skipped
from app.documents.folder_plan import Move
from app.documents.shapes import StoredFile, Submission
from app.ids import DocumentId, JobId

UNREAD = ("queued", "processing")
"""States of documents that a job has yet to read."""


@dataclass
class Taken:
    """The outcome of one batch: each document's address, id, outcome and job, and what was refused.

    `waiting` are the jobs that have yet to read any of them, unchanged ones included.
    """

    documents: list[dict[str, Any]] = field(default_factory=list)
    waiting: list[JobId] = field(default_factory=list)
    refused: list[Skipped] = field(default_factory=list)


class FileTarget(Protocol):
    """One space of one tenant. Every method is an act of its own, whole if the next never comes."""

    reader: FileReader
    """Reads files of this machine as the space will: those inside of others too."""
    most_documents: int
    """Submissions of one batch."""
    most_bytes: int
    poll_seconds: float
    """Seconds between two looks at a job."""

    def read_file(self, path: Path, address: str) -> Iterator[Submission | Skipped]:
        """Yield what is handed in of a file: its documents, or the file whole where they are found there."""
        ...

    def list_stored_below(self, address: str) -> list[StoredFile]:
        """Return the documents whose addresses begin so."""
        ...

    def preview_removals(self, document_ids: Sequence[DocumentId], *, prune: bool) -> list[dict[str, Any]]:
        """Return the receipts that the removal of these, one after the other, would have."""
        ...

    def move_documents(self, moves: Sequence[Move]) -> None:
        """Give documents their new addresses."""
        ...

    def submit(self, batch: Sequence[Submission]) -> Taken:
        """Hand these in, as one job. Raises TooMany where the tenant has no room for them."""
        ...

    def estimate(self, batch: Sequence[Submission], refused: list[Skipped], /) -> list[dict[str, Any]]:
        """Return what an ingest of these would take, in parts; `refused` is told what is no document."""
        ...

    def remove_document(self, document_id: DocumentId, *, prune: bool) -> dict[str, Any] | None:
        """Remove a document and return the receipt; None where it has gone already."""
        ...

    def get_jobs(self, job_ids: Sequence[JobId]) -> list[dict[str, Any]]:
        """Return the jobs as they stand, in this order."""
        ...

    def list_job_errors(self, job_ids: Sequence[JobId]) -> list[dict[str, Any]]:
        """Return the documents and chunks that these jobs set aside."""
        ...
