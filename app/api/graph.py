"""The graph of a space: its nodes and edges, what lies around a node, and explanations."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from app.api.deps import Page, ReadableSpace
from app.api.edge.body_limits import StrictRoute
from app.api.graph_shapes import (
    AttributeAnswer,
    EdgeAnswer,
    ExplainBody,
    ExplanationAnswer,
    NeighborhoodAnswer,
    NeighborsBody,
    NodeAnswer,
    NodeDetailAnswer,
    RelationAnswer,
    RelationTypeAnswer,
    RelationTypesAnswer,
)
from app.api.shapes import Listing
from app.api.summaries import summary_answer
from app.edge.text import Id, Moment, SearchText, TypeName
from app.graph import service as graph
from app.graph.shapes import Direction, GraphFilters, NodeCursor
from app.graph.tags import service as node_tags
from app.ids import EdgeId, NodeId
from app.summaries import service as summaries

router = APIRouter(prefix="/v1/spaces/{space_id}/graph", tags=["graph"], route_class=StrictRoute)


@router.get("/nodes")
def list_nodes(
    space: ReadableSpace,
    page: Page,
    q: Annotated[SearchText | None, Query(description="Words in names and aliases; no wildcards.")] = None,
    node_type: Annotated[TypeName | None, Query()] = None,
    tag: Annotated[TypeName | None, Query(description="Only nodes that have this tag.")] = None,
    established: Annotated[bool | None, Query()] = None,
) -> Listing[NodeAnswer]:
    """The space's nodes, most mentioned first."""
    scope = ("nodes", space.space_id, q, node_type, tag, established)
    position = page.after(scope)
    rows = graph.list_nodes(
        space,
        q=q,
        node_type=node_type,
        tag=tag,
        established=established,
        after=None if position is None else NodeCursor(int(position[0]), NodeId(UUID(position[1]))),
        limit=page.fetch,
    )
    return page.show(
        rows,
        NodeAnswer.model_validate,
        lambda row: [row.cursor.mention_count, str(row.cursor.id)],
        scope,
    )


@router.get("/nodes/{node_id}")
def read_node(space: ReadableSpace, node_id: Id) -> NodeDetailAnswer:
    """The node, its summary and the claims around it, parallel edges taken together. 404."""
    node = graph.get_node(space, NodeId(node_id))
    relations = graph.aggregated_relations(space, node_id=NodeId(node_id))
    return NodeDetailAnswer(
        **NodeAnswer.model_validate(node).model_dump(),
        tags=node_tags.tags_of(space, NodeId(node_id)),
        attributes=[
            AttributeAnswer.model_validate(each) for each in graph.attributes_of(space, NodeId(node_id))
        ],
        relations=[RelationAnswer.model_validate(each) for each in relations],
        summary=summary_answer(summaries.find_summary(space, NodeId(node_id))),
    )


@router.get("/edges")
def list_edges(
    space: ReadableSpace,
    page: Page,
    node_id: Annotated[Id | None, Query(description="Only edges that touch this node.")] = None,
    relation_type: Annotated[TypeName | None, Query()] = None,
    min_confidence: Annotated[float | None, Query(ge=0, le=1, allow_inf_nan=False)] = None,
) -> Listing[EdgeAnswer]:
    """The space's edges, oldest first, each with its evidence. 404 for an unknown node."""
    scope = ("edges", space.space_id, node_id, relation_type, min_confidence)
    after = page.after_id(scope)
    rows = graph.list_edges(
        space,
        node_id=None if node_id is None else NodeId(node_id),
        relation_type=relation_type,
        min_confidence=min_confidence,
        after=None if after is None else EdgeId(after),
        limit=page.fetch,
    )
    return page.show(rows, EdgeAnswer.model_validate, lambda row: [str(row.id)], scope)


@router.get("/relation-types")
def list_relation_types(space: ReadableSpace) -> RelationTypesAnswer:
    """Every relation type with its number of edges and averages, most frequent first."""
    found = graph.relation_types(space)
    return RelationTypesAnswer(items=[RelationTypeAnswer.model_validate(each) for each in found])


@router.get("/neighborhood/{node_id}")
def read_neighborhood(
    space: ReadableSpace,
    node_id: Id,
    depth: Annotated[int, Query(ge=1, le=3)] = 1,
    direction: Direction = Direction.BOTH,
    relation_type: Annotated[list[TypeName] | None, Query(max_length=50)] = None,
    node_type: Annotated[list[TypeName] | None, Query(max_length=50)] = None,
    min_confidence: Annotated[float | None, Query(ge=0, le=1, allow_inf_nan=False)] = None,
    as_of: Annotated[Moment | None, Query()] = None,
) -> NeighborhoodAnswer:
    """The node, its neighbours up to `depth` hops, and every edge among them. 404."""
    found = graph.neighborhood(
        space,
        NodeId(node_id),
        depth=depth,
        direction=direction,
        filters=GraphFilters(tuple(relation_type or ()), tuple(node_type or ()), min_confidence, as_of),
    )
    return NeighborhoodAnswer.model_validate(found)


@router.post("/neighbors")
def read_neighbors(space: ReadableSpace, body: NeighborsBody) -> NeighborhoodAnswer:
    """One hop around a list of nodes, these included. Unknown ids are listed in `missing`."""
    found = graph.neighbors(
        space,
        [NodeId(each) for each in body.node_ids],
        direction=body.direction,
        filters=body.filters.filters(),
    )
    return NeighborhoodAnswer.model_validate(found)


@router.post("/explain")
def explain(space: ReadableSpace, body: ExplainBody) -> ExplanationAnswer:
    """How the graph answers a question, or how one node leads to another, with every edge's evidence."""
    found = graph.explain(
        space,
        question=body.question,
        from_=body.from_,
        to=body.to,
        max_hops=body.max_hops,
        limit=body.limit,
        filters=body.filters.filters(),
    )
    return ExplanationAnswer.model_validate(found)
