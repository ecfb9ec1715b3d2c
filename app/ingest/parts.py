"""Large documents in parts: each is extracted and written by itself, and a job may yield after it (ADR
0028).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from app.documents.intake import SLICE_CHUNKS
from app.documents.shapes import PendingDocument
from app.ids import ChunkId
from app.ingest.parse_and_chunk import ReadDocument
from app.resolution.entity_resolver import Candidate

PART_CHUNKS = 250
"""Chunks that are extracted and written together: a second or two of work by rules."""
# A batch shares its transactions: small documents go together, up to the extraction's number or this many
# bytes.
BATCH_DOCUMENTS, BATCH_BYTES = 64, 256_000
SLICE_CANDIDATES = 2_000
"""Candidates of one transaction at most, but for a single chunk that has more."""


def parts_of(read: Sequence[ReadDocument], *, context: int) -> Iterator[list[ReadDocument]]:
    """The documents with their chunks in parts of 250 at most, in order; parts that hold nothing wanted are
    left out.

    Small documents go together. A document of more chunks is cut at fixed places, so that whoever goes on
    with it later finds the same parts; each shows the `context` chunks before it, unwanted, for what refers
    back to them.
    """
    together: list[ReadDocument] = []
    size = 0
    for document in read:
        if len(document.chunks) > PART_CHUNKS:
            yield from _cut(document, context)
            continue
        if together and size + len(document.chunks) > PART_CHUNKS:
            yield together
            together, size = [], 0
        if any(text.wanted for text in document.chunks):
            together.append(document)
            size += len(document.chunks)
    if together:
        yield together


def _cut(document: ReadDocument, context: int) -> Iterator[list[ReadDocument]]:
    for begin in range(0, len(document.chunks), PART_CHUNKS):
        part = document.chunks[begin : begin + PART_CHUNKS]
        if any(text.wanted for text in part):
            before = document.chunks[max(0, begin - context) : begin]
            yield [replace(document, chunks=[*(replace(text, wanted=False) for text in before), *part])]


def by_chunks(candidates: Sequence[Candidate]) -> Iterator[list[Candidate]]:
    """The candidates in parts of a bounded number of chunks and of candidates, never splitting a chunk."""
    part: list[Candidate] = []
    seen: set[ChunkId] = set()
    for candidate in candidates:
        full = len(seen) == SLICE_CHUNKS or len(part) >= SLICE_CANDIDATES
        if candidate.chunk_id not in seen and full:
            yield part
            part, seen = [], set()
        seen.add(candidate.chunk_id)
        part.append(candidate)
    if part:
        yield part


def batches(pending: Sequence[PendingDocument], most: int) -> Iterator[list[PendingDocument]]:
    """Small documents together; after a crash each alone, the least suspect first, to find the culprit."""
    pending = sorted(pending, key=lambda each: each.crash_count)
    batch: list[PendingDocument] = []
    size = 0
    for each in pending:
        if batch and (len(batch) == most or size + each.byte_size > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(each)
        size += each.byte_size
    if batch:
        yield batch
