"""The ledgers of merges and splits, with undo."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query
from fastapi.responses import Response

from app.dashboard.deps import PageSpaceDep, ReadableSpace, Renderer, WritableSpace
from app.dashboard.routing import PageRoute
from app.graph.write import merges, splits
from app.http.authentication import DASHBOARD_PATH

router = APIRouter(
    prefix=DASHBOARD_PATH + "/spaces/{space_id}/curation", route_class=PageRoute, include_in_schema=False
)

PAGE_SIZE = 50


@router.get("/changes")
def show_changes(
    page: Renderer,
    page_space: PageSpaceDep,
    space: ReadableSpace,
    merged_before: Annotated[UUID | None, Query()] = None,
    split_before: Annotated[UUID | None, Query()] = None,
) -> Response:
    """Show merges and splits, by ingests and by persons, newest first."""
    node_merges = merges.list_merges(space, after=merged_before, limit=PAGE_SIZE + 1)
    node_splits = splits.list_splits(space, after=split_before, limit=PAGE_SIZE + 1)
    return page.show(
        "curation/changes.html",
        page_space=page_space,
        active="curation",
        tab="changes",
        merges=node_merges[:PAGE_SIZE],
        splits=node_splits[:PAGE_SIZE],
        older_merges=node_merges[PAGE_SIZE - 1].id if len(node_merges) > PAGE_SIZE else None,
        older_splits=node_splits[PAGE_SIZE - 1].id if len(node_splits) > PAGE_SIZE else None,
        newest=merged_before is None and split_before is None,
    )


@router.post("/merges/{merge_id}/undo")
def undo_merge(page: Renderer, page_space: PageSpaceDep, space: WritableSpace, merge_id: UUID) -> Response:
    """Undo a merge: the merged node gets its own content back."""
    merges.unmerge_nodes_by_person(space, merge_id, actor=page_space.caller.actor)
    return page.redirect(f"{page_space.path}/curation/changes#{merge_id}")


@router.post("/splits/{split_id}/undo")
def undo_split(page: Renderer, page_space: PageSpaceDep, space: WritableSpace, split_id: UUID) -> Response:
    """Undo a split: merge the two nodes again."""
    splits.undo_split(space, split_id, actor=page_space.caller.actor)
    return page.redirect(f"{page_space.path}/curation/changes#{split_id}")
