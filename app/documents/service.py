"""Rules about documents: what a submission becomes, and reading what is there."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Self
from uuid import UUID

from app.db.changes import Change
from app.db.models import Document, Job, KnowledgeChunk
from app.db.session import SpaceSession
from app.documents import intake_repository, repository
from app.documents.hashing import hash_content
from app.documents.repository import count_failed, find_known_hashes, list_documents, list_files_below
from app.documents.shapes import (
    DocumentFilter,
    JobDocuments,
    QuarantinedChunk,
    StoredChunk,
    Submission,
    SubmissionOutcome,
    TextWindow,
)
from app.errors import Conflict, InvalidInput, NotFound
from app.ids import ChunkId, DocumentId, JobId, new_id
from app.jobs import queue
from app.jobs.kinds import IngestDocuments
from app.limits import QUARANTINED_SHOWN, RETRIED_DOCUMENTS, TEXT_PART_CHUNKS
from app.space_settings import LEAST_TRUST
from app.tenancy.audit import service as audit
from app.tenancy.audit.origin import current_origin
from app.tenancy.tenants import quotas
from app.tenancy.tenants import service as tenants

__all__ = ["count_failed", "find_known_hashes", "list_documents", "list_files_below"]


SEARCHED = 20_000
"""Documents that one search by words looks at, in hundredths of a second; then it says where to go on."""

SEARCHED_FIRST = 1_000
"""Of these the newest that it looks at first: a word that many documents have needs no more."""


@dataclass(frozen=True)
class Submitted:
    """One submission's document and what became of it."""

    document: Document
    outcome: SubmissionOutcome


@dataclass(frozen=True)
class DocumentPage:
    """Documents that a search found; `reached` is the last that it looked at, None where it saw them all."""

    documents: Sequence[Document]
    reached: UUID | None


def submit_documents(
    space: SpaceSession, submissions: Sequence[Submission]
) -> tuple[list[Submitted], Job | None]:
    """Accept documents: rows and their job in one transaction; None where nothing is left to do.

    The same content again is recognised (requirement 2.3): at its address by its hash, and without an
    address by its hash alone. At another address it is a document of its own, read for nothing; each goes
    without the other. New content at a known address replaces what stood there. Raises QuotaExceeded, and
    Conflict `less_trusted` where what would be replaced is trusted more.
    """
    repository.lock_submissions(space)
    stored_documents = _StoredDocuments.look_up(space, submissions)
    hashes, by_source, by_hash = stored_documents.hashes, stored_documents.by_source, stored_documents.by_hash
    results: list[Submitted] = []
    added_documents: dict[UUID, tuple[Document, bytes]] = {}
    waiting_documents: list[Document] = []
    more_bytes = 0
    for submission, digest in zip(submissions, hashes, strict=True):
        replaced, same_document = stored_documents.find(submission, digest)
        stored_documents.check_version(submission, digest)
        if (
            same_document is not None
            and same_document.content_hash == digest
            and same_document.state != "failed"
        ):
            results.append(Submitted(same_document, SubmissionOutcome.UNCHANGED))
            continue
        document = replaced or (
            same_document if same_document is not None and same_document.content_hash == digest else None
        )
        trust = _compute_trust(space, submission.trust, submission.source_kind.value)
        _check_trust(document, trust)
        if document is None:
            document = Document(id=new_id(), knowledge_space_id=space.space_id, version=1)
            added_documents[document.id] = (document, submission.raw)
            outcome = SubmissionOutcome.CREATED
        elif document.id in added_documents:
            # The same address twice in one submission: the later content is what counts.
            added_documents[document.id] = (document, submission.raw)
            outcome = SubmissionOutcome.REPLACED
        else:
            repository.set_raw(space, document.id, submission.raw)
            document.version += 1
            outcome = SubmissionOutcome.REPLACED
        more_bytes += len(submission.raw) - (document.byte_size or 0)
        _copy_description(document, submission, digest, trust=trust)
        by_hash[digest] = document
        if submission.source_uri:
            by_source[submission.source_uri] = document
        waiting_documents.append(document)
        results.append(Submitted(document, outcome))
    if not waiting_documents:
        return results, None
    holding = quotas.check_submission(space, documents=len(added_documents), more_bytes=more_bytes)
    job = queue.enqueue(space, IngestDocuments())
    for document in waiting_documents:
        document.job_id = job.id
    repository.add_documents(space, list(added_documents.values()))
    tenants.count_usage(
        space,
        space_id=space.space_id,
        documents=len(waiting_documents),
        bytes=sum(queued.byte_size for queued in waiting_documents),
    )
    quotas.fold_size_rows(space, holding)
    audit.record(
        space,
        "document.accept",
        target=job.id,
        others=[queued.id for queued in waiting_documents],
        details={
            "created": len(added_documents),
            "replaced": len({queued.id for queued in waiting_documents}) - len(added_documents),
            "unchanged": sum(result.outcome is SubmissionOutcome.UNCHANGED for result in results),
            "bytes": sum(queued.byte_size for queued in waiting_documents),
        },
    )
    return results, job


