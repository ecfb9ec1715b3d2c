"""A partial run: after few changes, only the part of the graph around them is read and moved.

It is read in one snapshot with the change notes, solved without a transaction, and written like a whole run.
Limits of a partial run: communities are merged or divided as wholes only if most of their members are around
a change, and nodes with more than a thousand edges stay where they are. Ties are updated for nodes without
claims that are new or gained or lost their claims; later changes by mentions or deleted documents are not
recorded. A whole run handles all of these.
"""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.db.arrays import convert_ids_to_uuids, decode_consecutive_ids
from app.db.models import CommunityRun
from app.db.session import SpaceSession
from app.derived.communities.graph_arrays import Ids, convert_uuids_to_ids
from app.derived.communities.incremental import repository as around_changes
from app.derived.communities.incremental.cooccurrence_changes import (
    find_cooccurrence_ties_of_nodes,
    find_nodes_without_claims_before_and_now,
)
from app.derived.communities.incremental.edge_changes import (
    Edges,
    concatenate_edges,
    reconstruct_edges_before_changes,
)
from app.derived.communities.incremental.neighborhood import (
    COMMUNITY_DTYPE,
    EdgeChanges,
    Memberships,
    NamedTies,
    Neighborhood,
    build_communities_from_rows,
    build_neighborhood,
    select_ids_not_in,
    sort_unique_ids,
)
from app.derived.communities.incremental.partition import (
    NodeMoves,
    find_moves_that_maximise_modularity,
    plan_writes_of_moves,
)
from app.derived.communities.plan import Plan
from app.derived.communities.repository import read_graph_revision_and_time
from app.derived.communities.shapes import DetectionOptions

HUB_DEGREE = 1000
"""A member with this many edges does not move; reading them would cost more than all others."""
MAX_ROUNDS = 6


@dataclass(frozen=True, slots=True)
class PartialBounds:
    """Limits for a partial run, as shares of the pairs of the previous run."""

    min_pairs: int = 20_000
    max_changed_share: float = 0.005
    max_changed_share_in_all: float = 0.05
    max_read_share: float = 0.2
    max_partial_runs: int = 50


@dataclass(frozen=True, slots=True)
class PartialResult:
    """The result of a partial run, its base run, and the notes that it processed."""

    base_run: CommunityRun
    revision: int
    read_at: datetime
    change_note_ids: Ids
    changed_edge_count: int
    neighborhood: Neighborhood
    plan: Plan
    pair_count: int
    weight: float


def is_partial_run_sufficient(
    space: SpaceSession,
    latest_run: CommunityRun | None,
    detection_options: DetectionOptions,
    bounds: PartialBounds,
) -> bool:
    """Return whether so little changed since the current run that a partial one suffices."""
    if (
        latest_run is None
        or latest_run.partials is None
        or not was_made_with_options(latest_run, detection_options)
    ):
        return False
    if latest_run.pairs < bounds.min_pairs or latest_run.partials >= bounds.max_partial_runs:
        return False
    changed_edge_count = around_changes.count_changed_edges(space)
    return (
        changed_edge_count <= bounds.max_changed_share * latest_run.pairs
        and latest_run.changed_edges + changed_edge_count
        <= bounds.max_changed_share_in_all * latest_run.pairs
    )


def was_made_with_options(latest_run: CommunityRun, detection_options: DetectionOptions) -> bool:
    """Return whether the run was made with the same levels, seed and minimum weight."""
    return (latest_run.levels, latest_run.seed) == (detection_options.levels, detection_options.seed) and abs(
        latest_run.min_weight - detection_options.min_weight
    ) < 1e-6


def detect_communities_around_changes_unless_whole_run_due(
    space: SpaceSession, latest_run: CommunityRun, detection_options: DetectionOptions, bounds: PartialBounds
) -> PartialResult | None:
    """Find communities around the changes; None if a whole run is due. Read-only, in a session of one
    snapshot.
    """
    revision, read_at = read_graph_revision_and_time(space)
    notes = around_changes.read_change_notes(space)
    edge_ids, edges_before = reconstruct_edges_before_changes(notes)
    edge_changes = EdgeChanges(edges_before, around_changes.get_active_edges(space, edge_ids))
    end_ids = edge_changes.list_end_node_ids()
    degree_by_uuid = around_changes.count_edges_of_nodes(space, end_ids)
    member_uuids = set(
        convert_ids_to_uuids(around_changes.read_community_memberships(space, end_ids).node_ids)
    )
    # A hub without a community is free, and so is a deleted member.
    free_ids = end_ids[
        [
            degree_by_uuid.get(node_uuid, 0) <= HUB_DEGREE
            if node_uuid in member_uuids
            else node_uuid in degree_by_uuid
            for node_uuid in convert_ids_to_uuids(end_ids)
        ]
    ]
    max_newcomer_count = int(bounds.max_changed_share * latest_run.pairs)
    newcomer_ids = select_ids_not_in(
        around_changes.list_new_nodes_without_community(
            space, created_since=latest_run.read_at, limit=max_newcomer_count + len(end_ids) + 1
        ),
        end_ids,
    )
    if len(newcomer_ids) > max_newcomer_count:
        return None
    graph_read = _GraphRead(space, edge_changes)
    graph_read.add_free_nodes_and_read_edges(np.concatenate((free_ids, newcomer_ids)))
    for _ in range(MAX_ROUNDS):
        if (
            sum(around_changes.count_edges_of_nodes(space, graph_read.free_ids).values())
            > bounds.max_read_share * latest_run.pairs
        ):
            return None
        neighborhood = graph_read.read_unseen_and_build_neighborhood(detection_options)
        pair_count = (
            latest_run.pairs
            + int(np.count_nonzero(neighborhood.weights_now))
            - int(np.count_nonzero(neighborhood.weights_before))
        )
        weight = latest_run.weight + 2.0 * float(
            neighborhood.weights_now.sum() - neighborhood.weights_before.sum()
        )
        free_node_moves = find_moves_that_maximise_modularity(
            neighborhood,
            graph_weight=weight,
            level_count=detection_options.levels,
            seed=detection_options.seed,
        )
        if not free_node_moves.deserted_labels:
            break
        deserted_community_ids = neighborhood.communities.ids[free_node_moves.deserted_labels]
        graph_read.add_free_nodes_and_read_edges(
            around_changes.list_members_of_communities(space, deserted_community_ids)
        )
    else:
        return None
    return PartialResult(
        latest_run,
        revision,
        read_at,
        convert_uuids_to_ids([note.id for note in notes]),
        len(edge_ids) + len(newcomer_ids),
        neighborhood,
        _plan_writes_with_unused_ids(space, neighborhood, free_node_moves),
        pair_count,
        weight,
    )


