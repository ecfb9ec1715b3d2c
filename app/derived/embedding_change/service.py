"""Changes of the embedding model: the cost estimate, and the job that makes the change (requirement 9.2)."""

from dataclasses import dataclass
from decimal import Decimal

from app.db.models import Job
from app.db.session import SpaceSession
from app.derived.embedding_change import repository
from app.documents.token_counts import count_tokens
from app.errors import Conflict, InvalidInput
from app.jobs import queue
from app.jobs.kinds import ChangeEmbedding, ClearVectors
from app.jobs.states import JobState
from app.llm.embedding.embedders import EmbedderMissing, Embedders, is_local_model
from app.llm.prices import build_price_table, compute_cost_usd, has_price
from app.settings import Settings
from app.tenancy.audit import service as audit
from app.tenancy.spaces import service as spaces

SAMPLE_SIZE = 500
"""Number of names from which the length of names and facts is estimated."""
_UNFINISHED_STATES = {JobState.QUEUED, JobState.RUNNING}


class EmbeddingUnchanged(Conflict):
    """The space has that model already."""

    code = "embedding_unchanged"

    def __init__(self, model: str) -> None:
        super().__init__(f"The space is embedded by {model} already: there is nothing to do.")


@dataclass(frozen=True)
class EmbeddingPlan:
    """The size of a change of the embedding model: an estimate for a decision, not a bill.

    `texts` counts different texts: a fact of several chunks is embedded once. `tokens` of chunks are counted,
    those of names and facts estimated. The cost is None if the price is unknown.
    """

    from_model: str
    from_dimensions: int
    model: str
    dimensions: int
    chunks: int
    nodes: int
    facts: int
    texts: int
    tokens: int
    cost_usd: Decimal | None

    @property
    def unchanged(self) -> bool:
        """Return whether the space has that model already."""
        return (self.from_model, self.from_dimensions) == (self.model, self.dimensions)


def estimate_embedding_change(
    space: SpaceSession, embedders: Embedders, settings: Settings, *, model: str, dimensions: int | None
) -> EmbeddingPlan:
    """Return an estimate of the change. Writes nothing and calls no model. Raises InvalidInput."""
    model_dimensions = _get_dimensions_of_model(embedders, model, dimensions)
    sizes = repository.measure_sizes_to_embed(space)
    names = repository.sample_node_names(space, limit=SAMPLE_SIZE)
    tokens_per_name = sum(map(count_tokens, names)) / max(len(names), 1)
    # The text of a fact is two names and a relation type.
    tokens = sizes.chunk_tokens + round(
        sizes.nodes * tokens_per_name + sizes.claims * (2 * tokens_per_name + 2)
    )
    return EmbeddingPlan(
        from_model=space.opening_state.embedding_model,
        from_dimensions=space.opening_state.embedding_dimensions,
        model=model,
        dimensions=model_dimensions,
        chunks=sizes.chunks,
        nodes=sizes.nodes,
        facts=sizes.facts,
        texts=sizes.chunks + sizes.nodes + sizes.claims,
        tokens=tokens,
        cost_usd=_compute_embedding_cost(settings, model, tokens),
    )


def _compute_embedding_cost(settings: Settings, model: str, tokens: int) -> Decimal | None:
    prices = build_price_table(settings)
    if not is_local_model(model) and not has_price(prices, model):
        return None
    return compute_cost_usd(prices, model, prompt_tokens=tokens, completion_tokens=0)


def enqueue_or_find_embedding_change(
    space: SpaceSession, embedders: Embedders, *, model: str, dimensions: int | None, actor: str
) -> Job:
    """Return the job that makes the change; the running one if it makes the same change.

    Vectors of this model from a failed or cancelled job are used again if they still exist. Raises
    InvalidInput, EmbeddingUnchanged, and Conflict while the space changes to another model.
    """
    model_dimensions = _get_dimensions_of_model(embedders, model, dimensions)
    # Read again under the lock: its previous holder may have switched the model.
    earlier_jobs = queue.lock_enqueueing_and_list_jobs_of_kind(space, ChangeEmbedding.kind)
    space_row = spaces.get_open_space_row(space)
    if (space_row.embedding_model, space_row.embedding_dimensions) == (model, model_dimensions):
        raise EmbeddingUnchanged(model)
    jobs_for_same_model = [
        job
        for job in earlier_jobs
        if (job.arguments["model"], job.arguments["dimensions"]) == (model, model_dimensions)
    ]
    for job in earlier_jobs:
        if job.state in _UNFINISHED_STATES and not job.cancel_requested:
            if job in jobs_for_same_model:
                return job
            raise Conflict(
                f"The space is being changed to {job.arguments['model']}: wait for that job, or cancel it.",
                code="embedding_change_running",
            )
    started_sets = [
        job.arguments["vector_set"]
        for job in jobs_for_same_model
        if job.arguments["vector_set"] > space_row.vector_set
    ]
    into_set = max(started_sets) if started_sets else spaces.allocate_vector_set_number(space)
    job = queue.enqueue(space, ChangeEmbedding(model, model_dimensions, into_set))
    audit.record(space, "space.reembed", actor=actor, target=job.id, details={"dimensions": model_dimensions})
    return job


def enqueue_vector_deletion_of_cancelled_change(space: SpaceSession, kind: str) -> None:
    """Schedule the deletion of a cancelled change's vectors; nothing for jobs of other kinds."""
    if kind == ChangeEmbedding.kind:
        queue.enqueue_or_run_earlier(space, ClearVectors(), delay=0.0)


def lock_and_list_vector_sets_to_keep(space: SpaceSession) -> list[int]:
    """Return the vector sets in use, and those of running or failed changes."""
    current_set = spaces.lock_vector_set_shared_and_get_number(space)
    started_sets = {
        int(job.arguments["vector_set"])
        for job in queue.list_jobs_of_kind(space, ChangeEmbedding.kind)
        if job.state in (*_UNFINISHED_STATES, JobState.FAILED)
    }
    return [current_set, *sorted(vector_set for vector_set in started_sets if vector_set > current_set)]


def _get_dimensions_of_model(embedders: Embedders, model: str, requested_dimensions: int | None) -> int:
    """Return the length of the model's vectors. Raises InvalidInput if it is not offered or not available."""
    try:
        model_dimensions = embedders.get_dimensions(model)
    except EmbedderMissing as error:
        raise InvalidInput(error.message, code="model_not_offered") from error
    if requested_dimensions is not None and requested_dimensions != model_dimensions:
        raise InvalidInput(
            f"{model} gives vectors of {model_dimensions} dimensions.", code="embedding_dimensions"
        )
    return model_dimensions
