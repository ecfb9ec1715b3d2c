"""The changes of a run: rows to write, rows to delete, events to record. Columns only, and pure."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.db.arrays import decode_consecutive_ids
from app.derived.communities.graph_arrays import Ids, Numbering
from app.derived.communities.leiden import NO_COMMUNITY, CommunityHierarchy, Labels, Weights
from app.derived.communities.lineage import Change, Lineage, trace_lineage
from app.derived.communities.shapes import MAX_CENTRAL_NODES


def build_zero_ids(count: int = 0) -> Ids:
    """Return `count` ids of zeros, which stand for none."""
    return np.zeros((count, 2), np.uint64)


@dataclass(frozen=True, slots=True)
class StoredRun:
    """The previous run: its communities by index, `parent` an index or -1, and the index of each member's
    finest community.
    """

    ids: Ids = field(default_factory=build_zero_ids)
    level: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    parent: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    node_ids: Ids = field(default_factory=build_zero_ids)
    finest_labels: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    weight: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32))


@dataclass(frozen=True, slots=True)
class DetectedRun:
    """A run over nodes with these ids; `weight` is each node's weight within its community of level 0.

    Nodes name communities in the order of `salience`. `contents` and `births` are 128-bit hashes of each
    community of each level: of members and facts, and of members alone. `totals` and `inner_weights` are the
    pair weights of the communities' nodes, both ends counted: those within the parent (all at level 0), and
    those within the community.
    """

    ids: Ids
    hierarchy: CommunityHierarchy
    weight: NDArray[np.float32]
    salience: Weights
    contents: Sequence[Ids]
    births: Sequence[Ids]
    totals: Sequence[Weights]
    inner_weights: Sequence[Weights]


@dataclass(frozen=True, slots=True)
class CommunityRows:
    """Communities to write, one entry each, parents first; `parents` are zeros if there is none.

    `central_nodes`, of shape (n, 3), are the numbers of the nodes that name a new community, or -1.
    """

    ids: Ids
    level: NDArray[np.int64]
    parents: Ids
    members: NDArray[np.int64]
    weight: Weights
    inner_weights: Weights
    contents: Ids
    is_new: NDArray[np.bool_]
    central_nodes: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True)
class EventRows:
    """Events of communities, one entry each; `other_ids` are zeros if there is none."""

    ids: Ids
    change: NDArray[np.str_]
    level: NDArray[np.int64]
    other_ids: Ids

    def __len__(self) -> int:
        return len(self.ids)

    def count_by_event(self) -> dict[str, int]:
        """Return the number of events of each change."""
        changes, counts = np.unique(self.change, return_counts=True)
        return dict(zip(changes.tolist(), counts.tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class MemberRows:
    """Memberships to write, those of one community adjacent; nodes with `is_new` have none yet."""

    node_ids: Ids
    community_ids: Ids
    weight: NDArray[np.float32]
    is_new: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.node_ids)


class MembershipChanges(NamedTuple):
    """The memberships to write, and the nodes that are in no community any more."""

    rows: MemberRows
    left_node_ids: Ids


@dataclass(frozen=True, slots=True)
class Plan:
    """All writes of a run: communities, moved members, nodes that left, deleted communities, events."""

    community_rows: CommunityRows
    moved_members: MemberRows
    left_node_ids: Ids
    deleted_community_ids: Ids
    events: EventRows


def plan_changes_between_runs(detected_run: DetectedRun, stored_run: StoredRun) -> Plan:
    """Return the difference between two runs. Unchanged rows are not written again."""
    ancestor_paths = _build_ancestor_paths(stored_run)
    node_indices = Numbering(detected_run.ids).find_positions(stored_run.node_ids)
    level_count = len(detected_run.hierarchy.labels)
    ids_by_level: list[Ids] = []
    rows_by_level: list[CommunityRows] = []
    events_by_level: list[EventRows] = []
    deleted_ids = [build_zero_ids()]
    for level in range(max(level_count, ancestor_paths.shape[1])):
        old_community_indices = np.flatnonzero(stored_run.level == level)
        new_labels = (
            detected_run.hierarchy.labels[level]
            if level < level_count
            else np.full(len(detected_run.ids), NO_COMMUNITY, np.int32)
        )
        new_count = len(detected_run.hierarchy.parents[level]) if level < level_count else 0
        old_labels = _map_old_labels_of_level(
            stored_run, ancestor_paths, old_community_indices, level, node_indices, len(detected_run.ids)
        )
        extended_labels = np.concatenate(
            (new_labels, np.full(len(old_labels) - len(new_labels), NO_COMMUNITY, np.int32))
        )
        lineage = trace_lineage(
            old_labels, extended_labels, old_count=len(old_community_indices), new_count=new_count
        )
        level_ids = build_zero_ids(new_count)
        is_inherited = lineage.predecessors >= 0
        level_ids[is_inherited] = stored_run.ids[old_community_indices[lineage.predecessors[is_inherited]]]
        if new_count:
            # The level is part of the hash, so ids of different levels differ.
            level_ids[~is_inherited] = derive_community_ids(
                level, detected_run.births[level][~is_inherited], stored_run.ids
            )
            rows_by_level.append(
                _build_community_rows(detected_run, level, level_ids, ~is_inherited, ids_by_level)
            )
        ids_by_level.append(level_ids)
        old_ids = stored_run.ids[old_community_indices]
        events_by_level.append(build_event_rows(lineage, level, old_ids, level_ids))
        deleted_ids.append(old_ids[lineage.old_communities_without_heir])
    member_rows, left_ids = _find_changed_members_and_leavers(
        detected_run, stored_run, node_indices, ids_by_level
    )
    return Plan(
        concatenate_rows(rows_by_level),
        member_rows,
        left_ids,
        np.concatenate(deleted_ids),
        concatenate_events(events_by_level),
    )


def build_event_rows(lineage: Lineage, level: int, old_ids: Ids, new_ids: Ids) -> EventRows:
    """Return the events of communities of one level with these ids."""
    event_parts = []
    for subjects, counterparts_of, subject_ids, counterpart_ids, change_without_other, change_with_other in (
        (lineage.new_communities_without_old_id, lineage.origins, new_ids, old_ids, Change.NEW, Change.SPLIT),
        (
            lineage.old_communities_without_heir,
            lineage.successors,
            old_ids,
            new_ids,
            Change.GONE,
            Change.MERGED,
        ),
    ):
        counterparts = counterparts_of[subjects]
        other_ids = build_zero_ids(len(subjects))
        other_ids[counterparts >= 0] = counterpart_ids[counterparts[counterparts >= 0]]
        changes = np.where(counterparts >= 0, change_with_other.value, change_without_other.value)
        event_parts.append(
            EventRows(subject_ids[subjects], changes, np.full(len(subjects), level), other_ids)
        )
    return concatenate_events(event_parts)


def concatenate_rows(row_batches: Sequence[CommunityRows]) -> CommunityRows:
    """Return these communities concatenated."""
    no_rows = CommunityRows(
        build_zero_ids(),
        np.zeros(0, np.int64),
        build_zero_ids(),
        np.zeros(0, np.int64),
        np.zeros(0),
        np.zeros(0),
        build_zero_ids(),
        np.zeros(0, bool),
        np.zeros((0, MAX_CENTRAL_NODES), np.int64),
    )
    all_batches = (no_rows, *row_batches)
    return CommunityRows(
        *(
            np.concatenate([getattr(rows_of_batch, column_name) for rows_of_batch in all_batches])
            for column_name in CommunityRows.__slots__
        )
    )


def concatenate_events(event_batches: Sequence[EventRows]) -> EventRows:
    """Return these events concatenated."""
    all_batches = (
        EventRows(build_zero_ids(), np.zeros(0, np.str_), np.zeros(0, np.int64), build_zero_ids()),
        *event_batches,
    )
    return EventRows(
        *(
            np.concatenate([getattr(events_of_batch, column_name) for events_of_batch in all_batches])
            for column_name in EventRows.__slots__
        )
    )


def compute_salience(inner_weight: Weights, total: Weights) -> Weights:
    """Return how specific each node is for its community: its weight in it, times the share of that in its
    total weight.

    A country or a day that is tied to many communities distinguishes none of them.
    """
    return inner_weight * inner_weight / np.maximum(total, np.finfo(np.float64).tiny)


def find_central_nodes(labels: Labels, salience: NDArray[Any], community_count: int) -> NDArray[np.int64]:
    """Return the numbers of each community's most salient nodes, in order: shape (count, 3), -1 for none."""
    labelled_nodes = np.flatnonzero(labels >= 0)
    ranks = np.empty(len(labelled_nodes), np.int64)
    ranks[np.argsort(-salience[labelled_nodes], kind="stable")] = np.arange(len(labelled_nodes))
    sorted_nodes = labelled_nodes[np.argsort(labels[labelled_nodes] * max(1, len(labelled_nodes)) + ranks)]
    group_starts = np.searchsorted(labels[sorted_nodes], np.arange(community_count + 1))
    positions = group_starts[:-1, None] + np.arange(MAX_CENTRAL_NODES)
    is_inside = positions < group_starts[1:, None]
    return np.where(
        is_inside,
        np.append(sorted_nodes, NO_COMMUNITY)[np.where(is_inside, positions, len(sorted_nodes))],
        NO_COMMUNITY,
    )


