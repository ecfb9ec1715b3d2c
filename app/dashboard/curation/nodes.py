"""The page that corrects one node: its name, its tags, its merges, and splitting it."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response

from app.dashboard.curation.values import group_stated_values
from app.dashboard.deps import PageSpaceDep, ReadableSpace, Renderer, WritableSpace
from app.dashboard.routing import PageRoute
from app.graph import service as graph
from app.graph.tags import service as node_tags
from app.graph.write import splits
from app.graph.write.curation import service as curation
from app.http.authentication import DASHBOARD_PATH
from app.http.edit_versions.shapes import Kind
from app.ids import ChunkId, NodeId
from app.ingest import service as ingest

router = APIRouter(
    prefix=DASHBOARD_PATH + "/spaces/{space_id}/curation/nodes/{node_id}",
    route_class=PageRoute,
    include_in_schema=False,
)

MENTIONS_PAGE_SIZE, MAX_CLAIMS = 40, 60
_MAX_SPLIT_CHUNKS = 1_000


@router.get("")
def show_node_corrections(
    page: Renderer,
    page_space: PageSpaceDep,
    space: ReadableSpace,
    node_id: UUID,
    after: Annotated[UUID | None, Query()] = None,
) -> Response:
    """Show the node's names, tags, values, claims and mentions, each with the possible corrections."""
    page.add_versions_to_forms(space, Kind.NODE, [node_id])
    node = graph.get_node(space, NodeId(node_id))
    mentions = curation.list_mentions(
        space, node.id, after=None if after is None else ChunkId(after), limit=MENTIONS_PAGE_SIZE + 1
    )
    claims = graph.list_edges(space, node_id=node.id, limit=MAX_CLAIMS)
    end_ids = {end for claim in claims for end in (claim.from_node_id, claim.to_node_id)}
    return page.show(
        "curation/node.html",
        page_space=page_space,
        active="curation",
        tab="",
        node=node,
        given=curation.get_name_given_by_person(node),
        tagging=node_tags.find_last_tagging_by_person(node),
        changes=curation.list_merges_and_splits_of_node(space, node.id),
        tags=node_tags.list_tags_of_node(space, node.id),
        max_tags=space.settings.max_tags,
        values=group_stated_values(graph.list_attributes(space, node.id)),
        claims=claims,
        statements=graph.list_statements_of_node(space, node.id),
        names={end_node.id: end_node.canonical_name for end_node in graph.get_nodes(space, list(end_ids))},
        mentions=mentions[:MENTIONS_PAGE_SIZE],
        around=curation.CONTEXT_CHARACTERS,
        following=mentions[MENTIONS_PAGE_SIZE - 1].chunk_id if len(mentions) > MENTIONS_PAGE_SIZE else None,
        first=after is None,
    )


@router.post("/name")
def rename_node(
    page: Renderer,
    page_space: PageSpaceDep,
    space: WritableSpace,
    node_id: UUID,
    name: Annotated[str, Form(max_length=1_000)] = "",
) -> Response:
    """Set the node's name, regardless of its names in texts."""
    ingest.rename_node(space, NodeId(node_id), name, actor=page_space.caller.actor)
    return page.redirect(f"{page_space.path}/curation/nodes/{node_id}")


@router.post("/name/restore")
def restore_name(page: Renderer, page_space: PageSpaceDep, space: WritableSpace, node_id: UUID) -> Response:
    """Restore the node's name from texts."""
    ingest.restore_node_name(space, NodeId(node_id), actor=page_space.caller.actor)
    return page.redirect(f"{page_space.path}/curation/nodes/{node_id}")


@router.post("/tags")
def set_tags(
    page: Renderer,
    page_space: PageSpaceDep,
    space: WritableSpace,
    node_id: UUID,
    tags: Annotated[str, Form(max_length=4_000)] = "",
) -> Response:
    """Replace the node's tags by these, separated by commas."""
    tag_names = [tag_name for tag_name in tags.split(",") if tag_name.strip()]
    node_tags.choose_and_set_tags(space, NodeId(node_id), tag_names)
    return page.redirect(f"{page_space.path}/curation/nodes/{node_id}")


@router.post("/split")
def split_node(
    page: Renderer,
    page_space: PageSpaceDep,
    space: WritableSpace,
    node_id: UUID,
    chunk: Annotated[list[UUID], Form(max_length=_MAX_SPLIT_CHUNKS)] = [],  # noqa: B006 (read by FastAPI alone)
    sense: Annotated[str, Form(max_length=300)] = "",
) -> Response:
    """Split the mentions in these chunks off into a node of their own."""
    node_split = splits.split_node_by_person(
        space,
        NodeId(node_id),
        sense,
        chunk_ids=[ChunkId(chunk_id) for chunk_id in chunk],
        actor=page_space.caller.actor,
    )
    return page.redirect(f"{page_space.path}/curation/changes#{node_split.id}")
