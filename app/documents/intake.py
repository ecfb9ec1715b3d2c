"""Documents during an ingest job: start them, store the chunks, finish them or fail them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from app.db.session import SpaceSession
from app.documents import repository
from app.documents.repository import NewChunk, PendingDocument, RawDocument, StoredChunk
from app.documents.shapes import ChunkDraft
from app.ids import ChunkId, DocumentId, JobId

__all__ = ["NewChunk", "PendingDocument", "RawDocument", "StoredChunk"]

# Rows per statement, so that no statement grows with a document.
SLICE_CHUNKS = 500


@dataclass(frozen=True)
class Started:
    """Documents that a job has begun to read, with the chunks that they have so far."""

    sources: list[RawDocument]
    standing: list[StoredChunk]


def pending(space: SpaceSession, job_id: JobId) -> tuple[list[PendingDocument], int]:
    """Return the documents still to be ingested, in order of submission, and how many the job has in all."""
    return repository.list_pending(space, job_id), repository.count_of_job(space, job_id)


def start(space: SpaceSession, job_id: JobId, document_ids: Sequence[DocumentId]) -> Started:
    """Mark the documents as being read: a worker that dies now leaves its mark on them."""
    sources = repository.enter(space, job_id, document_ids)
    return Started(sources, repository.stored_chunks(space, [each.id for each in sources]))


def release(space: SpaceSession, job_id: JobId) -> None:
    """Queue what is being read again, without the mark: the job stops in good order."""
    repository.leave(space, job_id)


def still_of_job(space: SpaceSession, job_id: JobId, document_ids: Sequence[DocumentId]) -> set[DocumentId]:
    """Those that exist and still belong to the job, locked: newer content belongs to a newer job."""
    return repository.still_of_job(space, job_id, document_ids)


def store_chunks(space: SpaceSession, new: Sequence[NewChunk]) -> None:
    """Write chunks that are new."""
    for begin in range(0, len(new), SLICE_CHUNKS):
        repository.write_chunks(space, new[begin : begin + SLICE_CHUNKS])


def change_over(
    space: SpaceSession,
    *,
    texts: Sequence[tuple[DocumentId, str, str, str | None]],
    moved: Sequence[tuple[ChunkId, ChunkDraft]],
) -> None:
    """Write (id, text, title, language) of documents, and where their unchanged chunks stand in it."""
    repository.write_texts(space, texts)
    if moved:
        repository.move_chunks(space, moved)


def prepare_removal(space: SpaceSession, ids: Sequence[ChunkId]) -> None:
    """Before anything else of a removal: nobody refers to these chunks any more, nor counts their words."""
    repository.prepare_removal(space, ids)


def delete_chunks(space: SpaceSession, gone: Sequence[ChunkId]) -> None:
    """Delete chunks that their documents no longer have."""
    repository.delete_chunks(space, gone)


def note_progress(space: SpaceSession, job_id: JobId, document_ids: Sequence[DocumentId]) -> None:
    """Forgive documents being read the crashes before now: a part of them was written."""
    repository.note_progress(space, job_id, document_ids)


def store_vectors(space: SpaceSession, rows: Sequence[tuple[UUID, str]], *, into_set: int) -> None:
    """Store (chunk, vector as pgvector reads it) rows of one set, of chunks that still stand."""
    repository.insert_vectors(space, rows, into_set=into_set)


def known_vectors(space: SpaceSession, hashes: Collection[str]) -> dict[str, str]:
    """The vectors that chunks of these hashes have in the space's set, as pgvector reads them."""
    return repository.known_vectors(space, hashes)


def mark_extracted(space: SpaceSession, chunk_ids: Sequence[ChunkId], *, extractor: str) -> None:
    """Note that these chunks have been read to the end by that extractor."""
    repository.mark_extracted(space, chunk_ids, extractor)


def finish(space: SpaceSession, document_ids: Sequence[DocumentId]) -> None:
    """Make documents ready, with their chunks counted."""
    repository.mark_ready(space, document_ids)


def quarantine(space: SpaceSession, document_id: DocumentId, *, code: str, reason: str) -> None:
    """Make one document failed, with the reason."""
    repository.mark_failed(space, document_id, code=code, reason=reason)


def fail_pending(space: SpaceSession, job_id: JobId, *, code: str, reason: str) -> None:
    """Make failed what the job will not get to any more."""
    repository.fail_pending(space, job_id, code=code, reason=reason)


def requeue_failed(space: SpaceSession, job_id: JobId) -> None:
    """Queue again what the job left failed."""
    repository.requeue_failed(space, job_id)


def chunk_ids(space: SpaceSession, document_id: DocumentId) -> list[ChunkId]:
    """The ids of the document's chunks."""
    return repository.chunk_ids(space, document_id)


def remove(space: SpaceSession, document_id: DocumentId) -> None:
    """Delete the document; its body, chunks and mentions go with it."""
    repository.delete_(space, document_id)


def lock_submissions(space: SpaceSession) -> None:
    """Let nothing be submitted until the transaction ends: a document may go that somebody sends again."""
    repository.lock_submissions(space)


def drop_chunks(space: SpaceSession, chunk_ids: Sequence[ChunkId]) -> tuple[int, int]:
    """Delete chunks, and documents read to the end that this leaves without any: how many of each."""
    return repository.drop_chunks(space, chunk_ids)


def note_growth(space: SpaceSession, chunks: int) -> None:
    """Say that so many chunks were read; past a fifth more of them the space's words are counted anew."""
    if repository.note_growth(space, chunks):
        repository.fill_lexemes(space)
        repository.count_words(space)
