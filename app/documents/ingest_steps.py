"""The steps of an ingest job on documents: start them, store their chunks, finish or fail them.

Some functions of `ingest_repository` are exported here unchanged for other domains.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from app.db.session import SpaceSession
from app.documents import ingest_repository
from app.documents.ingest_repository import (
    MovedChunk,
    delete_chunks,
    delete_chunks_and_empty_documents,
    delete_document_if_exists,
    fail_unfinished_documents,
    find_stored_vectors_by_chunk_hash,
    list_chunk_ids_of_document,
    list_stored_chunks,
    lock_chunks_and_clear_word_index,
    lock_documents_still_owned_by_job,
    mark_chunks_extracted,
    mark_document_failed,
    mark_documents_ready,
    quarantine_chunks,
    read_raw_documents,
    requeue_job_documents,
    requeue_unfinished_documents,
    reset_crash_counts,
    store_vectors,
)
from app.documents.repository import lock_submissions
from app.documents.shapes import DocumentText, NewChunk, PendingDocument, RawDocument, StoredChunk
from app.ids import DocumentId, JobId

__all__ = [
    "SLICE_CHUNKS",
    "StartedDocuments",
    "delete_chunks",
    "delete_chunks_and_empty_documents",
    "delete_document_if_exists",
    "fail_unfinished_documents",
    "find_stored_vectors_by_chunk_hash",
    "list_chunk_ids_of_document",
    "list_pending_documents",
    "list_stored_chunks",
    "lock_chunks_and_clear_word_index",
    "lock_documents_still_owned_by_job",
    "lock_submissions",
    "mark_chunks_extracted",
    "mark_document_failed",
    "mark_documents_as_reading_and_load_them",
    "mark_documents_ready",
    "quarantine_chunks",
    "read_raw_documents",
    "requeue_job_documents",
    "requeue_unfinished_documents",
    "reset_crash_counts",
    "store_chunks",
    "store_texts_and_moved_chunks",
    "store_vectors",
]

# Rows per statement, so that statements do not grow with documents.
SLICE_CHUNKS = 500


@dataclass(frozen=True)
class StartedDocuments:
    """Documents that a job has started to read, and the chunks already stored for them."""

    sources: list[RawDocument]
    stored_chunks: list[StoredChunk]


class PendingDocuments(NamedTuple):
    """The documents that a job has yet to ingest, and the number of all its documents."""

    documents: list[PendingDocument]
    total: int


def list_pending_documents(space: SpaceSession, job_id: JobId) -> PendingDocuments:
    """Return the documents still to be ingested, in order of submission, and the number of all documents."""
    return PendingDocuments(
        ingest_repository.list_pending_documents_of_job(space, job_id),
        ingest_repository.count_job_documents(space, job_id),
    )


def mark_documents_as_reading_and_load_them(
    space: SpaceSession, job_id: JobId, document_ids: Sequence[DocumentId]
) -> StartedDocuments:
    """Mark the documents as being read: a worker that dies now leaves its mark on them."""
    sources = ingest_repository.mark_documents_as_reading_and_get_bytes(space, job_id, document_ids)
    return StartedDocuments(
        sources, ingest_repository.list_stored_chunks(space, [source.id for source in sources])
    )


def store_chunks(space: SpaceSession, new_chunks: Sequence[NewChunk]) -> None:
    """Insert new chunks."""
    for slice_start in range(0, len(new_chunks), SLICE_CHUNKS):
        ingest_repository.write_chunks(space, new_chunks[slice_start : slice_start + SLICE_CHUNKS])


def store_texts_and_moved_chunks(
    space: SpaceSession,
    *,
    texts: Sequence[DocumentText],
    moved_chunks: Sequence[MovedChunk],
) -> None:
    """Store the texts and properties of documents, and new positions of unchanged chunks."""
    ingest_repository.store_document_texts(space, texts)
    if moved_chunks:
        ingest_repository.update_positions_of_unchanged_chunks(space, moved_chunks)


def recount_words_after_growth(space: SpaceSession, chunk_count: int) -> None:
    """Count chunks that were read; when they exceed a fifth of the space, count its words again."""
    if ingest_repository.add_to_chunk_growth_and_check_recount(space, chunk_count):
        ingest_repository.fill_missing_word_index(space)
        ingest_repository.compute_and_store_word_frequencies(space)
