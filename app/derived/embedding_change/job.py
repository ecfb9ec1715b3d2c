"""The job that changes a space's embedding model: fills a second set of vectors, then switches to it.

Every vector belongs to a numbered set, and the space names the set that is searched. Searches and ingest
continue with the first set until one short transaction names the other. Computed vectors survive any failure
of the job, which continues where it stopped. No transaction is open while a model works.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import structlog

from app.derived.embedding_change import repository
from app.derived.embedding_change.repository import FIRST_VECTOR_KEY, ROW_KINDS
from app.derived.embedding_change.service import lock_and_list_vector_sets_to_keep
from app.derived.summaries import scheduling as summaries
from app.documents import ingest_steps
from app.errors import Conflict
from app.graph.write.embedding import VECTOR_WRITERS, embed_texts_for_postgres
from app.ids import LOWEST_ID, ChunkId
from app.jobs import queue
from app.jobs.context import JobContext
from app.jobs.kinds import ClearVectors
from app.llm.embedding.embedders import Embedder, Embedders
from app.llm.errors import MalformedReply
from app.llm.model_calls.ledger import DatabaseAnswerStore
from app.tenancy.spaces import service as spaces

log = structlog.get_logger(__name__)

MAX_ROUNDS = 10
"""Maximum number of passes over rows added during the previous pass."""
MAX_ROWS_WITHOUT_VECTOR = 1_000
"""Maximum number of rows of each kind that may lack a vector after all rounds; they are embedded right
after the switch.
"""
MAX_FAILED_SHARE = 0.1
"""Maximum share of texts without a usable vector for which the switch is made."""
DELETION_DELAY_SECONDS = 60.0
"""Seconds until the old vectors are deleted: requests that use them have ended by then."""
_VECTOR_WRITERS: dict[str, Callable[..., None]] = {
    "chunk": ingest_steps.store_vectors,
    **VECTOR_WRITERS,
}


class TooFewVectors(MalformedReply):
    """The model gave so many texts no usable vector that search in the space would become worse."""

    code = "too_few_vectors"

    def __init__(self, failed_count: int, text_count: int) -> None:
        super().__init__(
            f"{failed_count} of {text_count} texts got no usable vector; the space keeps its model."
        )


def change_embedding_model(run: JobContext, embedders: Embedders) -> None:
    """Embed all rows of the space with the other model, and switch to it.

    Raises LeaseLost, CancelRequested or StopRequested if the worker must release the job, and the errors of
    the embedder; the space then keeps its model.
    """
    arguments = run.lease.arguments
    model, dimensions, into_set = (
        arguments["model"],
        int(arguments["dimensions"]),
        int(arguments["vector_set"]),
    )
    with run.open_space() as space:
        run.record_progress(space, stage="embedding")
        sizes = repository.measure_sizes_to_embed(space)
        counts = Counter(run.get_counts_of_earlier_attempts(space))
        current_set = space.opening_state.vector_set
    if current_set > into_set:
        raise Conflict(
            "The space has changed to another model since this was asked for.", code="embedding_overtaken"
        )
    stored_answers = DatabaseAnswerStore.for_job(run.database, run.lease)
    embedder = embedders.get_embedder(model, dimensions, run.lease.tenant_id, meter=lambda: stored_answers)
    change = _Change(
        run, embedders, embedder, stored_answers, into_set, sizes.chunks + sizes.nodes + sizes.facts, counts
    )
    change.embed_rows_without_vector()
    if current_set < into_set:
        change.switch_space_to_model_once_embedded(model)
    with run.open_space() as space:
        run.check_lease(space)
        queue.enqueue_or_run_earlier(space, ClearVectors(), delay=DELETION_DELAY_SECONDS)
        summaries.schedule_refresh_after_vector_change(space)
        run.finish_done(space, counts=counts)


def delete_unused_vector_sets(run: JobContext) -> None:
    """Delete the vectors of every set that the space does not use and will not use.

    Raises LeaseLost, CancelRequested or StopRequested.
    """
    counts: Counter[str] = Counter(vectors=0)
    for kind in ROW_KINDS:
        last_key = FIRST_VECTOR_KEY
        while True:
            run.raise_if_stop_requested()
            with run.open_space() as space:
                run.record_progress(space, stage=f"clearing {kind}s")
                # Read and locked for each batch: a retried change keeps the rest of its set.
                deleted_vectors = repository.delete_vectors_batch(
                    space, kind, after=last_key, kept_sets=lock_and_list_vector_sets_to_keep(space)
                )
                if deleted_vectors is None:
                    break
                last_key = deleted_vectors.last_key
                counts["vectors"] += deleted_vectors.deleted_count
                run.record_progress(space, counts=counts, has_progressed=True)
            run.checkpoint("cleared")
    with run.open_space() as space:
        run.check_lease(space)
        run.finish_done(space, counts=counts)


IdAndText = tuple[UUID, str]
"""The id of a row, and the text to embed."""


@dataclass
class _Change:
    """One job's change: `failed_ids` are the rows without a usable vector."""

    run: JobContext
    embedders: Embedders
    embedder: Embedder
    stored_answers: DatabaseAnswerStore
    into_set: int
    row_count: int
    counts: Counter[str]
    failed_ids: set[UUID] = field(default_factory=set)

    def embed_rows_without_vector(self) -> None:
        """Embed every row without a vector in the set, except those that cannot be embedded."""
        passed_count = 0
        for kind in ROW_KINDS:
            last_id = LOWEST_ID
            while True:
                self.run.raise_if_stop_requested()
                with self.run.open_space() as space:
                    self.run.record_progress(space, stage=f"embedding {kind}s")
                    row_batch = repository.list_next_rows_to_embed(
                        space, kind, after=last_id, vector_set=self.into_set
                    )
                if row_batch is None:
                    break
                self.run.checkpoint("looked")
                ids_and_texts = [
                    (row_id, text)
                    for row_id, text in row_batch.ids_and_texts
                    if row_id not in self.failed_ids
                ]
                if ids_and_texts:
                    self._embed_and_store(
                        kind, ids_and_texts, progress=99.0 * min(passed_count / max(self.row_count, 1), 1.0)
                    )
                passed_count += repository.ROWS_PER_QUERY
                last_id = row_batch.last_id

    def switch_space_to_model_once_embedded(self, model: str) -> None:
        """Switch the space to the model once every row has a vector, or after ten rounds if few lack one.

        The rest is embedded afterwards. Raises TooFewVectors, or Conflict if rows are added faster than they
        are embedded.
        """
        for round_ in range(1, MAX_ROUNDS + 1):
            if len(self.failed_ids) > MAX_FAILED_SHARE * self.row_count:
                raise TooFewVectors(len(self.failed_ids), self.row_count)
            with self.run.open_space() as space:
                self.run.record_progress(space, stage="changing over")
                spaces.lock_vectors_and_graph(space)
                lost_count = repository.count_rows_lost_by_change(
                    space,
                    vector_set=self.into_set,
                    excluded_ids=sorted(self.failed_ids),
                    bound=MAX_ROWS_WITHOUT_VECTOR + 1,
                )
                is_complete = lost_count == 0 or (
                    round_ == MAX_ROUNDS and lost_count <= MAX_ROWS_WITHOUT_VECTOR
                )
                if is_complete:
                    spaces.switch_vector_set(
                        space, model=model, dimensions=self.embedder.dimensions, vector_set=self.into_set
                    )
                    self.run.checkpoint("changing over")
            if is_complete:
                self.run.checkpoint("changed over")
            if lost_count:
                self.embed_rows_without_vector()
            if is_complete:
                return
        raise Conflict(
            "More comes into the space than this model embeds: try again when less does.",
            code="embedding_behind",
        )

    def _embed_and_store(self, kind: str, ids_and_texts: list[IdAndText], *, progress: float) -> None:
        self.stored_answers.require_money_and_tokens_left(
            unpriced_model=self.embedders.find_unpriced_model(self.embedder.model)
        )
        # Equal texts are embedded once.
        distinct_texts = sorted({text for _, text in ids_and_texts})
        vector_by_text = dict(
            zip(distinct_texts, embed_texts_for_postgres(distinct_texts, self.embedder), strict=True)
        )
        self.run.checkpoint("embedded")
        ids_and_vectors: list[tuple[UUID, Any]] = [
            (row_id, vector) for row_id, text in ids_and_texts if (vector := vector_by_text[text]) is not None
        ]
        with self.run.open_space() as space:
            self.run.check_lease(space)
            if ids_and_vectors:
                _VECTOR_WRITERS[kind](space, ids_and_vectors, vector_set=self.into_set)
            for row_id, text in ids_and_texts:
                if vector_by_text[text] is None:
                    self.failed_ids.add(row_id)
                    self.run.record_item_error(
                        space,
                        code="bad_vector",
                        message=f"A {kind} got no usable vector.",
                        chunk_id=ChunkId(row_id) if kind == "chunk" else None,
                    )
            self.counts.update({f"{kind}s": len(ids_and_vectors), "texts": len(distinct_texts)})
            self.run.record_progress(space, progress=progress, counts=self.counts, has_progressed=True)
        self.run.checkpoint("stored")
