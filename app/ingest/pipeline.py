"""Runs an ingest job: read, chunk and embed, find entities, type relations, write the graph.

Each step is a short transaction of its own that begins by proving the claim; no step waits for a
parser or a model with a transaction open. Every step may be repeated: what is there already is
recognised, so a job that died anywhere is simply run again.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from app.db.session import SpaceSession
from app.documents import intake
from app.documents.intake import SLICE_CHUNKS, PendingDocument
from app.ids import ChunkId, DocumentId
from app.ingest import graph_writer
from app.ingest.entity_resolver import Candidate
from app.ingest.grounding import DropCounts
from app.ingest.passes import extract
from app.ingest.reading import ReadDocument, embed_new, read_documents, store_chunks
from app.ingest.shapes import Embedder, Extractor, Vocabulary
from app.ingest.vocabulary import vocabulary_of
from app.jobs.queue import JobRun
from app.jobs.states import StopRequested
from app.settings import Settings
from app.spaces import service as spaces
from app.tenants import service as tenants

# A batch shares its transactions: small documents go together, up to this many or this many bytes.
BATCH_DOCUMENTS, BATCH_BYTES = 64, 256_000
# Rows per statement of a large document, so that no transaction grows with it.
SLICE_EDGES = 2_000
MAX_CRASHES = 3


@dataclass(frozen=True)
class IngestTools:
    """What an ingest needs besides the database. `checkpoint` is told the name of each step reached."""

    settings: Settings
    extractor: Extractor
    embedder: Embedder
    stop_requested: Callable[[], bool] = lambda: False
    checkpoint: Callable[[str], None] = lambda _step: None


def ingest_documents(run: JobRun, tools: IngestTools) -> None:
    """Take in every document of the job; those that cannot be are set aside with a reason.

    Raises ClaimLost, CancelRequested or StopRequested where the worker must let go of the job.
    """
    with _open(run) as space:
        run.hold(space, stage="reading")
        pending, total = intake.pending(space, run.claim.job_id)
        counts = Counter(run.counts(space))
        own = spaces.settings_of(space)
    vocabulary = vocabulary_of(own, default_min_confidence=tools.settings.min_confidence)
    max_tokens = own.chunk_tokens or tools.settings.chunk_tokens
    for batch in _batches(pending):
        if tools.stop_requested():
            raise StopRequested
        _ingest_batch(run, tools, batch, vocabulary, max_tokens, total, counts)
    with _open(run) as space:
        run.hold(space)
        run.done(space, counts=counts)


def _open(run: JobRun) -> AbstractContextManager[SpaceSession]:
    return run.database.open_space(run.claim.tenant_id, run.claim.space_id)


def _batches(pending: Sequence[PendingDocument]) -> Iterator[list[PendingDocument]]:
    """Small documents together; after a crash each alone, the least suspect first, to find the culprit."""
    if any(each.crash_count for each in pending):
        for each in sorted(pending, key=lambda each: each.crash_count):
            yield [each]
        return
    batch: list[PendingDocument] = []
    size = 0
    for each in pending:
        if batch and (len(batch) == BATCH_DOCUMENTS or size + each.byte_size > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(each)
        size += each.byte_size
    if batch:
        yield batch


def _ingest_batch(
    run: JobRun,
    tools: IngestTools,
    batch: Sequence[PendingDocument],
    vocabulary: Vocabulary,
    max_tokens: int,
    total: int,
    counts: Counter[str],
) -> None:
    with _open(run) as space:
        run.hold(space, stage="reading")
        for each in batch:
            if each.crash_count >= MAX_CRASHES:
                _set_aside(run, space, each.id, "poison", "Workers died on it repeatedly; it was set aside.")
        taken = intake.take_up(
            space, run.claim.job_id, [each.id for each in batch if each.crash_count < MAX_CRASHES]
        )
    tools.checkpoint("entered")
    tag = f"{tools.extractor.model}/{tools.extractor.prompt_version}"
    read, failures = read_documents(taken.sources, taken.standing, tools.settings, max_tokens, tag)
    embedded = embed_new(read, tools.embedder)

    with _open(run) as space:
        run.hold(space, stage="chunking")
        for document_id, error in failures:
            _set_aside(run, space, document_id, error.code, error.message)
        owned = intake.still_of_job(space, run.claim.job_id, [each.source.id for each in read])
        read = [each for each in read if each.source.id in owned]
        store_chunks(space, read, embedded)
    tools.checkpoint("chunked")

    drops = DropCounts()
    extracted = extract(read, tools.extractor, vocabulary, drops)
    homonyms = tools.extractor.separates_homonyms
    candidates = [
        Candidate(text.id, entity)
        for each, found in zip(read, extracted, strict=True)
        for text, entities in zip(each.chunks, found.entities, strict=True)
        for entity in entities
    ]
    for part in _by_chunks(candidates):
        with _open(run) as space:
            run.hold(space, stage="writing nodes")
            spaces.lock_graph(space)
            counts.update(graph_writer.write_nodes(space, part, separates_homonyms=homonyms))
            run.hold(space, counts=counts)
        tools.checkpoint("nodes")

    edges = [edge for found in extracted for edge in found.edges]
    for begin in range(0, max(len(edges), 1), SLICE_EDGES):
        with _open(run) as space:
            run.hold(space, stage="writing edges")
            spaces.lock_graph(space)
            part_of_edges = edges[begin : begin + SLICE_EDGES]
            counts.update(
                graph_writer.write_edges(
                    space, part_of_edges, model=tools.extractor.model, separates_homonyms=homonyms
                )
            )
            if begin + SLICE_EDGES < len(edges):
                run.hold(space, counts=counts)
            else:
                _finish_batch(run, space, read, batch, failures, drops, tag, total, counts)
        tools.checkpoint("edges")


def _set_aside(run: JobRun, space: SpaceSession, document_id: DocumentId, code: str, reason: str) -> None:
    intake.set_aside(space, document_id, code=code, reason=reason)
    run.set_aside(space, code=code, message=reason, document_id=document_id)


def _by_chunks(candidates: Sequence[Candidate]) -> Iterator[list[Candidate]]:
    """The candidates in parts of a bounded number of chunks, never splitting a chunk."""
    part: list[Candidate] = []
    seen: set[ChunkId] = set()
    for candidate in candidates:
        if candidate.chunk_id not in seen and len(seen) == SLICE_CHUNKS:
            yield part
            part, seen = [], set()
        seen.add(candidate.chunk_id)
        part.append(candidate)
    if part:
        yield part


def _finish_batch(
    run: JobRun,
    space: SpaceSession,
    read: Sequence[ReadDocument],
    batch: Sequence[PendingDocument],
    failures: Sequence[object],
    drops: DropCounts,
    tag: str,
    total: int,
    counts: Counter[str],
) -> None:
    owned = intake.still_of_job(space, run.claim.job_id, [each.source.id for each in read])
    ready = [each for each in read if each.source.id in owned]
    done = [text.id for each in ready for text in each.chunks if text.wanted]
    intake.finish(space, sorted(owned), done, extractor=tag)
    tenants.count_usage(space, space_id=space.space_id, chunks=len(done))
    counts["documents"] += len(ready)
    counts["failed_documents"] += len(failures)
    counts["chunks"] += len(done)
    for reason, number in drops.by_reason.items():
        counts[f"dropped_{reason}"] += number
    counts["taken"] += len(batch)
    run.hold(space, progress=min(99.0, 100 * counts["taken"] / max(total, 1)), counts=counts, progressed=True)
