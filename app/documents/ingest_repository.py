"""Writes of an ingest: a job's documents, their texts and chunks, and the removal of chunks."""

import json
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from sqlalchemy import delete, func, select

from app.db.arrays import RowVector
from app.db.models import Document, KnowledgeChunk
from app.db.session import SpaceSession
from app.documents.shapes import (
    ChunkDraft,
    DocumentText,
    MailIds,
    NewChunk,
    PendingDocument,
    RawDocument,
    RequeueCounts,
    StoredChunk,
)
from app.ids import ChunkId, DocumentId, JobId

WORD_SAMPLE_CHUNKS = 2_000
"""Number of chunks in which words are counted: a word in one of 200 chunks occurs in about ten of them."""


def delete_document_if_exists(space: SpaceSession, document_id: DocumentId) -> bool:
    """Delete the document with its body, chunks and mentions; return False if there is none."""
    query = delete(Document).where(Document.knowledge_space_id == space.space_id, Document.id == document_id)
    return space.orm.execute(query.returning(Document.id)).first() is not None


def list_chunk_ids_of_document(space: SpaceSession, document_id: DocumentId) -> list[ChunkId]:
    """Return the ids of the document's chunks."""
    rows = space.orm.scalars(
        select(KnowledgeChunk.id).where(
            KnowledgeChunk.knowledge_space_id == space.space_id, KnowledgeChunk.document_id == document_id
        )
    )
    return [ChunkId(row) for row in rows]


def list_pending_documents_of_job(space: SpaceSession, job_id: JobId) -> list[PendingDocument]:
    """Return the documents that the job has yet to ingest, in order of submission."""
    rows = space.orm.execute(
        select(Document.id, Document.byte_size, Document.crash_count)
        .where(
            Document.knowledge_space_id == space.space_id,
            Document.job_id == job_id,
            Document.state.in_(("queued", "processing")),
        )
        .order_by(Document.id)
    )
    return [PendingDocument(DocumentId(row.id), row.byte_size, row.crash_count) for row in rows]


def count_job_documents(space: SpaceSession, job_id: JobId) -> int:
    """Return the number of documents of the job."""
    return int(
        space.orm.scalar(
            select(func.count())
            .select_from(Document)
            .where(Document.knowledge_space_id == space.space_id, Document.job_id == job_id)
        )
        or 0
    )


def mark_documents_as_reading_and_get_bytes(
    space: SpaceSession, job_id: JobId, document_ids: Sequence[DocumentId]
) -> list[RawDocument]:
    """Mark the job's documents as being read, and return their bytes in the order of the ids.

    Documents of another job are left out. `crash_count` is incremented, and reset when the reading ends: if
    the worker dies, the count remains.
    """
    rows = space.run("documents.start_reading", {"job": job_id, "ids": list(document_ids)})
    # Rows of an UPDATE come in the order of the heap, which an earlier attempt has changed: of two chunks
    # of one text the first is the evidence, and a retry must find the same one first.
    index_by_id = {document_id: index for index, document_id in enumerate(document_ids)}
    rows.sort(key=lambda row: index_by_id[DocumentId(row[0])])
    return [RawDocument(DocumentId(row[0]), bytes(row[1]), *row[2:]) for row in rows]


def read_raw_documents(space: SpaceSession, document_ids: Sequence[DocumentId]) -> list[RawDocument]:
    """Return the bytes of the given documents that exist, without marking them as being read."""
    rows = space.run("documents.read_sources", {"ids": list(document_ids)})
    return [RawDocument(DocumentId(row[0]), bytes(row[1]), *row[2:]) for row in rows]


def requeue_unfinished_documents(space: SpaceSession, job_id: JobId) -> None:
    """Return the job's unfinished documents to the queue and reset their `crash_count`: no worker died."""
    space.run("documents.requeue_unfinished_documents", {"job": job_id})


def lock_documents_still_owned_by_job(
    space: SpaceSession, job_id: JobId, document_ids: Sequence[DocumentId]
) -> set[DocumentId]:
    """Lock and return the documents that still belong to the job: newer content belongs to a newer job."""
    rows = space.run(
        "documents.lock_documents_still_owned_by_job", {"job": job_id, "ids": list(document_ids)}
    )
    return {DocumentId(row[0]) for row in rows}


