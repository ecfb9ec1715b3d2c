"""The walls between tenants as last examined: for operators, who have them examined, and for admins."""

import threading
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.responses import Response

from app.audit import service as audit
from app.dashboard.deps import OfTenant, Operator, Page, Parts
from app.dashboard.routing import PageRoute
from app.db.doctor.examination import DoctorReport, examine
from app.edge.admission import DASHBOARD
from app.errors import Conflict
from app.wiring import Citegraph

router = APIRouter(prefix=DASHBOARD, route_class=PageRoute, include_in_schema=False)

MEANINGS = {
    "space": "Rows belong to one space, and only its session sees them.",
    "space or platform": "Rows belong to one space; the platform's own work sees them too.",
    "tenant": "Rows belong to one tenant.",
    "tenant or platform": "Rows belong to one tenant; the platform's own work sees them too.",
    "none": "Nobody's rows: nothing of a tenant stands here.",
    "view": "A view: it shows what whoever asks may see.",
    "function": "A function that runs with rights of its own.",
    "schema": "Rights on the schema and its version.",
    "role": "The role that serves requests.",
    "door": "The one way to a session.",
    "index": "An index that searches need to be quick.",
}
"""The walls in sentences."""


@dataclass(frozen=True)
class Examination:
    """The words of the doctor, when it was asked, and how long it took."""

    report: DoctorReport
    at: datetime
    seconds: float
    by: str


class Walls:
    """The last examination that this process made; one at a time, since it writes and erases two tenants."""

    def __init__(self) -> None:
        self.last: Examination | None = None
        self._busy = threading.Lock()

    def examine(self, parts: Citegraph, actor: str) -> Examination:
        """Examine the walls now. Raises Conflict while somebody does already."""
        if not self._busy.acquire(blocking=False):
            raise Conflict("The walls are being examined at this moment.", code="busy")
        try:
            began = time.monotonic()
            settings = parts.settings
            report = examine(
                parts.database,
                vector_index_chunks=settings.vector_index_chunks,
                trusted=settings.trusted_subjects,
                migration_url=settings.migration_database_url,
            )
            self.last = Examination(report, datetime.now(UTC), time.monotonic() - began, actor)
        finally:
            self._busy.release()
        with parts.database.open_platform() as platform:
            states = [each.state for each in report.verdicts]
            audit.record_platform(
                platform,
                "installation.examine",
                tenant_id=None,
                actor=actor,
                details={
                    "healthy": report.healthy,
                    "subjects": len(states),
                    "warnings": states.count("warning"),
                    "problems": states.count("problem"),
                },
            )
        return self.last


def install(app: FastAPI) -> None:
    """Give the application the place of its last examination."""
    app.state.walls = Walls()


def _walls(request: Request) -> Walls:
    walls = request.app.state.walls
    assert isinstance(walls, Walls)
    return walls


Kept = Annotated[Walls, Depends(_walls)]


@router.get("/operator/walls")
def show_walls(page: Page, operator: Operator, walls: Kept) -> Response:  # noqa: ARG001  (only operators)
    """The verdicts of the last examination, and the button for another."""
    return page.show(
        "operator/walls.html", of_operator=True, active="operator-walls", last=walls.last, meanings=MEANINGS
    )


@router.post("/operator/walls/examine")
def examine_walls(page: Page, parts: Parts, operator: Operator, walls: Kept) -> Response:
    """Examine every wall now, which takes seconds."""
    walls.examine(parts, operator.actor)
    return page.go(f"{DASHBOARD}/operator/walls")


@router.get("/tenants/{tenant_id}/walls")
def show_walls_to_admin(page: Page, tenant: OfTenant, walls: Kept) -> Response:
    """The verdicts of the last examination, for who entrusts data to these walls."""
    return page.show("operator/walls.html", tenant=tenant, active="walls", last=walls.last, meanings=MEANINGS)
