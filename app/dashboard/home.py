"""The first page, with the spaces that a visitor may see; and the error page for unknown addresses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, HTTPException, Query
from fastapi.responses import RedirectResponse, Response

from app.dashboard.deps import CitegraphDep, Renderer, Visitor
from app.dashboard.routing import PageRoute
from app.db.models import KnowledgeSpace
from app.documents import examples
from app.http.authentication import DASHBOARD_PATH
from app.ids import TenantId
from app.tenancy.spaces import service as spaces
from app.tenancy.tenants import quotas
from app.tenancy.tenants import service as tenants
from app.tenancy.tenants.shapes import SpaceTotals

router = APIRouter(prefix=DASHBOARD_PATH, route_class=PageRoute, include_in_schema=False)
root_router = APIRouter(route_class=PageRoute, include_in_schema=False)

PAGE_SIZE = 200


@dataclass(frozen=True)
class TenantSpaces:
    """A tenant with a page of the spaces that the visitor may see, and the content of each in numbers."""

    id: TenantId
    name: str
    may_administer: bool
    spaces: Sequence[KnowledgeSpace]
    totals: Mapping[UUID, SpaceTotals]
    last_id_before_next_page: UUID | None


@router.get("")
def show_first_page(
    page: Renderer,
    citegraph: CitegraphDep,
    visitor: Visitor,
    all: bool = False,
    after: Annotated[UUID | None, Query()] = None,
) -> Response:
    """Show the spaces that the visitor may see, by tenant; if there is only one, redirect to its home."""
    tenant_spaces = []
    for caller in visitor.callers.values():
        with citegraph.database.open_platform() as platform:
            name = tenants.get_tenant(platform, caller.tenant_id).name
        with citegraph.database.open_tenant(caller.tenant_id) as tenant:
            spaces_with_next = list(
                spaces.list_spaces(tenant, after=after, space_ids=caller.space_ids, limit=PAGE_SIZE + 1)
            )
            visible_spaces = spaces_with_next[:PAGE_SIZE]
            space_totals = quotas.read_totals_of_nonempty_spaces(
                tenant, [space.id for space in visible_spaces]
            )
        is_tenant_admin = "admin" in caller.scopes and caller.space_ids is None
        tenant_spaces.append(
            TenantSpaces(
                caller.tenant_id,
                name,
                is_tenant_admin,
                visible_spaces,
                space_totals,
                visible_spaces[-1].id if len(spaces_with_next) > PAGE_SIZE else None,
            )
        )
    all_spaces = [space for tenant_group in tenant_spaces for space in tenant_group.spaces]
    if len(all_spaces) == 1 and after is None and not all:
        return RedirectResponse(f"{DASHBOARD_PATH}/spaces/{all_spaces[0].id}", 303)
    return page.show(
        "space/spaces.html",
        tenants=tenant_spaces,
        active="spaces",
        after=after,
        examples=examples.count_example_documents(),
    )


@root_router.get("/")
def redirect_to_dashboard() -> Response:
    """Redirect from the printed address to the first page."""
    return RedirectResponse(DASHBOARD_PATH, 303)


@router.api_route("/{path:path}", methods=["GET", "POST"])
def refuse_unknown_page(path: str) -> Response:  # noqa: ARG001  (of the path)
    """Raise the error for an unknown address, or one that does not accept this method."""
    raise HTTPException(404)
