"""Submit documents: detect new, changed and unchanged ones, and create the job that reads them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self
from uuid import UUID

from app.db.models import Document, Job
from app.db.session import SpaceSession
from app.documents import repository
from app.documents.hashing import hash_content
from app.documents.shapes import (
    Submission,
    SubmissionOutcome,
)
from app.errors import Conflict, NotFound
from app.ids import create_id
from app.jobs import queue
from app.jobs.kinds import IngestDocuments
from app.tenancy.audit import service as audit
from app.tenancy.audit.origin import get_current_origin
from app.tenancy.tenants import quotas
from app.tenancy.tenants import service as tenants


@dataclass(frozen=True)
class SubmittedDocument:
    """The document of one submission, and its outcome."""

    document: Document
    outcome: SubmissionOutcome


class SubmittedDocuments(NamedTuple):
    """The documents of a submission, in order, and the job that reads them; None if all are unchanged."""

    documents: list[SubmittedDocument]
    job: Job | None


def submit_documents(space: SpaceSession, submissions: Sequence[Submission]) -> SubmittedDocuments:
    """Accept documents: rows and their job in one transaction; the job is None if nothing has to be read.

    Unchanged content is recognised (requirement 2.3): at its address by its hash, and without an address by
    its hash alone. The same content at another address is a separate document, whose chunks are reused. New
    content at a known address replaces the old. Raises QuotaExceeded, and Conflict `less_trusted` if the
    replaced document is trusted more.
    """
    quotas.check_cluster_nodes_answer(space)
    repository.lock_submissions(space)
    stored_documents = _StoredDocuments.look_up(space, submissions)
    content_hashes, document_by_source, document_by_hash = (
        stored_documents.content_hashes,
        stored_documents.by_source,
        stored_documents.by_hash,
    )
    submitted_documents: list[SubmittedDocument] = []
    added_documents: dict[UUID, tuple[Document, bytes]] = {}
    waiting_documents: list[Document] = []
    added_bytes = 0
    for submission, digest in zip(submissions, content_hashes, strict=True):
        replaced_document, same_document = stored_documents.find_concerned(submission, digest)
        stored_documents.refuse_replacement_with_content_of_other_document(submission, digest)
        if (
            same_document is not None
            and same_document.content_hash == digest
            and same_document.state != "failed"
        ):
            submitted_documents.append(SubmittedDocument(same_document, SubmissionOutcome.UNCHANGED))
            continue
        document = replaced_document or (
            same_document if same_document is not None and same_document.content_hash == digest else None
        )
        trust = limit_trust(space, submission.trust, submission.source_kind.value)
        _refuse_replacing_more_trusted(document, trust)
        if document is None:
            document = Document(id=create_id(), knowledge_space_id=space.space_id, version=1)
            added_documents[document.id] = (document, submission.raw)
            outcome = SubmissionOutcome.CREATED
        elif document.id in added_documents:
            # The same address twice in one request: the later content wins.
            added_documents[document.id] = (document, submission.raw)
            outcome = SubmissionOutcome.REPLACED
        else:
            repository.replace_submitted_bytes(space, document.id, submission.raw)
            document.version += 1
            outcome = SubmissionOutcome.REPLACED
        added_bytes += len(submission.raw) - (document.byte_size or 0)
        _copy_submission_to_row(document, submission, digest, trust=trust)
        document_by_hash[digest] = document
        if submission.source_uri:
            document_by_source[submission.source_uri] = document
        waiting_documents.append(document)
        submitted_documents.append(SubmittedDocument(document, outcome))
    if not waiting_documents:
        return SubmittedDocuments(submitted_documents, None)
    quota_usage = quotas.lock_and_check_submission_quotas(
        space, added_documents=len(added_documents), added_bytes=added_bytes
    )
    job = queue.enqueue(space, IngestDocuments())
    for document in waiting_documents:
        document.job_id = job.id
    repository.add_documents(space, list(added_documents.values()))
    tenants.add_to_daily_usage(
        space,
        space_id=space.space_id,
        documents=len(waiting_documents),
        bytes=sum(queued_document.byte_size for queued_document in waiting_documents),
    )
    quotas.compact_size_rows_if_many(space, quota_usage)
    audit.record(
        space,
        "document.accept",
        target=job.id,
        other_targets=[queued_document.id for queued_document in waiting_documents],
        details={
            "created": len(added_documents),
            "replaced": len({queued_document.id for queued_document in waiting_documents})
            - len(added_documents),
            "unchanged": sum(
                submitted_document.outcome is SubmissionOutcome.UNCHANGED
                for submitted_document in submitted_documents
            ),
            "bytes": sum(queued_document.byte_size for queued_document in waiting_documents),
        },
    )
    return SubmittedDocuments(submitted_documents, job)


class _ConcernedDocuments(NamedTuple):
    """The stored document that a submission replaces, and the one that may have the same content."""

    replaced: Document | None
    same_content: Document | None


@dataclass(frozen=True)
class _StoredDocuments:
    """The space's documents with the addresses or contents of some submissions."""

    content_hashes: list[str]
    by_source: dict[str, Document]
    by_hash: dict[str, Document]
    by_id: dict[UUID, Document]

    @classmethod
    def look_up(cls, space: SpaceSession, submissions: Sequence[Submission]) -> Self:
        """Look up the documents for all submissions at once."""
        content_hashes = [hash_content(submission.raw, submission.format) for submission in submissions]
        addresses = [submission.source_uri for submission in submissions if submission.source_uri]
        replaced_ids = [submission.replaces for submission in submissions if submission.replaces is not None]
        return cls(
            content_hashes,
            repository.find_documents_by_address(space, addresses),
            repository.find_documents_by_hash(space, content_hashes),
            repository.find_documents_by_id(space, replaced_ids) if replaced_ids else {},
        )

    def find_concerned(self, submission: Submission, digest: str) -> _ConcernedDocuments:
        """Return the stored documents that the submission concerns. Raises NotFound."""
        if submission.replaces is not None:
            replaced_document = self.by_id.get(submission.replaces)
            if replaced_document is None:
                raise NotFound("document")
            return _ConcernedDocuments(replaced_document, replaced_document)
        if submission.source_uri:
            stored_document = self.by_source.get(submission.source_uri)
            return _ConcernedDocuments(stored_document, stored_document)
        return _ConcernedDocuments(None, self.by_hash.get(digest))

    def refuse_replacement_with_content_of_other_document(self, submission: Submission, digest: str) -> None:
        """Raise Conflict if another document without an address has the new version's content.

        Without addresses, the same content may exist only once.
        """
        duplicate_document = self.by_hash.get(digest)
        if submission.replaces is None or submission.source_uri or duplicate_document is None:
            return
        if duplicate_document.id != submission.replaces and duplicate_document.source_uri is None:
            raise Conflict("Another document has exactly this content.", code="same_content")


