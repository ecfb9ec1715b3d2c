"""Removal of documents and chunks, with the edges and nodes that have no other source."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from app.db.changes import Change
from app.db.session import SpaceSession
from app.documents import ingest_steps
from app.documents import service as documents
from app.errors import NotFound
from app.graph.write import chunk_removal, word_erasure
from app.graph.write.chunk_removal import RemovedTraces
from app.graph.write.word_erasure import Erasure
from app.ids import ChunkId, DocumentId, EdgeId, NodeId
from app.ingest.derived_texts import delete_summaries_and_reports
from app.ingest.replace_reading import queue_chunks_to_reread
from app.llm.model_calls import service as llm
from app.tenancy.audit import receipts
from app.tenancy.audit import service as audit
from app.tenancy.spaces import service as spaces


@dataclass(frozen=True)
class Removal:
    """The changes that the removal of a document made, or would make.

    `unlinked_edges` of its edges lost their evidence, and `pruned_edges` of these were deleted.
    `forgotten_node_ids` keep their edges but no text, `pruned_nodes` were deleted, `renamed_node_ids` lost a
    name that only the document gave them. `lost_weight` is the weight of the unlinked edges, `weight_after`
    that of the remaining edges with evidence between the same nodes. The texts about `texts_queued` nodes are
    deleted and rewritten. `rows` are the deleted rows by table.
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
    """The losses from the eviction of single chunks: edges without evidence, and nodes with fewer
    mentions.
    """

    chunks: int
    documents: int
    unlinked_edges: int
    nodes: int


def delete_document_with_all_its_words(
    space: SpaceSession, document_id: DocumentId, *, prune: bool | None = None
) -> Removal:
    """Delete a document and all its words, wherever they are stored; its edges stay as rows without evidence
    (requirements 2.4, 15.3).

    With `prune`, by default the space's `prune_deleted`, edges left without evidence are deleted too, and
    nodes left without edges and mentions. Raises NotFound.
    """
    is_pruning = space.settings.prune_deleted if prune is None else prune
    removal = _remove_document_with_receipt(space, document_id, prune=is_pruning)
    space.mark_change(Change.GRAPH)
    # The audit entry of an erasure contains its counts, and what is needed to repeat it after a restore.
    counts = {name: value for name, value in asdict(removal).items() if name != "rows"}
    row_counts = {f"rows.{table}": count for table, count in removal.rows.items()}
    audit.record(
        space, "document.delete", target=document_id, details={"prune": is_pruning, **counts, **row_counts}
    )
    return removal


def preview_removal(space: SpaceSession, document_id: DocumentId, *, prune: bool | None = None) -> Removal:
    """Return the changes that the removal of a document would make; it is executed and rolled back. Raises
    NotFound.
    """
    with word_erasure.try_changes_and_roll_back(space):
        return _remove_document_with_receipt(space, document_id, prune=prune)


def preview_removals(
    space: SpaceSession, document_ids: Sequence[DocumentId], *, prune: bool | None = None
) -> list[Removal]:
    """Return the changes that the removal of these documents, one after the other, would make. Raises
    NotFound.
    """
    with word_erasure.try_changes_and_roll_back(space):
        return [
            _remove_document_with_receipt(space, document_id, prune=prune) for document_id in document_ids
        ]


def _remove_document_with_receipt(
    space: SpaceSession, document_id: DocumentId, *, prune: bool | None
) -> Removal:
    documents.get_document(space, document_id)
    with receipts.count_deleted_rows_within(space, space.space_id) as rows:
        removal = _remove_and_count_losses(space, document_id, prune=prune)
    return replace(removal, rows=rows)


