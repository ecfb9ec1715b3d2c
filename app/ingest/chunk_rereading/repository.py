"""The SQL statements of the job that reads chunks again."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from app.db.session import SpaceSession
from app.ids import ChunkId, DocumentId


class ChunkToReread(NamedTuple):
    """A chunk, its document, the model that read it, and whether a job is reading its document."""

    chunk_id: ChunkId
    document_id: DocumentId
    model: str | None
    is_being_read: bool


def list_chunks_to_reread(space: SpaceSession, chunk_ids: Sequence[ChunkId]) -> list[ChunkToReread]:
    """Return those of these chunks that exist and were read."""
    rows = space.run("ingest.chunk_rereading.chunks_to_reread", {"chunks": list(chunk_ids)})
    return [
        ChunkToReread(ChunkId(row[0]), DocumentId(row[1]), row[2].rpartition("/")[0] or None, row[3])
        for row in rows
    ]


def find_current_chunks(
    space: SpaceSession, chunk_ids: Collection[ChunkId], versions: Mapping[DocumentId, int]
) -> set[ChunkId]:
    """Return those of these chunks whose document has still this version, and that no job is reading."""
    rows = space.run(
        "ingest.chunk_rereading.current_chunks",
        {"chunks": list(chunk_ids), "documents": list(versions), "versions": list(versions.values())},
    )
    return {ChunkId(row[0]) for row in rows}
