"""Ties of nodes without claims around a change, now and before."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.db.session import SpaceSession
from app.derived.communities.cooccurrence_ties import read_ties_touching_nodes
from app.derived.communities.graph_arrays import Ids, Numbering
from app.derived.communities.incremental import repository
from app.derived.communities.incremental.edge_changes import Edges
from app.derived.communities.incremental.neighborhood import EdgeChanges, NamedTies


@dataclass(frozen=True, slots=True)
class LoneNodes:
    """Free nodes in ascending order, and which of them had no claims before and have none now."""

    ids: Ids
    was_lone: NDArray[np.bool_]
    is_lone: NDArray[np.bool_]


def find_nodes_without_claims_before_and_now(
    free_ids: Ids, edges: Edges, edge_changes: EdgeChanges
) -> LoneNodes:
    """Return which free nodes had no claims before, and have none now; `edges` are all edges that touch
    them now.
    """
    numbering = Numbering(free_ids)

    def count_edges_touching(edges: Edges) -> NDArray[np.int64]:
        end_positions = numbering.find_positions(np.concatenate((edges.source, edges.target)))
        return np.bincount(end_positions[end_positions >= 0], minlength=len(free_ids))

    counts_now = count_edges_touching(edges)
    counts_before = (
        counts_now
        - count_edges_touching(edge_changes.edges_now)
        + count_edges_touching(edge_changes.edges_before)
    )
    return LoneNodes(free_ids, counts_before <= 0, counts_now == 0)


def find_cooccurrence_ties_of_nodes(space: SpaceSession, lone_nodes: LoneNodes) -> NamedTies:
    """Return the ties of free nodes without claims now or before.

    The weights are the same before and now, because changes of mentions are not recorded.
    """
    lone_ids = lone_nodes.ids[lone_nodes.was_lone | lone_nodes.is_lone]
    tied_ids, pairs = read_ties_touching_nodes(space, lone_ids)
    if not len(pairs):
        return NamedTies()
    free_indices = Numbering(lone_nodes.ids).find_positions(tied_ids)
    other_ids = tied_ids[free_indices < 0]
    has_claims = np.zeros(len(tied_ids), bool)
    has_claims[Numbering(tied_ids).find_positions(repository.select_nodes_with_claims(space, other_ids))] = (
        True
    )
    weights_before_and_now = []
    for has_no_claims in (lone_nodes.was_lone, lone_nodes.is_lone):
        is_unclaimed = np.where(free_indices >= 0, has_no_claims[free_indices], ~has_claims)
        weights_before_and_now.append(
            np.where(is_unclaimed[pairs.first_nodes] | is_unclaimed[pairs.second_nodes], pairs.weights, 0.0)
        )
    return NamedTies(tied_ids[pairs.first_nodes], tied_ids[pairs.second_nodes], *weights_before_and_now)
