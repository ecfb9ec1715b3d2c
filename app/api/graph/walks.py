"""Traversals of the graph: the nodes around a node, and explanations."""

from typing import Annotated

from fastapi import APIRouter, Query

from app.api.graph.shapes import ExplainBody, NeighborsBody
from app.api.protocol.route import ApiRoute
from app.api.sessions import ReadableSpace
from app.domain.layers import Layer
from app.graph import service as graph
from app.graph.shapes import Direction, GraphFilters
from app.http.input_text import Id, Moment, TypeName
from app.ids import NodeId
from app.limits import FILTER_TYPES, NEIGHBORHOOD_DEPTH
from app.views.explanations import ExplanationAnswer
from app.views.nodes import NeighborhoodAnswer

router = APIRouter(prefix="/v1/spaces/{space_id}/graph", tags=["graph"], route_class=ApiRoute)


@router.get("/neighborhood/{node_id}")
def read_neighborhood(
    space: ReadableSpace,
    node_id: Id,
    depth: Annotated[int, Query(ge=1, le=NEIGHBORHOOD_DEPTH.maximum)] = 1,
    direction: Direction = Direction.BOTH,
    relation_type: Annotated[list[TypeName] | None, Query(max_length=FILTER_TYPES.maximum)] = None,
    node_type: Annotated[list[TypeName] | None, Query(max_length=FILTER_TYPES.maximum)] = None,
    min_confidence: Annotated[float | None, Query(ge=0, le=1, allow_inf_nan=False)] = None,
    as_of: Annotated[Moment | None, Query()] = None,
    layer: Annotated[list[Layer] | None, Query(max_length=3)] = None,
) -> NeighborhoodAnswer:
    """Return the node, its neighbours up to `depth` hops away, and every edge among them. 404."""
    neighborhood = graph.fetch_neighborhood_and_record_recall(
        space,
        NodeId(node_id),
        depth=depth,
        direction=direction,
        filters=GraphFilters(
            tuple(relation_type or ()),
            tuple(node_type or ()),
            min_confidence,
            as_of,
            layers=tuple(layer or ()),
        ),
    )
    return NeighborhoodAnswer.model_validate(neighborhood)


@router.post("/neighbors")
def read_neighbors(space: ReadableSpace, body: NeighborsBody) -> NeighborhoodAnswer:
    """Return a list of nodes and their direct neighbours. Unknown ids are listed in `missing`."""
    neighborhood = graph.fetch_neighbors_and_record_recall(
        space,
        [NodeId(node_id) for node_id in body.node_ids],
        direction=body.direction,
        filters=body.filters.to_graph_filters(),
    )
    return NeighborhoodAnswer.model_validate(neighborhood)


@router.post("/explain")
def explain(space: ReadableSpace, body: ExplainBody) -> ExplanationAnswer:
    """Explain how the graph answers a question, or how two nodes are connected, with every edge's
    evidence.
    """
    explanation = graph.explain_and_record_recall(
        space,
        question=body.question,
        from_=body.from_,
        to=body.to,
        max_hops=body.max_hops,
        limit=body.limit,
        filters=body.filters.to_graph_filters(),
    )
    return ExplanationAnswer.model_validate(explanation)
