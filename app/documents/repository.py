"""The statements that read and write documents, their bodies and chunks."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import Select, func, literal_column, or_, select, text, update

from app.db.models import Document, DocumentBody, KnowledgeChunk
from app.db.session import SpaceSession
from app.db.sql import Pending
from app.documents.shapes import (
    EVERY_DOCUMENT,
    ChunkRange,
    DocumentFilter,
    JobDocuments,
    MailLocation,
    QuarantinedChunk,
    StoredFile,
)
from app.ids import ChunkId, DocumentId, JobId

# Added beside the state, as a literal, so that a generic plan can use the partial index too.
_IS_NOT_READY = Document.state != literal_column("'ready'")


def lock_submissions(space: SpaceSession) -> None:
    """Block other submissions to this space until the transaction ends.

    Two concurrent submissions of the same content must become one document (fault 12).
    """
    space.orm.execute(
        text("SELECT pg_advisory_xact_lock(hashtextextended(:space, 0))"), {"space": str(space.space_id)}
    )


def find_documents_by_address(space: SpaceSession, source_uris: Sequence[str]) -> dict[str, Document]:
    """Return the space's documents with these addresses, by address."""
    rows = space.orm.scalars(
        select(Document).where(
            Document.knowledge_space_id == space.space_id, Document.source_uri.in_(source_uris)
        )
    )
    return {str(row.source_uri): row for row in rows}


def list_stored_files_below_address(space: SpaceSession, address: str) -> list[StoredFile]:
    """Return the documents whose addresses begin with `address` (for a folder `file:folder/`), in order."""
    rows = space.orm.execute(
        select(
            Document.id,
            Document.source_uri,
            Document.content_hash,
            Document.state,
            Document.failure_code,
            Document.failure_reason,
            Document.job_id,
        )
        .where(
            Document.knowledge_space_id == space.space_id,
            Document.source_uri.startswith(address, autoescape=True),
        )
        .order_by(Document.source_uri)
    )
    return [
        StoredFile(
            DocumentId(row.id),
            str(row.source_uri),
            row.content_hash,
            row.state,
            row.failure_code,
            row.failure_reason,
            None if row.job_id is None else JobId(row.job_id),
        )
        for row in rows
    ]


AddressChange = tuple[str, str]
"""The old and the new address of a document."""


def update_document_addresses(
    space: SpaceSession, old_and_new_addresses: Mapping[DocumentId, AddressChange]
) -> None:
    """Give documents new addresses; `old_and_new_addresses` are (old, new) by document."""
    document_ids = list(old_and_new_addresses)
    space.run("documents.set_temporary_addresses", {"ids": document_ids})
    space.run(
        "documents.move_documents",
        {
            "ids": document_ids,
            "addresses": [address for _, address in old_and_new_addresses.values()],
            "old_names": [
                old_address.rpartition("/")[2] for old_address, _ in old_and_new_addresses.values()
            ],
            "new_names": [address.rpartition("/")[2] for _, address in old_and_new_addresses.values()],
        },
    )
    # The named statements changed rows that the ORM session may have loaded.
    space.orm.expire_all()


def find_documents_by_hash(space: SpaceSession, content_hashes: Sequence[str]) -> dict[str, Document]:
    """Return the oldest document of the space with each of these content hashes, by hash."""
    rows = space.orm.scalars(
        select(Document)
        .where(Document.knowledge_space_id == space.space_id, Document.content_hash.in_(content_hashes))
        .order_by(Document.id.desc())
    )
    return {row.content_hash: row for row in rows}


def find_documents_by_id(space: SpaceSession, document_ids: Sequence[DocumentId]) -> dict[UUID, Document]:
    """Return the space's documents with these ids, by id."""
    rows = space.orm.scalars(
        select(Document).where(Document.knowledge_space_id == space.space_id, Document.id.in_(document_ids))
    )
    return {row.id: row for row in rows}


DocumentWithBytes = tuple[Document, bytes]
"""A row, and the submitted bytes."""


def add_documents(space: SpaceSession, documents: Sequence[DocumentWithBytes]) -> None:
    """Insert new documents with their bytes."""
    space.orm.add_all(document for document, _ in documents)
    space.orm.flush()
    space.orm.add_all(
        DocumentBody(knowledge_space_id=space.space_id, document_id=document.id, raw=file_bytes)
        for document, file_bytes in documents
    )
    space.orm.flush()


def replace_submitted_bytes(space: SpaceSession, document_id: UUID, file_bytes: bytes) -> None:
    """Replace the submitted bytes; the text stays until the new bytes have been read."""
    space.orm.execute(
        update(DocumentBody)
        .where(DocumentBody.knowledge_space_id == space.space_id, DocumentBody.document_id == document_id)
        .values(raw=file_bytes)
    )


