"""The ingest job: parse, chunk and embed, extract entities and relations, write the graph.

Each step is a short transaction that first verifies the lease; no step waits for a parser or a model with an
open transaction. Every step is idempotent: results that already exist are recognised, so a job that died or
yielded is simply run again. While a model is waited for, some batches are read ahead of the one being
written; the graph is written batch by batch, in order, and large documents part by part (ADR 0028).
"""

import threading
from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass

import structlog

from app.db.changes import Change
from app.db.session import SpaceSession
from app.documents import ingest_steps
from app.documents.ingest_steps import SLICE_CHUNKS
from app.documents.shapes import PendingDocument
from app.extraction.drop_reasons import LEFT_OUT, NAMES_ONLY, OTHER_LANGUAGE, build_count_name_of_drop_code
from app.extraction.llm.tag_suggester import TagSuggester
from app.extraction.shapes import ChunkFailure, Vocabulary
from app.extraction.vocabulary import build_vocabulary
from app.graph.invalidation import superseding
from app.graph.tags.suggestions import Origin
from app.graph.write import chunk_removal, edge_writer, graph_writer, near_duplicates
from app.graph.write.embedding import embed_nodes_and_facts_of_chunks
from app.ids import ChunkId, DocumentId
from app.ingest.chunk_reuse import build_extractor_version
from app.ingest.contained_reading import ChunkReader
from app.ingest.extraction_passes import ExtractedDocuments, extract_documents
from app.ingest.extractor_choice import Extractors, JobExtraction
from app.ingest.parse_and_chunk import (
    TextReader,
    delete_replaced_chunks_and_erase_their_words,
    embed_new_chunks,
    find_vectors_of_twins_by_chunk_hash,
    parse_and_chunk_documents,
    store_new_chunks,
    switch_documents_to_new_text,
)
from app.ingest.parts import (
    BATCH_BYTES,
    batch_documents_by_crash_count,
    do_documents_fit_one_part,
    split_candidates_by_chunks,
    split_documents_into_parts,
    split_new_chunks_into_slices,
)
from app.ingest.prefetch import map_ahead_in_order
from app.ingest.quota_limits import (
    AcceptedDocuments,
    NodeBound,
    RefusedDocuments,
    drop_refused_documents,
    split_documents_by_room_in_quota,
)
from app.ingest.read_document import DocumentChunk, ReadDocument
from app.jobs import queue
from app.jobs.context import JobContext
from app.jobs.webhooks import service as webhooks
from app.limits import QUARANTINED_SHOWN
from app.sandbox.process_sandbox import Session
from app.space_settings import TagsAtIngest
from app.tenancy.spaces import service as spaces
from app.tenancy.tenants import quotas
from app.tenancy.tenants import service as tenants

_NO_GRAPH_NOTE = (
    "Chunks that are searched, but of which no graph was drawn, since rules read English only: {}."
    " A model draws one in any language."
)
_NAMES_ONLY_NOTE = (
    "Chunks of which names were read and no claims, since rules read English only: {}."
    " A model reads claims in any language."
)
log = structlog.get_logger(__name__)

# Maximum total bytes of documents read concurrently; a larger document is read alone.
MAX_CONCURRENT_BYTES = 4 * BATCH_BYTES
# Rows per statement, so that no transaction grows with a document.
SLICE_EDGES = 2_000
MAX_CRASHES = 3


