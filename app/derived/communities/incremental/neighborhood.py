"""The part of a graph around the changes: free nodes, their ties, and all memberships. Pure.

A partial run computes all its sums over the pairs and claims here: between two nodes that are not free only
the listed changes happened, so no other pair can change a community's weights or facts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.derived.communities.graph_arrays import Ids, Numbering, hash_claims, sort_ids
from app.derived.communities.incremental.edge_changes import Edges, concatenate_edges
from app.derived.communities.leiden import NO_COMMUNITY, Labels, Weights
from app.derived.communities.plan import build_zero_ids

COMMUNITY_DTYPE = np.dtype(
    [("id", ">u8", 2), ("parent", ">u8", 2), ("level", ">i4"), ("members", ">i4"), ("weight", ">f8"),
     ("inner", ">f8"), ("content", ">u8", 2), ("divided", "?")]
)  # fmt: skip
"""A community as sent by the database; a parent of zeros is none, `divided`: it has parts."""


@dataclass(frozen=True, slots=True)
class Communities:
    """Existing communities, one array entry each, parents before their parts; `parent` is an index or -1.

    `weight` and `inner_weights` are as in the table.
    """

    ids: Ids
    parent: NDArray[np.int64]
    level: NDArray[np.int64]
    members: NDArray[np.int64]
    weight: Weights
    inner_weights: Weights
    content: Ids
    is_divided: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.ids)


def build_communities_from_rows(rows: NDArray[Any]) -> Communities:
    """Return communities from rows of COMMUNITY in any order; the parent of each is among them."""
    rows = rows[np.lexsort((rows["id"][:, 1], rows["id"][:, 0], rows["level"]))]
    ids, parents = rows["id"].astype(np.uint64), rows["parent"].astype(np.uint64)
    parent_indices = Numbering(ids).find_positions(parents) if len(rows) else np.zeros(0, np.int32)
    return Communities(
        ids,
        np.where(parents.any(axis=1), parent_indices, NO_COMMUNITY).astype(np.int64),
        rows["level"].astype(np.int64),
        rows["members"].astype(np.int64),
        rows["weight"].astype(np.float64),
        rows["inner"].astype(np.float64),
        rows["content"].astype(np.uint64),
        rows["divided"].astype(bool),
    )


@dataclass(frozen=True, slots=True)
class Claims:
    """Distinct claims: a 64-bit key and the indexes of both nodes."""

    keys: NDArray[np.uint64]
    source: NDArray[np.int64]
    target: NDArray[np.int64]


def build_empty_weights() -> Weights:
    """Return the weights of no pairs."""
    return np.zeros(0)


class Memberships(NamedTuple):
    """Nodes that are in a community, the finest community of each, and each node's weight in it."""

    node_ids: Ids
    community_ids: Ids
    weights: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class NamedTies:
    """Ties by the ids of their nodes, without duplicates, with their weights before and now; 0 is none."""

    first: Ids = field(default_factory=build_zero_ids)
    second: Ids = field(default_factory=build_zero_ids)
    weights_before: Weights = field(default_factory=build_empty_weights)
    weights_now: Weights = field(default_factory=build_empty_weights)


@dataclass(frozen=True, slots=True)
class Neighborhood:
    """Nodes by index; `first`, `second` are pairs of them with their weights before and now, 0 below the
    minimum.

    `labels[k]` are the indexes into `communities` of the nodes' communities of level k, or -1; `centrality`
    is each member's weight within its community of level 0.
    """

    ids: Ids
    is_free: NDArray[np.bool_]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    weights_before: Weights
    weights_now: Weights
    claims_before: Claims
    claims_now: Claims
    labels: Sequence[Labels]
    centrality: Weights
    communities: Communities


class NodePairs(NamedTuple):
    """Pairs of nodes: the first nodes, and the second nodes in the same order."""

    left_ids: Ids
    right_ids: Ids


