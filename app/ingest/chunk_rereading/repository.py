"""The SQL statements of the job that reads chunks again."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from app.db.session import SpaceSession
from app.documents.shapes import ChunkDraft
from app.ids import ChunkId, DocumentId


class ChunkToReread(NamedTuple):
    """A chunk, its document, the model that read it, and whether a job is reading its document."""

    chunk_id: ChunkId
    document_id: DocumentId
    model: str | None
    is_being_read: bool


def find_chunks_read_before(space: SpaceSession, chunk_ids: Sequence[ChunkId]) -> list[ChunkToReread]:
    """Return those of these chunks that exist and were read."""
    rows = space.run("ingest.chunk_rereading.find_chunks_read_before", {"chunks": list(chunk_ids)})
    return [
        ChunkToReread(ChunkId(row[0]), DocumentId(row[1]), row[2].rpartition("/")[0] or None, row[3])
        for row in rows
    ]


def select_unchanged_chunk_ids(
    space: SpaceSession, chunk_ids: Collection[ChunkId], versions: Mapping[DocumentId, int]
) -> set[ChunkId]:
    """Return those of these chunks whose document has still this version, and that no job is reading."""
    rows = space.run(
        "ingest.chunk_rereading.select_unchanged_chunk_ids",
        {"chunks": list(chunk_ids), "documents": list(versions), "versions": list(versions.values())},
    )
    return {ChunkId(row[0]) for row in rows}


class ChunkOfDocument(NamedTuple):
    """A stored chunk with its text and position, its hash, and whether it is quarantined."""

    chunk_id: ChunkId
    draft: ChunkDraft
    content_hash: str
    is_quarantined: bool


def list_chunks_of_document(space: SpaceSession, document_id: DocumentId) -> list[ChunkOfDocument]:
    """Return the chunks of the document in order."""
    rows = space.run("ingest.chunk_rereading.list_chunks_of_document", {"document": document_id})
    return [
        ChunkOfDocument(
            ChunkId(row[0]),
            ChunkDraft(
                ordinal=row[1],
                text=row[2],
                char_start=row[3],
                char_end=row[4],
                heading_path=tuple(row[5]),
                token_count=row[6],
                speaker=row[7],
                said_at=row[8],
            ),
            content_hash=row[9],
            is_quarantined=row[10],
        )
        for row in rows
    ]


def find_date_given_to_undated_claims(space: SpaceSession, document_id: DocumentId) -> datetime | None:
    """Return the date that the document's file gave to claims without a date of their own; None if none."""
    rows = space.run("ingest.chunk_rereading.find_date_given_to_undated_claims", {"document": document_id})
    date: datetime | None = rows[0][0]
    return date
