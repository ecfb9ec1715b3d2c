"""Rules of ingest that doors use: handing documents in, taking them out, ending and trying jobs again."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from app.db.changes import Change
from app.db.models import Document, Job
from app.db.session import Database, SpaceSession
from app.derived.embedding_change import service as embedding_change
from app.documents import intake
from app.documents import service as documents
from app.errors import TooManyJobs
from app.graph.invalidation import evidence
from app.graph.write import chunk_removal, erasure, merges
from app.graph.write.chunk_removal import Forgotten
from app.graph.write.curation import service as curation
from app.graph.write.erasure import Erased
from app.ids import ChunkId, DocumentId, EdgeId, JobId, NodeId, TenantId
from app.ingest.derived_texts import delete_derived_texts
from app.jobs import queue
from app.jobs.kinds import IngestDocuments
from app.jobs.states import FINAL_STATES, JobState
from app.llm.model_calls import service as llm
from app.tenancy.audit import receipts
from app.tenancy.audit import service as audit
from app.tenancy.spaces import service as spaces
from app.tenancy.tenants import quotas, tokens
from app.tenant_quotas import TOKENS


@dataclass(frozen=True)
class Removal:
    """The changes that the removal of a document made, or would make.

    Of its edges `unlinked_edges` lost their evidence, of which `pruned_edges` went; `forgotten_nodes` keep
    their edges and not a word, `pruned_nodes` went, `renamed_nodes` lost a name that only it gave them.
    `lost_weight` is that of the edges which lost their evidence, `weight_after` that of the edges with
    evidence which still join the same nodes. Of `texts_queued` nodes what was written goes, and is written
    anew. `rows` are those that went, by table.
    """

    chunks: int
    unlinked_edges: int
    pruned_edges: int
    pruned_nodes: int
    forgotten_nodes: int
    renamed_nodes: int
    lost_weight: float
    weight_after: float
    texts_queued: int
    rows: Mapping[str, int]


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
    limit: int | None


def list_quotas(database: Database, tenant_id: TenantId) -> list[QuotaUse]:
    """List the tenant's quotas; two short transactions, as no session sees all of it."""
    with database.open_tenant(tenant_id) as tenant:
        holding = quotas.get_holding(tenant)
        month = tokens.month_token_use(tenant)
    waiting, _ = _count_waiting_ingest_jobs(database, tenant_id, bound=1_000_000)
    used = {**holding.used, "queued_jobs": waiting}
    uses = [QuotaUse(name, used[name], limit) for name, limit in holding.limits.items()]
    return [*uses, QuotaUse(TOKENS, month.used, month.limit)]


def check_room_for_ingest_job(database: Database, tenant_id: TenantId) -> None:
    """Raise TooManyJobs where the tenant has as many ingest jobs waiting as it may.

    Before a submission and in a transaction of its own, as no space's session sees the jobs of another: the
    requests at work at that moment, and they alone, can overrun the limit, by a job each.
    """
    waiting, limit = _count_waiting_ingest_jobs(database, tenant_id)
    if waiting >= limit:
        raise TooManyJobs("queued_jobs", used=waiting, limit=limit)


def _count_waiting_ingest_jobs(
    database: Database, tenant_id: TenantId, *, bound: int | None = None
) -> tuple[int, int]:
    """How many ingest jobs the tenant has waiting, counted up to the bound or its limit, and the limit."""
    with database.open_platform() as platform:
        limit = quotas.limits_of_tenant(platform, tenant_id)["queued_jobs"]
        return queue.count_queued_jobs(
            platform, tenant_id, IngestDocuments.kind, bound=bound or limit + 1
        ), limit


