"""Large documents in parts: each is extracted and written by itself, and a job may yield after it (ADR
0028).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from app.documents.intake import SLICE_CHUNKS
from app.documents.shapes import PendingDocument
from app.extraction.shapes import ChunkText
from app.ids import ChunkId
from app.ingest.parse_and_chunk import ReadDocument
from app.resolution.entity_resolver import Candidate

PART_CHUNKS, PART_CHARACTERS = 250, 400_000
"""Chunks that are extracted and written together: a second or two of work by rules."""
# A batch shares its transactions: small documents go together, up to the extraction's number or this many
# bytes.
BATCH_DOCUMENTS, BATCH_BYTES = 64, 256_000
# New chunks may be long: the work of a step grows with their characters.
SLICE_CHARACTERS = 400_000
SLICE_CANDIDATES = 2_000
"""Candidates of one transaction at most, but for a single chunk that has more."""


def parts_of(read: Sequence[ReadDocument], *, context: int) -> Iterator[list[ReadDocument]]:
    """The documents with their chunks in parts of at most 250 and 400,000 characters, in order; parts that
    hold nothing wanted are left out.

    Small documents go together. A larger document is cut at fixed places, so that whoever goes on
    with it later finds the same parts; each shows the `context` chunks before it, unwanted, for what refers
    back to them.
    """
    together: list[ReadDocument] = []
    size = 0.0
    for document in read:
        share = _size(document.chunks)
        if share > 1:
            yield from _cut(document, context)
            continue
        if together and size + share > 1:
            yield together
            together, size = [], 0.0
        if any(text.wanted for text in document.chunks):
            together.append(document)
            size += share
    if together:
        yield together


def slices_of(new: Sequence[tuple[ReadDocument, ChunkId]]) -> list[list[tuple[ReadDocument, ChunkId]]]:
    """New chunks in slices that are embedded and stored in one step each: of at most 500 chunks and 400,000
    characters, but for a single chunk. At least one, which is empty where nothing is new.
    """
    slices: list[list[tuple[ReadDocument, ChunkId]]] = [[]]
    characters = 0
    for document, chunk_id in new:
        length = len(document.drafts[chunk_id].text)
        characters += length
        if slices[-1] and (len(slices[-1]) == SLICE_CHUNKS or characters > SLICE_CHARACTERS):
            slices.append([])
            characters = length
        slices[-1].append((document, chunk_id))
    return slices


def is_small(read: Sequence[ReadDocument]) -> bool:
    """Return whether the documents are extracted in one go, each as a whole."""
    return sum(_size(document.chunks) for document in read) <= 2


def _size(chunks: Sequence[ChunkText]) -> float:
    """The size of these chunks in parts: by their number or their characters, whichever is more."""
    return max(len(chunks) / PART_CHUNKS, sum(len(text.text) for text in chunks) / PART_CHARACTERS)


def _cut(document: ReadDocument, context: int) -> Iterator[list[ReadDocument]]:
    begin = 0
    while begin < len(document.chunks):
        characters, end = 0, begin
        while end < len(document.chunks) and end - begin < PART_CHUNKS:
            characters += len(document.chunks[end].text)
            if end > begin and characters > PART_CHARACTERS:
                break
            end += 1
        part, first, begin = document.chunks[begin:end], begin, end
        if any(text.wanted for text in part):
            before = document.chunks[max(0, first - context) : first]
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
