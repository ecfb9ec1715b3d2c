"""The job that keeps communities up to date: read the graph, run Leiden, write the difference, report.

No transaction is open while Leiden or a model works. All that a run changes is one transaction: a run that
dies leaves the communities of before whole. Reports follow in batches, each by itself.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

import numpy as np
import structlog

from app.communities import report_repository, repository
from app.communities.detection import Pairs, detect, heavy_pairs, modularity, strengths, summed
from app.communities.graph_arrays import as_uuids, content_hashes, member_hashes
from app.communities.plan import CommunityRow, Found, Plan, make_plan
from app.communities.reporters import Reporters
from app.communities.reports import title_of
from app.communities.repository import ReadGraph
from app.communities.scheduling import wanted_of
from app.communities.shapes import Wanted
from app.db.models import CommunityRun
from app.db.session import SpaceSession
from app.ids import new_id
from app.jobs.queue import JobRun
from app.jobs.states import StopRequested
from app.settings import Settings
from app.spaces import service as spaces

log = structlog.get_logger(__name__)

REPORTS_AT_ONCE = 32
MEMBERS_TOLD, CLAIMS_TOLD = 12, 12
"""What a report is written from."""


@dataclass(frozen=True)
class CommunityTools:
    """What a detection needs besides the database. `checkpoint` is told the name of each step reached."""

    settings: Settings
    reporters: Reporters
    stop_requested: Callable[[], bool] = lambda: False
    checkpoint: Callable[[str], None] = lambda _step: None


def detect_communities(run: JobRun, tools: CommunityTools) -> None:
    """Detect where the graph changed, then report where members or facts changed.

    Raises ClaimLost, CancelRequested or StopRequested where the worker must let go of the job, and what the
    reporter raises.
    """
    counts = {"runs": 0, "reports": 0}
    with _open(run) as space:
        run.hold(space, stage="reading the graph")
        wanted = wanted_of(space, tools.settings)
        latest = repository.latest_run(space)
        revision = spaces.describe(space).graph_revision
        read = None if _stands(latest, wanted, revision) else repository.read_graph(space)
    if read is not None:
        tools.checkpoint("read")
        found, pairs = find(read, wanted)
        tools.checkpoint("found")
        with run.database.open_space(run.claim.tenant_id, run.claim.space_id, by_index=True) as space:
            run.hold(space, stage="writing communities", progress=50.0)
            plan = store(space, read, found, wanted, pairs)
            if plan is not None:
                counts |= {"runs": 1, "communities": len(plan.rows), "moved": len(plan.moved)}
                for event in plan.events:
                    counts[event.change] = counts.get(event.change, 0) + 1
            tools.checkpoint("writing")
            run.hold(space, counts=counts, progressed=True)
        tools.checkpoint("written")
    _report(run, tools, counts)
    with _open(run) as space:
        run.hold(space)
        run.done(space, counts=counts)


def find(read: ReadGraph, wanted: Wanted) -> tuple[Found, Pairs]:
    """What Leiden finds in the graph, and the pairs that were heavy enough."""
    graph = read.graph
    pairs = heavy_pairs(
        len(graph.ids), graph.source, graph.target, graph.weight, min_weight=wanted.min_weight
    )
    hierarchy = detect(pairs, levels=wanted.levels, seed=wanted.seed)
    counts = [len(each) for each in hierarchy.parents]
    # Of each node: all its pairs, then those within its community of each level.
    strength = [strengths(pairs), *(strengths(pairs, labels) for labels in hierarchy.labels)]
    found = Found(
        graph.ids,
        hierarchy,
        strength[1].astype(np.float32),
        content_hashes(graph, hierarchy.labels, counts),
        member_hashes(graph.ids, hierarchy.labels, counts),
        [
            summed(each, labels, count)
            for each, labels, count in zip(strength, hierarchy.labels, counts, strict=False)
        ],
        [
            summed(each, labels, count)
            for each, labels, count in zip(strength[1:], hierarchy.labels, counts, strict=True)
        ],
    )
    return found, pairs


def store(space: SpaceSession, read: ReadGraph, found: Found, wanted: Wanted, pairs: Pairs) -> Plan | None:
    """Write what differs from the run before, all in the caller's transaction; None where it is outdated.

    Another run of the same space waits until this one has ended.
    """
    repository.lock(space)
    latest = repository.latest_run(space)
    if latest is not None and latest.graph_revision > read.revision:
        return None
    plan = make_plan(found, repository.read_standing(space))
    run = CommunityRun(
        id=new_id(),
        graph_revision=read.revision,
        read_at=read.read_at,
        seed=wanted.seed,
        min_weight=wanted.min_weight,
        levels=wanted.levels,
        nodes=len(found.ids),
        pairs=len(pairs),
        communities=found.hierarchy.count,
        modularity=modularity(found.totals[0], found.inner[0]),
        weight=2.0 * float(pairs.weight.sum()),
        partials=0,
    )
    repository.add_run(space, run)
    repository.clear_changes(space, read.changes)
    repository.write_communities(space, _titled(space, found, plan))
    repository.write_members(space, plan.moved, plan.moved_to, plan.moved_weight)
    repository.drop_members(space, plan.left)
    if latest is not None:
        # Of a first run everything is new.
        repository.write_events(space, run.id, plan.events)
    repository.drop_communities(space, plan.gone)
    return plan


def _titled(space: SpaceSession, found: Found, plan: Plan) -> list[tuple[CommunityRow, str]]:
    """The rows with their titles; only a fresh one's is ever stored."""
    wanted = sorted({node for row in plan.rows if row.fresh for node in row.central})
    names = repository.node_names(space, found.ids[wanted]) if wanted else {}
    ids = as_uuids(found.ids[wanted]) if wanted else []
    by_number = {number: names[made] for number, made in zip(wanted, ids, strict=True) if made in names}
    return [
        (row, title_of([by_number[node] for node in row.central if node in by_number]) if row.fresh else "")
        for row in plan.rows
    ]


def _stands(latest: CommunityRun | None, wanted: Wanted, revision: int) -> bool:
    """Whether the run in force was made of this graph and in this way."""
    return (
        latest is not None
        and latest.graph_revision == revision
        and (latest.levels, latest.seed) == (wanted.levels, wanted.seed)
        and abs(latest.min_weight - wanted.min_weight) < 1e-6
    )


def _report(run: JobRun, tools: CommunityTools, counts: dict[str, int]) -> None:
    with _open(run) as space:
        run.hold(space, stage="reporting")
        stale = report_repository.stale_reports(space)
    if not stale:
        return
    reporter = tools.reporters.for_job(run.claim, tools.stop_requested)
    for begin in range(0, len(stale), REPORTS_AT_ONCE):
        if tools.stop_requested():
            raise StopRequested
        with _open(run) as space:
            run.hold(space)
            materials = report_repository.report_materials(
                space, stale[begin : begin + REPORTS_AT_ONCE], members=MEMBERS_TOLD, claims=CLAIMS_TOLD
            )
        reports = reporter.report(materials)
        with _open(run) as space:
            report_repository.write_reports(space, list(zip(materials, reports, strict=True)))
            counts["reports"] += len(reports)
            done = 50.0 + 49.0 * min(1.0, (begin + REPORTS_AT_ONCE) / len(stale))
            run.hold(space, progress=done, counts=counts, progressed=True)
        tools.checkpoint("reported")


def _open(run: JobRun) -> AbstractContextManager[SpaceSession]:
    return run.database.open_space(run.claim.tenant_id, run.claim.space_id)
