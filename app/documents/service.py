"""Rules about documents: addresses, trust, retries, and reading what is there."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from app.db.changes import Change
from app.db.models import Document, Job, KnowledgeChunk
from app.db.session import SpaceSession
from app.documents import ingest_repository, repository
from app.documents.repository import count_failed, find_known_hashes, list_documents, list_files_below
from app.documents.shapes import (
    DocumentFilter,
    JobDocuments,
    QuarantinedChunk,
    StoredChunk,
    TextWindow,
)
from app.documents.submission import (
    Submitted,
    compute_trust,
    filter_changed,
    get_uploader_trust,
    submit_documents,
)
from app.errors import Conflict, InvalidInput, NotFound
from app.ids import ChunkId, DocumentId, JobId
from app.jobs import queue
from app.jobs.kinds import IngestDocuments
from app.limits import QUARANTINED_SHOWN, RETRIED_DOCUMENTS, TEXT_PART_CHUNKS
from app.space_settings import LEAST_TRUST
from app.tenancy.audit import service as audit

__all__ = [
    "Submitted",
    "count_failed",
    "filter_changed",
    "find_known_hashes",
    "list_documents",
    "list_files_below",
    "submit_documents",
]


SEARCHED = 20_000
"""Documents that one search by words looks at, in hundredths of a second; then it says where to go on."""

SEARCHED_FIRST = 1_000
"""Of these the newest that it looks at first: a word that many documents have needs no more."""


@dataclass(frozen=True)
class DocumentPage:
    """Documents that a search found; `reached` is the last that it looked at, None where it saw them all."""

    documents: Sequence[Document]
    reached: UUID | None


def get_document(space: SpaceSession, document_id: DocumentId) -> Document:
    """The document. Raises NotFound."""
    document = repository.get_document(space, document_id)
    if document is None:
        raise NotFound("document")
    return document


def list_quarantined_chunks(space: SpaceSession, document: Document) -> Sequence[QuarantinedChunk]:
    """The first hundred of the document's chunks of which no graph could be drawn, in order."""
    if not document.quarantined_chunks:
        return ()
    return repository.list_quarantined_chunks(space, DocumentId(document.id), limit=QUARANTINED_SHOWN.most)


def search_documents(
    space: SpaceSession,
    document_filter: DocumentFilter,
    *,
    after: UUID | None = None,
    before: UUID | None = None,
    limit: int = 100,
    within: int = SEARCHED,
) -> DocumentPage:
    """The same by looking at a bounded number of documents, and where to go on: words have no index."""
    if not document_filter.words:
        return DocumentPage(
            list_documents(space, document_filter, after=after, before=before, limit=limit), None
        )
    documents: list[Document] = []
    last_id = None
    for part in (min(SEARCHED_FIRST, within), within - SEARCHED_FIRST):
        if part <= 0:
            break
        last_id = repository.find_last_within(space, document_filter, after=after, before=before, within=part)
        page = repository.list_documents(
            space, document_filter, after=after, before=before, limit=limit - len(documents), until=last_id
        )
        documents = [*page, *documents] if before else [*documents, *page]
        if len(documents) == limit:
            return DocumentPage(documents, None)
        if last_id is None:
            break
        after, before = (None, last_id) if before else (last_id, None)
    return DocumentPage(documents, last_id)


def list_documents_by_job(
    space: SpaceSession, job_ids: Collection[JobId], *, most_titles: int = 2, bound: int = 1_000
) -> Mapping[JobId, JobDocuments]:
    """The documents that each of these jobs takes in: how many, counted up to `bound`, and the first."""
    return (
        repository.list_titles_by_job(space, job_ids, most_titles=most_titles, bound=bound) if job_ids else {}
    )


def move_documents(space: SpaceSession, addresses: Mapping[DocumentId, str]) -> None:
    """Give documents new addresses, which may be such as others of them leave. Nothing is read again; a title
    that was the name of the file becomes the new name.

    Raises NotFound for a document that is not there, Conflict for an address that another document keeps.
    """
    repository.lock_submissions(space)
    by_id = repository.find_by_id(space, list(addresses))
    if len(by_id) < len(addresses):
        raise NotFound("document")
    by_source = repository.find_by_source(space, list(addresses.values()))
    if any(document.id not in by_id for document in by_source.values()):
        raise Conflict("Another document has this address.", code="same_address")
    if not addresses:
        return
    repository.move_documents(
        space, {id: (by_id[id].source_uri or "", address) for id, address in addresses.items()}
    )
    space.mark_change(Change.GRAPH)
    audit.record(space, "document.move", others=list(addresses), details={"documents": len(addresses)})