def _plan_writes_with_unused_ids(
    space: SpaceSession, neighborhood: Neighborhood, node_moves: NodeMoves
) -> Plan:
    """Return the plan with new ids that no community of the space has."""
    taken_ids = neighborhood.communities.ids
    while True:
        plan = plan_writes_of_moves(neighborhood, node_moves, taken_ids)
        existing_ids = around_changes.select_existing_community_ids(
            space, plan.community_rows.ids[plan.community_rows.is_new]
        )
        if not len(existing_ids):
            return plan
        taken_ids = np.concatenate((taken_ids, existing_ids))


@dataclass
class _GraphRead:
    """Everything read around the changes so far; adding a free node reads its surroundings."""

    space: SpaceSession
    edge_changes: EdgeChanges
    free_ids: Ids = field(default_factory=lambda: decode_consecutive_ids(b""))
    edge_parts: list[Edges] = field(default_factory=list)
    membership_parts: list[Memberships] = field(default_factory=list)
    seen_ids: Ids = field(default_factory=lambda: decode_consecutive_ids(b""))
    community_rows: NDArray[Any] = field(default_factory=lambda: np.zeros(0, COMMUNITY_DTYPE))

    def add_free_nodes_and_read_edges(self, node_ids: Ids) -> None:
        new_ids = select_ids_not_in(sort_unique_ids(node_ids), self.free_ids)
        self.edge_parts.append(
            around_changes.read_edges_touching_nodes(self.space, new_ids, excluded_node_ids=self.free_ids)
        )
        self.free_ids = sort_unique_ids(np.concatenate((self.free_ids, new_ids)))

    def read_unseen_and_build_neighborhood(self, detection_options: DetectionOptions) -> Neighborhood:
        left_ids, right_ids = self.edge_changes.select_pairs_not_touching(self.free_ids)
        edge_parts = concatenate_edges(
            (*self.edge_parts, around_changes.read_edges_between_pairs(self.space, left_ids, right_ids))
        )
        ties = self._find_cooccurrence_ties()
        end_ids = (
            self.free_ids,
            edge_parts.source,
            edge_parts.target,
            self.edge_changes.list_end_node_ids(),
            ties.first,
            ties.second,
        )
        unseen_ids = select_ids_not_in(sort_unique_ids(np.concatenate(end_ids)), self.seen_ids)
        self.seen_ids = sort_unique_ids(np.concatenate((self.seen_ids, unseen_ids)))
        self.membership_parts.append(around_changes.read_community_memberships(self.space, unseen_ids))
        finest_community_ids = sort_unique_ids(self.membership_parts[-1].community_ids)
        community_rows = np.concatenate(
            (
                self.community_rows,
                around_changes.read_communities_and_ancestors(self.space, finest_community_ids),
            )
        )
        self.community_rows = community_rows[
            np.unique(community_rows["id"].copy().view("V16"), return_index=True)[1]
        ]
        memberships = Memberships(
            *(np.concatenate(columns) for columns in zip(*self.membership_parts, strict=True))
        )
        return build_neighborhood(
            self.free_ids,
            edge_parts,
            replace(self.edge_changes, ties=ties),
            memberships,
            build_communities_from_rows(self.community_rows),
            min_weight=detection_options.min_weight,
            level_count=detection_options.levels,
        )

    def _find_cooccurrence_ties(self) -> NamedTies:
        """Return the ties of free nodes without claims, now or before."""
        lone_nodes = find_nodes_without_claims_before_and_now(
            self.free_ids, concatenate_edges(self.edge_parts), self.edge_changes
        )
        return find_cooccurrence_ties_of_nodes(self.space, lone_nodes)
