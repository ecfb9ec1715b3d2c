"""The last examination of the walls between tenants, for admins, and for operators, who may start one."""

import threading

from fastapi import APIRouter
from fastapi.responses import Response

from app.dashboard.deps import CitegraphDep, Operator, PageTenantDep, Platform, Renderer
from app.dashboard.routing import PageRoute
from app.errors import Conflict
from app.http.authentication import DASHBOARD_PATH
from app.tenancy.tenants import examinations

router = APIRouter(prefix=DASHBOARD_PATH, route_class=PageRoute, include_in_schema=False)

DESCRIPTION_BY_WALL = {
    "space": "Rows belong to one space, and only its session sees them.",
    "space or platform": "Rows belong to one space; the platform's own work sees them too.",
    "tenant": "Rows belong to one tenant.",
    "tenant or platform": "Rows belong to one tenant; the platform's own work sees them too.",
    "none": "Rows without an owner: no data of a tenant.",
    "view": "A view: it shows what whoever asks may see.",
    "function": "A function that runs with rights of its own.",
    "schema": "Rights on the schema and its version.",
    "role": "The role that serves requests.",
    "door": "The one way to a session.",
    "index": "An index that searches need to be quick.",
}
"""Descriptions of the walls."""


# One examination at a time per process: it takes seconds and several connections.
_EXAMINATION_LOCK = threading.Lock()


@router.get("/operator/walls")
def show_walls(page: Renderer, platform: Platform) -> Response:
    """Show the verdicts of the last examination, and the button for a new one."""
    return page.show(
        "operator/walls.html",
        of_operator=True,
        active="operator-walls",
        last=examinations.find_last_examination(platform),
        meanings=DESCRIPTION_BY_WALL,
    )


@router.post("/operator/walls/examine")
def examine_walls(page: Renderer, citegraph: CitegraphDep, operator: Operator) -> Response:
    """Examine every wall now; takes seconds."""
    if not _EXAMINATION_LOCK.acquire(blocking=False):
        raise Conflict("The walls are being examined at this moment.", code="examination_running")
    try:
        examinations.examine_isolation_and_store_verdicts(
            citegraph.database,
            next(iter(operator.callers)),
            settings=citegraph.settings,
            actor=operator.actor,
        )
    finally:
        _EXAMINATION_LOCK.release()
    return page.redirect(f"{DASHBOARD_PATH}/operator/walls")


@router.get("/tenants/{tenant_id}/walls")
def show_walls_to_admin(page: Renderer, citegraph: CitegraphDep, tenant: PageTenantDep) -> Response:
    """Show the verdicts of the last examination to an admin of a tenant."""
    with citegraph.database.open_platform() as platform:
        last_examination = examinations.find_last_examination(platform)
    return page.show(
        "operator/walls.html",
        tenant=tenant,
        active="walls",
        last=last_examination,
        meanings=DESCRIPTION_BY_WALL,
    )