@dataclass(frozen=True)
class _StoredDocuments:
    """The documents that the space already has at some submissions' addresses or with their contents."""

    hashes: list[str]
    by_source: dict[str, Document]
    by_hash: dict[str, Document]
    by_id: dict[UUID, Document]

    @classmethod
    def look_up(cls, space: SpaceSession, submissions: Sequence[Submission]) -> Self:
        """Looked up for all of them at once."""
        hashes = [hash_content(submission.raw, submission.format) for submission in submissions]
        addresses = [submission.source_uri for submission in submissions if submission.source_uri]
        replaced = [submission.replaces for submission in submissions if submission.replaces is not None]
        return cls(
            hashes,
            repository.find_by_source(space, addresses),
            repository.find_by_hash(space, hashes),
            repository.find_by_id(space, replaced) if replaced else {},
        )

    def find(self, submission: Submission, digest: str) -> tuple[Document | None, Document | None]:
        """The document that it replaces, and the one that may have its content already. Raises NotFound."""
        if submission.replaces is not None:
            named = self.by_id.get(submission.replaces)
            if named is None:
                raise NotFound("document")
            return named, named
        if submission.source_uri:
            stored = self.by_source.get(submission.source_uri)
            return stored, stored
        return None, self.by_hash.get(digest)

    def check_version(self, submission: Submission, digest: str) -> None:
        """Raise Conflict for a new version that another document without an address has as its content:
        content without an address is a document once.
        """
        same_content = self.by_hash.get(digest)
        if submission.replaces is None or submission.source_uri or same_content is None:
            return
        if same_content.id != submission.replaces and same_content.source_uri is None:
            raise Conflict("Another document has exactly this content.", code="same_content")


def filter_changed(space: SpaceSession, submissions: Sequence[Submission]) -> list[Submission]:
    """Those submissions that would not be recognised as unchanged. Changes nothing."""
    stored_documents = _StoredDocuments.look_up(space, submissions)
    unknown = []
    for submission, digest in zip(submissions, stored_documents.hashes, strict=True):
        _, same_document = stored_documents.find(submission, digest)
        if same_document is None or same_document.content_hash != digest or same_document.state == "failed":
            unknown.append(submission)
    return unknown


def _compute_trust(space: SpaceSession, stated_trust: float, source_kind: str) -> float:
    """The least of what is said of the document, of its kind of source and of who says so."""
    settings = space.settings
    return min(stated_trust, settings.source_trust.get(source_kind, 1.0), _get_uploader_trust(space))


def _get_uploader_trust(space: SpaceSession) -> float:
    return space.settings.uploader_trust.get(current_origin().actor, 1.0)


def _check_trust(replaced: Document | None, trust: float) -> None:
    """Raise Conflict where what a submission replaces is trusted more than it."""
    if replaced is not None and trust < replaced.trust:
        raise Conflict(
            "The document that it would replace is trusted more: delete that one first.", code="less_trusted"
        )


def _copy_description(document: Document, submission: Submission, digest: str, *, trust: float) -> None:
    document.title = submission.title
    document.trust = trust
    document.source_kind = submission.source_kind.value
    document.source_uri = submission.source_uri
    document.format = submission.format
    document.language = submission.language
    document.meta = dict(submission.metadata)
    document.content_hash = digest
    document.byte_size = len(submission.raw)
    document.state = "queued"
    document.failure_code = None
    document.failure_reason = None
    document.crash_count = 0
    document.quarantined_chunks = 0


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
    if _get_uploader_trust(space) < document.trust:
        raise Conflict("The document is trusted more than who would change that.", code="less_trusted")
    if document.state in ("queued", "processing"):
        raise Conflict("This document is yet to be read: wait for its job.", code="document_not_read")
    before = document.trust
    repository.set_trust(space, document, _compute_trust(space, trust, document.source_kind))
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
    return intake_repository.list_stored_chunks(space, [document_id])


def get_texts(space: SpaceSession, chunk_ids: Sequence[ChunkId]) -> dict[ChunkId, str]:
    """The texts of those of these chunks that the space has."""
    return repository.get_texts(space, chunk_ids) if chunk_ids else {}


def get_chunk(space: SpaceSession, chunk_id: ChunkId) -> KnowledgeChunk:
    """The chunk. Raises NotFound."""
    chunk = repository.get_chunk(space, chunk_id)
    if chunk is None:
        raise NotFound("chunk")
    return chunk
