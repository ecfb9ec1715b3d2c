"""Runs an ingest job: read, chunk and embed, find entities, type relations, write the graph.

Each step is a short transaction of its own that begins by proving the claim; no step waits for a
parser or a model with a transaction open. Every step may be repeated: what is there already is
recognised, so a job that died anywhere is simply run again.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from app.db.session import SpaceSession
from app.documents import repository as documents
from app.documents.chunker import chunk
from app.documents.hashing import chunk_hash
from app.documents.language import detect_language
from app.documents.parsers.sandbox import parse_isolated
from app.documents.repository import NewChunk, PendingDocument, RawDocument, StoredChunk
from app.documents.shapes import ChunkDraft, DocumentFormat
from app.errors import CitegraphError
from app.graph.names import normalise_name
from app.ids import ChunkId, DocumentId, new_id
from app.ingest import graph_writer
from app.ingest.entity_resolver import Candidate
from app.ingest.graph_writer import EdgeDraft
from app.ingest.grounding import DropCounts, GroundedRelation, ground_entities, ground_relations
from app.ingest.shapes import ChunkText, Embedder, Extractor, FoundEntity, Vocabulary
from app.ingest.vocabulary import vocabulary_of
from app.ingest.weighting import extraction_key, product, weights
from app.jobs.queue import JobRun
from app.jobs.states import StopRequested
from app.settings import Settings
from app.spaces import service as spaces
from app.tenants import repository as tenants

# A batch shares its transactions: small documents go together, up to this many or this many bytes.
BATCH_DOCUMENTS, BATCH_BYTES = 64, 256_000
# Rows per statement of a large document, so that no transaction grows with it.
SLICE_CHUNKS, SLICE_EDGES = 500, 2_000
MAX_CRASHES = 3


@dataclass(frozen=True)
class IngestTools:
    """What an ingest needs besides the database. `checkpoint` is told the name of each step reached."""

    settings: Settings
    extractor: Extractor
    embedder: Embedder
    stop_requested: Callable[[], bool] = lambda: False
    checkpoint: Callable[[str], None] = lambda _step: None


@dataclass
class ReadDocument:
    """A document that has been parsed and cut, with the ids its chunks will have or have already."""

    source: RawDocument
    text: str
    title: str
    language: str | None
    chunks: list[ChunkText] = field(default_factory=list)
    drafts: dict[ChunkId, ChunkDraft] = field(default_factory=dict)
    hashes: dict[ChunkId, str] = field(default_factory=dict)
    new: list[ChunkId] = field(default_factory=list)
    gone: list[ChunkId] = field(default_factory=list)


@dataclass
class Extracted:
    """What the two passes found in one document, in the order of its chunks."""

    entities: list[list[FoundEntity]] = field(default_factory=list)
    edges: list[EdgeDraft] = field(default_factory=list)


def ingest_documents(run: JobRun, tools: IngestTools) -> None:
    """Take in every document of the job; those that cannot be are set aside with a reason.

    Raises ClaimLost, CancelRequested or StopRequested where the worker must let go of the job.
    """
    with _open(run) as space:
        run.hold(space, stage="reading")
        pending = documents.list_pending(space, run.claim.job_id)
        total = documents.count_of_job(space, run.claim.job_id)
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
        sources = documents.enter(
            space, run.claim.job_id, [each.id for each in batch if each.crash_count < MAX_CRASHES]
        )
        standing = documents.stored_chunks(space, [each.id for each in sources])
    tools.checkpoint("entered")
    tag = f"{tools.extractor.model}/{tools.extractor.prompt_version}"
    read, failures = _read(sources, standing, tools, max_tokens, tag)
    embedded = _embed(read, tools.embedder)

    with _open(run) as space:
        run.hold(space, stage="chunking")
        for document_id, error in failures:
            _set_aside(run, space, document_id, error.code, error.message)
        owned = documents.still_of_job(space, run.claim.job_id, [each.source.id for each in read])
        read = [each for each in read if each.source.id in owned]
        _store_chunks(space, read, embedded)
    tools.checkpoint("chunked")

    drops = DropCounts()
    extracted = _extract(read, tools.extractor, vocabulary, drops)
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
    documents.mark_failed(space, document_id, code=code, reason=reason)
    run.set_aside(space, code=code, message=reason, document_id=document_id)


def _read(
    sources: Sequence[RawDocument],
    standing: Sequence[StoredChunk],
    tools: IngestTools,
    max_tokens: int,
    tag: str,
) -> tuple[list[ReadDocument], list[tuple[DocumentId, CitegraphError]]]:
    read: list[ReadDocument] = []
    failures: list[tuple[DocumentId, CitegraphError]] = []
    for source in sources:
        try:
            parsed = parse_isolated(
                source.raw,
                DocumentFormat(source.format),
                seconds=tools.settings.parse_seconds,
                memory_bytes=tools.settings.parse_memory_bytes,
            )
            drafts = chunk(parsed, max_tokens=max_tokens)
        except CitegraphError as error:
            failures.append((source.id, error))
            continue
        document = ReadDocument(
            source,
            parsed.text,
            source.title or parsed.title or source.file_name,
            source.language or detect_language(parsed.text),
        )
        free: dict[str, list[StoredChunk]] = {}
        for row in reversed([row for row in standing if row.document_id == source.id]):
            free.setdefault(row.content_hash, []).append(row)
        for draft in drafts:
            digest = chunk_hash(draft.text)
            same = free[digest].pop() if free.get(digest) else None
            chunk_id = same.id if same else ChunkId(new_id())
            if same is None:
                document.new.append(chunk_id)
            document.drafts[chunk_id] = draft
            document.hashes[chunk_id] = digest
            document.chunks.append(
                ChunkText(
                    chunk_id,
                    source.id,
                    document.title,
                    draft.text,
                    draft.heading_path,
                    draft.speaker,
                    wanted=same is None or same.extracted_by != tag,
                )
            )
        document.gone = [row.id for rows in free.values() for row in rows]
        read.append(document)
    return read, failures


def _embed(read: Sequence[ReadDocument], embedder: Embedder) -> dict[ChunkId, str]:
    """The vectors of new chunks, across documents in one batch, as pgvector reads them."""
    wanted = [chunk_id for each in read for chunk_id in each.new]
    texts = [each.drafts[chunk_id].text for each in read for chunk_id in each.new]
    if not texts:
        return {}
    # Half precision keeps three digits; more of them would only be parsed and thrown away.
    rows = embedder.embed(texts).round(4).tolist()
    return {chunk_id: str(row) for chunk_id, row in zip(wanted, rows, strict=True)}


def _store_chunks(space: SpaceSession, read: Sequence[ReadDocument], embedded: dict[ChunkId, str]) -> None:
    documents.write_texts(space, [(each.source.id, each.text, each.title, each.language) for each in read])
    gone = [chunk_id for each in read for chunk_id in each.gone]
    if gone:
        spaces.lock_graph(space)
        graph_writer.forget_chunks(space, gone)
        documents.delete_chunks(space, gone)
    moved = [
        (chunk_id, draft)
        for each in read
        if each.source.version > 1
        for chunk_id, draft in each.drafts.items()
        if chunk_id not in embedded
    ]
    if moved:
        documents.move_chunks(space, moved)
    new = [
        NewChunk(chunk_id, each.source.id, each.drafts[chunk_id], each.hashes[chunk_id], embedded[chunk_id])
        for each in read
        for chunk_id in each.new
    ]
    for begin in range(0, len(new), SLICE_CHUNKS):
        documents.write_chunks(space, new[begin : begin + SLICE_CHUNKS])


def _extract(
    read: Sequence[ReadDocument], extractor: Extractor, vocabulary: Vocabulary, drops: DropCounts
) -> list[Extracted]:
    """Both passes over all documents of the batch at once; the extractor decides how to call its model."""
    chunks = [text for each in read for text in each.chunks]
    entities: list[tuple[FoundEntity, ...]] = []
    for text, found in zip(chunks, extractor.extract_entities(chunks, vocabulary), strict=True):
        kept, dropped = ground_entities(text, found, vocabulary)
        entities.append(tuple(kept) if text.wanted else ())
        drops.by_reason.update(dropped.by_reason)
    # Pass 2 reads only chunks with at least two different entities (requirement 5.2).
    several = [index for index, found in enumerate(entities) if len(found) > 1]
    answers = extractor.extract_relations(
        [chunks[index] for index in several], [entities[index] for index in several], vocabulary
    )
    relations: dict[ChunkId, list[GroundedRelation]] = {}
    for index, found_relations in zip(several, answers, strict=True):
        grounded, dropped = ground_relations(chunks[index], entities[index], found_relations, vocabulary)
        relations[chunks[index].id] = grounded
        drops.by_reason.update(dropped.by_reason)
    results: list[Extracted] = []
    begin = 0
    for each in read:
        found_here = entities[begin : begin + len(each.chunks)]
        begin += len(each.chunks)
        result = Extracted([list(found) for found in found_here])
        result.edges = _weigh(each, found_here, relations, extractor)
        results.append(result)
    return results


def _weigh(
    document: ReadDocument,
    entities: Sequence[Sequence[FoundEntity]],
    relations: dict[ChunkId, list[GroundedRelation]],
    extractor: Extractor,
) -> list[EdgeDraft]:
    """The document's edges; weights are relative to the largest of this ingest (requirement 4.3)."""
    stated = [
        (text, found, relation)
        for text, found in zip(document.chunks, entities, strict=True)
        for relation in relations.get(text.id, ())
    ]
    scaled = weights([product(relation.confidence, relation.times_seen) for _, _, relation in stated])
    edges = []
    for (text, found, relation), weight in zip(stated, scaled, strict=True):
        start, end = found[relation.from_entity], found[relation.to_entity]
        key = extraction_key(
            chunk_hash=document.hashes[text.id],
            prompt_version=extractor.prompt_version,
            model=extractor.model,
            from_name=start.name,
            from_type=start.node_type if extractor.separates_homonyms else "",
            to_name=end.name,
            to_type=end.node_type if extractor.separates_homonyms else "",
            relation_type=relation.relation_type,
        )
        names = normalise_name(start.name), normalise_name(end.name)
        edges.append(
            EdgeDraft(text.id, names[0], start.node_type, names[1], end.node_type, relation, weight, key)
        )
    return edges


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
    owned = documents.still_of_job(space, run.claim.job_id, [each.source.id for each in read])
    ready = [each for each in read if each.source.id in owned]
    done = [text.id for each in ready for text in each.chunks if text.wanted]
    documents.mark_extracted(space, done, tag)
    documents.mark_ready(space, sorted(owned))
    tenants.count_usage(space, space_id=space.space_id, chunks=len(done))
    counts["documents"] += len(ready)
    counts["failed_documents"] += len(failures)
    counts["chunks"] += len(done)
    for reason, number in drops.by_reason.items():
        counts[f"dropped_{reason}"] += number
    counts["taken"] += len(batch)
    run.hold(space, progress=min(99.0, 100 * counts["taken"] / max(total, 1)), counts=counts, progressed=True)
