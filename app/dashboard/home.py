"""The first page: the spaces that a visitor may see; and the answer to an address that is none."""

from fastapi import APIRouter
from fastapi.responses import RedirectResponse, Response

from app.dashboard.deps import Page, Parts, Visitor
from app.dashboard.routing import PageRoute
from app.db.models import KnowledgeSpace
from app.edge.admission import DASHBOARD
from app.spaces import service as spaces
from app.tenants import service as tenants

router = APIRouter(prefix=DASHBOARD, route_class=PageRoute, include_in_schema=False)


@router.get("")
def first_page(page: Page, parts: Parts, visitor: Visitor, all: bool = False) -> Response:
    """Every space that the visitor may see, by tenant; with one alone, its home."""
    shown: list[tuple[str, list[KnowledgeSpace]]] = []
    for caller in visitor.callers.values():
        with parts.database.open_platform() as platform:
            name = tenants.get_tenant(platform, caller.tenant_id).name
        with parts.database.open_tenant(caller.tenant_id) as tenant:
            shown.append((name, list(spaces.list_spaces(tenant, only=caller.space_ids, limit=200))))
    only = [space for _, found in shown for space in found]
    if len(only) == 1 and not all:
        return RedirectResponse(f"{DASHBOARD}/spaces/{only[0].id}", 303)
    return page.show("space/spaces.html", tenants=shown, active="spaces")


@router.get("/{rest:path}")
def no_such_page(page: Page, rest: str) -> Response:  # noqa: ARG001  (of the path)
    """A page in our own words for an address that is none."""
    return page.show(
        "frame/problem.html", status=404, status_code=404, sentence="No such page.", request_id=""
    )
