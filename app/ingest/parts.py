"""Large documents in parts: each part is extracted and written by itself, and a job may yield after it
(ADR 0028).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from app.documents.ingest_steps import SLICE_CHUNKS
from app.documents.shapes import PendingDocument
from app.extraction.shapes import ChunkText
from app.graph.resolution.entity_resolver import Candidate
from app.ids import ChunkId
from app.ingest.read_document import DocumentChunk, ReadDocument

Item = TypeVar("Item")

PART_CHUNKS, PART_CHARACTERS = 250, 400_000
"""Maximum size of a part, extracted and written together: a second or two of work by rules."""
# Small documents share a batch and its transactions, up to the extractor's limit or this many bytes.
BATCH_DOCUMENTS, BATCH_BYTES = 64, 256_000
# The work for new chunks grows with their characters.
SLICE_CHARACTERS = 400_000
SLICE_CANDIDATES = 2_000
"""Maximum number of candidates per transaction, unless a single chunk has more."""


def split_documents_into_parts(
    documents: Sequence[ReadDocument], *, context_chunk_count: int
) -> Iterator[list[ReadDocument]]:
    """Yield the documents with their chunks in parts of at most 250 chunks and 400,000 characters, in order.

    Parts without wanted chunks are skipped. Small documents share a part. A larger document is split at fixed
    positions, so that a resumed job finds the same parts; each part includes the
    `context_chunk_count` previous chunks, unwanted, for references to them.
    """
    document_group: list[ReadDocument] = []
    group_size = 0.0
    for document in documents:
        share_of_part = _compute_share_of_part(document.chunks)
        if share_of_part > 1:
            yield from _cut_document_into_parts(document, context_chunk_count)
            continue
        if document_group and group_size + share_of_part > 1:
            yield document_group
            document_group, group_size = [], 0.0
        if any(chunk.is_wanted for chunk in document.chunks):
            document_group.append(document)
            group_size += share_of_part
    if document_group:
        yield document_group


def split_new_chunks_into_slices(
    new_chunks: Sequence[DocumentChunk],
) -> list[list[DocumentChunk]]:
    """Return new chunks in slices that are embedded and stored in one step each.

    A slice has at most 500 chunks and 400,000 characters, unless a single chunk has more. Without new chunks
    one empty slice is returned.
    """
    slices = _group_by_count_and_size(
        new_chunks,
        max_count=SLICE_CHUNKS,
        measure_size=_measure_new_chunk,
        max_size=SLICE_CHARACTERS,
    )
    return list(slices) or [[]]


def _measure_new_chunk(new_chunk: DocumentChunk) -> int:
    document, chunk_id = new_chunk
    return len(document.drafts[chunk_id].text)


def do_documents_fit_one_part(documents: Sequence[ReadDocument]) -> bool:
    """Return whether the documents are extracted in one part, each as a whole."""
    return sum(_compute_share_of_part(document.chunks) for document in documents) <= 2


def _compute_share_of_part(chunks: Sequence[ChunkText]) -> float:
    """Return the size of these chunks as a fraction of a part: by number or by characters, whichever is
    larger.
    """
    return max(len(chunks) / PART_CHUNKS, sum(len(chunk.text) for chunk in chunks) / PART_CHARACTERS)


def _cut_document_into_parts(
    document: ReadDocument, context_chunk_count: int
) -> Iterator[list[ReadDocument]]:
    group_start = 0
    for chunk_group in _group_by_count_and_size(
        document.chunks,
        max_count=PART_CHUNKS,
        measure_size=lambda chunk: len(chunk.text),
        max_size=PART_CHARACTERS,
    ):
        if any(chunk.is_wanted for chunk in chunk_group):
            preceding_chunks = document.chunks[max(0, group_start - context_chunk_count) : group_start]
            yield [
                replace(
                    document,
                    chunks=[*(replace(chunk, is_wanted=False) for chunk in preceding_chunks), *chunk_group],
                )
            ]
        group_start += len(chunk_group)


def _group_by_count_and_size(
    items: Iterable[Item], *, max_count: int, measure_size: Callable[[Item], int], max_size: int
) -> Iterator[list[Item]]:
    """Yield the items in order, in groups of at most `max_count` items and `max_size` total size, unless a
    single item is larger.
    """
    group: list[Item] = []
    group_size = 0
    for item in items:
        if group and (len(group) == max_count or group_size + measure_size(item) > max_size):
            yield group
            group, group_size = [], 0
        group.append(item)
        group_size += measure_size(item)
    if group:
        yield group


def split_candidates_by_chunks(candidates: Sequence[Candidate]) -> Iterator[list[Candidate]]:
    """Yield the candidates in parts with a bounded number of chunks and candidates, without splitting a
    chunk.
    """
    candidate_group: list[Candidate] = []
    chunk_ids: set[ChunkId] = set()
    for candidate in candidates:
        is_group_full = len(chunk_ids) == SLICE_CHUNKS or len(candidate_group) >= SLICE_CANDIDATES
        if candidate.chunk_id not in chunk_ids and is_group_full:
            yield candidate_group
            candidate_group, chunk_ids = [], set()
        chunk_ids.add(candidate.chunk_id)
        candidate_group.append(candidate)
    if candidate_group:
        yield candidate_group


def batch_documents_by_crash_count(
    pending_documents: Sequence[PendingDocument], max_count: int
) -> Iterator[list[PendingDocument]]:
    """Yield small documents in batches, ordered by crash count; after a crash `max_count` is 1, to find the
    document at fault.
    """
    documents_by_suspicion = sorted(pending_documents, key=lambda document: document.crash_count)
    return _group_by_count_and_size(
        documents_by_suspicion,
        max_count=max_count,
        measure_size=lambda document: document.byte_size,
        max_size=BATCH_BYTES,
    )
