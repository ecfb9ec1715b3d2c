"""The job of a trial: reads a sample of chunks by both passes, as an ingest does, and writes nothing of it to
the graph.

Documents are read a few at a time: what was read of them is kept in one short transaction that proves the
lease, so that an attempt goes on where the last one ended. Answers of models are kept and paid once.
"""

import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from app.documents import intake
from app.documents.intake import Started
from app.extraction.vocabulary import vocabulary_of
from app.graph.names import normalise_name
from app.ids import ChunkId, DocumentId
from app.ingest.contained_reading import ChunkReader
from app.ingest.extract import Extracted, extract
from app.ingest.extractors import Extractors, JobExtraction, chosen
from app.ingest.parse_and_chunk import ReadDocument, TextReader, read_documents
from app.ingest.trials import repository
from app.ingest.trials.repository import StoredClaim
from app.ingest.trials.service import compare_readings, tried_settings
from app.jobs.context import JobContext
from app.space_settings import EffectiveSettings

DOCUMENTS_AT_ONCE = 8


def try_extraction(run: JobContext, extractors: Extractors) -> None:
    """Read the sample, and count what differs from the graph.

    Raises LeaseLost, CancelRequested or StopRequested where the worker must let go of the job.
    """
    arguments = run.lease.arguments
    with run.open_space() as space:
        run.fence(space, stage="reading")
        trial_settings = tried_settings(space, arguments["settings"])
        sample = repository.sample_chunks(space, run.lease.job_id, int(arguments["chunks"]))
        read_chunks = repository.read_chunks(space, run.lease.job_id)
        opened = space.opened
    extraction = chosen(extractors, arguments["model"] or trial_settings.extraction_model).for_job(
        run.lease,
        run.stop_requested,
        embedding_model=opened.embedding_model,
        embedding_dimensions=opened.embedding_dimensions,
    )
    chunks_by_document: dict[DocumentId, set[ChunkId]] = defaultdict(set)
    for chunk_id, document_id in sample:
        if chunk_id not in read_chunks:
            chunks_by_document[document_id].add(chunk_id)
    done = len(sample) - sum(map(len, chunks_by_document.values()))
    document_ids = list(chunks_by_document)
    for begin in range(0, len(document_ids), DOCUMENTS_AT_ONCE):
        run.check_stop()
        part = document_ids[begin : begin + DOCUMENTS_AT_ONCE]
        chunks = {chunk_id for document_id in part for chunk_id in chunks_by_document[document_id]}
        with run.open_space() as space:
            run.fence(space, stage="reading")
            sources = intake.read_sources(space, part)
            stored_chunks = intake.stored_chunks(space, part)
        run.pause()
        began = time.monotonic()
        readings = _read(run, extraction, trial_settings, Started(sources, stored_chunks), chunks)
        seconds = (time.monotonic() - began) / max(len(readings), 1)
        done += len(chunks)
        with run.open_space() as space:
            run.fence(space)
            repository.store_readings(
                space,
                run.lease.job_id,
                [(chunk_id, claims, failure, seconds) for chunk_id, (claims, failure) in readings.items()],
            )
            run.fence(space, progress=min(99.0, 100 * done / max(len(sample), 1)), progressed=True)
        run.checkpoint("tried")
    with run.open_space() as space:
        run.fence(space, stage="comparing")
        stored = repository.list_readings(space, run.lease.job_id)
        difference = compare_readings(space, run.lease.job_id, stored)
        run.done(
            space,
            counts={
                "chunks": len(stored),
                "failed_chunks": sum(reading.failure is not None for reading in stored),
                "same": difference.same,
                "added": len(difference.added),
                "lost": len(difference.lost),
                "retyped": len(difference.retyped),
            },
        )


def _read(
    run: JobContext,
    extraction: JobExtraction,
    effective_settings: EffectiveSettings,
    started: Started,
    chunks: set[ChunkId],
) -> dict[ChunkId, tuple[list[StoredClaim], str | None]]:
    """The claims of these chunks, or the code of why one could not be read."""
    settings = run.settings
    with extraction.sandbox.open() as session:
        reader = TextReader(session, settings, effective_settings.chunk_tokens, run.serve_others)
        read, failures = read_documents(
            started.sources, started.standing, reader, extraction.new_extractor(), again=True
        )
        for document in read:
            document.chunks = [replace(text, wanted=text.id in chunks) for text in document.chunks]
        extractions = extract(
            read,
            vocabulary_of(effective_settings),
            ChunkReader(session, settings.chunk_seconds, settings.document_seconds, run.serve_others),
        )
    unread = {document_id: error.code for document_id, error in failures}
    homes = {row.id: row.document_id for row in started.standing}
    claims = _claims(extractions)
    quarantined = {
        failure.chunk_id: failure.code for extracted in extractions for failure in extracted.failures
    }
    cut = _chunks_of(read)
    return {
        chunk_id: (
            claims[chunk_id],
            # A chunk that its document is not cut into any more was read by other settings.
            quarantined.get(chunk_id)
            or unread.get(homes[chunk_id])
            or (None if chunk_id in cut else "cut_otherwise"),
        )
        for chunk_id in sorted(chunks)
        if chunk_id in homes
    }


def _chunks_of(read: Sequence[ReadDocument]) -> set[ChunkId]:
    return {text.id for document in read for text in document.chunks}


def _claims(extractions: Sequence[Extracted]) -> dict[ChunkId, list[StoredClaim]]:
    """The claims of each chunk, by the names that the text gives their ends."""
    claims: dict[ChunkId, list[StoredClaim]] = defaultdict(list)
    names: dict[tuple[ChunkId, str], str] = {}
    for extracted in extractions:
        for candidate in extracted.candidates:
            names.setdefault(
                (candidate.chunk_id, normalise_name(candidate.entity.name)), candidate.entity.name
            )
        for edge in extracted.edges:
            claims[edge.chunk_id].append(
                StoredClaim(
                    names.get((edge.chunk_id, edge.from_name), edge.from_name),
                    edge.relation.relation_type,
                    names.get((edge.chunk_id, edge.to_name), edge.to_name),
                    str(edge.relation.polarity.value),
                    round(edge.relation.confidence, 4),
                    edge.relation.quote,
                )
            )
    return claims
