"""The embedding model of a space: the cost of a change, and the change itself (requirement 9.2)."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from app.api.key_scopes import Administrator, CitegraphDep
from app.api.protocol.route import ApiRoute
from app.api.sessions import AdministeredSpace, ReadableSpace
from app.api.shapes import Body
from app.derived.embedding_change import service as embedding_change
from app.http.input_text import Name
from app.limits import DIMENSIONS
from app.views.jobs import JobAnswer
from app.views.spaces import EmbeddingPlanAnswer

router = APIRouter(prefix="/v1/spaces/{space_id}/embedding", tags=["spaces"], route_class=ApiRoute)


class EmbeddingBody(Body):
    """The embedding model to change to."""

    model: Name = Field(
        description="One that the operator offers; hashed-ngrams-256 and all-minilm-l6-v2-384 run locally."
    )
    dimensions: int | None = Field(
        None,
        ge=1,
        le=DIMENSIONS.maximum,
        description="The expected length of its vectors, as a check.",
    )


@router.get("")
def plan_embedding(
    citegraph: CitegraphDep,
    space: ReadableSpace,
    model: Annotated[
        Name | None, Query(description="The new model; the default is the service's own.")
    ] = None,
    dimensions: Annotated[
        int | None, Query(ge=1, le=DIMENSIONS.maximum, description="Length of its vectors.")
    ] = None,
) -> EmbeddingPlanAnswer:
    """Estimate a change of the space's model without making it. No model is called. 422 model_not_offered."""
    plan = embedding_change.estimate_embedding_change(
        space,
        citegraph.embedders,
        citegraph.settings,
        model=model or citegraph.embedders.model,
        dimensions=dimensions,
    )
    return EmbeddingPlanAnswer.model_validate(plan)


@router.post("", status_code=202)
def change_embedding(
    citegraph: CitegraphDep, caller: Administrator, space: AdministeredSpace, body: EmbeddingBody
) -> JobAnswer:
    """Start the job that changes the model while queries go on.

    404, 409 embedding_unchanged, embedding_change_running, 422 model_not_offered.
    """
    job = embedding_change.enqueue_or_find_embedding_change(
        space, citegraph.embedders, model=body.model, dimensions=body.dimensions, actor=caller.actor
    )
    return JobAnswer.model_validate(job)