def ingest_documents(run: JobContext, extractors: Extractors, tagger: TagSuggester | None = None) -> None:
    """Ingest every document of the job; documents that cannot be ingested are quarantined with a reason.

    If the space wants tags at ingest, `tagger` sets them.

    Raises LeaseLost, CancelRequested or StopRequested if the worker must release the job.
    """
    with run.open_space(by_index=True) as space:
        run.record_progress(space, stage="reading")
        pending_documents, document_total = ingest_steps.list_pending_documents(space, run.lease.job_id)
        counts = Counter(run.get_counts_of_earlier_attempts(space))
        unreadable_chunk_ids = run.list_unreadable_chunk_ids(space) if counts else ()
        settings = space.settings
    batch_ended_event = threading.Event()
    ingest = _Ingest(
        run,
        extractors.create_job_extraction(
            run.lease,
            lambda: batch_ended_event.is_set() or run.stop_requested(),
            model=settings.extraction_model,
            embedding_model=space.opening_state.embedding_model,
            embedding_dimensions=space.opening_state.embedding_dimensions,
        ),
        build_vocabulary(settings),
        settings.chunk_tokens,
        space.opening_state.vector_set,
        document_total,
        counts,
        unreadable_chunk_ids,
        None if settings.tags_at_ingest is TagsAtIngest.OFF else tagger,
        Origin.RULES if settings.tags_at_ingest is TagsAtIngest.RULES else None,
    )
    has_suspect = any(document.crash_count for document in pending_documents)
    read_batches = map_ahead_in_order(
        ingest.read_and_store_batch,
        batch_documents_by_crash_count(
            pending_documents, 1 if has_suspect else ingest.extraction.batch_documents
        ),
        # Documents are read one at a time to find the one on which the worker died.
        concurrency=1 if has_suspect else ingest.extraction.max_parallel_chunks,
        measure_size=lambda batch: sum(document.byte_size for document in batch),
        max_total_size=MAX_CONCURRENT_BYTES,
        ended_event=batch_ended_event,
        while_waiting=run.run_waiting_job_of_other_tenant,
    )
    with closing(read_batches):
        for batch in read_batches:
            ingest.write_batch_and_mark_ready(batch)
    with run.open_space(by_index=True) as space:
        run.check_lease(space)
        ingest_steps.recount_words_after_growth(space, counts["chunks"])
        space.mark_change(Change.GRAPH)
        space.mark_change(Change.GROWTH)
        if unread_count := counts[f"dropped_{OTHER_LANGUAGE}"]:
            run.record_item_error(space, code=OTHER_LANGUAGE, message=_NO_GRAPH_NOTE.format(unread_count))
        if chunk_count := counts[f"dropped_{NAMES_ONLY}"]:
            run.record_item_error(space, code=NAMES_ONLY, message=_NAMES_ONLY_NOTE.format(chunk_count))
        webhooks.notify_webhooks_of_conflicts(space, run.lease.job_id)
        run.finish_done(space, counts=counts)


def begin_and_end_due_claims(run: JobContext) -> None:
    """Let the claims hold whose stated beginning has come, and end those whose end has; then wait for the
    next.

    There is no clock besides the queue: whatever reads a claim that begins or ends later leaves such a job
    for that moment, and each of these jobs leaves one for the next. Raises LeaseLost.
    """
    with run.open_space(by_index=True) as space:
        run.record_progress(space, stage="beginning claims")
        superseding.recompute_due_endings_and_schedule_next(space)
        space.mark_change(Change.GRAPH)
        webhooks.notify_webhooks_of_conflicts(space, run.lease.job_id)
        run.finish_done(space, counts={})


@dataclass(frozen=True)
class _ReadBatch:
    """A batch of documents that was read, with its counts; with the extractions if the documents are
    small.
    """

    document_count: int
    failed_count: int
    documents: Sequence[ReadDocument]
    extractions: Sequence[ExtractedDocuments] | None


