"""The home of a space: its content, growth, recent events and items that need attention."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fastapi import APIRouter
from fastapi.responses import Response

from app.dashboard.deps import CitegraphDep, PageSpaceDep, PrimarySpace, Renderer
from app.dashboard.routing import PageRoute
from app.dashboard.space.jobs import build_queue_line_context
from app.dashboard.space.sparkline import draw_sparkline
from app.dashboard.space.uploads import build_upload_values
from app.db.models import Document, Job
from app.db.session import SpaceSession
from app.documents import examples
from app.documents import service as documents
from app.documents.shapes import DocumentFilter, JobDocuments
from app.graph import service as graph
from app.graph.invalidation import service as invalidation
from app.graph.shapes import Node
from app.graph.write import near_duplicates
from app.http.authentication import DASHBOARD_PATH
from app.ids import JobId
from app.jobs import queue
from app.jobs.states import QueueState
from app.tenancy.tenants import quotas, space_use
from app.tenancy.tenants.shapes import DayUse, MonthCost, SpaceTotals

router = APIRouter(
    prefix=DASHBOARD_PATH + "/spaces/{space_id}", route_class=PageRoute, include_in_schema=False
)

MAX_ROWS, MAX_MOST_MENTIONED_NODES = 5, 6
DAYS = 30
MAX_COUNTED = 100
"""The limit up to which conflicts and doubtful pairs are counted."""


@dataclass(frozen=True)
class Overview:
    """The figures on the home of a space; each list has a few rows, and each count stops at its limit."""

    totals: SpaceTotals
    days: Sequence[DayUse]
    month: MonthCost
    queue: QueueState
    nodes: Sequence[Node]
    jobs: Sequence[Job]
    job_documents: Mapping[JobId, JobDocuments]
    newest_documents: Sequence[Document]
    failed_documents: Sequence[Document]
    failures: int


def build_overview(space: SpaceSession) -> Overview:
    """Return the current figures."""
    failure_count = documents.count_failed_documents(space)
    jobs = queue.list_running_then_newest(space, limit=MAX_ROWS)
    return Overview(
        totals=quotas.read_totals_of_space(space),
        days=space_use.read_daily_use(space, days=DAYS),
        month=space_use.read_month_cost_and_budgets(space),
        queue=queue.read_queue_state(space),
        nodes=graph.list_nodes(space, limit=MAX_MOST_MENTIONED_NODES),
        jobs=jobs,
        job_documents=documents.list_documents_by_job(space, [JobId(job.id) for job in jobs], max_titles=1),
        newest_documents=documents.list_documents(space, limit=MAX_ROWS),
        failed_documents=documents.list_documents(space, DocumentFilter(state="failed"), limit=3)
        if failure_count
        else (),
        failures=failure_count,
    )


@router.get("")
def show_space_home(
    page: Renderer, citegraph: CitegraphDep, page_space: PageSpaceDep, space: PrimarySpace
) -> Response:
    """Show the content of the space and a question field; an empty space points to the first upload."""
    space_overview = build_overview(space)
    has_stalled = build_queue_line_context(space_overview.queue)["has_stalled"]
    template_values = {
        **build_upload_values(citegraph.settings, page_space, {}),
        "active": "home",
        "has_stalled": has_stalled,
    }
    if not space_overview.totals.documents and not space_overview.jobs:
        return page.show(
            "space/empty_home.html", **template_values, examples=examples.count_example_documents()
        )
    sparkline_by_figure = {
        name: draw_sparkline(
            [getattr(day, name) for day in space_overview.days], f"{label}, by day of the last {DAYS}"
        )
        for name, label in (
            ("documents", "Documents taken in"),
            ("chunks", "Chunks read"),
            ("queries", "Queries answered"),
            ("cost_usd", "Cost"),
        )
    }
    return page.show(
        "space/home.html", **template_values, found=space_overview, lines=sparkline_by_figure, days=DAYS
    )


@router.get("/attention")
def show_pending_decisions(page: Renderer, page_space: PageSpaceDep, space: PrimarySpace) -> Response:
    """Show the counts of items that await a decision; a request of its own, since it compares names."""
    return page.show(
        "space/attention_rows.html" if page.is_fragment else "space/attention.html",
        page_space=page_space,
        active="home",
        conflicts=len(invalidation.list_conflicts(space, only_contested=True, limit=MAX_COUNTED)),
        pairs=len(near_duplicates.list_doubtful_pairs(space, limit=MAX_COUNTED)),
        max_counted=MAX_COUNTED,
    )
