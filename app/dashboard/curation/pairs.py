"""Possible duplicates: doubtful pairs of nodes, the preview of a merge, and pairs that were kept apart."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response

from app.dashboard.deps import PageSpaceDep, PrimarySpace, ReadableSpace, Renderer, WritableSpace
from app.dashboard.routing import PageRoute
from app.graph import service as graph
from app.graph.resolution.shapes import NameAndType
from app.graph.write import merges, near_duplicates
from app.graph.write.curation import service as curation
from app.http.authentication import DASHBOARD_PATH
from app.ids import NodeId

router = APIRouter(
    prefix=DASHBOARD_PATH + "/spaces/{space_id}/curation", route_class=PageRoute, include_in_schema=False
)

PAGE_SIZE, MAX_SEARCH_RESULTS = 50, 20
FormText = Annotated[str, Form(max_length=1_000)]


@router.get("")
def show_doubtful_pairs(page: Renderer, page_space: PageSpaceDep, space: PrimarySpace) -> Response:
    """Show the undecided pairs, and the pairs that persons kept apart."""
    return page.show(
        "curation/pairs.html",
        page_space=page_space,
        active="curation",
        tab="pairs",
        pairs=near_duplicates.list_doubtful_pairs(space, limit=PAGE_SIZE),
        apart=curation.list_pairs_kept_apart(space, limit=PAGE_SIZE),
    )


@router.get("/merge")
def show_merge_form(
    page: Renderer,
    page_space: PageSpaceDep,
    space: ReadableSpace,
    a: Annotated[UUID | None, Query()] = None,
    b: Annotated[UUID | None, Query()] = None,
    q: Annotated[str, Query(max_length=300)] = "",
) -> Response:
    """Show the choice of two nodes, then a preview of their merge."""
    chosen_node = None if a is None else graph.get_node(space, NodeId(a))
    preview = None
    if a is not None and b is not None:
        preview = curation.preview_merge(space, NodeId(a), NodeId(b))
    query = " ".join(q.split())
    nodes = (
        graph.list_nodes(space, search_text=query, limit=MAX_SEARCH_RESULTS)
        if query and preview is None
        else []
    )
    return page.show(
        "curation/merge.html",
        page_space=page_space,
        active="curation",
        tab="merge",
        chosen=chosen_node,
        preview=preview,
        found=[node for node in nodes if node.id != a],
        q=query,
    )


@router.post("/merge")
def merge_nodes(
    page: Renderer,
    page_space: PageSpaceDep,
    space: WritableSpace,
    winner: Annotated[UUID, Form()],
    loser: Annotated[UUID, Form()],
) -> Response:
    """Merge the two nodes."""
    node_merge = merges.merge_nodes_by_person(
        space, NodeId(winner), NodeId(loser), actor=page_space.caller.actor
    )
    return page.redirect(f"{page_space.path}/curation/changes#{node_merge.id}")


@router.post("/apart")
def keep_apart(
    page: Renderer,
    page_space: PageSpaceDep,
    space: WritableSpace,
    a: Annotated[UUID, Form()],
    b: Annotated[UUID, Form()],
) -> Response:
    """Record that the two nodes are different things."""
    curation.keep_nodes_apart(space, NodeId(a), NodeId(b), actor=page_space.caller.actor)
    return page.redirect(f"{page_space.path}/curation")


@router.post("/reconsider")
def withdraw_keep_apart(
    page: Renderer,
    page_space: PageSpaceDep,
    space: WritableSpace,
    name_a: FormText,
    type_a: FormText,
    name_b: FormText,
    type_b: FormText,
) -> Response:
    """Withdraw the decision that two names are different nodes."""
    curation.withdraw_decision_to_keep_apart(
        space, NameAndType(name_a, type_a), NameAndType(name_b, type_b), actor=page_space.caller.actor
    )
    return page.redirect(f"{page_space.path}/curation")