def list_stored_chunks(space: SpaceSession, document_ids: Sequence[DocumentId]) -> list[StoredChunk]:
    """Return the chunks that these documents have now, in order."""
    rows = space.run("documents.list_stored_chunks", {"ids": list(document_ids)})
    return [
        StoredChunk(
            ChunkId(row[0]),
            DocumentId(row[1]),
            row[2],
            row[3],
            row[4],
            row[5],
            row[6],
            tuple(row[7]),
            row[8],
            row[9],
            None if row[10] is None and row[11] is None else MailIds(row[10], row[11]),
        )
        for row in rows
    ]


def store_document_texts(space: SpaceSession, document_texts: Sequence[DocumentText]) -> None:
    """Store the texts and properties of parsed documents."""
    space.run(
        "documents.write_texts",
        {
            "ids": [document_text.document_id for document_text in document_texts],
            "texts": [document_text.text for document_text in document_texts],
            "titles": [document_text.title for document_text in document_texts],
            "languages": [document_text.language for document_text in document_texts],
            "encodings": [document_text.encoding for document_text in document_texts],
            "warnings": [json.dumps(list(document_text.warnings)) for document_text in document_texts],
            "message_ids": [document_text.message_id for document_text in document_texts],
            "replies": [document_text.in_reply_to for document_text in document_texts],
        },
    )


def write_chunks(space: SpaceSession, chunks: Sequence[NewChunk]) -> None:
    """Insert new chunks, and their vectors into the space's current set."""
    columns: dict[str, list[Any]] = {
        "ids": [chunk.id for chunk in chunks],
        "document_ids": [chunk.document_id for chunk in chunks],
        "ordinals": [chunk.draft.ordinal for chunk in chunks],
        "texts": [chunk.draft.text for chunk in chunks],
        "starts": [chunk.draft.char_start for chunk in chunks],
        "ends": [chunk.draft.char_end for chunk in chunks],
        # Postgres has no arrays of arrays of different lengths: headings are joined by a separator.
        "headings": ["\x1f".join(chunk.draft.heading_path) for chunk in chunks],
        "tokens": [chunk.draft.token_count for chunk in chunks],
        "hashes": [chunk.content_hash for chunk in chunks],
        "speakers": [chunk.draft.speaker for chunk in chunks],
        "times": [chunk.draft.said_at for chunk in chunks],
        "whole_places": [chunk.draft.place for chunk in chunks],
        "places": [chunk.draft.several_places for chunk in chunks],
        **_build_mail_columns([chunk.draft for chunk in chunks]),
    }
    space.run("documents.write_chunks", columns)
    vectors = [(chunk.id, chunk.embedding) for chunk in chunks if chunk.embedding is not None]
    if vectors:
        store_vectors(space, vectors, vector_set=space.opening_state.vector_set)


def store_vectors(space: SpaceSession, vectors: Sequence[RowVector], *, vector_set: int) -> None:
    """Insert (chunk, vector) pairs into a vector set."""
    space.run(
        "documents.insert_vectors",
        {
            "ids": [chunk_id for chunk_id, _ in vectors],
            "embeddings": [embedding for _, embedding in vectors],
            "into_set": vector_set,
        },
    )


def find_stored_vectors_by_chunk_hash(space: SpaceSession, hashes: Collection[str]) -> dict[str, str]:
    """Return, by hash, the vectors of such chunks in the space's set, in pgvector's text format."""
    return {
        row[0]: row[1]
        for row in space.run("documents.find_stored_vectors_by_chunk_hash", {"hashes": sorted(hashes)})
    }


MovedChunk = tuple[ChunkId, ChunkDraft]
"""An unchanged chunk, and its draft with the new position."""


def update_positions_of_unchanged_chunks(space: SpaceSession, moved_chunks: Sequence[MovedChunk]) -> None:
    """Update the positions of unchanged chunks in the new version of their document."""
    space.run(
        "documents.move_chunks",
        {
            "ids": [chunk_id for chunk_id, _ in moved_chunks],
            "ordinals": [draft.ordinal for _, draft in moved_chunks],
            "starts": [draft.char_start for _, draft in moved_chunks],
            "ends": [draft.char_end for _, draft in moved_chunks],
            "headings": ["\x1f".join(draft.heading_path) for _, draft in moved_chunks],
            "whole_places": [draft.place for _, draft in moved_chunks],
            "places": [draft.several_places for _, draft in moved_chunks],
            **_build_mail_columns([draft for _, draft in moved_chunks]),
        },
    )


