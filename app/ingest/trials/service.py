"""Trials of another extraction: a sample of a space's chunks, read by another model or with other settings.

A trial writes nothing to the graph. Its report compares it with the graph of the same chunks: claims added,
lost and retyped, its cost and duration. It is then promoted or deleted.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from app.db.models import Job
from app.db.session import SpaceSession
from app.domain.relation_types import EXISTS
from app.errors import Conflict, InvalidInput, NotFound
from app.graph.names import normalise_name
from app.graph.validity import Polarity
from app.ids import ChunkId, JobId
from app.ingest import service as ingest
from app.ingest.extractor_choice import require_offered_models
from app.ingest.trials import repository
from app.ingest.trials.comparison import Comparison, ReadClaim, compare_claims
from app.ingest.trials.repository import ChunkReading, StoredClaim, delete_readings
from app.jobs import queue
from app.jobs.kinds import TryExtraction
from app.jobs.states import FINAL_STATES, JobState
from app.limits import TRIAL_CHUNKS
from app.llm.servers import list_extractors_that_spaces_may_choose
from app.settings import Settings
from app.space_settings import EffectiveSettings
from app.tenancy.audit import service as audit
from app.tenancy.spaces import service as spaces

__all__ = ["delete_readings"]

TRIABLE_SETTINGS = (
    "claim_check",
    "claim_check_model",
    "extra_node_types",
    "extra_relation_types",
    "gleanings",
    "min_confidence",
    "open_relations",
    "specific_relations",
    "statements",
    "turns_before",
)
"""Settings of a space that a trial may change: those that affect extraction."""
MAX_CLAIMS = 200
"""Maximum number of claims of each kind in a report."""
MAX_TRIALS = 50


@dataclass(frozen=True)
class Trial:
    """A trial as recorded by its job: its model and settings, progress and cost."""

    id: JobId
    model: str | None
    settings: Mapping[str, Any]
    state: JobState
    progress: float
    error: str | None
    created_at: datetime
    counts: Mapping[str, int]
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float


@dataclass(frozen=True)
class TrialReport:
    """A trial compared with the graph. `read_by` counts its chunks by the extractor that read them for the
    graph.

    `seconds` is the reading time of its documents, models included; answers that the space already had cost
    neither time nor money.
    """

    trial: Trial
    chunks: int
    failures: Mapping[str, int]
    seconds: float
    read_by: Mapping[str, int]
    comparison: Comparison
    documents: Mapping[ChunkId, tuple[UUID, str]]


def queue_extraction_trial(
    space: SpaceSession,
    settings: Settings,
    *,
    model: str | None,
    changes: Mapping[str, Any],
    chunk_count: int,
) -> Job:
    """Queue a trial of `chunk_count` chunks with this model, or the space's own, and with changed settings.

    Raises InvalidInput `nothing_to_try`, `model_not_offered`, `not_triable`, `trial_size` or for the value of
    a setting, and Conflict `trial_running` while another trial is running.
    """
    if model is None and not changes:
        raise InvalidInput("Name another model, or a setting that is to be another.", code="nothing_to_try")
    require_offered_models(
        {**changes, "extraction_model": model}, list_extractors_that_spaces_may_choose(settings)
    )
    if not set(changes) <= set(TRIABLE_SETTINGS):
        raise InvalidInput(
            f"A trial changes these settings alone: {', '.join(TRIABLE_SETTINGS)}.", code="not_triable"
        )
    if unset_names := sorted(name for name, value in changes.items() if value is None):
        raise InvalidInput(f"Say which {unset_names[0]} is to be tried.", code="nothing_to_try")
    if not 1 <= chunk_count <= TRIAL_CHUNKS.maximum:
        raise InvalidInput(f"A trial reads 1 to {TRIAL_CHUNKS.maximum} chunks.", code="trial_size")
    build_space_settings_with_changes(space, changes)
    for job in queue.lock_enqueueing_and_list_jobs_of_kind(space, TryExtraction.kind):
        if job.state not in FINAL_STATES and not job.cancel_requested:
            raise Conflict("Another trial is under way: wait for it, or drop it.", code="trial_running")
    job = queue.enqueue(space, TryExtraction(model, changes, chunk_count))
    audit.record(
        space, "trial.begin", target=job.id, details={"chunks": chunk_count, "settings": sorted(changes)}
    )
    return job


def build_space_settings_with_changes(space: SpaceSession, changes: Mapping[str, Any]) -> EffectiveSettings:
    """Return the space's settings with these changes, as used in a trial. Raises InvalidInput."""
    merged_settings = spaces.merge_space_settings(space.opening_state.settings, changes)
    return space.settings.model_copy(update={name: getattr(merged_settings, name) for name in changes})


