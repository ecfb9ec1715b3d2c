"""The nodes of a space: their list, and one with all that is known of it."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from app.api.deps import Page, ReadableSpace
from app.api.edge.body_limits import StrictRoute
from app.api.graph.shapes import AttributeAnswer, NodeAnswer, NodeDetailAnswer, RelationAnswer
from app.api.graph.summaries import summary_answer
from app.api.shapes import Listing
from app.edge.text import Id, SearchText, TypeName
from app.graph import service as graph
from app.graph.shapes import NodeCursor
from app.graph.tags import service as node_tags
from app.ids import NodeId
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
