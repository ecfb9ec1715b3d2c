"""Tags of nodes: finding them by prefix, setting them, and suggesting them (requirement 11)."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from pydantic import Field

from app.api.key_scopes import CitegraphDep
from app.api.protocol.route import ApiRoute
from app.api.protocol.tenant_slots import BulkheadsDep, QuestionSlot
from app.api.quota_headers import TellsTokens
from app.api.sessions import ReadableSpace, ReadableSpaceOpener, WritableSpace
from app.api.shapes import Body
from app.graph.tags import service as node_tags
from app.graph.tags.suggestions import Origin
from app.http.client_disconnect import run_unless_hung_up
from app.http.input_text import Id, TypeName
from app.ids import NodeId
from app.limits import PAGE, TAG_CANDIDATES
from app.views.nodes import NodeTagsAnswer, SuggestedTagsAnswer, TagAnswer, TagsAnswer

router = APIRouter(prefix="/v1/spaces/{space_id}/graph", tags=["tags"], route_class=ApiRoute)


class TagsBody(Body):
    """Candidates in the order of their relevance; a prefix of an existing tag is replaced by that tag."""

    tags: list[TypeName] = Field(max_length=TAG_CANDIDATES.maximum)


class SuggestBody(Body):
    """A choice of rules or the model for the suggestions."""

    by: Literal["rules", "model"] | None = Field(
        None, description="The default is the model if one is configured, otherwise rules."
    )


@router.get("/tags")
def find_tags(
    space: ReadableSpace,
    prefix: Annotated[str, Query(max_length=100)] = "",
    limit: Annotated[int, Query(ge=1, le=PAGE.maximum)] = 50,
) -> TagsAnswer:
    """List tags by prefix, with the number of nodes that have each."""
    tags = node_tags.find_tags(space, prefix=prefix, limit=limit)
    return TagsAnswer(items=[TagAnswer.model_validate(tag) for tag in tags])


@router.put("/nodes/{node_id}/tags")
def set_tags(space: WritableSpace, node_id: Id, body: TagsBody) -> NodeTagsAnswer:
    """Replace the node's tags; the eight most relevant are kept. 404."""
    tags = node_tags.choose_and_set_tags(space, NodeId(node_id), body.tags)
    return NodeTagsAnswer(tags=tags, count=len(tags))


@router.post("/nodes/{node_id}/tags/suggest")
async def suggest_tags(
    request: Request,
    citegraph: CitegraphDep,
    bulkheads: BulkheadsDep,
    _slot: QuestionSlot,
    space_opener: ReadableSpaceOpener,
    _tokens: TellsTokens,
    node_id: Id,
    body: SuggestBody,
) -> SuggestedTagsAnswer:
    """Suggest tags for the node; existing ones are reused by prefix. 404, 409 no_model, 429, 503 busy."""
    origin = None if body.by is None else Origin(body.by)
    # This may wait for a model, so it takes a slot of the questions.
    suggestions = await run_unless_hung_up(
        request,
        bulkheads.questions,
        lambda: citegraph.tagger.suggest_tags(
            space_opener.tenant_id, space_opener.space_id, [NodeId(node_id)], origin=origin
        ),
    )
    (suggestion,) = suggestions.items
    return SuggestedTagsAnswer.from_value(suggestion, warnings=suggestions.warnings)
