"""Read the documents of a space again with another model or other settings, and replace the earlier results.

A chunk is replaced in one transaction, after all of it was read: if the job is stopped, each chunk has either
the old or the new result. Only stored chunks that chunking still produces are read: evicted chunks do not
return, and a chunk that is no longer produced keeps its result. Model answers are stored, so that chunks read
by a trial are not paid again.
"""

from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from app.db.changes import Change
from app.db.session import SpaceSession
from app.documents import ingest_steps
from app.documents.ingest_steps import StartedDocuments
from app.graph.write import chunk_removal, near_duplicates
from app.graph.write.embedding import embed_nodes_and_facts_of_chunks
from app.ids import ChunkId, DocumentId
from app.ingest.chunk_reuse import build_extractor_version
from app.ingest.extractor_choice import JobExtraction
from app.ingest.replace_reading import replace_graph_content_of_chunks
from app.ingest.trials import repository
from app.ingest.trials.read_again import CUT_OTHERWISE_CODE, ReadPart, reread_documents_in_parts
from app.jobs.context import JobContext
from app.space_settings import EffectiveSettings
from app.tenancy.spaces import service as spaces
from app.tenancy.tenants import quotas

DOCUMENTS_AT_ONCE = 8
CHUNKS_AT_ONCE = 50
"""Number of chunks replaced in one transaction, under the graph lock."""
_CUT_OTHERWISE_TEXT = "Its document is now split into other chunks; this chunk keeps its edges."
_KEPT_TEXT = "It could not be read again, and keeps what was read in it."


@dataclass
class Rereading:
    """The reading of a space's documents by one extraction, in one job.

    With `includes_all` chunks that the same extractor read with other settings are included; `is_undoing`
    processes the chunks that this job has read.
    """

    run: JobContext
    extraction: JobExtraction
    settings: EffectiveSettings
    vector_set: int
    includes_all: bool
    stage: str
    is_undoing: bool = False
    counts: Counter[str] = field(default_factory=Counter)
    _total_chunk_count: int = 0

    def reread_documents(self, document_ids: Sequence[DocumentId] | None = None) -> None:
        """Read all unread chunks, of these documents or of all.

        Raises LeaseLost, CancelRequested or StopRequested if the worker must release the job, and
        QuotaExceeded if the tenant has reached its node quota.
        """
        extractor_version = build_extractor_version(self.extraction.new_extractor())
        job_id = self.run.lease.job_id
        with self._open_step() as space:
            remaining_count = repository.count_chunks_to_reread(
                space,
                job_id,
                extractor_version=extractor_version,
                includes_all=self.includes_all,
                document_ids=document_ids,
            )
        self._total_chunk_count = self._processed_chunk_count + remaining_count
        last_document_id: DocumentId | None = None
        while True:
            self.run.raise_if_stop_requested()
            with self._open_step() as space:
                chunks_by_document = repository.list_next_chunks_to_reread(
                    space,
                    job_id,
                    unless_read_by=None if self.includes_all or self.is_undoing else extractor_version,
                    only_document_ids=document_ids,
                    is_undoing=self.is_undoing,
                    after=last_document_id,
                    limit=DOCUMENTS_AT_ONCE,
                )
                if not chunks_by_document:
                    return
                last_document_id = max(chunks_by_document)
                batch_document_ids = [
                    document_id for document_id, chunk_ids in chunks_by_document.items() if chunk_ids
                ]
                started_documents = StartedDocuments(
                    ingest_steps.read_raw_documents(space, batch_document_ids),
                    ingest_steps.list_stored_chunks(space, batch_document_ids),
                )
                quotas.get_quota_usage(space).check_room_for("nodes", 1)
            self.run.stop_if_others_wait()
            chunks = {
                chunk_id for document_chunks in chunks_by_document.values() for chunk_id in document_chunks
            }
            version_by_document = {source.id: source.version for source in started_documents.sources}
            for read_part in reread_documents_in_parts(
                self.run, self.extraction, self.settings, started_documents, chunks
            ):
                self._replace_results(read_part, version_by_document, extractor_version)

    @property
    def _processed_chunk_count(self) -> int:
        return self.counts["chunks"] + self.counts["failed_chunks"]

    def _open_step(self) -> AbstractContextManager[SpaceSession]:
        self.run.run_waiting_job_of_other_tenant()
        return self.run.open_fenced_step(stage=self.stage, by_index=True)

    def _replace_results(
        self, read_part: ReadPart, versions: dict[DocumentId, int], extractor_version: str
    ) -> None:
        """Replace the earlier results of these chunks by the new ones, then record them as read."""
        read_ids = [chunk_id for chunk_id in read_part.chunks if chunk_id not in read_part.unread_reasons]
        changed_chunk_ids: list[ChunkId] = []
        for begin in range(0, len(read_ids), CHUNKS_AT_ONCE):
            with self._open_step() as space:
                spaces.lock_graph_and_increment_revision(space)
                ready_ids = repository.select_unchanged_chunk_ids(
                    space, read_ids[begin : begin + CHUNKS_AT_ONCE], versions
                )
                changed_chunk_ids += sorted(ready_ids)
                self.counts.update(replace_graph_content_of_chunks(space, ready_ids, read_part.extractions))
                space.mark_change(Change.GRAPH)
        if changed_chunk_ids:
            self.counts.update(
                near_duplicates.judge_and_merge_near_duplicates(
                    self._open_step, changed_chunk_ids, self.extraction.embedder, self.extraction.judge
                )
            )
            embed_nodes_and_facts_of_chunks(
                self._open_step, changed_chunk_ids, self.extraction.embedder, self.vector_set
            )
        with self._open_step() as space:
            spaces.lock_graph_and_increment_revision(space)
            chunk_removal.delete_all_unused_nodes_and_count(space)
            ingest_steps.mark_chunks_extracted(space, changed_chunk_ids, extractor=extractor_version)
            self._record_chunks_and_progress(space, read_part, changed_chunk_ids)
        self.run.checkpoint("reread")

    def _record_chunks_and_progress(
        self, space: SpaceSession, read_part: ReadPart, changed_chunk_ids: Sequence[ChunkId]
    ) -> None:
        """Record on the job the chunks read and failed, and the progress."""
        job_id = self.run.lease.job_id
        if self.is_undoing:
            repository.delete_readings_of_chunks(space, job_id, read_part.chunks)
        else:
            failure_by_chunk = {**dict.fromkeys(changed_chunk_ids), **read_part.unread_reasons}
            repository.store_readings(
                space,
                job_id,
                [
                    repository.NewReading(chunk_id, [], failure, 0.0)
                    for chunk_id, failure in failure_by_chunk.items()
                ],
            )
            ordinals = {
                text.id: document.drafts[text.id].ordinal
                for document in read_part.documents
                for text in document.chunks
            }
            for chunk_id, code in read_part.unread_reasons.items():
                self.run.record_item_error(
                    space,
                    code=code,
                    message=_CUT_OTHERWISE_TEXT if code == CUT_OTHERWISE_CODE else _KEPT_TEXT,
                    chunk_id=chunk_id,
                    chunk_ordinal=ordinals.get(chunk_id),
                )
            for extraction in read_part.extractions:
                self.counts.update(
                    {f"dropped_{reason}": count for reason, count in extraction.drop_counts.items() if count}
                )
            self.counts.update(chunks=len(changed_chunk_ids), failed_chunks=len(read_part.unread_reasons))
        self.run.record_progress(
            space,
            progress=min(99.0, 100 * self._processed_chunk_count / max(self._total_chunk_count, 1)),
            counts=self.counts,
            has_progressed=True,
        )
