"""Reuse of stored chunks when a document is ingested again: a chunk of unchanged text keeps its id.

Its extraction and vector are kept with it.
"""

from collections.abc import Collection, Sequence

from app.documents.chunker import find_unchunked_ranges
from app.documents.hashing import hash_chunk_text
from app.documents.shapes import ChunkDraft, StoredChunk
from app.extraction.shapes import Extractor
from app.ids import ChunkId, create_id
from app.ingest.read_document import ReadDocument


def build_extractor_version(extractor: Extractor) -> str:
    """Return the mark that is stored on a chunk once this extractor has finished reading it."""
    return f"{extractor.model}/{extractor.prompt_version}"


def assign_stored_or_new_chunk_ids(
    document: ReadDocument,
    drafts: Sequence[ChunkDraft],
    stored_chunks: Sequence[StoredChunk],
    unreadable_chunk_ids: Collection[ChunkId],
    *,
    reads_again: bool,
) -> None:
    """Give each draft the id of a stored chunk of the same document and text, in order, or a new id.

    Fills the chunk lists of `document`: all chunks, and the ids that are new, moved or removed. A reused
    chunk is wanted if its document's extractor has not read it to the end, or with `reads_again`;
    chunks in `unreadable_chunk_ids` are not.
    """
    document.unchunked_ranges = find_unchunked_ranges(document.text, drafts)
    unmatched_chunks_by_hash: dict[str, list[StoredChunk]] = {}
    extraction_mark = build_extractor_version(document.extractor)
    for stored_chunk in reversed(
        [stored_chunk for stored_chunk in stored_chunks if stored_chunk.document_id == document.source.id]
    ):
        unmatched_chunks_by_hash.setdefault(stored_chunk.content_hash, []).append(stored_chunk)
    for draft in drafts:
        digest = hash_chunk_text(draft.text)
        unchanged_chunk = (
            unmatched_chunks_by_hash[digest].pop() if unmatched_chunks_by_hash.get(digest) else None
        )
        chunk_id = unchanged_chunk.id if unchanged_chunk else ChunkId(create_id())
        if unchanged_chunk is None:
            document.new_chunk_ids.append(chunk_id)
        elif not unchanged_chunk.has_same_position(draft):
            document.moved_chunk_ids.append(chunk_id)
        document.add_chunk(
            chunk_id,
            draft,
            digest,
            is_wanted=unchanged_chunk is None
            or (
                (reads_again or _needs_reading(document, unchanged_chunk, extraction_mark))
                and chunk_id not in unreadable_chunk_ids
            ),
            is_quarantined=chunk_id in unreadable_chunk_ids,
        )
    document.removed_chunk_ids = [
        stored_chunk.id
        for same_text_chunks in unmatched_chunks_by_hash.values()
        for stored_chunk in same_text_chunks
    ]


def _needs_reading(document: ReadDocument, chunk: StoredChunk, extraction_mark: str) -> bool:
    if document.source.quarantined_chunks:
        # A retry for quarantined chunks reads only these, even if the extractor has changed.
        return chunk.is_quarantined
    return chunk.extracted_by != extraction_mark