def derive_community_ids(level: int, member_hashes: Ids, taken_ids: Ids) -> Ids:
    """Return ids derived from the level and the members, so that a repeated run gives the same ids (UUID
    version 8).

    `member_hashes` are distinct 128-bit hashes of each community's members; the new ids are not among
    `taken_ids`.
    """
    new_ids, salt, numbering = _derive_ids(level, 0, member_hashes), 0, Numbering(taken_ids)
    while (is_taken := numbering.find_positions(new_ids) >= 0).any():
        # These members were the first of a community that has changed since and kept the id.
        salt += 1
        new_ids[is_taken] = _derive_ids(level, salt, member_hashes[is_taken])
    return new_ids


def _derive_ids(level: int, salt: int, member_hashes: Ids) -> Ids:
    member_bytes, prefix_bytes = member_hashes.tobytes(), bytes((level, salt))
    id_bytes = [
        hashlib.sha256(prefix_bytes + member_bytes[start : start + 16]).digest()[:16]
        for start in range(0, len(member_bytes), 16)
    ]
    ids = decode_consecutive_ids(b"".join(id_bytes))
    ids[:, 0] = (ids[:, 0] & np.uint64(0xFFFF_FFFF_FFFF_0FFF)) | np.uint64(0x8000)
    ids[:, 1] = (ids[:, 1] & np.uint64(0x3FFF_FFFF_FFFF_FFFF)) | np.uint64(1 << 63)
    return ids