def fetch_trust_below_one(
    space: SpaceSession, document_ids: Collection[DocumentId]
) -> Pending[Mapping[DocumentId, float]]:
    """Send the query for the trust in those of the documents with less than 1; `.result()` waits for it."""
    if not document_ids:
        return Pending.completed({})
    pending_rows = space.send("documents.find_less_trusted", {"documents": sorted(document_ids)})
    return pending_rows.then(lambda rows: {DocumentId(row[0]): float(row[1]) for row in rows})


def set_trust(space: SpaceSession, document: Document, trust: float) -> None:
    """Set the trust of a document and flush it, for statements that follow."""
    document.trust = trust
    space.orm.flush()


def get_document(space: SpaceSession, document_id: DocumentId) -> Document | None:
    """Return the space's document with that id, or None."""
    return space.orm.scalar(
        select(Document).where(Document.knowledge_space_id == space.space_id, Document.id == document_id)
    )


def find_mails(space: SpaceSession, message_ids: Collection[str]) -> dict[str, MailLocation]:
    """Return the locations of those of the mails that the space holds, by Message-ID."""
    rows = space.run("documents.find_mails", {"message_ids": sorted(message_ids)})
    return {
        row[0]: MailLocation(
            DocumentId(row[1]), row[2], row[3], None if row[4] is None else ChunkId(row[4]), row[5]
        )
        for row in rows
    }


def list_documents(
    space: SpaceSession,
    document_filter: DocumentFilter = EVERY_DOCUMENT,
    *,
    after: UUID | None = None,
    before: UUID | None = None,
    limit: int = 100,
    uploaded_until: UUID | None = None,
) -> Sequence[Document]:
    """Return matching documents, newest first: those older than `after`, or just newer than `before`.

    With `uploaded_until`, documents beyond that one are not read.
    """
    query = _build_list_query(space, document_filter, after=after, before=before)
    if uploaded_until is not None:
        query = query.where(
            Document.id >= uploaded_until if before is None else Document.id <= uploaded_until
        )
    if document_filter.format is not None:
        query = query.where(Document.format == document_filter.format)
    if document_filter.below:
        query = query.where(Document.source_uri.startswith(document_filter.below, autoescape=True))
    if document_filter.words:
        query = query.where(
            or_(
                Document.title.icontains(document_filter.words, autoescape=True),
                Document.source_uri.icontains(document_filter.words, autoescape=True),
            )
        )
    documents = space.orm.scalars(query.limit(limit)).all()
    return documents[::-1] if before is not None else documents


def find_last_document_within_rows(
    space: SpaceSession,
    document_filter: DocumentFilter,
    *,
    after: UUID | None,
    before: UUID | None,
    max_rows: int,
) -> UUID | None:
    """Return the document at which reading `max_rows` documents would end; None if there are no more."""
    # The planner expects one row in 200 per space (docs/decisions/0006), and would read and sort them all.
    space.prefer_index_order()
    query = _build_list_query(space, document_filter, after=after, before=before).with_only_columns(
        Document.id
    )
    document_ids = space.orm.scalars(query.offset(max_rows - 1).limit(2)).all()
    return document_ids[0] if len(document_ids) == 2 else None


def _build_list_query(
    space: SpaceSession, document_filter: DocumentFilter, *, after: UUID | None, before: UUID | None
) -> Select[Document]:
    """Build the query of a list, with its order and those filters that an index serves."""
    query = select(Document).where(Document.knowledge_space_id == space.space_id)
    if document_filter.state is not None:
        query = query.where(Document.state == document_filter.state)
        if document_filter.state != "ready":
            query = query.where(_IS_NOT_READY)
    if document_filter.job_id is not None:
        query = query.where(Document.job_id == document_filter.job_id)
    if before is not None:
        return query.where(Document.id > before).order_by(Document.id)
    if after is not None:
        query = query.where(Document.id < after)
    return query.order_by(Document.id.desc())


def count_failed_documents(space: SpaceSession, *, bound: int = 1_000) -> int:
    """Return the number of failed documents, counted up to `bound`."""
    failed_documents = (
        select(Document.id)
        .where(Document.knowledge_space_id == space.space_id, Document.state == "failed", _IS_NOT_READY)
        .limit(bound)
    )
    return int(space.orm.scalar(select(func.count()).select_from(failed_documents.subquery())) or 0)


def list_documents_by_job(
    space: SpaceSession, job_ids: Collection[JobId], *, max_titles: int, bound: int
) -> dict[JobId, JobDocuments]:
    """Return the documents of each of these jobs that has any."""
    rows = space.run(
        "documents.list_titles_by_job", {"jobs": list(job_ids), "shown": max_titles, "bound": bound}
    )
    counts_by_job = {JobId(row[0]): (row[1], row[2]) for row in rows}
    return {
        counted_job_id: JobDocuments(
            document_count,
            unread_count,
            tuple(
                (DocumentId(document_id), title)
                for job_id, _, _, document_id, title in rows
                if job_id == counted_job_id
            ),
        )
        for counted_job_id, (document_count, unread_count) in counts_by_job.items()
    }


