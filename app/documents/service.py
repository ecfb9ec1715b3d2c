"""Operations on documents: addresses, trust, retries and reading."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from app.db.changes import Change
from app.db.models import Document, Job, KnowledgeChunk
from app.db.session import SpaceSession
from app.documents import ingest_repository, repository
from app.documents.repository import (
    count_failed_documents,
    fetch_trust_below_one,
    list_documents,
    list_stored_files_below_address,
    select_hashes_of_extracted_chunks,
)
from app.documents.shapes import (
    DocumentFilter,
    JobDocuments,
    MailLocation,
    QuarantinedChunk,
    StoredChunk,
    TextWindow,
)
from app.documents.submission import (
    SubmittedDocument,
    get_trust_in_current_actor,
    limit_trust,
    select_submissions_to_read,
    submit_documents,
)
from app.errors import Conflict, InvalidInput, NotFound
from app.ids import ChunkId, DocumentId, JobId
from app.jobs import queue
from app.jobs.kinds import IngestDocuments
from app.limits import QUARANTINED_SHOWN, RETRIED_DOCUMENTS, TEXT_PART_CHUNKS
from app.space_settings import MIN_TRUST
from app.tenancy.audit import service as audit

__all__ = [
    "SubmittedDocument",
    "count_failed_documents",
    "fetch_trust_below_one",
    "list_documents",
    "list_stored_files_below_address",
    "select_hashes_of_extracted_chunks",
    "select_submissions_to_read",
    "submit_documents",
]


MAX_SEARCHED_DOCUMENTS = 20_000
"""Maximum number of documents that one search by words reads; the next search continues after them."""

FIRST_SEARCHED_DOCUMENTS = 1_000
"""Number of the newest documents that a search reads first, enough for a common word."""


@dataclass(frozen=True)
class DocumentPage:
    """Documents that match a search; `last_read_id` is the last one read, None if all were."""

    documents: Sequence[Document]
    last_read_id: UUID | None


def get_document(space: SpaceSession, document_id: DocumentId) -> Document:
    """Return the document. Raises NotFound."""
    document = repository.get_document(space, document_id)
    if document is None:
        raise NotFound("document")
    return document


def list_first_quarantined_chunks(space: SpaceSession, document: Document) -> Sequence[QuarantinedChunk]:
    """Return the document's first quarantined chunks, at most QUARANTINED_SHOWN, in order."""
    if not document.quarantined_chunks:
        return ()
    return repository.list_quarantined_chunks(space, DocumentId(document.id), limit=QUARANTINED_SHOWN.maximum)


def find_answered_mails(
    space: SpaceSession, mails: Iterable[Document | KnowledgeChunk]
) -> dict[str, MailLocation]:
    """Return, by their `in_reply_to`, the answered mails that the space holds.

    A mail is a document by itself, or begins with a chunk of a mailbox or of the mail that it is attached to.
    """
    message_ids = {mail.in_reply_to for mail in mails if mail.in_reply_to is not None}
    return repository.find_mails(space, message_ids) if message_ids else {}


def search_documents(
    space: SpaceSession,
    document_filter: DocumentFilter,
    *,
    after: UUID | None = None,
    before: UUID | None = None,
    limit: int = 100,
    max_documents: int = MAX_SEARCHED_DOCUMENTS,
) -> DocumentPage:
    """Return matching documents, reading at most `max_documents` of them if words are searched, without an
    index.
    """
    if not document_filter.words:
        return DocumentPage(
            list_documents(space, document_filter, after=after, before=before, limit=limit), None
        )
    documents: list[Document] = []
    last_id = None
    for slice_size in (
        min(FIRST_SEARCHED_DOCUMENTS, max_documents),
        max_documents - FIRST_SEARCHED_DOCUMENTS,
    ):
        if slice_size <= 0:
            break
        last_id = repository.find_last_document_within_rows(
            space, document_filter, after=after, before=before, max_rows=slice_size
        )
        page = repository.list_documents(
            space,
            document_filter,
            after=after,
            before=before,
            limit=limit - len(documents),
            uploaded_until=last_id,
        )
        documents = [*page, *documents] if before else [*documents, *page]
        if len(documents) == limit:
            return DocumentPage(documents, None)
        if last_id is None:
            break
        after, before = (None, last_id) if before else (last_id, None)
    return DocumentPage(documents, last_id)


def list_documents_by_job(
    space: SpaceSession, job_ids: Collection[JobId], *, max_titles: int = 2, bound: int = 1_000
) -> Mapping[JobId, JobDocuments]:
    """Return, for each job, the number of its documents, counted up to `bound`, and the first titles."""
    return (
        repository.list_documents_by_job(space, job_ids, max_titles=max_titles, bound=bound)
        if job_ids
        else {}
    )


def change_document_addresses(space: SpaceSession, new_address_by_document: Mapping[DocumentId, str]) -> None:
    """Give documents new addresses, possibly addresses that others of them leave. Nothing is read again.

    A title that was the old file name becomes the new one. Raises NotFound for a missing document, Conflict
    for an address that another document keeps.
    """
    repository.lock_submissions(space)
    document_by_id = repository.find_documents_by_id(space, list(new_address_by_document))
    if len(document_by_id) < len(new_address_by_document):
        raise NotFound("document")
    document_by_source = repository.find_documents_by_address(space, list(new_address_by_document.values()))
    if any(document.id not in document_by_id for document in document_by_source.values()):
        raise Conflict("Another document has this address.", code="same_address")
    if not new_address_by_document:
        return
    repository.update_document_addresses(
        space,
        {
            document_id: (document_by_id[document_id].source_uri or "", address)
            for document_id, address in new_address_by_document.items()
        },
    )
    space.mark_change(Change.GRAPH)
    audit.record(
        space,
        "document.move",
        other_targets=list(new_address_by_document),
        details={"documents": len(new_address_by_document)},
    )