def list_trials(space: SpaceSession) -> list[Trial]:
    """Return the space's trials that are not deleted, newest first, at most 50."""
    jobs = queue.list_jobs_of_kind(space, TryExtraction.kind)
    return [_build_trial_of_job(job) for job in jobs if not _is_trial_cancelled(job)][:MAX_TRIALS]


def get_trial(space: SpaceSession, trial_id: JobId) -> Trial:
    """Return the trial. Raises NotFound, also if it was deleted."""
    return _build_trial_of_job(_get_trial_job(space, trial_id))


def _get_trial_job(space: SpaceSession, trial_id: JobId) -> Job:
    for job in queue.get_jobs(space, [trial_id]):
        if job.kind == TryExtraction.kind and not _is_trial_cancelled(job):
            return job
    raise NotFound("trial")


def _is_trial_cancelled(job: Job) -> bool:
    return job.state == JobState.CANCELLED or job.cancel_requested


def _build_trial_of_job(job: Job) -> Trial:
    return Trial(
        JobId(job.id),
        job.arguments["model"],
        job.arguments["settings"],
        JobState(job.state),
        job.progress,
        job.error_message,
        job.created_at,
        dict(job.counts),
        job.prompt_tokens,
        job.completion_tokens,
        float(job.cost_usd),
    )


def build_trial_report(space: SpaceSession, trial_id: JobId) -> TrialReport:
    """Return the trial compared with the graph, as far as it has read. Raises NotFound."""
    trial = get_trial(space, trial_id)
    readings = repository.list_readings(space, trial_id)
    return TrialReport(
        trial,
        chunks=len(readings),
        failures=Counter(reading.failure for reading in readings if reading.failure is not None),
        seconds=sum(reading.seconds for reading in readings),
        read_by=Counter(reading.read_by or "nobody" for reading in readings),
        comparison=compare_readings(space, trial_id, readings),
        documents={
            reading.chunk_id: (UUID(str(reading.document_id)), reading.document_title) for reading in readings
        },
    )


def compare_readings(space: SpaceSession, trial_id: JobId, readings: Sequence[ChunkReading]) -> Comparison:
    """Return the difference between the graph and the readings for the chunks that could be read."""
    nodes = repository.get_node_ids_by_chunk_and_name(
        space,
        (
            (reading.chunk_id, normalise_name(name))
            for reading in readings
            for claim in reading.claims
            for name in (claim.from_name, claim.to_name)
        ),
    )

    def identity(chunk_id: ChunkId, name: str) -> str:
        normalised_name = normalise_name(name)
        node_id = nodes.get((chunk_id, normalised_name))
        return normalised_name if node_id is None else str(node_id)

    def as_read(reading: ChunkReading, claim: StoredClaim) -> ReadClaim:
        return ReadClaim(
            chunk_id=reading.chunk_id,
            source=identity(reading.chunk_id, claim.from_name),
            target=identity(reading.chunk_id, claim.to_name),
            **asdict(claim),
        )

    trial_claims = [as_read(reading, claim) for reading in readings for claim in reading.claims]
    # The trial may continue between two queries: chunks read since then are not compared yet.
    read_chunks = {reading.chunk_id for reading in readings if reading.failure is None}
    return compare_claims(
        (
            claim
            for claim in repository.list_graph_claims_of_trial_chunks(space, trial_id)
            if claim.chunk_id in read_chunks
        ),
        # As in the graph: a claim with equal ends is dropped, unless it is about existence or a change.
        (
            claim
            for claim in trial_claims
            if claim.source != claim.target
            or claim.relation_type == EXISTS
            or claim.polarity == Polarity.DENIED
        ),
    )


def delete_trial(space: SpaceSession, trial_id: JobId) -> None:
    """Delete the trial's readings; a running trial is cancelled. Raises NotFound.

    Its cost stays in the ledger, and its model answers stay stored like any others.
    """
    job = _get_trial_job(space, trial_id)
    if job.state not in FINAL_STATES:
        job = ingest.cancel_job(space, trial_id)
    delete_readings(space, trial_id)
    if job.state in FINAL_STATES and not queue.delete_ended_job(space, trial_id):
        # Another request dropped it meanwhile.
        raise NotFound("trial")
    audit.record(space, "trial.drop", target=trial_id)