def assign_documents_to_retry_job_and_count(
    space: SpaceSession, job_id: JobId, document_id: DocumentId | None, *, limit: int
) -> int:
    """Assign to a job one document that failed or has quarantined chunks, or with None the oldest ones.

    Return the number of documents.
    """
    return len(
        space.run("documents.requeue_documents", {"job": job_id, "document": document_id, "limit": limit})
    )


def list_quarantined_chunks(
    space: SpaceSession, document_id: DocumentId, *, limit: int
) -> list[QuarantinedChunk]:
    """Return the document's quarantined chunks in order."""
    rows = space.run("documents.list_quarantined_chunks", {"document": document_id, "limit": limit})
    return [QuarantinedChunk(ChunkId(row[0]), *row[1:]) for row in rows]


def read_document_text(space: SpaceSession, document_id: DocumentId) -> str | None:
    """Return the document's plain text; None until it has been read."""
    return space.orm.scalar(
        select(DocumentBody.text).where(
            DocumentBody.knowledge_space_id == space.space_id, DocumentBody.document_id == document_id
        )
    )


class TextPart(NamedTuple):
    """A part of a document's text, and the length of the whole text."""

    text: str
    text_length: int


def read_text_part_and_length(
    space: SpaceSession, document_id: DocumentId, *, start: int, end: int
) -> TextPart | None:
    """Return characters `start` to `end` of the document's plain text, and its length; None if unread."""
    row = space.orm.execute(
        select(func.substr(DocumentBody.text, start + 1, end - start), func.length(DocumentBody.text)).where(
            DocumentBody.knowledge_space_id == space.space_id,
            DocumentBody.document_id == document_id,
            DocumentBody.text.is_not(None),
        )
    ).one_or_none()
    return None if row is None else TextPart(row[0], row[1])


def list_chunk_ranges_overlapping(
    space: SpaceSession, document_id: DocumentId, *, start: int, end: int, limit: int
) -> list[ChunkRange]:
    """Return the ranges of the document's chunks that overlap this range, in order."""
    chunk = KnowledgeChunk
    rows = space.orm.execute(
        select(chunk.id, chunk.char_start, chunk.char_end)
        .where(
            chunk.knowledge_space_id == space.space_id,
            chunk.document_id == document_id,
            chunk.char_start < end,
            chunk.char_end > start,
        )
        .order_by(chunk.ordinal)
        .limit(limit)
    )
    return [ChunkRange(ChunkId(row[0]), row[1], row[2]) for row in rows]


def list_chunks(
    space: SpaceSession, document_id: DocumentId, *, after: int | None, limit: int
) -> Sequence[KnowledgeChunk]:
    """Return the document's chunks in order, after the ordinal `after`."""
    query = select(KnowledgeChunk).where(
        KnowledgeChunk.knowledge_space_id == space.space_id, KnowledgeChunk.document_id == document_id
    )
    if after is not None:
        query = query.where(KnowledgeChunk.ordinal > after)
    return space.orm.scalars(query.order_by(KnowledgeChunk.ordinal).limit(limit)).all()


def get_chunk(space: SpaceSession, chunk_id: ChunkId) -> KnowledgeChunk | None:
    """Return the space's chunk with that id, or None."""
    return space.orm.scalar(
        select(KnowledgeChunk).where(
            KnowledgeChunk.knowledge_space_id == space.space_id, KnowledgeChunk.id == chunk_id
        )
    )


def get_chunk_texts(space: SpaceSession, chunk_ids: Sequence[ChunkId]) -> dict[ChunkId, str]:
    """Return the texts of those of the chunks that exist, by id."""
    rows = space.orm.execute(
        select(KnowledgeChunk.id, KnowledgeChunk.text).where(
            KnowledgeChunk.knowledge_space_id == space.space_id, KnowledgeChunk.id.in_(chunk_ids)
        )
    )
    return {ChunkId(row.id): row.text for row in rows}


def select_hashes_of_extracted_chunks(space: SpaceSession, chunk_hashes: Sequence[str]) -> set[str]:
    """Return those of the chunk hashes whose text was completely read in this space."""
    rows = space.orm.scalars(
        select(KnowledgeChunk.content_hash).where(
            KnowledgeChunk.knowledge_space_id == space.space_id,
            KnowledgeChunk.content_hash.in_(chunk_hashes),
            KnowledgeChunk.extracted_by.is_not(None),
        )
    )
    return set(rows)
