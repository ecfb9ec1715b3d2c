"""The home of a space: what it holds, what happened last, what needs a look, and a box to ask."""

from collections.abc import Sequence
from dataclasses import dataclass

from fastapi import APIRouter
from fastapi.responses import Response

from app.dashboard.deps import Page, Place, ReadableSpace
from app.dashboard.routing import PageRoute
from app.db.models import Document, Job
from app.db.session import SpaceSession
from app.documents import service as documents
from app.edge.admission import DASHBOARD
from app.graph import service as graph
from app.graph.shapes import Node
from app.jobs import queue
from app.tenants import quotas
from app.tenants.quotas import SpaceTotals

router = APIRouter(prefix=DASHBOARD + "/spaces/{space_id}", route_class=PageRoute, include_in_schema=False)

SHOWN = 6


@dataclass(frozen=True)
class Overview:
    """The figures on the home of a space; each list holds a few rows."""

    totals: SpaceTotals
    nodes: Sequence[Node]
    jobs: Sequence[Job]
    newest: Sequence[Document]
    failed: Sequence[Document]


def overview(space: SpaceSession) -> Overview:
    """The figures of this moment."""
    return Overview(
        totals=quotas.totals_of(space),
        nodes=graph.list_nodes(space, limit=12),
        jobs=queue.list_jobs(space, limit=SHOWN),
        newest=documents.list_documents(space, limit=SHOWN),
        failed=documents.list_documents(space, state="failed", limit=SHOWN),
    )


@router.get("")
def space_home(page: Page, place: Place, space: ReadableSpace) -> Response:
    """Show what is in the space, what needs a look, and one box to ask."""
    return page.show("space/home.html", place=place, active="home", found=overview(space))
