"""Reads the documents of a space again by another model or other settings, and puts what it reads in the
place of what was read before.

A chunk changes over in one transaction, once all of it has been read: whoever stops the job finds each chunk
read by the one or by the other. Chunks that stand are read, as the documents are cut now, and no others:
nothing comes back that was evicted, and what is cut otherwise keeps what was read in it. Answers of models
are kept: what a trial has read is not paid again.
"""

from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from app.db.changes import Change
from app.db.session import SpaceSession
from app.documents import ingest_steps
from app.documents.ingest_steps import Started
from app.graph.write import chunk_removal, edge_writer, graph_writer, near_duplicates, word_erasure
from app.graph.write.embedding import embed_graph
from app.ids import ChunkId, DocumentId
from app.ingest.chunk_reuse import extraction_mark_of_extractor
from app.ingest.derived_texts import delete_derived_texts
from app.ingest.extract import Extracted
from app.ingest.extractors import JobExtraction
from app.ingest.trials import repository
from app.ingest.trials.read_again import CUT_OTHERWISE, ReadPart, read_again
from app.jobs.context import JobContext
from app.space_settings import EffectiveSettings
from app.tenancy.spaces import service as spaces
from app.tenancy.tenants import quotas

DOCUMENTS_AT_ONCE = 8
CHUNKS_AT_ONCE = 50
"""Chunks that change over in one transaction, under the graph's lock."""
_CUT_OTHERWISE = "Its document is cut otherwise now; it keeps what was read in it."
_KEPT = "It could not be read again, and keeps what was read in it."


@dataclass
class Rereading:
    """The reading of a space's documents by one extraction, in one job.

    With `everything` also what that reader has read before: by other settings. `undoing` goes back over what
    this job has read.
    """

    run: JobContext
    extraction: JobExtraction
    settings: EffectiveSettings
    vector_set: int
    everything: bool
    stage: str
    undoing: bool = False
    counts: Counter[str] = field(default_factory=Counter)
    _total: int = 0

    def read(self, documents: Sequence[DocumentId] | None = None) -> None:
        """Read all that is left to read, of these documents or of all.

        Raises LeaseLost, CancelRequested or StopRequested where the worker must let go of the job, and
        QuotaExceeded where the tenant has as many nodes as it may.
        """
        tag = extraction_mark_of_extractor(self.extraction.new_extractor())
        job_id = self.run.lease.job_id
        with self._step() as space:
            left = repository.count_to_reread(
                space, job_id, tag=tag, everything=self.everything, documents=documents
            )
        self._total = self._done + left
        after: DocumentId | None = None
        while True:
            self.run.check_stop()
            with self._step() as space:
                wanted = repository.next_to_reread(
                    space,
                    job_id,
                    tag=None if self.everything or self.undoing else tag,
                    documents=documents,
                    undoing=self.undoing,
                    after=after,
                    limit=DOCUMENTS_AT_ONCE,
                )
                if not wanted:
                    return
                after = max(wanted)
                ids = [document_id for document_id, chunks in wanted.items() if chunks]
                started = Started(
                    ingest_steps.read_sources(space, ids), ingest_steps.list_stored_chunks(space, ids)
                )
                quotas.get_holding(space).check_room_for("nodes", 1)
            self.run.stop_if_others_wait()
            chunks = {chunk_id for of_document in wanted.values() for chunk_id in of_document}
            versions = {source.id: source.version for source in started.sources}
            for part in read_again(self.run, self.extraction, self.settings, started, chunks):
                self._change_over(part, versions, tag)

    @property
    def _done(self) -> int:
        return self.counts["chunks"] + self.counts["failed_chunks"]

    def _step(self) -> AbstractContextManager[SpaceSession]:
        self.run.serve_others()
        return self.run.open_fenced_step(stage=self.stage, by_index=True)

    def _change_over(self, part: ReadPart, versions: dict[DocumentId, int], tag: str) -> None:
        """Let what was read of these chunks take the place of what was read before; then note them."""
        read = [chunk_id for chunk_id in part.chunks if chunk_id not in part.unread]
        changed: list[ChunkId] = []
        for begin in range(0, len(read), CHUNKS_AT_ONCE):
            with self._step() as space:
                spaces.lock_graph_for_writing(space)
                standing = repository.still_ready(space, read[begin : begin + CHUNKS_AT_ONCE], versions)
                changed += sorted(standing)
                self._replace(space, standing, part.extractions)
                space.mark_change(Change.GRAPH)
        if changed:
            self.counts.update(
                near_duplicates.judge_near_duplicates(
                    self._step, changed, self.extraction.embedder, self.extraction.judge
                )
            )
            embed_graph(self._step, changed, self.extraction.embedder, self.vector_set)
        with self._step() as space:
            spaces.lock_graph_for_writing(space)
            chunk_removal.delete_all_unused_nodes(space)
            ingest_steps.mark_extracted(space, changed, extractor=tag)
            self._note(space, part, changed)
        self.run.checkpoint("reread")

    def _replace(self, space: SpaceSession, chunks: set[ChunkId], extractions: Sequence[Extracted]) -> None:
        forgotten = chunk_removal.forget_reading(space, sorted(chunks))
        # One reader reads them all: documents that bring their extraction along are not read again.
        (extracted,) = extractions
        homonyms = extracted.extractor.separates_homonyms
        candidates = [candidate for candidate in extracted.candidates if candidate.chunk_id in chunks]
        self.counts.update(graph_writer.write_nodes(space, candidates, separates_homonyms=homonyms))
        self.counts.update(
            edge_writer.rewrite_edges(
                space,
                sorted(chunks),
                [edge for edge in extracted.edges if edge.chunk_id in chunks],
                model=extracted.extractor.model,
                separates_homonyms=homonyms,
            )
        )
        erased = word_erasure.erase_unattested_names(space, forgotten)
        delete_derived_texts(space, erased.written_about)

    def _note(self, space: SpaceSession, part: ReadPart, changed: Sequence[ChunkId]) -> None:
        """Note on the job what was read, what could not be, and how far it is."""
        job_id = self.run.lease.job_id
        if self.undoing:
            repository.drop_readings_of(space, job_id, part.chunks)
        else:
            noted = {**dict.fromkeys(changed), **part.unread}
            repository.store_readings(
                space, job_id, [(chunk_id, [], failure, 0.0) for chunk_id, failure in noted.items()]
            )
            ordinals = {
                text.id: document.drafts[text.id].ordinal
                for document in part.documents
                for text in document.chunks
            }
            for chunk_id, code in part.unread.items():
                self.run.quarantine(
                    space,
                    code=code,
                    message=_CUT_OTHERWISE if code == CUT_OTHERWISE else _KEPT,
                    chunk_id=chunk_id,
                    chunk_ordinal=ordinals.get(chunk_id),
                )
            for extracted in part.extractions:
                self.counts.update(
                    {f"dropped_{reason}": count for reason, count in extracted.drops.items() if count}
                )
            self.counts.update(chunks=len(changed), failed_chunks=len(part.unread))
        self.run.fence(
            space,
            progress=min(99.0, 100 * self._done / max(self._total, 1)),
            counts=self.counts,
            progressed=True,
        )