@dataclass(frozen=True, slots=True)
class EdgeChanges:
    """The changed edges before and now, and the ties of free nodes."""

    edges_before: Edges
    edges_now: Edges
    ties: NamedTies = field(default_factory=NamedTies)

    def list_end_node_ids(self) -> Ids:
        """Return the ids of all end nodes, without duplicates."""
        all_edges = concatenate_edges((self.edges_before, self.edges_now))
        return sort_unique_ids(np.concatenate((all_edges.source, all_edges.target)))

    def select_pairs_not_touching(self, free_ids: Ids) -> NodePairs:
        """Return the pairs of different end nodes that contain none of these nodes, without duplicates."""
        all_edges = concatenate_edges((self.edges_before, self.edges_now))
        ids = sort_unique_ids(np.concatenate((free_ids, all_edges.source, all_edges.target)))
        numbering = Numbering(ids)
        is_free = np.zeros(len(ids), bool)
        is_free[numbering.find_positions(free_ids)] = True
        source, target = (
            numbering.find_positions(end_ids).astype(np.int64)
            for end_ids in (all_edges.source, all_edges.target)
        )
        is_retained = ~is_free[source] & ~is_free[target] & (source != target)
        lower_nodes, higher_nodes = (
            np.minimum(source, target)[is_retained],
            np.maximum(source, target)[is_retained],
        )
        left_nodes, right_nodes = np.divmod(
            np.unique(lower_nodes * max(1, len(ids)) + higher_nodes), max(1, len(ids))
        )
        return NodePairs(ids[left_nodes], ids[right_nodes])


def sort_unique_ids(ids: Ids) -> Ids:
    """Return the ids in ascending order, without duplicates."""
    ids = sort_ids(ids)
    if not len(ids):
        return ids
    return ids[np.concatenate(([True], (ids[1:] != ids[:-1]).any(axis=1)))]


def select_ids_not_in(ids: Ids, excluded_ids: Ids) -> Ids:
    """Return the ids that are not among the others."""
    return ids[Numbering(excluded_ids).find_positions(ids) < 0] if len(excluded_ids) else ids


def build_neighborhood(
    free_ids: Ids,
    edges: Edges,
    edge_changes: EdgeChanges,
    memberships: Memberships,
    communities: Communities,
    *,
    min_weight: float,
    level_count: int,
) -> Neighborhood:
    """Return the neighborhood of free nodes.

    `edges` are all edges that touch a free node, and all between the two ends of a changed edge.
    `memberships` are those of all nodes here.
    """
    ties = edge_changes.ties
    all_edges = concatenate_edges((edges, edge_changes.edges_before))
    ids = sort_unique_ids(
        np.concatenate((free_ids, all_edges.source, all_edges.target, ties.first, ties.second))
    )
    numbering = Numbering(ids)
    is_free = np.zeros(len(ids), bool)
    is_free[numbering.find_positions(free_ids)] = True
    labels, centrality = _build_labels_by_level(numbering, len(ids), memberships, communities, level_count)
    # Previous edges: the current ones, minus the changed ones, plus their previous values.
    edge_parts = (edges, edge_changes.edges_now, edge_changes.edges_before)
    sign_now = np.concatenate(
        [np.full(len(edge_part), sign) for edge_part, sign in zip(edge_parts, (1, 0, 0), strict=True)]
    )
    sign_before = np.concatenate(
        [np.full(len(edge_part), sign) for edge_part, sign in zip(edge_parts, (1, -1, 1), strict=True)]
    )
    all_edges = concatenate_edges(edge_parts)
    source = numbering.find_positions(all_edges.source).astype(np.int64)
    target = numbering.find_positions(all_edges.target).astype(np.int64)
    # A node without a community that is not free was deleted: its edges are not part of the graph.
    is_in_graph = is_free | (labels[0] >= 0)
    pair_codes = np.minimum(source, target) * len(ids) + np.maximum(source, target)
    pair_codes, pair_indices = np.unique(pair_codes, return_inverse=True)
    left_nodes, right_nodes = np.divmod(pair_codes, max(1, len(ids)))
    is_tie = (left_nodes != right_nodes) & is_in_graph[left_nodes] & is_in_graph[right_nodes]
    weights = []
    for sign in (sign_before, sign_now):
        weight_sums = np.bincount(pair_indices, weights=sign * all_edges.weight, minlength=len(pair_codes))
        edge_counts = np.bincount(pair_indices, weights=sign, minlength=len(pair_codes))
        weights.append(
            np.where(is_tie & (edge_counts > 0) & (weight_sums >= min_weight - 1e-6), weight_sums, 0.0)
        )
    claims_before, claims_now = _list_claims_before_and_now(
        ids, source, target, all_edges.relation, (sign_before, sign_now)
    )
    left_nodes, right_nodes, weights = _combine_pairs_with_ties(
        numbering, left_nodes, right_nodes, weights, ties, labels[0] >= 0, is_in_graph
    )
    has_weight = (weights[0] > 0) | (weights[1] > 0)
    weights_before, weights_now = weights[0][has_weight], weights[1][has_weight]
    return Neighborhood(
        ids,
        is_free,
        left_nodes[has_weight],
        right_nodes[has_weight],
        weights_before,
        weights_now,
        claims_before,
        claims_now,
        labels,
        centrality,
        communities,
    )


