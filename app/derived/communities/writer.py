"""Write a run's result, in the caller's transaction, under the lock of the space's communities."""

import numpy as np

from app.db.models import CommunityRun
from app.db.session import SpaceSession
from app.derived.communities import report_repository, repository
from app.derived.communities.graph_arrays import Ids
from app.derived.communities.incremental import repository as partial_repository
from app.derived.communities.incremental.run import PartialResult
from app.derived.communities.leiden import NodePairs, compute_modularity
from app.derived.communities.plan import CommunityRows, DetectedRun, Plan, plan_changes_between_runs
from app.derived.communities.report_writers import build_title_of_central_names
from app.derived.communities.repository import ReadGraph
from app.derived.communities.shapes import MAX_CENTRAL_NODES, DetectionOptions
from app.ids import create_id


def store_run_unless_outdated(
    space: SpaceSession,
    read_graph: ReadGraph,
    detected_run: DetectedRun,
    detection_options: DetectionOptions,
    pairs: NodePairs,
) -> Plan | None:
    """Write the difference from the previous run; None if that is of a newer graph.

    Another run of the same space waits until this one has ended.
    """
    repository.lock_communities(space)
    latest_run = report_repository.find_latest_run(space)
    if latest_run is not None and latest_run.graph_revision > read_graph.revision:
        return None
    plan = plan_changes_between_runs(detected_run, repository.read_stored_run(space))
    run = CommunityRun(
        id=create_id(),
        graph_revision=read_graph.revision,
        read_at=read_graph.read_at,
        seed=detection_options.seed,
        min_weight=detection_options.min_weight,
        levels=detection_options.levels,
        nodes=len(detected_run.ids),
        pairs=len(pairs),
        communities=detected_run.hierarchy.community_count,
        modularity=compute_modularity(detected_run.totals[0], detected_run.inner_weights[0]),
        weight=2.0 * float(pairs.weights.sum()),
        partials=0,
    )
    _write_run_and_plan(
        space, run, detected_run.ids, plan, read_graph.change_note_ids, is_first=latest_run is None
    )
    return plan


def store_partial_run_unless_outdated(
    space: SpaceSession, result: PartialResult, detection_options: DetectionOptions
) -> Plan | None:
    """Write the result of a partial run; None if its base run is no longer the current one."""
    repository.lock_communities(space)
    base_run, plan = result.base_run, result.plan
    latest_run = report_repository.find_latest_run(space)
    if latest_run is None or latest_run.id != base_run.id or base_run.partials is None:
        return None
    run = CommunityRun(
        id=create_id(),
        graph_revision=result.revision,
        read_at=result.read_at,
        seed=detection_options.seed,
        min_weight=detection_options.min_weight,
        levels=detection_options.levels,
        nodes=base_run.nodes,
        pairs=result.pair_count,
        communities=base_run.communities
        + int(plan.community_rows.is_new.sum())
        - len(plan.deleted_community_ids),
        modularity=0.0,
        weight=result.weight,
        partials=base_run.partials + 1,
        changed_edges=base_run.changed_edges + result.changed_edge_count,
    )
    _write_run_and_plan(space, run, result.neighborhood.ids, plan, result.change_note_ids)
    run.modularity = partial_repository.read_modularity_of_top_level(space, result.weight)
    return plan


def _write_run_and_plan(
    space: SpaceSession,
    run: CommunityRun,
    node_ids: Ids,
    plan: Plan,
    change_note_ids: Ids,
    *,
    is_first: bool = False,
) -> None:
    repository.add_run_and_delete_old_runs(space, run)
    repository.delete_change_notes(space, change_note_ids)
    repository.insert_or_update_communities(
        space, plan.community_rows, _choose_titles_if_new(space, node_ids, plan.community_rows)
    )
    repository.write_members(space, plan.moved_members)
    repository.delete_memberships_of_nodes(space, plan.left_node_ids)
    if not is_first:
        # Everything in a first run is new.
        repository.write_events(space, run.id, plan.events)
    repository.delete_communities(space, plan.deleted_community_ids)


def _choose_titles_if_new(space: SpaceSession, node_ids: Ids, community_rows: CommunityRows) -> list[str]:
    """Return the titles of new communities; "" for the others, whose titles are stored."""
    central_numbers = community_rows.central_nodes[community_rows.is_new]
    distinct_nodes, name_indices = np.unique(np.append(central_numbers, -1), return_inverse=True)
    names = [None, *repository.get_node_names(space, node_ids[distinct_nodes[1:]])]
    titles = [""] * len(community_rows)
    for community_index, name_numbers in zip(
        np.flatnonzero(community_rows.is_new).tolist(),
        name_indices[:-1].reshape(-1, MAX_CENTRAL_NODES).tolist(),
        strict=True,
    ):
        titles[community_index] = build_title_of_central_names(
            [name for name_number in name_numbers if (name := names[name_number]) is not None]
        )
    return titles
