"""The edges of a space and their relation types."""

from typing import Annotated

from fastapi import APIRouter, Query

from app.api.paging import RequestedPage
from app.api.protocol.route import ApiRoute
from app.api.sessions import ReadableSpace
from app.api.shapes import Listing
from app.domain.layers import Layer
from app.graph import service as graph
from app.http.input_text import Id, TypeName
from app.ids import EdgeId, NodeId
from app.views.edges import EdgeAnswer, RelationTypeAnswer, RelationTypesAnswer

router = APIRouter(prefix="/v1/spaces/{space_id}/graph", tags=["graph"], route_class=ApiRoute)


@router.get("/edges")
def list_edges(
    space: ReadableSpace,
    page: RequestedPage,
    node_id: Annotated[Id | None, Query(description="Only edges that touch this node.")] = None,
    relation_type: Annotated[TypeName | None, Query()] = None,
    layer: Annotated[
        list[Layer] | None, Query(max_length=3, description="Only claims, or only statements.")
    ] = None,
    min_confidence: Annotated[float | None, Query(ge=0, le=1, allow_inf_nan=False)] = None,
) -> Listing[EdgeAnswer]:
    """List the space's edges, oldest first, each with its evidence. 404 for an unknown node."""
    scope = ("edges", space.space_id, node_id, relation_type, layer, min_confidence)
    last_id = page.decode_id(scope)
    rows = graph.list_edges(
        space,
        node_id=None if node_id is None else NodeId(node_id),
        relation_type=relation_type,
        layers=layer or (),
        min_confidence=min_confidence,
        after=None if last_id is None else EdgeId(last_id),
        limit=page.fetch_limit,
    )
    return page.build_page_with_next_cursor(rows, EdgeAnswer.model_validate, lambda row: [str(row.id)], scope)


@router.get("/relation-types")
def list_relation_types(space: ReadableSpace) -> RelationTypesAnswer:
    """List every relation type with its number of edges and averages, most frequent first."""
    relation_type_counts = graph.count_relation_types(space)
    return RelationTypesAnswer(
        items=[RelationTypeAnswer.model_validate(relation_type) for relation_type in relation_type_counts]
    )