def change_trust(space: SpaceSession, document_id: DocumentId, trust: float) -> float:
    """Trust a document so far from now on, bounded as when it was handed in; the trust that it had.

    Only the document's own row: see `ingest.service.change_trust`. Raises NotFound, InvalidInput for what is
    no trust, and Conflict `less_trusted` for who is trusted less than the document, `document_not_read` while
    it waits or is being read.
    """
    if not LEAST_TRUST <= trust <= 1:
        raise InvalidInput(f"Trust is a number from {LEAST_TRUST} to 1.", code="bad_trust")
    document = get_document(space, document_id)
    if get_uploader_trust(space) < document.trust:
        raise Conflict("The document is trusted more than who would change that.", code="less_trusted")
    if document.state in ("queued", "processing"):
        raise Conflict("This document is yet to be read: wait for its job.", code="document_not_read")
    before = document.trust
    repository.set_trust(space, document, compute_trust(space, trust, document.source_kind))
    return before


def retry_document(space: SpaceSession, document_id: DocumentId) -> Job:
    """Queue a document once more that could not be taken in, or its quarantined chunks, in a job of its own.

    Raises NotFound, Conflict.
    """
    get_document(space, document_id)
    job = queue.enqueue(space, IngestDocuments())
    if not repository.requeue_documents(space, JobId(job.id), document_id, limit=1):
        raise Conflict(
            "Only a document that failed or has quarantined chunks can be tried again.",
            code="document_not_failed",
        )
    audit.record(space, "document.retry", target=document_id)
    return job


def retry_failed(space: SpaceSession) -> tuple[Job, int]:
    """Queue what could not be read once more, in one job: failed documents, and of the others their
    quarantined chunks, the oldest documents first. Returns the job, and of how many documents.

    Raises Conflict where there are none.
    """
    job = queue.enqueue(space, IngestDocuments())
    count = repository.requeue_documents(space, JobId(job.id), None, limit=RETRIED_DOCUMENTS.most)
    if not count:
        raise Conflict("No document failed or has quarantined chunks.", code="document_not_failed")
    audit.record(space, "document.retry", target=job.id, details={"documents": count})
    return job, count


def read_text(space: SpaceSession, document_id: DocumentId) -> str:
    """The plain text that every character range points into. Raises NotFound, also before it was read."""
    text = repository.read_text(space, document_id)
    if text is None:
        raise NotFound("document")
    return text


def read_window(space: SpaceSession, document_id: DocumentId, *, start: int, length: int) -> TextWindow:
    """A part of the document's text with its chunks: so many characters, or fewer where chunks are many.

    Raises NotFound for an unknown document, Conflict `document_not_read` for one without text yet.
    """
    get_document(space, document_id)
    part_and_length = repository.read_part(space, document_id, start=start, end=start + length)
    if part_and_length is None:
        raise Conflict("This document has not been read: it has no text yet.", code="document_not_read")
    part, total = part_and_length
    end = start + len(part)
    chunks = repository.list_chunks_between(
        space, document_id, start=start, end=end, limit=TEXT_PART_CHUNKS.most + 1
    )
    if len(chunks) > TEXT_PART_CHUNKS.most:
        # At least one character, so that whoever goes on comes to an end.
        end = max(start + 1, chunks[TEXT_PART_CHUNKS.most][1])
        chunks = chunks[: TEXT_PART_CHUNKS.most]
    return TextWindow(part[: end - start], start, end, total, tuple(chunks))


def list_chunks(
    space: SpaceSession, document_id: DocumentId, *, after: int | None = None, limit: int = 100
) -> Sequence[KnowledgeChunk]:
    """The document's chunks in order, after the ordinal given. Raises NotFound for an unknown document."""
    get_document(space, document_id)
    return repository.list_chunks(space, document_id, after=after, limit=limit)


def list_stored_chunks(space: SpaceSession, document_id: DocumentId) -> list[StoredChunk]:
    """Every chunk of the document in order, without its text."""
    return ingest_repository.list_stored_chunks(space, [document_id])


def get_texts(space: SpaceSession, chunk_ids: Sequence[ChunkId]) -> dict[ChunkId, str]:
    """The texts of those of these chunks that the space has."""
    return repository.get_texts(space, chunk_ids) if chunk_ids else {}


def get_chunk(space: SpaceSession, chunk_id: ChunkId) -> KnowledgeChunk:
    """The chunk. Raises NotFound."""
    chunk = repository.get_chunk(space, chunk_id)
    if chunk is None:
        raise NotFound("chunk")
    return chunk