def _build_mail_columns(drafts: Sequence[ChunkDraft]) -> dict[str, list[str | None]]:
    mail_ids = [draft.mail_ids or MailIds(None, None) for draft in drafts]
    return {
        "message_ids": [draft_mail_ids.message_id for draft_mail_ids in mail_ids],
        "replies": [draft_mail_ids.in_reply_to for draft_mail_ids in mail_ids],
    }


def lock_chunks_and_clear_word_index(space: SpaceSession, chunk_ids: Sequence[ChunkId]) -> None:
    """Lock the chunks and clear their word index; this comes before all other steps of a removal."""
    space.run("documents.lock_chunks", {"chunks": list(chunk_ids)})
    space.run("documents.remove_common_words_of_chunks", {"chunks": list(chunk_ids)})


def delete_chunks(space: SpaceSession, chunk_ids: Sequence[ChunkId]) -> None:
    """Delete chunks that their documents no longer have; their mentions are deleted with them."""
    space.orm.execute(
        delete(KnowledgeChunk).where(
            KnowledgeChunk.knowledge_space_id == space.space_id, KnowledgeChunk.id.in_(chunk_ids)
        )
    )


class DeletedRowCounts(NamedTuple):
    """The numbers of chunks and of documents that were deleted."""

    chunks: int
    documents: int


def delete_chunks_and_empty_documents(space: SpaceSession, chunk_ids: Sequence[ChunkId]) -> DeletedRowCounts:
    """Delete chunks, and finished documents that have none left."""
    document_id_of_each_chunk = [
        row[0] for row in space.run("documents.drop_chunks", {"chunks": list(chunk_ids)})
    ]
    parameters = {"ids": sorted(set(document_id_of_each_chunk))}
    emptied_ids = space.run("documents.drop_emptied", parameters)
    space.run("documents.recount_chunks", parameters)
    return DeletedRowCounts(len(document_id_of_each_chunk), len(emptied_ids))


def reset_crash_counts(space: SpaceSession, job_id: JobId, document_ids: Sequence[DocumentId]) -> None:
    """Reset the crash count of documents in processing, because a part of them was written."""
    space.run("documents.note_progress", {"job": job_id, "ids": list(document_ids)})


def mark_chunks_extracted(space: SpaceSession, chunk_ids: Sequence[ChunkId], *, extractor: str) -> None:
    """Record that these chunks were completely read by that extractor."""
    space.run("documents.mark_extracted", {"ids": list(chunk_ids), "extractor": extractor})


UnreadableChunk = tuple[ChunkId, str, str]
"""A chunk, and the error code and the reason for which it could not be read."""


def quarantine_chunks(space: SpaceSession, failures: Sequence[UnreadableChunk]) -> None:
    """Store (chunk, code, reason) of chunks that could not be read into the graph."""
    space.run(
        "documents.quarantine_chunks",
        {
            "ids": [chunk_id for chunk_id, _, _ in failures],
            "codes": [code for _, code, _ in failures],
            "reasons": [reason for _, _, reason in failures],
        },
    )


def mark_documents_ready(space: SpaceSession, document_ids: Sequence[DocumentId]) -> None:
    """Mark documents as ready, and store their number of chunks."""
    space.run("documents.mark_ready", {"ids": list(document_ids)})


def mark_document_failed(space: SpaceSession, document_id: DocumentId, *, code: str, reason: str) -> None:
    """Mark a document as failed."""
    space.run("documents.mark_failed", {"id": document_id, "code": code, "reason": reason})


def fail_unfinished_documents(space: SpaceSession, job_id: JobId, *, code: str, reason: str) -> None:
    """Mark the job's unfinished documents as failed."""
    space.run("documents.fail_pending", {"job": job_id, "code": code, "reason": reason})


def requeue_job_documents(space: SpaceSession, job_id: JobId) -> RequeueCounts:
    """Queue failed documents and quarantined chunks of a job again, because the job is retried."""
    return RequeueCounts(*space.run("documents.requeue_job_documents", {"job": job_id})[0])


def add_to_chunk_growth_and_check_recount(space: SpaceSession, chunk_count: int) -> bool:
    """Add to the number of chunks since words were last counted; return whether to count them again."""
    return bool(space.run("documents.note_growth", {"chunks": chunk_count})[0][0])


def fill_missing_word_index(space: SpaceSession) -> None:
    """Compute the word index of chunks that an older version wrote without one."""
    space.run("documents.fill_lexemes")


def compute_and_store_word_frequencies(space: SpaceSession) -> None:
    """Store the word frequencies of the space, from a sample of its chunks."""
    space.run("documents.count_words", {"sample": WORD_SAMPLE_CHUNKS})
