"""Local moves of free nodes to the community with the largest modularity gain; all other nodes stay. Pure.

leidenalg computes the moves, since it supports fixed memberships. The staying part of a community is one
vertex with a fixed membership. Only communities tied to a free node are vertices, since no node gains by
moving to another one.
"""

from dataclasses import dataclass

import igraph
import leidenalg
import numpy as np
from numpy.typing import NDArray

from app.derived.communities.leiden import NO_COMMUNITY, Labels, Weights

ITERATIONS = 2
"""After one iteration some nodes would still gain by moving, because groups moved after them."""


@dataclass(frozen=True, slots=True)
class Ties:
    """The pairs within one parent that touch a free node, and the staying parts of the communities there.

    `parent_labels` is each node's community of the level above, `home_labels` a free node's previous
    community of this level, `fixed_labels` the community of a staying node; -1 is none. `fixed_weights` are
    the weights of the staying parts, `parent_weights` those of the parents, both ends of a pair counted.
    """

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    weights: Weights
    parent_labels: Labels
    home_labels: Labels
    fixed_labels: Labels
    fixed_weights: Weights
    parent_weights: Weights


def compute_communities_after_local_moves(free_nodes: NDArray[np.int64], ties: Ties, *, seed: int) -> Labels:
    """Return the community of each free node after the moves: an existing one, a new one from
    len(fixed_weight) on, or -1.

    One call for all parents: with node sizes k / sqrt(2m) of each parent the Potts model is that parent's own
    modularity, and no pair leads from one parent to another.
    """
    labels = np.full(len(ties.parent_labels), NO_COMMUNITY, np.int32)
    if not len(free_nodes):
        return labels
    is_free = np.zeros(len(labels), bool)
    is_free[free_nodes] = True
    is_touching = is_free[ties.first] | is_free[ties.second]
    left_nodes, right_nodes, pair_weights = (
        ties.first[is_touching],
        ties.second[is_touching],
        ties.weights[is_touching],
    )
    end_nodes = np.concatenate((left_nodes, right_nodes))
    strengths = np.bincount(
        end_nodes, weights=np.concatenate((pair_weights, pair_weights)), minlength=len(labels)
    )
    # Staying nodes next to a free one: those of one community are one vertex.
    fixed_end_nodes = end_nodes[ties.fixed_labels[end_nodes] >= 0]
    near_communities, first_indices = np.unique(ties.fixed_labels[fixed_end_nodes], return_index=True)
    vertex_by_node = np.full(len(labels), NO_COMMUNITY, np.int64)
    vertex_by_node[free_nodes] = np.arange(len(free_nodes))
    vertex_by_node[fixed_end_nodes] = len(free_nodes) + np.searchsorted(
        near_communities, ties.fixed_labels[fixed_end_nodes]
    )
    # A node without a community of this level has no vertex; its pairs count in the strength only.
    is_linked = (vertex_by_node[left_nodes] >= 0) & (vertex_by_node[right_nodes] >= 0)
    graph = igraph.Graph(n=len(free_nodes) + len(near_communities))
    graph.add_edges(
        np.column_stack((vertex_by_node[left_nodes[is_linked]], vertex_by_node[right_nodes[is_linked]]))
    )
    parents = ties.parent_labels[np.concatenate((free_nodes, fixed_end_nodes[first_indices]))]
    parent_weight = np.maximum(ties.parent_weights[parents], 1e-12)
    vertex_sizes = np.concatenate((strengths[free_nodes], ties.fixed_weights[near_communities])) / np.sqrt(
        parent_weight
    )
    partition = leidenalg.CPMVertexPartition(
        graph,
        initial_membership=_build_initial_membership(
            free_nodes, ties, vertex_by_node, (left_nodes, right_nodes), graph.vcount()
        ).tolist(),
        weights=pair_weights[is_linked].tolist(),
        node_sizes=vertex_sizes.tolist(),
        resolution_parameter=1.0,
        correct_self_loops=True,
    )
    # Refinement stays enabled: without it leidenalg 0.12 reads past its list of fixed nodes and crashes.
    optimiser = leidenalg.Optimiser()
    optimiser.set_rng_seed(seed)
    is_fixed = [False] * len(free_nodes) + [True] * len(near_communities)
    optimiser.optimise_partition(partition, n_iterations=ITERATIONS, is_membership_fixed=is_fixed)
    membership = np.array(partition.membership)
    # Labels of existing communities are kept; all others are new communities.
    known_count = len(ties.fixed_weights)
    label_by_membership = np.arange(known_count, known_count + len(membership))
    label_by_membership[membership[len(free_nodes) :]] = near_communities
    labels[free_nodes] = label_by_membership[membership[: len(free_nodes)]]
    return labels


def _build_initial_membership(
    free_nodes: NDArray[np.int64],
    ties: Ties,
    vertex_by_node: NDArray[np.int64],
    pairs: tuple[NDArray[np.int64], NDArray[np.int64]],
    vertex_count: int,
) -> NDArray[np.int64]:
    """Return the memberships of `vertex_count` vertices before the moves: at home if tied to it, else with
    vertices of the same home.
    """
    initial_membership = np.arange(vertex_count)
    for mover, neighbor in (pairs, pairs[::-1]):
        is_at_home = (
            (vertex_by_node[mover] >= 0)
            & (vertex_by_node[mover] < len(free_nodes))
            & (ties.home_labels[mover] >= 0)
        )
        is_at_home &= ties.fixed_labels[neighbor] == ties.home_labels[mover]
        initial_membership[vertex_by_node[mover[is_at_home]]] = vertex_by_node[neighbor[is_at_home]]
    homes = ties.home_labels[free_nodes]
    away_vertices = np.flatnonzero((initial_membership[: len(free_nodes)] < len(free_nodes)) & (homes >= 0))
    parent_and_home = np.column_stack((ties.parent_labels[free_nodes[away_vertices]], homes[away_vertices]))
    _, first_indices, group_indices = np.unique(
        parent_and_home, axis=0, return_index=True, return_inverse=True
    )
    initial_membership[away_vertices] = away_vertices[first_indices][group_indices.reshape(-1)]
    return initial_membership
