"""A space in the database that this machine's settings name."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from app.cli.files import FileReader, SkippedFile
from app.cli.targets.shapes import UNREAD_STATES, BatchOutcome
from app.documents import service as documents
from app.documents.folder_plan import Move
from app.documents.shapes import StoredFile, Submission
from app.errors import NotFound
from app.ids import DocumentId, JobId, SpaceKey
from app.ingest import service as ingesting
from app.jobs import queue
from app.lazy import import_object
from app.llm.servers import get_chat_model
from app.views.documents import EstimateAnswer
from app.views.jobs import JobAnswer, JobErrorAnswer
from app.wiring import Citegraph

BATCH_DOCUMENTS, BATCH_BYTES = 50, 32_000_000
# Small batches let worker processes share the rules' work; model calls overlap within one job instead.
MODEL_BATCH_DOCUMENTS = 400


class DatabaseTarget:
    """A FileTarget that calls the application's services; each method is one transaction."""

    max_bytes = BATCH_BYTES
    poll_seconds = 0.1

    def __init__(self, citegraph: Citegraph, space_key: SpaceKey, *, by_model: bool = True) -> None:
        """Open the space. `by_model` False means that no model will be called, even if one is set."""
        self._citegraph = citegraph
        self._space_key = space_key
        self.reader = FileReader(citegraph.settings.max_upload_bytes, lambda: citegraph.sandbox)
        asks_model = by_model and get_chat_model(citegraph.settings) is not None
        self.max_documents = MODEL_BATCH_DOCUMENTS if asks_model else BATCH_DOCUMENTS

    def read_file(self, path: Path, address: str) -> Iterator[Submission | SkippedFile]:
        """Yield the documents of a file."""
        yield from self.reader.read(path, address)

    def list_stored_files_below(self, address: str) -> list[StoredFile]:
        """Return the documents whose addresses begin with `address`."""
        with self._citegraph.database.open_space(*self._space_key) as space:
            return documents.list_stored_files_below_address(space, address)

    def preview_removals(self, document_ids: Sequence[DocumentId], *, prune: bool) -> list[dict[str, Any]]:
        """Return the receipts that removing these documents would have. Raises NotFound."""
        with self._citegraph.database.open_space(*self._space_key) as space:
            return [
                asdict(receipt) for receipt in ingesting.preview_removals(space, document_ids, prune=prune)
            ]

    def move_documents(self, moves: Sequence[Move]) -> None:
        """Give documents their new addresses. Raises NotFound, Conflict."""
        with self._citegraph.database.open_space(*self._space_key) as space:
            documents.change_document_addresses(space, {move.document.id: move.address for move in moves})

    def submit_batch(self, batch: Sequence[Submission]) -> BatchOutcome:
        """Submit these documents. Raises QuotaExceeded, TooManyJobs."""
        ingesting.check_room_for_ingest_job(self._citegraph.database, self._space_key[0])
        batch_outcome = BatchOutcome()
        with self._citegraph.database.open_space(*self._space_key) as space:
            results, _ = documents.submit_documents(space, batch)
            for submission, result in zip(batch, results, strict=True):
                job_id = result.document.job_id
                batch_outcome.documents.append(
                    {
                        "source_uri": submission.source_uri,
                        "document_id": result.document.id,
                        "outcome": result.outcome.value,
                        "job_id": job_id,
                    }
                )
                # An unchanged document may still be waiting in an earlier job.
                if job_id is not None and result.document.state in UNREAD_STATES:
                    batch_outcome.waiting_job_ids.append(JobId(job_id))
        return batch_outcome

    def estimate_batch(
        self, batch: Sequence[Submission], _refused_files: list[SkippedFile], /
    ) -> list[dict[str, Any]]:
        """Return an estimate of ingesting these documents."""
        estimate = import_object("app.ingest.estimate:estimate_ingest")(
            self._citegraph.database,
            self._space_key,
            batch,
            self._citegraph.settings,
            self._citegraph.sandbox,
        )
        estimate_answer = EstimateAnswer.from_value(estimate, refused=[])
        return [estimate_answer.model_dump(mode="json", exclude={"refused"})]

    def remove_document(self, document_id: DocumentId, *, prune: bool) -> dict[str, Any] | None:
        """Remove a document and return the receipt; None if it is already gone."""
        with self._citegraph.database.open_space(*self._space_key) as space:
            try:
                return asdict(ingesting.delete_document_with_all_its_words(space, document_id, prune=prune))
            except NotFound:
                return None

    def get_jobs(self, job_ids: Sequence[JobId]) -> list[dict[str, Any]]:
        """Return the current state of the jobs. Raises NotFound."""
        with self._citegraph.database.open_space(*self._space_key) as space:
            return [JobAnswer.model_validate(queue.get_job(space, job_id)).model_dump() for job_id in job_ids]

    def list_job_errors(self, job_ids: Sequence[JobId]) -> list[dict[str, Any]]:
        """Return the ingest errors of these jobs."""
        with self._citegraph.database.open_space(*self._space_key) as space:
            return [
                JobErrorAnswer.model_validate(error).model_dump()
                for job_id in job_ids
                for error in queue.list_job_errors(space, job_id)
            ]

    def count_workers(self) -> int | None:
        """Return the number of worker processes seen within a minute; None if the broker does not respond."""
        return self._citegraph.broker.workers.count_alive()
