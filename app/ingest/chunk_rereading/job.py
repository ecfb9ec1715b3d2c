"""The job that reads chunks again whose names no longer belong to the node that they mention.

Each chunk is read by the extractor that read it before, so that a model's stored answers are used and nothing
is paid twice. Reading a chunk again adds nothing, so an attempt that died is simply repeated.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from uuid import UUID

from app.db.changes import Change
from app.db.session import SpaceSession
from app.documents import ingest_steps
from app.documents.document_dates import parse_first_date
from app.documents.ingest_steps import StartedDocuments
from app.documents.shapes import RawDocument
from app.graph.write import chunk_removal, name_ties, near_duplicates
from app.graph.write.embedding import embed_nodes_and_facts_of_chunks
from app.ids import ChunkId, DocumentId
from app.ingest.chunk_rereading import repository
from app.ingest.extractor_choice import Extractors, JobExtraction, ModelNotOffered
from app.ingest.read_document import ReadDocument
from app.ingest.replace_reading import queue_chunks_to_reread, replace_graph_content_of_chunks
from app.ingest.trials.read_again import (
    CUT_OTHERWISE_CODE,
    ReadPart,
    extract_chunks_in_parts,
    reread_documents_in_parts,
)
from app.jobs.context import JobContext
from app.space_settings import EffectiveSettings
from app.tenancy.spaces import service as spaces

CHUNKS_AT_ONCE = 50
"""Number of chunks replaced in one transaction, under the graph lock."""
_WAIT_SECONDS = 2.0
"""Seconds after which chunks are tried again whose document another job is reading."""


def reread_chunks(run: JobContext, extractors: Extractors) -> None:
    """Read the job's chunks again and replace what was read in them; chunks that are gone are left out.

    Raises LeaseLost, CancelRequested or StopRequested if the worker must release the job.
    """
    chunk_ids = [ChunkId(UUID(chunk_id)) for chunk_id in run.lease.arguments["chunks"]]
    with run.open_fenced_step(stage="reading again", by_index=True) as space:
        chunks_to_reread = repository.find_chunks_read_before(space, chunk_ids)
        settings = space.settings
        opening_state = space.opening_state
    chunk_ids_by_model: dict[str | None, dict[DocumentId, set[ChunkId]]] = defaultdict(
        lambda: defaultdict(set)
    )
    for chunk in chunks_to_reread:
        if not chunk.is_being_read:
            chunk_ids_by_model[chunk.model][chunk.document_id].add(chunk.chunk_id)
    waiting_chunk_ids = [chunk.chunk_id for chunk in chunks_to_reread if chunk.is_being_read]
    counts: Counter[str] = Counter()
    for model in sorted(chunk_ids_by_model, key=str):
        create_extraction = partial(
            extractors.create_job_extraction,
            run.lease,
            run.stop_requested,
            embedding_model=opening_state.embedding_model,
            embedding_dimensions=opening_state.embedding_dimensions,
        )
        try:
            extraction = create_extraction(model=model or settings.extraction_model)
        except ModelNotOffered:
            extraction = create_extraction(model=None)
        rereading = _ChunkRereading(
            run, extraction, settings, opening_state.vector_set, counts, waiting_chunk_ids
        )
        for document_id, chunk_ids_of_document in sorted(chunk_ids_by_model[model].items()):
            rereading.reread_chunks_of_document(document_id, chunk_ids_of_document)
    with run.open_space(by_index=True) as space:
        run.check_lease(space)
        spaces.lock_graph_and_increment_revision(space)
        chunk_removal.delete_all_unused_nodes_and_count(space)
        queue_chunks_to_reread(space, sorted(set(waiting_chunk_ids)), delay=_WAIT_SECONDS)
        space.mark_change(Change.GRAPH)
        run.finish_done(space, counts=counts)


@dataclass
class _ChunkRereading:
    """Reads chunks with one extraction; adds to `waiting_chunk_ids` those whose document another job took
    meanwhile."""

    run: JobContext
    extraction: JobExtraction
    settings: EffectiveSettings
    vector_set: int
    counts: Counter[str]
    waiting_chunk_ids: list[ChunkId] = field(default_factory=list)

    def reread_chunks_of_document(self, document_id: DocumentId, chunk_ids: set[ChunkId]) -> None:
        """Read these chunks of one document again. Raises like `reread_chunks`."""
        self.run.raise_if_stop_requested()
        with self._open_step() as space:
            started_documents = StartedDocuments(
                ingest_steps.read_raw_documents(space, [document_id]),
                ingest_steps.list_stored_chunks(space, [document_id]),
            )
        version_by_document = {source.id: source.version for source in started_documents.sources}
        for read_part in reread_documents_in_parts(
            self.run, self.extraction, self.settings, started_documents, chunk_ids
        ):
            if read_part.documents:
                self._replace_graph_content(read_part, version_by_document)
                continue
            for stored_part in self._extract_from_stored_text(started_documents.sources, read_part.chunks):
                self._replace_graph_content(stored_part, version_by_document)

    def _extract_from_stored_text(
        self, sources: Sequence[RawDocument], chunk_ids: Sequence[ChunkId]
    ) -> Iterator[ReadPart]:
        """Extract these chunks from their stored text, because their file no longer yields them.

        An imported document has no file, and the file of another document may be split differently now. The
        text of a document of extractions is only in its file.
        """
        readable_sources = [source for source in sources if source.format != "extraction"]
        with self._open_step() as space:
            documents = [
                self._build_document_from_stored_chunks(space, source) for source in readable_sources
            ]
        yield from extract_chunks_in_parts(self.run, self.extraction, self.settings, documents, chunk_ids)
        restored_ids = {chunk_id for document in documents for chunk_id in document.drafts}
        if unread_chunk_ids := [chunk_id for chunk_id in chunk_ids if chunk_id not in restored_ids]:
            yield ReadPart(
                unread_chunk_ids, unread_reasons=dict.fromkeys(unread_chunk_ids, CUT_OTHERWISE_CODE)
            )

    def _build_document_from_stored_chunks(self, space: SpaceSession, source: RawDocument) -> ReadDocument:
        """Return the document as its stored chunks have it."""
        dated_at = parse_first_date([source.date]) or repository.find_date_given_to_undated_claims(
            space, source.id
        )
        document = ReadDocument(
            source, "", source.title, source.language, self.extraction.new_extractor(), dated_at
        )
        for chunk in repository.list_chunks_of_document(space, source.id):
            document.add_chunk(
                chunk.chunk_id,
                chunk.draft,
                chunk.content_hash,
                is_wanted=False,
                is_quarantined=chunk.is_quarantined,
            )
        return document

    def _open_step(self) -> AbstractContextManager[SpaceSession]:
        self.run.run_waiting_job_of_other_tenant()
        return self.run.open_fenced_step(stage="reading again", by_index=True)

    def _replace_graph_content(
        self, read_part: ReadPart, version_by_document: Mapping[DocumentId, int]
    ) -> None:
        read_ids = [chunk_id for chunk_id in read_part.chunks if chunk_id not in read_part.unread_reasons]
        changed_chunk_ids: list[ChunkId] = []
        for slice_start in range(0, len(read_ids), CHUNKS_AT_ONCE):
            batch = read_ids[slice_start : slice_start + CHUNKS_AT_ONCE]
            with self._open_step() as space:
                spaces.lock_graph_and_increment_revision(space)
                current_ids = repository.select_unchanged_chunk_ids(space, batch, version_by_document)
                self.counts.update(replace_graph_content_of_chunks(space, current_ids, read_part.extractions))
                changed_chunk_ids += sorted(current_ids)
                self.waiting_chunk_ids += [chunk_id for chunk_id in batch if chunk_id not in current_ids]
        if read_part.unread_reasons:
            with self._open_step() as space:
                spaces.lock_graph_and_increment_revision(space)
                name_ties.restore_names_of_unread_chunks(space, sorted(read_part.unread_reasons))
        self._judge_duplicates_and_embed(changed_chunk_ids)
        self.counts.update(chunks=len(changed_chunk_ids), failed_chunks=len(read_part.unread_reasons))
        self.run.checkpoint("chunks read again")

    def _judge_duplicates_and_embed(self, chunk_ids: Sequence[ChunkId]) -> None:
        extraction = self.extraction
        if chunk_ids:
            self.counts.update(
                near_duplicates.judge_and_merge_near_duplicates(
                    self._open_step, chunk_ids, extraction.embedder, extraction.judge
                )
            )
            embed_nodes_and_facts_of_chunks(self._open_step, chunk_ids, extraction.embedder, self.vector_set)
