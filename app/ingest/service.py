"""Rules of ingest for API, CLI and dashboard: submitting and removing documents, cancelling and retrying
jobs.
"""

from dataclasses import dataclass

from app.db.changes import Change
from app.db.database import Database
from app.db.models import Document, Job
from app.db.session import SpaceSession
from app.derived.embedding_change import service as embedding_change
from app.documents import ingest_steps
from app.documents import service as documents
from app.errors import TooManyJobs
from app.graph.invalidation import evidence_changes
from app.graph.write import merges, word_erasure
from app.graph.write.curation import service as curation
from app.ids import DocumentId, JobId, NodeId, TenantId
from app.ingest.derived_texts import delete_summaries_and_reports
from app.ingest.document_removal import (
    Eviction,
    Removal,
    delete_document_with_all_its_words,
    evict_chunks,
    evict_chunks_again_after_restore,
    lock_chunks_and_graph,
    preview_removal,
    preview_removals,
)
from app.jobs import queue
from app.jobs.kinds import IngestDocuments
from app.jobs.states import FINAL_STATES, JobState
from app.tenancy.audit import service as audit
from app.tenancy.tenants import budgets, quotas
from app.tenant_quotas import TOKENS

__all__ = [
    "Eviction",
    "Removal",
    "delete_document_with_all_its_words",
    "evict_chunks",
    "evict_chunks_again_after_restore",
    "lock_chunks_and_graph",
    "preview_removal",
    "preview_removals",
]


@dataclass(frozen=True)
class QuotaUse:
    """The use of one quota by a tenant."""

    quota: str
    used: int
    limit: int | None


def list_quota_uses(database: Database, tenant_id: TenantId) -> list[QuotaUse]:
    """Return the tenant's quotas; uses two short transactions, because no session sees all tables."""
    with database.open_tenant(tenant_id) as tenant:
        quota_usage = quotas.get_quota_usage(tenant)
        token_use = budgets.read_month_token_allowance(tenant)
    queue_use = _get_ingest_queue_use(database, tenant_id, bound=1_000_000)
    used_amounts = {**quota_usage.used, "queued_jobs": queue_use.used}
    uses = [QuotaUse(name, used_amounts[name], limit) for name, limit in quota_usage.limits.items()]
    return [*uses, QuotaUse(TOKENS, token_use.used, token_use.limit)]


def check_room_for_ingest_job(database: Database, tenant_id: TenantId) -> None:
    """Raise TooManyJobs if the tenant has reached its limit of waiting ingest jobs.

    Called before a submission in a transaction of its own, because a space's session does not see jobs of
    other spaces. Only concurrent requests can exceed the limit, by one job each.
    """
    queue_use = _get_ingest_queue_use(database, tenant_id)
    if queue_use.used >= queue_use.limit:
        raise TooManyJobs("queued_jobs", used=queue_use.used, limit=queue_use.limit, added=1)


@dataclass(frozen=True)
class _QueueUse:
    """The number of a tenant's waiting ingest jobs, and their limit."""

    used: int
    limit: int


def _get_ingest_queue_use(database: Database, tenant_id: TenantId, *, bound: int | None = None) -> _QueueUse:
    """Return the tenant's waiting ingest jobs, counted up to `bound` or one more than the limit."""
    with database.open_platform() as platform:
        limit = quotas.get_effective_limits_of_tenant(platform, tenant_id)["queued_jobs"]
        queued_count = queue.count_queued_jobs(
            platform, tenant_id, IngestDocuments.kind, bound=bound or limit + 1
        )
    return _QueueUse(queued_count, limit)