def _list_claims_before_and_now(
    ids: Ids,
    source: NDArray[np.int64],
    target: NDArray[np.int64],
    relation: NDArray[np.int64],
    signs: Sequence[NDArray[Any]],
) -> list[Claims]:
    """Return the distinct claims before and now: those with a positive signed edge count."""
    claim_hashes, first_indices, claim_indices = np.unique(
        hash_claims(ids, source, target, relation), return_index=True, return_inverse=True
    )
    claims = []
    for sign in signs:
        exists = np.bincount(claim_indices, weights=sign, minlength=len(claim_hashes)) > 0
        claims.append(
            Claims(claim_hashes[exists], source[first_indices[exists]], target[first_indices[exists]])
        )
    return claims


def _combine_pairs_with_ties(
    numbering: Numbering,
    left_nodes: NDArray[np.int64],
    right_nodes: NDArray[np.int64],
    weights: Sequence[Weights],
    ties: NamedTies,
    was_in_graph: NDArray[np.bool_],
    is_in_graph: NDArray[np.bool_],
) -> tuple[NDArray[np.int64], NDArray[np.int64], list[Weights]]:
    """Return the pairs and the ties, with the weights of both before and now.

    A tie existed before if both nodes had a community: a tied node has one.
    """
    if not len(ties.weights_now):
        return left_nodes, right_nodes, list(weights)
    end_positions = [numbering.find_positions(ids).astype(np.int64) for ids in (ties.first, ties.second)]
    lower_nodes, higher_nodes = np.minimum(*end_positions), np.maximum(*end_positions)
    weights_before = np.where(
        was_in_graph[lower_nodes] & was_in_graph[higher_nodes], ties.weights_before, 0.0
    )
    weights_now = np.where(is_in_graph[lower_nodes] & is_in_graph[higher_nodes], ties.weights_now, 0.0)
    node_count = len(is_in_graph)
    pair_codes = np.concatenate(
        (left_nodes * node_count + right_nodes, lower_nodes * node_count + higher_nodes)
    )
    pair_codes, pair_indices = np.unique(pair_codes, return_inverse=True)
    weight_sums = [
        np.bincount(pair_indices, weights=np.concatenate(weight_arrays), minlength=len(pair_codes)).astype(
            np.float64
        )
        for weight_arrays in zip(weights, (weights_before, weights_now), strict=True)
    ]
    left_nodes, right_nodes = np.divmod(pair_codes, node_count)
    return left_nodes, right_nodes, weight_sums


def _build_labels_by_level(
    numbering: Numbering,
    node_count: int,
    memberships: Memberships,
    communities: Communities,
    min_level_count: int,
) -> tuple[list[Labels], Weights]:
    level_count = max(min_level_count, int(communities.level.max(initial=-1)) + 1)
    paths = np.full(
        (len(communities) + 1, level_count), NO_COMMUNITY, np.int32
    )  # the last row is read for -1
    for level in range(level_count):
        level_indices = np.flatnonzero(communities.level == level)
        paths[level_indices] = paths[communities.parent[level_indices]]
        paths[level_indices, level] = level_indices
    labels = np.full((node_count, level_count), NO_COMMUNITY, np.int32)
    centrality = np.zeros(node_count)
    if len(communities):
        node_positions = numbering.find_positions(memberships.node_ids)
        labels[node_positions] = paths[Numbering(communities.ids).find_positions(memberships.community_ids)]
        centrality[node_positions] = memberships.weights
    return [np.ascontiguousarray(labels[:, level]) for level in range(level_count)], centrality