def set_trust_and_return_previous(space: SpaceSession, document_id: DocumentId, trust: float) -> float:
    """Set the trust of a document, limited as on submission; return its previous trust.

    Changes only the document's row: see `ingest.service.change_trust`. Raises NotFound, InvalidInput for an
    invalid trust, and Conflict: `less_trusted` if the caller is trusted less than the document,
    `document_not_read` while it is queued or processing.
    """
    if not MIN_TRUST <= trust <= 1:
        raise InvalidInput(f"Trust is a number from {MIN_TRUST} to 1.", code="bad_trust")
    document = get_document(space, document_id)
    if get_trust_in_current_actor(space) < document.trust:
        raise Conflict("The document is trusted more than the caller.", code="less_trusted")
    if document.state in ("queued", "processing"):
        raise Conflict("This document has not been read yet: wait for its job.", code="document_not_read")
    previous_trust = document.trust
    repository.set_trust(space, document, limit_trust(space, trust, document.source_kind))
    return previous_trust


def retry_document_in_new_job(space: SpaceSession, document_id: DocumentId) -> Job:
    """Queue a failed document, or its quarantined chunks, again in a new job. Raises NotFound, Conflict."""
    get_document(space, document_id)
    job = queue.enqueue(space, IngestDocuments())
    if not repository.assign_documents_to_retry_job_and_count(space, JobId(job.id), document_id, limit=1):
        raise Conflict(
            "Only a document that failed or has quarantined chunks can be tried again.",
            code="document_not_failed",
        )
    audit.record(space, "document.retry", target=document_id)
    return job


class RetriedDocuments(NamedTuple):
    """The job that reads documents again, and their number."""

    job: Job
    document_count: int


def retry_failed_documents_in_new_job(space: SpaceSession) -> RetriedDocuments:
    """Queue failed documents, and quarantined chunks of others, again in one job, oldest documents first.

    Return the job and the number of documents. Raises Conflict if there are none.
    """
    job = queue.enqueue(space, IngestDocuments())
    count = repository.assign_documents_to_retry_job_and_count(
        space, JobId(job.id), None, limit=RETRIED_DOCUMENTS.maximum
    )
    if not count:
        raise Conflict("No document failed or has quarantined chunks.", code="document_not_failed")
    audit.record(space, "document.retry", target=job.id, details={"documents": count})
    return RetriedDocuments(job, count)


def read_document_text(space: SpaceSession, document_id: DocumentId) -> str:
    """Return the plain text that character ranges refer to. Raises NotFound, also before it is read."""
    text = repository.read_document_text(space, document_id)
    if text is None:
        raise NotFound("document")
    return text


def read_text_window(space: SpaceSession, document_id: DocumentId, *, start: int, length: int) -> TextWindow:
    """Return a part of the document's text with its chunks: `length` characters, or fewer if chunks are many.

    Raises NotFound for an unknown document, Conflict `document_not_read` if it has no text yet.
    """
    get_document(space, document_id)
    text_part = repository.read_text_part_and_length(space, document_id, start=start, end=start + length)
    if text_part is None:
        raise Conflict("This document has not been read: it has no text yet.", code="document_not_read")
    window_text, text_length = text_part
    end = start + len(window_text)
    chunks = repository.list_chunk_ranges_overlapping(
        space, document_id, start=start, end=end, limit=TEXT_PART_CHUNKS.maximum + 1
    )
    if len(chunks) > TEXT_PART_CHUNKS.maximum:
        # At least one character, so that a caller that continues makes progress.
        end = max(start + 1, chunks[TEXT_PART_CHUNKS.maximum].char_start)
        chunks = chunks[: TEXT_PART_CHUNKS.maximum]
    return TextWindow(window_text[: end - start], start, end, text_length, tuple(chunks))


def list_chunks(
    space: SpaceSession, document_id: DocumentId, *, after: int | None = None, limit: int = 100
) -> Sequence[KnowledgeChunk]:
    """Return the document's chunks in order, after the ordinal `after`. Raises NotFound."""
    get_document(space, document_id)
    return repository.list_chunks(space, document_id, after=after, limit=limit)


def list_chunks_without_texts(space: SpaceSession, document_id: DocumentId) -> list[StoredChunk]:
    """Return all chunks of the document in order, without their texts."""
    return ingest_repository.list_stored_chunks(space, [document_id])


def get_chunk_texts(space: SpaceSession, chunk_ids: Sequence[ChunkId]) -> dict[ChunkId, str]:
    """Return the texts of those of the chunks that exist, by id."""
    return repository.get_chunk_texts(space, chunk_ids) if chunk_ids else {}


def get_chunk(space: SpaceSession, chunk_id: ChunkId) -> KnowledgeChunk:
    """Return the chunk. Raises NotFound."""
    chunk = repository.get_chunk(space, chunk_id)
    if chunk is None:
        raise NotFound("chunk")
    return chunk
