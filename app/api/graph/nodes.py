"""The nodes of a space: their list, and one node with everything known about it."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Query

from app.api.paging import RequestedPage
from app.api.protocol.route import ApiRoute
from app.api.sessions import ReadableSpace
from app.api.shapes import Listing
from app.derived.communities import service as communities
from app.derived.summaries import service as summaries
from app.graph import service as graph
from app.graph.shapes import NodeCursor, NodeFilters, WordMatch
from app.graph.tags import service as node_tags
from app.graph.write.curation import service as curation
from app.http.input_text import Id, Moment, SearchText, TypeName
from app.ids import ChunkId, NodeId
from app.views.nodes import (
    MentionAnswer,
    NodeAnswer,
    NodeCommunitiesAnswer,
    NodeCommunityAnswer,
    NodeDetailAnswer,
)
from app.views.summaries import GateDecisionAnswer, SummaryAnswer, build_gate_decision_answer

router = APIRouter(prefix="/v1/spaces/{space_id}/graph", tags=["graph"], route_class=ApiRoute)


def _parse_node_filters(
    match: Annotated[
        WordMatch,
        Query(description="Whether names must contain `q` as a phrase, all of its words, or any of them."),
    ] = WordMatch.PHRASE,
    node_type: Annotated[TypeName | None, Query()] = None,
    tag: Annotated[TypeName | None, Query(description="Only nodes that have this tag.")] = None,
    established: Annotated[bool | None, Query()] = None,
    min_confidence: Annotated[float | None, Query(ge=0, le=1, allow_inf_nan=False)] = None,
    first_seen_from: Annotated[Moment | None, Query(description="First seen at that time or later.")] = None,
    first_seen_before: Annotated[Moment | None, Query()] = None,
    last_seen_from: Annotated[Moment | None, Query(description="Last seen at that time or later.")] = None,
    last_seen_before: Annotated[Moment | None, Query()] = None,
    community_id: Annotated[Id | None, Query(description="Only nodes of this community.")] = None,
) -> NodeFilters:
    return NodeFilters(
        node_type=node_type,
        tag=tag,
        established=established,
        min_confidence=min_confidence,
        first_seen_from=first_seen_from,
        first_seen_before=first_seen_before,
        last_seen_from=last_seen_from,
        last_seen_before=last_seen_before,
        community_id=community_id,
        match=match,
    )


@router.get("/nodes")
def list_nodes(
    space: ReadableSpace,
    page: RequestedPage,
    filters: Annotated[NodeFilters, Depends(_parse_node_filters)],
    q: Annotated[SearchText | None, Query(description="Words in names and aliases; no wildcards.")] = None,
) -> Listing[NodeAnswer]:
    """List the space's nodes, most mentioned first."""
    scope = ("nodes", space.space_id, q, filters)
    position = page.decode_position(scope)
    rows = graph.list_nodes(
        space,
        search_text=q,
        filters=filters,
        after=None if position is None else NodeCursor(int(position[0]), NodeId(UUID(position[1]))),
        limit=page.fetch_limit,
    )
    return page.build_page_with_next_cursor(
        rows,
        NodeAnswer.model_validate,
        lambda row: [row.cursor.mention_count, str(row.cursor.id)],
        scope,
    )


@router.get("/nodes/{node_id}")
def read_node(space: ReadableSpace, node_id: Id) -> NodeDetailAnswer:
    """Return the node, its summary, the claims about it (parallel edges combined), and the nodes named with
    it.

    404.
    """
    node = graph.get_node(space, NodeId(node_id))
    summary = summaries.find_summary(space, NodeId(node_id))
    return NodeDetailAnswer.from_value(
        node,
        tags=node_tags.list_tags_of_node(space, NodeId(node_id)),
        attributes=graph.list_attributes(space, NodeId(node_id)),
        relations=graph.aggregate_edges_by_claim(space, node_id=NodeId(node_id)),
        statements=graph.list_statements_of_node(space, NodeId(node_id)),
        named_together=graph.find_cooccurring_nodes(space, node),
        summary=None if summary is None else SummaryAnswer.from_node_summary(summary),
    )


@router.get("/nodes/{node_id}/mentions")
def list_mentions(space: ReadableSpace, page: RequestedPage, node_id: Id) -> Listing[MentionAnswer]:
    """List the chunks that mention the node, in the order of their ids, with the words around it. 404."""
    graph.get_node(space, NodeId(node_id))
    scope = ("mentions", space.space_id, node_id)
    last_id = page.decode_id(scope)
    rows = curation.list_mentions(
        space, NodeId(node_id), after=None if last_id is None else ChunkId(last_id), limit=page.fetch_limit
    )
    return page.build_page_with_next_cursor(
        rows, MentionAnswer.model_validate, lambda row: [str(row.chunk_id)], scope
    )


@router.get("/nodes/{node_id}/communities")
def list_communities_of_node(space: ReadableSpace, node_id: Id) -> NodeCommunitiesAnswer:
    """List the communities that hold the node, one of each level, finest first; none before the first run.
    404.
    """
    graph.get_node(space, NodeId(node_id))
    memberships = communities.list_communities_of_nodes(space, [NodeId(node_id)])[NodeId(node_id)]
    return NodeCommunitiesAnswer(
        items=[NodeCommunityAnswer.model_validate(node_community) for node_community in memberships]
    )


@router.get("/nodes/{node_id}/summary/decisions")
def list_summary_decisions(space: ReadableSpace, node_id: Id) -> list[GateDecisionAnswer]:
    """List the gate's decisions about the node's summary, newest first, each with its criteria. 404.

    At most fifty are kept.
    """
    graph.get_node(space, NodeId(node_id))
    return [
        build_gate_decision_answer(decision)
        for decision in reversed(summaries.list_gate_decisions_about_node(space, NodeId(node_id)))
    ]
