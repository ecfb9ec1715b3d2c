"""Tags of nodes: found by prefix with their counts, and set (requirement 11)."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from app.api.deps import ReadableSpace, WritableSpace
from app.api.limits import StrictRoute
from app.api.shapes import Answer, Body
from app.api.text import Id, TypeName
from app.graph import tagging
from app.ids import NodeId

router = APIRouter(prefix="/v1/spaces/{space_id}/graph", tags=["tags"], route_class=StrictRoute)


class TagAnswer(Answer):
    """A tag and how many nodes have it."""

    tag: str
    nodes: int


class TagsAnswer(Answer):
    """Tags that begin so, the most used first."""

    items: list[TagAnswer]


class TagsBody(Body):
    """Candidates in the order of their relevance; one that begins an existing tag becomes that tag."""

    tags: list[TypeName] = Field(max_length=tagging.MOST_CANDIDATES)


class NodeTagsAnswer(Answer):
    """The tags that stayed, at most eight, and how many they are."""

    tags: list[str]
    count: int


@router.get("/tags")
def find_tags(
    space: ReadableSpace,
    prefix: Annotated[str, Query(max_length=100)] = "",
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> TagsAnswer:
    """Tags by their beginning, with the number of nodes that have each."""
    found = tagging.find_tags(space, prefix=prefix, limit=limit)
    return TagsAnswer(items=[TagAnswer(tag=tag, nodes=nodes) for tag, nodes in found])


@router.put("/nodes/{node_id}/tags")
def set_tags(space: WritableSpace, node_id: Id, body: TagsBody) -> NodeTagsAnswer:
    """Give the node these tags in place of those it had; the most relevant eight stay. 404."""
    tags = tagging.set_tags(space, NodeId(node_id), body.tags)
    return NodeTagsAnswer(tags=tags, count=len(tags))
