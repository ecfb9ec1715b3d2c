"""Rules of ingest that doors use: handing documents in, taking them out, ending and trying jobs again."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.db.changes import Change
from app.db.models import Job
from app.db.session import Database, SpaceSession
from app.documents import intake
from app.documents import service as documents
from app.embedding_change import service as embedding_change
from app.errors import TooManyJobs
from app.graph_store import graph_writer
from app.ids import ChunkId, DocumentId, JobId, TenantId
from app.jobs import queue
from app.jobs.kinds import IngestDocuments
from app.jobs.states import JobState
from app.spaces import service as spaces
from app.tenants import quotas


@dataclass(frozen=True)
class Removal:
    """The changes that the removal of a document made in the graph."""

    unlinked_edges: int
    pruned_edges: int
    pruned_nodes: int


@dataclass(frozen=True)
class Eviction:
    """The losses by the end of single chunks: edges left without evidence, and nodes now named less often."""

    chunks: int
    documents: int
    unlinked_edges: int
    nodes: int


@dataclass(frozen=True)
class QuotaUse:
    """How much of one quota a tenant has used."""

    quota: str
    used: int
    limit: int


def list_quotas(database: Database, tenant_id: TenantId) -> list[QuotaUse]:
    """List the tenant's quotas; two short transactions, as no session sees all of it."""
    with database.open_tenant(tenant_id) as tenant:
        held = quotas.holding(tenant)
    waiting, _ = _queued(database, tenant_id, bound=1_000_000)
    used = {**held.used, "queued_jobs": waiting}
    return [QuotaUse(name, used[name], limit) for name, limit in held.limits.items()]


def check_queue(database: Database, tenant_id: TenantId) -> None:
    """Raise TooManyJobs where the tenant has as many ingest jobs waiting as it may.

    Before a submission and in a transaction of its own, as no space's session sees the jobs of another: the
    requests at work at that moment, and they alone, can overrun the limit, by a job each.
    """
    waiting, limit = _queued(database, tenant_id)
    if waiting >= limit:
        raise TooManyJobs("queued_jobs", used=waiting, limit=limit)


def _queued(database: Database, tenant_id: TenantId, *, bound: int | None = None) -> tuple[int, int]:
    """How many ingest jobs the tenant has waiting, counted up to the bound or its limit, and the limit."""
    with database.open_platform() as platform:
        limit = quotas.holding_of(platform, tenant_id).limits["queued_jobs"]
        return queue.count_queued(platform, tenant_id, IngestDocuments.kind, bound=bound or limit + 1), limit


def remove_document(space: SpaceSession, document_id: DocumentId, *, prune: bool = False) -> Removal:
    """Delete a document with its chunks and mentions; its edges stay, without evidence (requirement 2.4).

    With `prune` the edges that this leaves without evidence go too, and nodes left without edges and
    mentions. Raises NotFound.
    """
    documents.get_document(space, document_id)
    spaces.lock_graph(space)
    forgotten = graph_writer.forget_chunks(space, intake.chunk_ids(space, document_id))
    intake.remove(space, document_id)
    space.mark(Change.GRAPH)
    if not prune:
        return Removal(len(forgotten.edge_ids), 0, 0)
    pruned = graph_writer.prune(space, forgotten.edge_ids, forgotten.node_ids)
    return Removal(len(forgotten.edge_ids), pruned["edges"], pruned["nodes"])


def lock_chunks(space: SpaceSession) -> None:
    """Keep the space's chunks and graph as they are until the transaction ends, but for what it does
    itself.
    """
    intake.lock_submissions(space)
    spaces.lock_graph(space)


def remove_chunks(space: SpaceSession, chunk_ids: Sequence[ChunkId]) -> Eviction:
    """Delete chunks with their mentions, and documents that this leaves without any (requirement 12.2).

    Under `lock_chunks`, which comes before whatever decides which chunks go.

    Edges stay, on another chunk of the same text or without evidence, and counts of mentions follow, as with
    a document's end (requirement 2.4). A part of a document goes; its text stays until its last chunk has
    gone.
    """
    forgotten = graph_writer.forget_chunks(space, chunk_ids)
    chunks, emptied = intake.drop_chunks(space, chunk_ids)
    if forgotten.edge_ids or forgotten.node_ids:
        space.mark(Change.GRAPH)
    return Eviction(chunks, emptied, len(forgotten.edge_ids), len(forgotten.node_ids))


def cancel_job(space: SpaceSession, job_id: JobId) -> Job:
    """Cancel a job; documents that it had not begun are failed, saying so. Raises NotFound, Conflict."""
    job = queue.cancel(space, job_id)
    if job.state == JobState.CANCELLED:
        end_cancelled(space, job_id, job.kind)
    return job


def end_cancelled(space: SpaceSession, job_id: JobId, kind: str) -> None:
    """In the transaction in which a job is cancelled: take away what it leaves that nobody will use."""
    fail_pending_documents(space, job_id, cancelled=True)
    embedding_change.clear_after_cancel(space, kind)


def retry_job(space: SpaceSession, job_id: JobId) -> Job:
    """Queue a failed or cancelled job again, with the documents that it left. Raises NotFound, Conflict."""
    job = queue.retry(space, job_id)
    intake.requeue_failed(space, job_id)
    return job


def fail_pending_documents(space: SpaceSession, job_id: JobId, *, cancelled: bool) -> None:
    """Mark what the job will not get to any more."""
    code, reason = (
        ("cancelled", "Its job was cancelled before it was read.")
        if cancelled
        else ("job_failed", "Its job failed; the job says why.")
    )
    _fail_pending(space, job_id, code=code, reason=reason)


def quarantine_documents(space: SpaceSession, job_id: JobId, *, code: str, reason: str) -> None:
    """Mark as failed, for this reason, all that the job has not taken in."""
    _fail_pending(space, job_id, code=code, reason=reason)


def _fail_pending(space: SpaceSession, job_id: JobId, *, code: str, reason: str) -> None:
    intake.fail_pending(space, job_id, code=code, reason=reason)
    job = queue.get_job(space, job_id)
    if job.kind == IngestDocuments.kind and (job.counts.get("nodes") or job.counts.get("edges")):
        # What it wrote until then stays in the graph, and nobody else comes to say so.
        space.mark(Change.GRAPH)


def release_documents(space: SpaceSession, job_id: JobId) -> None:
    """Take back the marks on documents being read: the job stops in good order."""
    intake.release(space, job_id)