def _build_ancestor_paths(stored_run: StoredRun) -> NDArray[np.int64]:
    """Return the indexes of each community's ancestors by level, including itself; -1 elsewhere."""
    max_depth = int(stored_run.level.max(initial=-1))
    ancestor_paths = np.full((len(stored_run.ids), max_depth + 1), -1, np.int64)
    for depth in range(max_depth + 1):
        depth_indices = np.flatnonzero(stored_run.level == depth)
        nested_indices = depth_indices[stored_run.parent[depth_indices] >= 0]
        ancestor_paths[nested_indices] = ancestor_paths[stored_run.parent[nested_indices]]
        ancestor_paths[depth_indices, depth] = depth_indices
    return ancestor_paths


def _map_old_labels_of_level(
    stored_run: StoredRun,
    ancestor_paths: NDArray[np.int64],
    old_community_indices: NDArray[np.int64],
    level: int,
    node_indices: NDArray[np.int32],
    node_count: int,
) -> NDArray[np.int32]:
    """Return the old communities of one level for the new nodes, followed by those for deleted nodes."""
    vanished_indices = np.flatnonzero(node_indices < 0)
    new_positions = np.array(node_indices, np.int64)
    new_positions[vanished_indices] = node_count + np.arange(len(vanished_indices))
    labels = np.full(node_count + len(vanished_indices), NO_COMMUNITY, np.int32)
    if len(old_community_indices):
        # Index -1 reads the last element, which stays NO_COMMUNITY.
        index_of_old_community = np.full(len(stored_run.ids) + 1, NO_COMMUNITY, np.int32)
        index_of_old_community[old_community_indices] = np.arange(len(old_community_indices))
        labels[new_positions] = index_of_old_community[ancestor_paths[stored_run.finest_labels, level]]
    return labels


def _build_community_rows(
    detected_run: DetectedRun,
    level: int,
    level_ids: Ids,
    is_new: NDArray[np.bool_],
    ids_by_level: Sequence[Ids],
) -> CommunityRows:
    labels = detected_run.hierarchy.labels[level]
    return CommunityRows(
        level_ids,
        np.full(len(level_ids), level),
        ids_by_level[level - 1][detected_run.hierarchy.parents[level]]
        if level
        else build_zero_ids(len(level_ids)),
        np.bincount(labels[labels >= 0], minlength=len(level_ids)),
        detected_run.totals[level],
        detected_run.inner_weights[level],
        detected_run.contents[level],
        is_new,
        find_central_nodes(labels, detected_run.salience, len(level_ids)),
    )


def _find_changed_members_and_leavers(
    detected_run: DetectedRun,
    stored_run: StoredRun,
    node_indices: NDArray[np.int32],
    ids_by_level: Sequence[Ids],
) -> MembershipChanges:
    """Return the members that differ from before, and the nodes without a community now."""
    level_starts = np.cumsum([0, *(len(level_ids) for level_ids in ids_by_level)])
    all_ids = np.concatenate((build_zero_ids(), *ids_by_level))
    finest_indices = np.full(len(detected_run.ids), NO_COMMUNITY, np.int64)
    for labels, level_start in zip(detected_run.hierarchy.labels, level_starts[:-1], strict=False):
        finest_indices = np.where(labels >= 0, labels + level_start, finest_indices)
    is_member = finest_indices >= 0
    community_ids = np.append(all_ids, build_zero_ids(1), axis=0)[finest_indices]
    ids_before = build_zero_ids(len(detected_run.ids))
    weights_before = np.full(len(detected_run.ids), np.nan, np.float32)
    is_node = node_indices >= 0
    if len(stored_run.ids):
        ids_before[node_indices[is_node]] = stored_run.ids[stored_run.finest_labels[is_node]]
        weights_before[node_indices[is_node]] = stored_run.weight[is_node]
    changed_nodes = np.flatnonzero(
        is_member & ((community_ids != ids_before).any(axis=1) | (weights_before != detected_run.weight))
    )
    # Adjacent by community, so that its key is checked once.
    changed_nodes = changed_nodes[np.argsort(finest_indices[changed_nodes], kind="stable")]
    is_staying = np.zeros(len(node_indices), bool)
    is_staying[is_node] = is_member[node_indices[is_node]]
    rows = MemberRows(
        detected_run.ids[changed_nodes],
        community_ids[changed_nodes],
        detected_run.weight[changed_nodes],
        np.isnan(weights_before[changed_nodes]),
    )
    return MembershipChanges(rows, stored_run.node_ids[~is_staying])