def change_document_trust(space: SpaceSession, document_id: DocumentId, trust: float) -> Document:
    """Set the trust in a document, and recompute the endings of and by its claims as if it had always had it
    (decision 100).

    Returns the document; the space's settings bound its trust. Raises NotFound, InvalidInput `bad_trust`, and
    Conflict `less_trusted` or `document_not_read`.
    """
    lock_chunks_and_graph(space)
    previous_trust = documents.set_trust_and_return_previous(space, document_id, trust)
    document = documents.get_document(space, document_id)
    if document.trust != previous_trust:
        chunk_ids = ingest_steps.list_chunk_ids_of_document(space, document_id)
        evidence_changes.multiply_edge_weights_and_recompute_endings(
            space, chunk_ids, weight_factor=document.trust / previous_trust
        )
        renamed_node_ids = merges.recount_votes_and_rename_nodes_of_chunks(space, chunk_ids)
        if renamed_node_ids:
            delete_summaries_and_reports(
                space, word_erasure.delete_vectors_with_old_names(space, renamed_node_ids)
            )
        space.mark_change(Change.GRAPH)
        audit.record(
            space,
            "document.trust",
            target=document_id,
            details={"before": previous_trust, "trust": document.trust},
        )
    return document


def rename_node(space: SpaceSession, node_id: NodeId, name: str, *, actor: str) -> str:
    """Give a node the name that a person chose; texts with its old name are rewritten. See `curation`."""
    node = curation.rename_node(space, node_id, name, actor=actor)
    delete_summaries_and_reports(space, [node_id])
    return node.canonical_name


def restore_node_name(space: SpaceSession, node_id: NodeId, *, actor: str) -> str:
    """Restore a node's name from the documents; texts with the given name are rewritten."""
    node = curation.restore_name_from_texts(space, node_id, actor=actor)
    delete_summaries_and_reports(space, [node_id])
    return node.canonical_name


def cancel_job(space: SpaceSession, job_id: JobId) -> Job:
    """Cancel a job; documents that it has not started fail with that reason. Raises NotFound, Conflict."""
    job = queue.cancel_job(space, job_id)
    audit.record(space, "job.cancel", target=job_id, details={"kind": job.kind})
    if job.state == JobState.CANCELLED:
        clean_up_cancelled_job(space, job_id, job.kind)
    return job


def clean_up_cancelled_job(space: SpaceSession, job_id: JobId, kind: str) -> None:
    """Delete what a cancelled job leaves unused, in the transaction of the cancellation."""
    fail_pending_documents(space, job_id, is_cancelled=True)
    embedding_change.enqueue_vector_deletion_of_cancelled_change(space, kind)


def retry_job(space: SpaceSession, job_id: JobId) -> Job:
    """Queue a job again with its unread documents, see `queue.retry`. Raises NotFound, Conflict.

    Of documents that were finished except for quarantined chunks, only these chunks are read.
    """
    if queue.get_job(space, job_id).state in FINAL_STATES:
        requeued_counts = ingest_steps.requeue_job_documents(space, job_id)
        job = queue.retry_job(
            space, job_id, unread_count=requeued_counts.documents, read_count=requeued_counts.read
        )
    else:
        job = queue.retry_job(space, job_id)
    audit.record(space, "job.retry", target=job_id, details={"kind": job.kind})
    return job


def fail_pending_documents(space: SpaceSession, job_id: JobId, *, is_cancelled: bool) -> None:
    """Mark the documents that the job will not reach as failed."""
    code, reason = (
        ("cancelled", "Its job was cancelled before it was read.")
        if is_cancelled
        else ("job_failed", "Its job failed; the job says why.")
    )
    fail_unfinished_documents(space, job_id, code=code, reason=reason)


def fail_unfinished_documents(space: SpaceSession, job_id: JobId, *, code: str, reason: str) -> None:
    """Mark all documents that the job has not ingested as failed, with this code and reason."""
    ingest_steps.fail_unfinished_documents(space, job_id, code=code, reason=reason)
    job = queue.get_job(space, job_id)
    if job.kind == IngestDocuments.kind and (job.counts.get("nodes") or job.counts.get("edges")):
        # The part of the graph that the job wrote stays, and no other job records the change.
        space.mark_change(Change.GRAPH)


def requeue_documents_being_read(space: SpaceSession, job_id: JobId) -> None:
    """Requeue the documents being read without counting a crash: the job stops regularly."""
    ingest_steps.requeue_unfinished_documents(space, job_id)
