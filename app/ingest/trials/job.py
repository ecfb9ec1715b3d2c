"""The trial job: reads a sample of chunks with both passes, like an ingest, without writing to the graph.

A few documents are read at a time, and their results are stored in one short transaction that verifies the
lease, so that a new attempt continues where the last one ended. Model answers are stored and paid once.
"""

import time
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from app.documents import ingest_steps
from app.documents.ingest_steps import StartedDocuments
from app.graph.names import normalise_name
from app.ids import ChunkId, DocumentId
from app.ingest.extraction_passes import ExtractedDocuments
from app.ingest.extractor_choice import Extractors, JobExtraction
from app.ingest.trials import repository
from app.ingest.trials.read_again import reread_documents_in_parts
from app.ingest.trials.repository import StoredClaim
from app.ingest.trials.service import build_space_settings_with_changes, compare_readings
from app.jobs.context import JobContext
from app.space_settings import EffectiveSettings

DOCUMENTS_AT_ONCE = 8


def read_trial_sample_and_count_differences(run: JobContext, extractors: Extractors) -> None:
    """Read the sample, and count the differences from the graph.

    Raises LeaseLost, CancelRequested or StopRequested if the worker must release the job.
    """
    arguments = run.lease.arguments
    with run.open_space() as space:
        run.record_progress(space, stage="reading")
        trial_settings = build_space_settings_with_changes(space, arguments["settings"])
        sample = repository.sample_chunks(space, run.lease.job_id, int(arguments["chunks"]))
        already_read_ids = repository.list_chunk_ids_read_by_trial(space, run.lease.job_id)
        opening_state = space.opening_state
    extraction = extractors.create_job_extraction(
        run.lease,
        run.stop_requested,
        model=arguments["model"] or trial_settings.extraction_model,
        embedding_model=opening_state.embedding_model,
        embedding_dimensions=opening_state.embedding_dimensions,
    )
    chunks_by_document: dict[DocumentId, set[ChunkId]] = defaultdict(set)
    for chunk_id, document_id in sample:
        if chunk_id not in already_read_ids:
            chunks_by_document[document_id].add(chunk_id)
    done_count = len(sample) - sum(map(len, chunks_by_document.values()))
    document_ids = list(chunks_by_document)
    for batch_start in range(0, len(document_ids), DOCUMENTS_AT_ONCE):
        run.raise_if_stop_requested()
        document_batch = document_ids[batch_start : batch_start + DOCUMENTS_AT_ONCE]
        batch_chunk_ids = {
            chunk_id for document_id in document_batch for chunk_id in chunks_by_document[document_id]
        }
        with run.open_space() as space:
            run.record_progress(space, stage="reading")
            sources = ingest_steps.read_raw_documents(space, document_batch)
            stored_chunks = ingest_steps.list_stored_chunks(space, document_batch)
        run.stop_if_others_wait()
        started_at = time.monotonic()
        readings = _read_claims_of_chunks(
            run, extraction, trial_settings, StartedDocuments(sources, stored_chunks), batch_chunk_ids
        )
        seconds = (time.monotonic() - started_at) / max(len(readings), 1)
        done_count += len(batch_chunk_ids)
        with run.open_space() as space:
            run.check_lease(space)
            repository.store_readings(
                space,
                run.lease.job_id,
                [
                    repository.NewReading(chunk_id, reading.claims, reading.error_code, seconds)
                    for chunk_id, reading in readings.items()
                ],
            )
            run.record_progress(
                space, progress=min(99.0, 100 * done_count / max(len(sample), 1)), has_progressed=True
            )
        run.checkpoint("tried")
    with run.open_space() as space:
        run.record_progress(space, stage="comparing")
        stored_readings = repository.list_readings(space, run.lease.job_id)
        comparison = compare_readings(space, run.lease.job_id, stored_readings)
        run.finish_done(
            space,
            counts={
                "chunks": len(stored_readings),
                "failed_chunks": sum(reading.failure is not None for reading in stored_readings),
                "same": comparison.same,
                "added": len(comparison.added),
                "lost": len(comparison.lost),
                "retyped": len(comparison.retyped),
            },
        )


class _ReadClaims(NamedTuple):
    """The claims of a chunk, or the code of the error if it could not be read."""

    claims: list[StoredClaim]
    error_code: str | None


def _read_claims_of_chunks(
    run: JobContext,
    extraction: JobExtraction,
    effective_settings: EffectiveSettings,
    started_documents: StartedDocuments,
    chunk_ids: set[ChunkId],
) -> dict[ChunkId, _ReadClaims]:
    """Return the claims of these chunks, with the error code of those that could not be read."""
    readings: dict[ChunkId, _ReadClaims] = {}
    for read_part in reread_documents_in_parts(
        run, extraction, effective_settings, started_documents, chunk_ids
    ):
        claims = _group_claims_by_chunk(read_part.extractions)
        readings |= {
            chunk_id: _ReadClaims(claims[chunk_id], read_part.unread_reasons.get(chunk_id))
            for chunk_id in read_part.chunks
        }
    return readings


def _group_claims_by_chunk(extractions: Sequence[ExtractedDocuments]) -> dict[ChunkId, list[StoredClaim]]:
    """Return the claims of each chunk, with the names that the text gives their ends."""
    claims_by_chunk: dict[ChunkId, list[StoredClaim]] = defaultdict(list)
    names: dict[tuple[ChunkId, str], str] = {}
    for extraction in extractions:
        for candidate in extraction.candidates:
            names.setdefault(
                (candidate.chunk_id, normalise_name(candidate.entity.name)), candidate.entity.name
            )
        for edge in extraction.edges:
            claims_by_chunk[edge.chunk_id].append(
                StoredClaim(
                    names.get((edge.chunk_id, edge.from_name), edge.from_name),
                    edge.relation.relation_type,
                    names.get((edge.chunk_id, edge.to_name), edge.to_name),
                    str(edge.relation.polarity.value),
                    round(edge.relation.confidence, 4),
                    edge.relation.quote,
                )
            )
    return claims_by_chunk
