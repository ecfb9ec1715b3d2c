"""Rules about documents: what a submission becomes, and reading what is there."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self
from uuid import UUID

from app.audit import service as audit
from app.db.models import Document, Job, KnowledgeChunk
from app.db.session import SpaceSession
from app.documents import repository
from app.documents.hashing import content_hash
from app.documents.shapes import Outcome, Submission
from app.errors import NotFound
from app.ids import ChunkId, DocumentId, new_id
from app.jobs import queue
from app.jobs.kinds import IngestDocuments
from app.tenants import quotas
from app.tenants import service as tenants


@dataclass(frozen=True)
class Submitted:
    """One submission's document and what became of it."""

    document: Document
    outcome: Outcome


def submit(space: SpaceSession, submissions: Sequence[Submission]) -> tuple[list[Submitted], Job | None]:
    """Accept documents: rows and their job in one transaction; None where nothing is left to do.

    The same content again is recognised (requirement 2.3): at its address by its hash, and without an
    address by its hash alone. At another address it is a document of its own, read for nothing; each goes
    without the other. New content at a known address replaces what stood there. Raises QuotaExceeded.
    """
    repository.lock_submissions(space)
    standing_here = _StoredDocuments.of(space, submissions)
    hashes, by_source, by_hash = standing_here.hashes, standing_here.by_source, standing_here.by_hash
    results: list[Submitted] = []
    added: dict[UUID, tuple[Document, bytes]] = {}
    waiting: list[Document] = []
    more_bytes = 0
    for submission, digest in zip(submissions, hashes, strict=True):
        standing, same = standing_here.find(submission, digest)
        if same is not None and same.content_hash == digest and same.state != "failed":
            results.append(Submitted(same, Outcome.UNCHANGED))
            continue
        document = standing or (same if same is not None and same.content_hash == digest else None)
        if document is None:
            document = Document(id=new_id(), knowledge_space_id=space.space_id, version=1)
            added[document.id] = (document, submission.raw)
            outcome = Outcome.CREATED
        elif document.id in added:
            # The same address twice in one submission: the later content is what counts.
            added[document.id] = (document, submission.raw)
            outcome = Outcome.REPLACED
        else:
            repository.set_raw(space, document.id, submission.raw)
            document.version += 1
            outcome = Outcome.REPLACED
        more_bytes += len(submission.raw) - (document.byte_size or 0)
        _describe(document, submission, digest)
        by_hash[digest] = document
        if submission.source_uri:
            by_source[submission.source_uri] = document
        waiting.append(document)
        results.append(Submitted(document, outcome))
    if not waiting:
        return results, None
    held = quotas.check_submission(space, documents=len(added), more_bytes=more_bytes)
    job = queue.enqueue(space, IngestDocuments())
    for document in waiting:
        document.job_id = job.id
    repository.add(space, list(added.values()))
    tenants.count_usage(
        space, space_id=space.space_id, documents=len(waiting), bytes=sum(each.byte_size for each in waiting)
    )
    quotas.tidy(space, held)
    audit.record(
        space,
        "document.accept",
        target=job.id,
        others=[each.id for each in waiting],
        details={
            "created": len(added),
            "replaced": len({each.id for each in waiting}) - len(added),
            "unchanged": sum(each.outcome is Outcome.UNCHANGED for each in results),
            "bytes": sum(each.byte_size for each in waiting),
        },
    )
    return results, job


@dataclass(frozen=True)
class _StoredDocuments:
    """The documents that the space already has at some submissions' addresses or with their contents."""

    hashes: list[str]
    by_source: dict[str, Document]
    by_hash: dict[str, Document]

    @classmethod
    def of(cls, space: SpaceSession, submissions: Sequence[Submission]) -> Self:
        """Looked up for all of them at once."""
        hashes = [content_hash(each.raw, each.format.value) for each in submissions]
        addresses = [each.source_uri for each in submissions if each.source_uri]
        return cls(
            hashes, repository.find_by_source(space, addresses), repository.find_by_hash(space, hashes)
        )

    def find(self, submission: Submission, digest: str) -> tuple[Document | None, Document | None]:
        """The document at the submission's address, and the one that may have its content already."""
        if submission.source_uri:
            standing = self.by_source.get(submission.source_uri)
            return standing, standing
        return None, self.by_hash.get(digest)


def unknown_of(space: SpaceSession, submissions: Sequence[Submission]) -> list[Submission]:
    """Those submissions that would not be recognised as unchanged. Changes nothing."""
    here = _StoredDocuments.of(space, submissions)
    unknown = []
    for submission, digest in zip(submissions, here.hashes, strict=True):
        _, same = here.find(submission, digest)
        if same is None or same.content_hash != digest or same.state == "failed":
            unknown.append(submission)
    return unknown


def known_chunks(space: SpaceSession, hashes: Sequence[str]) -> set[str]:
    """Those of these chunk hashes whose text the space has read to the end already."""
    return repository.known_chunks(space, hashes)


def _describe(document: Document, submission: Submission, digest: str) -> None:
    document.title = submission.title
    document.source_kind = submission.source_kind.value
    document.source_uri = submission.source_uri
    document.format = submission.format.value
    document.language = submission.language
    document.meta = dict(submission.metadata)
    document.content_hash = digest
    document.byte_size = len(submission.raw)
    document.state = "queued"
    document.failure_code = None
    document.failure_reason = None
    document.crash_count = 0


def get_document(space: SpaceSession, document_id: DocumentId) -> Document:
    """The document. Raises NotFound."""
    document = repository.get(space, document_id)
    if document is None:
        raise NotFound("document")
    return document


def list_documents(
    space: SpaceSession, *, state: str | None = None, after: UUID | None = None, limit: int = 100
) -> Sequence[Document]:
    """The space's documents, newest first, older than `after`."""
    return repository.list_(space, state=state, after=after, limit=limit)


def read_text(space: SpaceSession, document_id: DocumentId) -> str:
    """The plain text that every character range points into. Raises NotFound, also before it was read."""
    text = repository.read_text(space, document_id)
    if text is None:
        raise NotFound("document")
    return text


def list_chunks(
    space: SpaceSession, document_id: DocumentId, *, after: int | None = None, limit: int = 100
) -> Sequence[KnowledgeChunk]:
    """The document's chunks in order, after the ordinal given. Raises NotFound for an unknown document."""
    get_document(space, document_id)
    return repository.list_chunks(space, document_id, after=after, limit=limit)


def get_chunk(space: SpaceSession, chunk_id: ChunkId) -> KnowledgeChunk:
    """The chunk. Raises NotFound."""
    chunk = repository.get_chunk(space, chunk_id)
    if chunk is None:
        raise NotFound("chunk")
    return chunk