def select_submissions_to_read(space: SpaceSession, submissions: Sequence[Submission]) -> list[Submission]:
    """Return the submissions that would not be recognised as unchanged, without submitting them."""
    stored_documents = _StoredDocuments.look_up(space, submissions)
    unknown_submissions = []
    for submission, digest in zip(submissions, stored_documents.content_hashes, strict=True):
        same_document = stored_documents.find_concerned(submission, digest).same_content
        if same_document is None or same_document.content_hash != digest or same_document.state == "failed":
            unknown_submissions.append(submission)
    return unknown_submissions


def limit_trust(space: SpaceSession, stated_trust: float, source_kind: str) -> float:
    """Return the smallest of the trust stated for the document, of its source kind and of its submitter."""
    settings = space.settings
    return min(stated_trust, settings.source_trust.get(source_kind, 1.0), get_trust_in_current_actor(space))


def get_trust_in_current_actor(space: SpaceSession) -> float:
    """Return the trust that the space's settings give to the current actor, by name or as an uploader; 1 by
    default.
    """
    origin, trust_by_uploader = get_current_origin(), space.settings.uploader_trust
    return min(
        trust_by_uploader.get(origin.actor, 1.0), trust_by_uploader.get(origin.uploader or origin.actor, 1.0)
    )


def _refuse_replacing_more_trusted(replaced_document: Document | None, trust: float) -> None:
    """Raise Conflict if the document to be replaced is trusted more than the submission."""
    if replaced_document is not None and trust < replaced_document.trust:
        raise Conflict(
            "The document that it would replace is trusted more: delete that one first.", code="less_trusted"
        )


def _copy_submission_to_row(document: Document, submission: Submission, digest: str, *, trust: float) -> None:
    document.title = submission.title
    document.trust = trust
    document.uploader = get_current_origin().uploader
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