def remove_document(space: SpaceSession, document_id: DocumentId, *, prune: bool | None = None) -> Removal:
    """Delete a document and all its words, wherever they were kept; its edges stay as rows, without evidence
    (requirements 2.4, 15.3).

    With `prune`, by default the space's `prune_deleted`, the edges that this leaves without evidence go too,
    and nodes left without edges and mentions. Raises NotFound.
    """
    removal = _remove_with_receipt(space, document_id, prune=prune)
    space.mark_change(Change.GRAPH)
    # The receipt: what an erasure took along, in numbers.
    counts = {name: value for name, value in asdict(removal).items() if name != "rows"}
    rows = {f"rows.{table}": count for table, count in removal.rows.items()}
    audit.record(space, "document.delete", target=document_id, details={**counts, **rows})
    return removal


def preview_removal(space: SpaceSession, document_id: DocumentId, *, prune: bool | None = None) -> Removal:
    """The changes that the removal of a document would make: it is done, and taken back. Raises NotFound."""
    with erasure.rolled_back_trial(space):
        return _remove_with_receipt(space, document_id, prune=prune)


def preview_removals(
    space: SpaceSession, document_ids: Sequence[DocumentId], *, prune: bool | None = None
) -> list[Removal]:
    """The changes that the removal of these documents, one after the other, would make. Raises NotFound."""
    with erasure.rolled_back_trial(space):
        return [_remove_with_receipt(space, document_id, prune=prune) for document_id in document_ids]


def _remove_with_receipt(space: SpaceSession, document_id: DocumentId, *, prune: bool | None) -> Removal:
    documents.get_document(space, document_id)
    with receipts.counting_deleted_rows(space, space.space_id) as rows:
        removal = _remove_counted(space, document_id, prune=prune)
    return replace(removal, rows=rows)


def _remove_counted(space: SpaceSession, document_id: DocumentId, *, prune: bool | None) -> Removal:
    lock_chunks(space)
    chunk_ids = intake.chunk_ids(space, document_id)
    intake.prepare_removal(space, chunk_ids)
    llm.drop_answers(space, chunk_ids)
    before = erasure.edges_replaced_by(space, document_id)
    forgotten = chunk_removal.remove_chunks_from_graph(space, chunk_ids)
    intake.remove_document(space, document_id)
    erased = _erase_forgotten_words(space, forgotten, before)
    lost_weight, weight_after = chunk_removal.evidence_weight_shares(space, forgotten.edge_ids)
    pruned_nodes: set[NodeId] = set()
    wants_pruning = space.settings.prune_deleted if prune is None else prune
    if wants_pruning:
        pruned_nodes = chunk_removal.delete_edges_and_unused_nodes(
            space, forgotten.edge_ids, erased.written_about
        )
    return Removal(
        chunks=len(chunk_ids),
        unlinked_edges=len(forgotten.edge_ids),
        pruned_edges=len(forgotten.edge_ids) if wants_pruning else 0,
        pruned_nodes=erased.pruned + len(pruned_nodes),
        forgotten_nodes=len(set(erased.forgotten) - pruned_nodes),
        renamed_nodes=len(set(erased.renamed) - pruned_nodes),
        lost_weight=lost_weight,
        weight_after=weight_after,
        texts_queued=len(set(erased.written_about) - pruned_nodes),
        rows={},
    )


def _erase_forgotten_words(space: SpaceSession, forgotten: Forgotten, before: Sequence[EdgeId]) -> Erased:
    """Erase what only chunks said that are gone by now, and what was written out of their words."""
    spaces.increment_erasure_count(space)
    erased = erasure.erase_forgotten_words(space, forgotten, edges=before)
    delete_derived_texts(space, erased.written_about)
    llm.drop_untied(space)
    return erased


