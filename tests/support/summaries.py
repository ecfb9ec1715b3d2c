"""Helpers for tests of summaries: take documents in, have the gate look, read what came of it."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from app.db.database import Database
from app.db.models import Job
from app.derived.summaries import service as summaries
from app.derived.summaries.job import evaluate_changed_nodes_and_save_summaries
from app.derived.summaries.scheduling import enqueue_or_hasten_gate_evaluation_of_all_nodes
from app.derived.summaries.shapes import GateReport, NodeSummary
from app.graph import service as graph
from app.ids import JobId
from app.jobs import queue
from app.jobs.context import ignore_step
from app.jobs.kinds import RefreshSummaries
from app.llm.client import ModelClient
from app.settings import Settings
from tests.conftest import Home, under
from tests.support.ingest import make_runner, submit, text
from tests.support.scripted_extractor import Scripted
from workers.runner import Runner

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)


class Clock:
    """What the gate takes for the time; it stands still until it is moved."""

    def __init__(self) -> None:
        self.time = NOON

    def __call__(self) -> datetime:
        return self.time

    def move(self, **by: float) -> None:
        """Go on by so many minutes, hours or days."""
        self.time += timedelta(**by)


def refresher(
    database: Database,
    settings: Settings,
    *,
    client: ModelClient | None = None,
    checkpoint: Callable[[str], None] = ignore_step,
    now: Callable[[], datetime] = Clock(),  # noqa: B008
) -> Runner:
    """A runner in this process that knows this family of jobs alone."""
    handlers = {RefreshSummaries.kind: partial(evaluate_changed_nodes_and_save_summaries, client=client)}
    return Runner(
        under(database, settings), settings, handlers, checkpoint=checkpoint, now=lambda _space: now()
    )


def refresh_now(
    database: Database, settings: Settings, home: Home, *, whole: bool = False, **options: Any
) -> Job:
    """Have the gate look at what changed, or with `whole` at every node; the job as it ended."""
    with database.open_space(home.tenant_id, home.space_id) as space:
        job = (
            enqueue_or_hasten_gate_evaluation_of_all_nodes(space)
            if whole
            else queue.enqueue_or_run_earlier(space, RefreshSummaries(), delay=0.0)
        )
        job_id = JobId(job.id)
    refresher(database, settings, **options).drain()
    with database.open_space(home.tenant_id, home.space_id) as space:
        return queue.get_job(space, job_id)


def take_in(database: Database, settings: Settings, home: Home, *bodies: str) -> None:
    """Ingest each body, in the notation of `Scripted`, as a document of its own."""
    for body in bodies:
        submit(database, home, text(body, title=body[:40]))
    make_runner(database, settings, extractor=Scripted()).drain()


def summary_of(database: Database, home: Home, name: str) -> NodeSummary | None:
    """The summary of the node of that name."""
    with database.open_space(home.tenant_id, home.space_id) as space:
        return summaries.find_summary(space, graph.find_nodes(space, name)[0].id)


def report_of(database: Database, home: Home) -> GateReport:
    """What the space's gate decided so far."""
    with database.open_space(home.tenant_id, home.space_id) as space:
        return summaries.build_gate_report(space, max_skips=200)


def decided(database: Database, home: Home) -> dict[str, int]:
    """Reason → how often."""
    return {count.reason: count.decisions for count in report_of(database, home).counts}


def rows(database: Database, home: Home, sql: str, *parameters: Any) -> Sequence[tuple[Any, ...]]:
    """Rows of the open space; the statement's first parameter is the space."""
    with database.open_space(home.tenant_id, home.space_id) as space:
        return space.connection.execute(sql.encode(), [home.space_id, *parameters]).fetchall()
