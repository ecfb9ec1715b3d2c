"""The job that keeps communities up to date: read the graph, run Leiden, write the difference, write reports.

No transaction is open while Leiden or a model runs. All changes of a run are one transaction: after a crash
the previous communities are intact. Reports follow in batches, each in its own transaction.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import structlog

from app.db.models import CommunityRun
from app.db.session import SpaceSession
from app.derived.communities import report_repository, repository
from app.derived.communities.cooccurrence_ties import combine_pairs_with_ties
from app.derived.communities.graph_arrays import hash_members_and_facts_by_level, hash_members_by_level
from app.derived.communities.incremental.run import (
    PartialBounds,
    detect_communities_around_changes_unless_whole_run_due,
    is_partial_run_sufficient,
    was_made_with_options,
)
from app.derived.communities.leiden import (
    NodePairs,
    build_heavy_pairs,
    compute_node_strengths,
    detect_communities_by_leiden,
    sum_values_by_community,
)
from app.derived.communities.plan import DetectedRun, Plan, compute_salience
from app.derived.communities.report_writers import ModelReporter, RulesReporter
from app.derived.communities.repository import ReadGraph
from app.derived.communities.scheduling import get_detection_options_of_space
from app.derived.communities.shapes import DetectionOptions
from app.derived.communities.writer import store_partial_run_unless_outdated, store_run_unless_outdated
from app.jobs.context import JobContext
from app.llm.client import ModelClient
from app.llm.model_calls.asker import create_asker_of_job
from app.tenancy.spaces import service as spaces

log = structlog.get_logger(__name__)

REPORTS_AT_ONCE = 32
REPORT_MEMBERS, REPORT_CLAIMS = 12, 12
"""Maximum numbers of members and claims in the material of one report."""
PARTIAL_BOUNDS = PartialBounds()


def detect_communities_and_write_reports(
    run: JobContext, client: ModelClient | None = None, *, bounds: PartialBounds = PARTIAL_BOUNDS
) -> None:
    """Detect communities if the graph changed, then write reports where members or facts changed.

    A model writes the reports; rules without a client.

    Raises LeaseLost, CancelRequested or StopRequested if the worker must release the job, and the errors of
    the reporter.
    """
    counts = {"runs": 0, "reports": 0}
    with run.open_space() as space:
        run.record_progress(space, stage="reading the graph")
        detection_options = get_detection_options_of_space(space)
        latest_run = report_repository.find_latest_run(space)
        is_current = _is_up_to_date(
            latest_run, detection_options, spaces.get_open_space_row(space).graph_revision
        )
    if not is_current:
        plan = _detect_communities_around_changes_and_store(
            run, detection_options, bounds
        ) or _detect_communities_in_whole_graph_and_store(run, detection_options)
        if plan is not None:
            counts |= {"runs": 1, "communities": len(plan.community_rows), "moved": len(plan.moved_members)}
            counts |= plan.events.count_by_event()
    _rewrite_stale_reports(run, client, counts)
    with run.open_space() as space:
        run.check_lease(space)
        run.finish_done(space, counts=counts)


def _detect_communities_around_changes_and_store(
    run: JobContext, detection_options: DetectionOptions, bounds: PartialBounds
) -> Plan | None:
    """Make a partial run and return its writes; None if a whole run is needed."""
    # Nothing is written here: in one snapshot that could fail because of what others write.
    with run.open_space(by_index=True, snapshot=True) as space:
        latest_run = report_repository.find_latest_run(space)
        if latest_run is None or not is_partial_run_sufficient(space, latest_run, detection_options, bounds):
            return None
        result = detect_communities_around_changes_unless_whole_run_due(
            space, latest_run, detection_options, bounds
        )
    if result is None:
        return None
    run.checkpoint("refreshed")
    return _write_plan_in_fenced_step(
        run, lambda space: store_partial_run_unless_outdated(space, result, detection_options)
    )


def _detect_communities_in_whole_graph_and_store(
    run: JobContext, detection_options: DetectionOptions
) -> Plan | None:
    """Make a whole run and return its writes; None if another run, of a newer graph, was first."""
    with run.open_space() as space:
        run.check_lease(space)
    # Nothing is written here: in one snapshot that could fail because of what others write.
    with run.open_space(by_index=True, snapshot=True) as space:
        read_graph = repository.read_graph(space)
    run.checkpoint("read")
    detected_run, pairs = compute_communities_of_graph(read_graph, detection_options)
    run.checkpoint("found")
    return _write_plan_in_fenced_step(
        run,
        lambda space: store_run_unless_outdated(space, read_graph, detected_run, detection_options, pairs),
    )


def _write_plan_in_fenced_step(
    run: JobContext, write_plan: Callable[[SpaceSession], Plan | None]
) -> Plan | None:
    with run.open_space(by_index=True) as space:
        run.record_progress(space, stage="writing communities", progress=50.0)
        plan = write_plan(space)
        run.checkpoint("writing")
        run.record_progress(space, has_progressed=True)
    run.checkpoint("written")
    return plan


class CommunitiesAndPairs(NamedTuple):
    """The detected communities of a graph, and its pairs above the minimum weight and ties."""

    detected_run: DetectedRun
    heavy_pairs: NodePairs


def compute_communities_of_graph(
    read_graph: ReadGraph, detection_options: DetectionOptions
) -> CommunitiesAndPairs:
    """Return the communities that Leiden finds in the graph, and its pairs above the minimum weight and
    ties.
    """
    graph = read_graph.graph
    pairs = build_heavy_pairs(
        len(graph.ids), graph.source, graph.target, graph.weight, min_weight=detection_options.min_weight
    )
    pairs = combine_pairs_with_ties(pairs, read_graph.ties)
    hierarchy = detect_communities_by_leiden(
        pairs, levels=detection_options.levels, seed=detection_options.seed
    )
    community_counts = [len(parent) for parent in hierarchy.parents]
    # For each node: the weight of all its pairs, then of those within its community of each level.
    strengths_by_level = [
        compute_node_strengths(pairs),
        *(compute_node_strengths(pairs, labels) for labels in hierarchy.labels),
    ]
    member_hashes = hash_members_by_level(graph.ids, hierarchy.labels, community_counts)
    detected_run = DetectedRun(
        graph.ids,
        hierarchy,
        strengths_by_level[1].astype(np.float32),
        compute_salience(strengths_by_level[1], strengths_by_level[0]),
        hash_members_and_facts_by_level(graph, hierarchy.labels, member_hashes),
        member_hashes,
        [
            sum_values_by_community(level_strength, labels, count)
            for level_strength, labels, count in zip(
                strengths_by_level, hierarchy.labels, community_counts, strict=False
            )
        ],
        [
            sum_values_by_community(level_strength, labels, count)
            for level_strength, labels, count in zip(
                strengths_by_level[1:], hierarchy.labels, community_counts, strict=True
            )
        ],
    )
    return CommunitiesAndPairs(detected_run, pairs)


def _is_up_to_date(
    latest_run: CommunityRun | None, detection_options: DetectionOptions, revision: int
) -> bool:
    """Return whether the current run was made from this graph with these options."""
    return (
        latest_run is not None
        and latest_run.graph_revision == revision
        and was_made_with_options(latest_run, detection_options)
    )


def _rewrite_stale_reports(run: JobContext, client: ModelClient | None, counts: dict[str, int]) -> None:
    with run.open_space() as space:
        run.record_progress(space, stage="reporting")
        stale_ids = report_repository.list_ids_of_communities_with_stale_reports(space)
    if not stale_ids:
        return
    reporter = RulesReporter() if client is None else ModelReporter(create_asker_of_job(run, client))
    for begin in range(0, len(stale_ids), REPORTS_AT_ONCE):
        run.raise_if_stop_requested()
        with run.open_space() as space:
            run.check_lease(space)
            materials = report_repository.get_report_materials(
                space,
                stale_ids[begin : begin + REPORTS_AT_ONCE],
                max_members=REPORT_MEMBERS,
                max_claims=REPORT_CLAIMS,
            )
            erasures = space.opening_state.erasures
        reports = reporter.write_reports(materials)
        with run.open_space() as space:
            # If words were deleted meanwhile, the reports are left to the job that follows the deletion.
            if spaces.lock_graph_and_read_erasure_count(space) == erasures:
                report_repository.store_reports(space, list(zip(materials, reports, strict=True)))
                counts["reports"] += len(reports)
            done_percent = 50.0 + 49.0 * min(1.0, (begin + REPORTS_AT_ONCE) / len(stale_ids))
            run.record_progress(space, progress=done_percent, counts=counts, has_progressed=True)
        run.checkpoint("reported")
