"""Contradicting claims, ended claims, and a person's decisions about them."""

from datetime import UTC, date, datetime, time
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response

from app.dashboard.deps import PageSpaceDep, ReadableSpace, Renderer, WritableSpace
from app.dashboard.routing import PageRoute
from app.errors import InvalidInput
from app.graph import service as graph
from app.graph.invalidation import service as invalidation
from app.graph.invalidation.shapes import ConflictCursor, InvalidationScope
from app.http.authentication import DASHBOARD_PATH
from app.http.edit_versions.shapes import Kind
from app.ids import EdgeId, NodeId

router = APIRouter(
    prefix=DASHBOARD_PATH + "/spaces/{space_id}/curation", route_class=PageRoute, include_in_schema=False
)

MAX_INVALIDATIONS, MAX_CONFLICTS = 50, 20
Reason = Annotated[str, Form(max_length=1_000)]
EndDay = Annotated[str, Form(alias="at", max_length=10)]


@router.get("/conflicts")
def show_conflicts(
    page: Renderer,
    page_space: PageSpaceDep,
    space: ReadableSpace,
    show_all: Annotated[bool, Query(alias="all")] = False,
    relation: Annotated[str | None, Query(max_length=300)] = None,
    node: Annotated[UUID | None, Query()] = None,
) -> Response:
    """Show nodes with several values of a single-valued relation, their quotes side by side."""
    position = ConflictCursor(relation, NodeId(node)) if relation is not None and node is not None else None
    conflicts = invalidation.list_conflicts(
        space, only_contested=not show_all, after=position, limit=MAX_CONFLICTS + 1
    )
    page.add_versions_to_forms(
        space,
        Kind.EDGE,
        [row.edge.id for conflict in conflicts for value in conflict.values for row in value.rows],
    )
    return page.show(
        "curation/conflicts.html",
        page_space=page_space,
        active="curation",
        tab="conflicts",
        sets=conflicts[:MAX_CONFLICTS],
        show_all=show_all,
        declared=space.settings.single_valued_relations,
        following=conflicts[MAX_CONFLICTS - 1].cursor if len(conflicts) > MAX_CONFLICTS else None,
        first=position is None,
    )


@router.get("/claims")
def show_claims(
    page: Renderer,
    page_space: PageSpaceDep,
    space: ReadableSpace,
    before: Annotated[UUID | None, Query()] = None,
    show_all: Annotated[bool, Query(alias="all")] = False,
) -> Response:
    """Show ended claims with the person or rule that ended them, newest decision first."""
    invalidations = invalidation.list_endings(
        space, only_in_force=not show_all, after=before, limit=MAX_INVALIDATIONS + 1
    )
    page.add_versions_to_forms(space, Kind.EDGE, [decision.edge_id for decision in invalidations])
    return page.show(
        "curation/claims.html",
        page_space=page_space,
        active="curation",
        tab="claims",
        decisions=invalidations[:MAX_INVALIDATIONS],
        show_all=show_all,
        following=invalidations[MAX_INVALIDATIONS - 1].id if len(invalidations) > MAX_INVALIDATIONS else None,
        first=before is None,
    )


@router.get("/edges/{edge_id}")
def show_edge(page: Renderer, page_space: PageSpaceDep, space: ReadableSpace, edge_id: UUID) -> Response:
    """Show one claim with its quotes and the possible decisions about it."""
    page.add_versions_to_forms(space, Kind.EDGE, [edge_id])
    edge, decisions = invalidation.get_edge_with_ledger(space, EdgeId(edge_id))
    end_nodes = {node.id: node for node in graph.get_nodes(space, [edge.from_node_id, edge.to_node_id])}
    return page.show(
        "curation/edge.html",
        page_space=page_space,
        active="curation",
        tab="",
        edge=edge,
        extraction=graph.get_extractors_of_edges(space, [edge.id]).get(edge.id),
        decisions=decisions,
        source=end_nodes.get(edge.from_node_id),
        target=end_nodes.get(edge.to_node_id),
        is_single=edge.relation_type in space.settings.single_valued_relations,
        today=datetime.now(UTC).date(),
    )


@router.post("/edges/{edge_id}/end")
def end_edge(
    page: Renderer,
    page_space: PageSpaceDep,
    space: WritableSpace,
    edge_id: UUID,
    reason: Reason = "",
    end_day: EndDay = "",
    scope: Annotated[InvalidationScope, Form()] = InvalidationScope.CLAIM,
) -> Response:
    """End the claim: every edge that states it, or this edge alone."""
    invalidation.end_claim_by_person(
        space,
        EdgeId(edge_id),
        reason=reason,
        actor=page_space.caller.actor,
        ended_at=_parse_day(end_day),
        scope=scope,
    )
    return page.redirect(f"{page_space.path}/curation/edges/{edge_id}")


@router.post("/edges/{edge_id}/restore")
def restore_edge(page: Renderer, page_space: PageSpaceDep, space: WritableSpace, edge_id: UUID) -> Response:
    """Undo the decision that ended the edge."""
    invalidation.undo_ending_decision(space, EdgeId(edge_id), actor=page_space.caller.actor)
    return page.redirect(f"{page_space.path}/curation/edges/{edge_id}")


@router.post("/edges/{edge_id}/uphold")
def uphold_edge(
    page: Renderer,
    page_space: PageSpaceDep,
    space: WritableSpace,
    edge_id: UUID,
    reason: Reason = "",
    end_day: EndDay = "",
) -> Response:
    """Uphold this value and end the others."""
    invalidation.uphold_value_and_end_others(
        space, EdgeId(edge_id), reason=reason, actor=page_space.caller.actor, ended_at=_parse_day(end_day)
    )
    return page.redirect(f"{page_space.path}/curation/claims")


def _parse_day(day: str) -> datetime | None:
    """Return the beginning of a day in UTC; None for an empty text. Raises InvalidInput."""
    if not day.strip():
        return None
    try:
        return datetime.combine(date.fromisoformat(day.strip()), time.min, UTC)
    except ValueError:
        raise InvalidInput("A day is written as 2026-01-31.", code="bad_day") from None