def _remove_and_count_losses(space: SpaceSession, document_id: DocumentId, *, prune: bool | None) -> Removal:
    lock_chunks_and_graph(space)
    chunk_ids = ingest_steps.list_chunk_ids_of_document(space, document_id)
    ingest_steps.lock_chunks_and_clear_word_index(space, chunk_ids)
    llm.delete_answers_only_about_chunks(space, chunk_ids)
    replaced_edges = word_erasure.list_edges_replaced_by_document(space, document_id)
    traces = chunk_removal.remove_traces_of_chunks_from_graph(space, chunk_ids)
    if not ingest_steps.delete_document_if_exists(space, document_id):
        # Another request removed it while this one waited for the locks.
        raise NotFound("document")
    erased_words = _erase_words_of_removed_chunks(space, traces, replaced_edges)
    lost_weight, remaining_weight = chunk_removal.sum_evidence_weights(space, traces.edge_ids)
    pruned_nodes: set[NodeId] = set()
    is_pruning = space.settings.prune_deleted if prune is None else prune
    if is_pruning:
        pruned_nodes = chunk_removal.delete_edges_and_unused_nodes(
            space, traces.edge_ids, erased_words.described_node_ids
        )
    return Removal(
        chunks=len(chunk_ids),
        unlinked_edges=len(traces.edge_ids),
        pruned_edges=len(traces.edge_ids) if is_pruning else 0,
        pruned_nodes=erased_words.pruned_count + len(pruned_nodes),
        forgotten_nodes=len(set(erased_words.forgotten_node_ids) - pruned_nodes),
        renamed_nodes=len(set(erased_words.renamed_node_ids) - pruned_nodes),
        lost_weight=lost_weight,
        weight_after=remaining_weight,
        texts_queued=len(set(erased_words.described_node_ids) - pruned_nodes),
        rows={},
    )


def _erase_words_of_removed_chunks(
    space: SpaceSession, traces: RemovedTraces, edge_ids_before: Sequence[EdgeId]
) -> Erasure:
    """Erase words that only deleted chunks contained, and the texts derived from them."""
    spaces.increment_erasure_count_of_space(space)
    erased_words = word_erasure.erase_words_of_removed_chunks(space, traces, edge_ids=edge_ids_before)
    delete_summaries_and_reports(space, erased_words.described_node_ids)
    queue_chunks_to_reread(space, erased_words.chunk_ids_to_reread)
    llm.delete_unlinked_answers(space)
    return erased_words


def lock_chunks_and_graph(space: SpaceSession) -> None:
    """Lock the space's chunks and graph against other transactions until this one ends."""
    ingest_steps.lock_submissions(space)
    spaces.lock_graph_and_increment_revision(space)


def evict_chunks(space: SpaceSession, chunk_ids: Sequence[ChunkId]) -> Eviction:
    """Delete chunks with their mentions, and documents left without chunks (requirement 12.2).

    The caller holds `lock_chunks_and_graph`, acquired before it chose the chunks.

    Edges stay, on another chunk of the same text or without evidence, and mention counts are updated, as when
    a document is removed (requirement 2.4). A document's text stays until its last chunk is deleted.
    """
    ingest_steps.lock_chunks_and_clear_word_index(space, chunk_ids)
    llm.delete_answers_only_about_chunks(space, chunk_ids)
    traces = chunk_removal.remove_traces_of_chunks_from_graph(space, chunk_ids)
    dropped_rows = ingest_steps.delete_chunks_and_empty_documents(space, chunk_ids)
    _erase_words_of_removed_chunks(space, traces, ())
    if traces.edge_ids or traces.names:
        space.mark_change(Change.GRAPH)
    return Eviction(dropped_rows.chunks, dropped_rows.documents, len(traces.edge_ids), len(traces.names))


def evict_chunks_again_after_restore(space: SpaceSession, chunk_ids: Sequence[ChunkId]) -> Eviction:
    """Evict chunks that were evicted before and came back with a restored database. Raises NotFound if none
    of them is there.
    """
    lock_chunks_and_graph(space)
    eviction = evict_chunks(space, chunk_ids)
    if not eviction.chunks:
        raise NotFound("chunk")
    audit.record(
        space,
        "chunk.evict",
        other_targets=chunk_ids,
        details={
            "chunks": eviction.chunks,
            "documents": eviction.documents,
            "unlinked_edges": eviction.unlinked_edges,
        },
    )
    return eviction