@dataclass
class _Ingest:
    """The state of one job's ingest: parameters that are constant for all batches, and counters.

    `read_and_store_batch` may run in several threads; `write_batch_and_mark_ready`, which does all counting,
    runs in one.
    """

    run: JobContext
    extraction: JobExtraction
    vocabulary: Vocabulary
    max_tokens: int
    vector_set: int
    document_total: int
    counts: Counter[str]
    # Chunks that an earlier lease of this job added to its list of errors.
    unreadable_chunk_ids: Collection[ChunkId]
    tagger: TagSuggester | None = None
    tag_origin: Origin | None = None

    def __post_init__(self) -> None:
        self.node_bound = NodeBound(
            self.run.settings.max_document_nodes, lambda: self._open_fenced_step("counting nodes")
        )

    def read_and_store_batch(self, batch: Sequence[PendingDocument]) -> _ReadBatch:
        """Read one batch of documents, store its chunks and extract from them. Raises StopRequested."""
        run = self.run
        run.raise_if_stop_requested()
        with run.open_space(by_index=True) as space:
            run.record_progress(space, stage="reading")
            started_documents = self._start_or_quarantine_documents(space, batch)
            quota_usage = quotas.get_quota_usage(space)
        run.checkpoint("entered")
        with self.extraction.sandbox.open_session() as session:
            documents, failures = parse_and_chunk_documents(
                started_documents.sources,
                started_documents.stored_chunks,
                TextReader(session, run.settings, self.max_tokens, run.run_waiting_job_of_other_tenant),
                self.extraction.new_extractor(),
                self.unreadable_chunk_ids,
            )
            documents, refusals = split_documents_by_room_in_quota(documents, quota_usage)
            failures += refusals
            documents = self._store_new_texts_and_quarantine_failures(documents, failures, quota_usage)
            run.checkpoint("chunked")
            extractions = (
                self._extract_documents(documents, session) if do_documents_fit_one_part(documents) else None
            )
        return _ReadBatch(len(batch), len(failures), documents, extractions)

    def _extract_documents(
        self, documents: Sequence[ReadDocument], session: Session
    ) -> list[ExtractedDocuments]:
        settings = self.run.settings
        chunk_reader = ChunkReader(
            session,
            settings.chunk_seconds,
            settings.document_seconds,
            self.run.run_waiting_job_of_other_tenant,
        )
        return extract_documents(documents, self.vocabulary, chunk_reader)

    def _store_new_texts_and_quarantine_failures(
        self, documents: list[ReadDocument], failures: RefusedDocuments, quota_usage: quotas.QuotaUsage
    ) -> list[ReadDocument]:
        """Store the chunks of the documents slice by slice; the last slice switches the documents to the new
        text.

        Returns the documents that the job still owns; those whose content changed meanwhile are dropped.
        """
        run = self.run
        new_chunks = [
            DocumentChunk(document, chunk_id) for document in documents for chunk_id in document.new_chunk_ids
        ]
        slices = split_new_chunks_into_slices(new_chunks)
        for slice_chunks in slices:
            is_last_slice = slice_chunks is slices[-1]
            run.stop_if_others_wait()
            run.run_waiting_job_of_other_tenant()
            vector_by_chunk, chunks_without_vector = embed_new_chunks(
                slice_chunks,
                self.extraction.embedder,
                self._find_vectors_of_twins_by_chunk_hash(slice_chunks),
            )
            with run.open_space(by_index=True) as space:
                run.record_progress(space, stage="chunking", has_progressed=not is_last_slice)
                if is_last_slice:
                    for document_id, error in failures:
                        self._quarantine_document(space, document_id, error.code, error.message)
                documents = self._lock_owned_documents(space, documents)
                owned_ids = {read_document.source.id for read_document in documents}
                removed_ids = [
                    chunk_id for read_document in documents for chunk_id in read_document.removed_chunk_ids
                ]
                if is_last_slice:
                    delete_replaced_chunks_and_erase_their_words(space, removed_ids[:SLICE_CHUNKS])
                owned_chunks = [
                    slice_chunk for slice_chunk in slice_chunks if slice_chunk.document.source.id in owned_ids
                ]
                store_new_chunks(space, owned_chunks, vector_by_chunk, vector_set=self.vector_set)
                if is_last_slice:
                    switch_documents_to_new_text(space, documents)
                    quotas.compact_size_rows_if_many(space, quota_usage)
                for document, chunk_id in owned_chunks:
                    if chunk_id in chunks_without_vector:
                        self._quarantine_chunk(
                            space, document, chunk_id, "bad_vector", "It got no usable vector."
                        )
        for slice_start in range(SLICE_CHUNKS, len(removed_ids), SLICE_CHUNKS):
            with self._open_fenced_step("chunking") as space:
                delete_replaced_chunks_and_erase_their_words(
                    space, removed_ids[slice_start : slice_start + SLICE_CHUNKS]
                )
        return documents

    def _find_vectors_of_twins_by_chunk_hash(self, new_chunks: Sequence[DocumentChunk]) -> dict[str, str]:
        """Return the stored vectors of texts of this part that exist at another address; no query if there
        are none.
        """
        if all(document.source.twin_title is None for document, _ in new_chunks):
            return {}
        with self.run.open_space(by_index=True) as space:
            return (
                {}
                if space.opening_state.vector_set != self.vector_set
                else find_vectors_of_twins_by_chunk_hash(space, new_chunks)
            )

    def write_batch_and_mark_ready(self, batch: _ReadBatch) -> None:
        """Write one batch into the graph, step by step; large documents part by part."""
        refused_ids: set[DocumentId] = set()
        if batch.extractions is not None:
            documents, extractions = self._exclude_documents_with_too_many_nodes(
                batch.documents, batch.extractions, refused_ids
            )
            self._write_embed_and_tag_part(documents, extractions)
            with self.run.open_space(by_index=True) as space:
                self.run.record_progress(space, stage="finishing")
                owned_documents = self._lock_owned_documents(space, documents)
                self._mark_part_as_read_or_quarantine(space, owned_documents, extractions)
                self._mark_batch_as_ready_and_delete_unused_nodes(
                    space, batch, owned_documents, len(refused_ids)
                )
        else:
            chunk_total = sum(len(document.chunks) for document in batch.documents)
            remaining_chunk_count = sum(
                chunk.is_wanted for document in batch.documents for chunk in document.chunks
            )
            for document_part in split_documents_into_parts(
                batch.documents, context_chunk_count=max(self.vocabulary.turns_before, 3)
            ):
                self.run.raise_if_stop_requested()
                document_part, _ = drop_refused_documents(document_part, (), refused_ids)
                if not document_part:
                    continue
                self.run.stop_if_others_wait()
                with self.extraction.sandbox.open_session() as session:
                    extractions = self._extract_documents(document_part, session)
                document_part, extractions = self._exclude_documents_with_too_many_nodes(
                    document_part, extractions, refused_ids
                )
                self._write_embed_and_tag_part(document_part, extractions)
                remaining_chunk_count -= sum(
                    chunk.is_wanted for document in document_part for chunk in document.chunks
                )
                with self.run.open_space(by_index=True) as space:
                    self.run.record_progress(space, stage="finishing")
                    self._mark_part_as_read_or_quarantine(
                        space, self._lock_owned_documents(space, document_part), extractions
                    )
                    ingest_steps.reset_crash_counts(
                        space, self.run.lease.job_id, [document.source.id for document in document_part]
                    )
                    self._record_progress(
                        space, batch.document_count * (1 - remaining_chunk_count / chunk_total)
                    )
                    if (
                        remaining_chunk_count
                        and (quota_usage := quotas.get_quota_usage(space)).compute_remaining("nodes") <= 0
                    ):
                        unwritten_documents = self._lock_owned_documents(
                            space, drop_refused_documents(batch.documents, (), refused_ids)[0]
                        )
                        self._quarantine_refused(
                            space,
                            [
                                (document.source.id, quota_usage.build_quota_exceeded_error("nodes"))
                                for document in unwritten_documents
                            ],
                            refused_ids,
                        )
                self.run.checkpoint("part")
            with self.run.open_space(by_index=True) as space:
                self.run.record_progress(space, stage="finishing")
                owned_documents = self._lock_owned_documents(
                    space, drop_refused_documents(batch.documents, (), refused_ids)[0]
                )
                self._mark_batch_as_ready_and_delete_unused_nodes(
                    space, batch, owned_documents, len(refused_ids)
                )
        self.run.checkpoint("finished")

    def _exclude_documents_with_too_many_nodes(
        self,
        documents: Sequence[ReadDocument],
        extractions: Sequence[ExtractedDocuments],
        refused_ids: set[DocumentId],
    ) -> AcceptedDocuments:
        """Return the part without documents that name too many nodes, which are added to `refused_ids`."""
        if refused_documents := self.node_bound.count_names_and_find_documents_beyond_bound(
            documents, extractions
        ):
            with self._open_fenced_step("writing nodes") as space:
                self._quarantine_refused(space, refused_documents, refused_ids)
        return drop_refused_documents(documents, extractions, refused_ids)

    def _quarantine_refused(
        self, space: SpaceSession, refused_documents: RefusedDocuments, refused_ids: set[DocumentId]
    ) -> None:
        for document_id, error in refused_documents:
            self._quarantine_document(space, document_id, error.code, error.message)
            refused_ids.add(document_id)

    def _write_embed_and_tag_part(
        self, documents: Sequence[ReadDocument], extractions: Sequence[ExtractedDocuments]
    ) -> None:
        for extraction in extractions:
            self._write_nodes(extraction)
            self._judge_near_duplicates(extraction)
        for extraction in extractions:
            self._write_edges(extraction)
        chunk_ids = [chunk.id for document in documents for chunk in document.chunks if chunk.is_wanted]
        embed_nodes_and_facts_of_chunks(
            lambda: self._open_fenced_step("embedding facts"),
            chunk_ids,
            self.extraction.embedder,
            self.vector_set,
        )
        if self.tagger is not None:
            with self._open_fenced_step("tagging"):
                pass
            lease = self.run.lease
            self.counts["tagged_nodes"] += self.tagger.tag_chunks(
                lease.tenant_id, lease.space_id, chunk_ids, origin=self.tag_origin, job_id=lease.job_id
            )

    def _start_or_quarantine_documents(
        self, space: SpaceSession, batch: Sequence[PendingDocument]
    ) -> ingest_steps.StartedDocuments:
        """Start reading the documents of a batch; quarantine those on which workers died repeatedly."""
        document_ids = []
        for document in batch:
            if document.crash_count < MAX_CRASHES:
                document_ids.append(document.id)
            else:
                self._quarantine_document(
                    space, document.id, "poison", "Workers crashed on it repeatedly; it was quarantined."
                )
        return ingest_steps.mark_documents_as_reading_and_load_them(
            space, self.run.lease.job_id, document_ids
        )

    def _quarantine_document(
        self, space: SpaceSession, document_id: DocumentId, code: str, reason: str
    ) -> None:
        log.info("document_quarantined", document=str(document_id), code=code)
        ingest_steps.mark_document_failed(space, document_id, code=code, reason=reason)
        self.run.record_item_error(space, code=code, message=reason, document_id=document_id)

    def _write_nodes(self, extraction: ExtractedDocuments) -> None:
        separates_homonyms = extraction.extractor.separates_homonyms
        for candidates in split_candidates_by_chunks(extraction.candidates):
            self.run.run_waiting_job_of_other_tenant()
            with self.run.open_space(by_index=True) as space:
                self.run.record_progress(space, stage="writing nodes")
                spaces.lock_graph_and_increment_revision(space)
                self.counts.update(
                    graph_writer.write_resolved_nodes_and_count_changes(
                        space, candidates, separates_homonyms=separates_homonyms
                    )
                )
                self.run.record_progress(space, counts=self.counts)
            self.run.checkpoint("nodes")

    def _judge_near_duplicates(self, extraction: ExtractedDocuments) -> None:
        chunk_ids = sorted({candidate.chunk_id for candidate in extraction.candidates})
        self.counts.update(
            near_duplicates.judge_and_merge_near_duplicates(
                lambda: self._open_fenced_step("comparing names"),
                chunk_ids,
                self.extraction.embedder,
                self.extraction.judge,
            )
        )

    def _open_fenced_step(self, stage: str) -> AbstractContextManager[SpaceSession]:
        self.run.run_waiting_job_of_other_tenant()
        return self.run.open_fenced_step(stage=stage, by_index=True)

    def _write_edges(self, extraction: ExtractedDocuments) -> None:
        for slice_start in range(0, len(extraction.edges), SLICE_EDGES):
            self.run.run_waiting_job_of_other_tenant()
            with self.run.open_space(by_index=True) as space:
                self.run.record_progress(space, stage="writing edges")
                spaces.lock_graph_and_increment_revision(space)
                edge_counts = edge_writer.write_edges_and_count_new(
                    space,
                    extraction.edges[slice_start : slice_start + SLICE_EDGES],
                    model=extraction.extractor.model,
                    separates_homonyms=extraction.extractor.separates_homonyms,
                )
                self.counts.update(edge_counts)
                self.run.record_progress(space, counts=self.counts)
            self.run.checkpoint("edges")

    def _lock_owned_documents(
        self, space: SpaceSession, documents: Sequence[ReadDocument]
    ) -> list[ReadDocument]:
        """Lock the documents that still belong to the job and return them; those changed or deleted
        meanwhile are dropped.
        """
        owned_ids = ingest_steps.lock_documents_still_owned_by_job(
            space, self.run.lease.job_id, [document.source.id for document in documents]
        )
        return [document for document in documents if document.source.id in owned_ids]

    def _mark_part_as_read_or_quarantine(
        self,
        space: SpaceSession,
        owned_documents: Sequence[ReadDocument],
        extractions: Sequence[ExtractedDocuments],
    ) -> None:
        """Mark the chunks as read, or quarantine those that failed, and update the counters."""
        unread_chunk_ids = self._quarantine_chunks(
            space, owned_documents, [failure for extraction in extractions for failure in extraction.failures]
        )
        for extraction in extractions:
            self.counts.update(
                {
                    build_count_name_of_drop_code(reason): drop_count
                    for reason, drop_count in extraction.drop_counts.items()
                    if drop_count
                }
            )
        chunk_ids_by_mark: dict[str, list[ChunkId]] = {}
        for document in owned_documents:
            chunk_ids = [
                chunk.id for chunk in document.chunks if chunk.is_wanted and chunk.id not in unread_chunk_ids
            ]
            chunk_ids_by_mark.setdefault(build_extractor_version(document.extractor), []).extend(chunk_ids)
        for extraction_mark, chunk_ids in chunk_ids_by_mark.items():
            ingest_steps.mark_chunks_extracted(space, chunk_ids, extractor=extraction_mark)
        chunk_count = sum(len(chunk_ids) for chunk_ids in chunk_ids_by_mark.values())
        tenants.add_to_daily_usage(space, space_id=space.space_id, chunks=chunk_count)
        self.counts.update(chunks=chunk_count)
        if unread_chunk_ids:
            self.counts["failed_chunks"] += len(unread_chunk_ids)

    def _quarantine_chunks(
        self, space: SpaceSession, owned_documents: Sequence[ReadDocument], failures: Sequence[ChunkFailure]
    ) -> set[ChunkId]:
        document_by_chunk_id = {
            chunk.id: document for document in owned_documents for chunk in document.chunks
        }
        failures_in_owned = [failure for failure in failures if failure.chunk_id in document_by_chunk_id]
        for failure in failures_in_owned:
            document = document_by_chunk_id[failure.chunk_id]
            self._quarantine_chunk(space, document, failure.chunk_id, failure.code, failure.message)
        if failures_in_owned:
            ingest_steps.quarantine_chunks(
                space, [(failure.chunk_id, failure.code, failure.message) for failure in failures_in_owned]
            )
        return {failure.chunk_id for failure in failures_in_owned}

    def _quarantine_chunk(
        self, space: SpaceSession, document: ReadDocument, chunk_id: ChunkId, code: str, message: str
    ) -> None:
        self.run.record_item_error(
            space,
            code=code,
            message=message,
            document_id=document.source.id,
            chunk_id=chunk_id,
            chunk_ordinal=document.drafts[chunk_id].ordinal,
        )

    def _mark_batch_as_ready_and_delete_unused_nodes(
        self,
        space: SpaceSession,
        batch: _ReadBatch,
        ready_documents: Sequence[ReadDocument],
        refused_count: int,
    ) -> None:
        """Mark the documents of a batch as ready and update the counters.

        `refused_count` documents failed while writing.
        """
        ingest_steps.mark_documents_ready(
            space, [ready_document.source.id for ready_document in ready_documents]
        )
        if any(ready_document.removed_chunk_ids for ready_document in ready_documents):
            # Only now, so that a node named again by the new text is kept.
            spaces.lock_graph_and_increment_revision(space)
            chunk_removal.delete_all_unused_nodes_and_count(space)
        self.counts.update(
            documents=len(ready_documents),
            failed_documents=batch.failed_count + refused_count,
            taken=batch.document_count,
        )
        # Documents read again for quarantined chunks have been counted before.
        if dropped_count := sum(
            document.dropped_marks for document in ready_documents if not document.source.quarantined_chunks
        ):
            self.counts["dropped_marks"] += dropped_count
        for document in ready_documents:
            self._record_omissions(space, document)
        self._record_progress(space, 0)

    def _record_omissions(self, space: SpaceSession, document: ReadDocument) -> None:
        """Record what of the document is not read, unless this job recorded it in an earlier attempt."""
        recorded_errors = (
            queue.list_document_errors(
                space, self.run.lease.job_id, document.source.id, limit=QUARANTINED_SHOWN.maximum
            )
            if document.source.quarantined_chunks
            else ()
        )
        known_messages = {error.message for error in recorded_errors}
        for omission in document.describe_omissions():
            if omission not in known_messages:
                self.run.record_item_error(
                    space, code=LEFT_OUT, message=omission, document_id=document.source.id
                )

    def _record_progress(self, space: SpaceSession, documents_done: float) -> None:
        """Store the job's progress: the finished batches, and `documents_done` documents of this one."""
        done_percent = 100 * (self.counts["taken"] + documents_done) / max(self.document_total, 1)
        self.run.record_progress(
            space, progress=min(99.0, done_percent), counts=self.counts, has_progressed=True
        )