def change_document_trust(space: SpaceSession, document_id: DocumentId, trust: float) -> Document:
    """Trust a document so far from now on; what its claims end, and what ends them, is worked out anew, as if
    it had been trusted so from the beginning (decision 100). Returns the document, whose trust the space's
    settings bound.

    Raises NotFound, InvalidInput `bad_trust`, and Conflict `less_trusted` or `document_not_read`.
    """
    lock_chunks(space)
    before = documents.change_trust(space, document_id, trust)
    document = documents.get_document(space, document_id)
    if document.trust != before:
        chunk_ids = intake.chunk_ids(space, document_id)
        evidence.reweigh_edges_of_chunks(space, chunk_ids, weight_factor=document.trust / before)
        merges.recount_votes_of_chunks(space, chunk_ids)
        space.mark_change(Change.GRAPH)
        audit.record(
            space, "document.trust", target=document_id, details={"before": before, "trust": document.trust}
        )
    return document


def rename_node(space: SpaceSession, node_id: NodeId, name: str, *, actor: str) -> str:
    """Call a node as a person says; what was written with its old name is written anew. See `curation`."""
    named = curation.rename_node(space, node_id, name, actor=actor)
    delete_derived_texts(space, [node_id])
    return named.canonical_name


def restore_node_name(space: SpaceSession, node_id: NodeId, *, actor: str) -> str:
    """Call a node again as texts do; what was written with the given name is written anew."""
    named = curation.restore_name_from_texts(space, node_id, actor=actor)
    delete_derived_texts(space, [node_id])
    return named.canonical_name


def lock_chunks(space: SpaceSession) -> None:
    """Keep the space's chunks and graph as they are until the transaction ends, but for what it does
    itself.
    """
    intake.lock_submissions(space)
    spaces.lock_graph_for_writing(space)


def evict_chunks(space: SpaceSession, chunk_ids: Sequence[ChunkId]) -> Eviction:
    """Delete chunks with their mentions, and documents that this leaves without any (requirement 12.2).

    Under `lock_chunks`, which comes before whatever decides which chunks go.

    Edges stay, on another chunk of the same text or without evidence, and counts of mentions follow, as with
    a document's end (requirement 2.4). A part of a document goes; its text stays until its last chunk has
    gone.
    """
    intake.prepare_removal(space, chunk_ids)
    llm.drop_answers(space, chunk_ids)
    forgotten = chunk_removal.remove_chunks_from_graph(space, chunk_ids)
    chunks, emptied = intake.drop_chunks(space, chunk_ids)
    _erase_forgotten_words(space, forgotten, ())
    if forgotten.edge_ids or forgotten.names:
        space.mark_change(Change.GRAPH)
    return Eviction(chunks, emptied, len(forgotten.edge_ids), len(forgotten.names))


def cancel_job(space: SpaceSession, job_id: JobId) -> Job:
    """Cancel a job; documents that it had not begun are failed, saying so. Raises NotFound, Conflict."""
    job = queue.cancel_job(space, job_id)
    audit.record(space, "job.cancel", target=job_id, details={"kind": job.kind})
    if job.state == JobState.CANCELLED:
        clean_up_cancelled_job(space, job_id, job.kind)
    return job


def clean_up_cancelled_job(space: SpaceSession, job_id: JobId, kind: str) -> None:
    """In the transaction in which a job is cancelled: take away what it leaves that nobody will use."""
    fail_pending_documents(space, job_id, cancelled=True)
    embedding_change.delete_vectors_of_cancelled_change(space, kind)


def retry_job(space: SpaceSession, job_id: JobId) -> Job:
    """Queue a job again with what it left unread, see `queue.retry`: of documents that it read to the end but
    for quarantined chunks, these chunks alone. Raises NotFound, Conflict.
    """
    if queue.get_job(space, job_id).state in FINAL_STATES:
        requeued = intake.requeue_job_documents(space, job_id)
        job = queue.retry_job(space, job_id, unread=requeued.documents, read=requeued.read)
    else:
        job = queue.retry_job(space, job_id)
    audit.record(space, "job.retry", target=job_id, details={"kind": job.kind})
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
        space.mark_change(Change.GRAPH)


def release_documents(space: SpaceSession, job_id: JobId) -> None:
    """Take back the marks on documents being read: the job stops in good order."""
    intake.requeue_processing(space, job_id)
