"""Queries of a partial run: the changes, and the graph and communities around them. All in the caller's
snapshot.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import numpy as np

from app.db.arrays import decode_consecutive_ids
from app.db.session import SpaceSession
from app.derived.communities.graph_arrays import (
    MEMBER_DTYPE,
    Ids,
    convert_uuids_to_ids,
    format_ids_as_postgres_array,
)
from app.derived.communities.incremental.edge_changes import Edges, Note, build_edges_from_columns
from app.derived.communities.incremental.neighborhood import COMMUNITY_DTYPE, Memberships
from app.derived.communities.repository import stream_rows_in_binary
from app.domain.relation_types import ADDRESSES

READING_TIME = timedelta(hours=1)
"""Maximum time from the creation of a chunk until its names are in the graph; slower chunks wait for a
whole run.
"""


def count_changed_edges(space: SpaceSession) -> int:
    """Return the number of edges recorded as changed since the previous run."""
    return int(space.run("derived.communities.count_changes")[0][0])


def read_change_notes(space: SpaceSession) -> list[Note]:
    """Return the change notes, oldest first."""
    return [
        Note(*row) for row in space.run("derived.communities.read_changes", {"addresses": list(ADDRESSES)})
    ]


def get_active_edges(space: SpaceSession, edge_ids: Sequence[UUID]) -> Edges:
    """Return the current edges with these ids; deleted and ended ones are omitted."""
    return _run_edges_statement(
        space, "derived.communities.get_active_edges", {"ids": list(edge_ids), "addresses": list(ADDRESSES)}
    )


def read_edges_touching_nodes(space: SpaceSession, node_ids: Ids, *, excluded_node_ids: Ids) -> Edges:
    """Return all edges that touch `node_ids`, without duplicates, except those that touch
    `excluded_node_ids`.
    """
    parameters = {
        "nodes": format_ids_as_postgres_array(node_ids),
        "but": format_ids_as_postgres_array(excluded_node_ids),
        "addresses": list(ADDRESSES),
    }
    return _run_edges_statement(space, "derived.communities.read_edges_touching_nodes", parameters)


def read_edges_between_pairs(space: SpaceSession, left_ids: Ids, right_ids: Ids) -> Edges:
    """Return all edges between these pairs of nodes, in both directions."""
    parameters = {
        "first": format_ids_as_postgres_array(left_ids),
        "second": format_ids_as_postgres_array(right_ids),
        "addresses": list(ADDRESSES),
    }
    return _run_edges_statement(space, "derived.communities.read_edges_between_pairs", parameters)


def count_edges_of_nodes(space: SpaceSession, node_ids: Ids) -> dict[UUID, int]:
    """Return the number of edges of each node; deleted nodes are omitted."""
    return dict(
        space.run(
            "derived.communities.count_edges_of_nodes", {"nodes": format_ids_as_postgres_array(node_ids)}
        )
    )


def list_new_nodes_without_community(space: SpaceSession, *, created_since: datetime, limit: int) -> Ids:
    """Return nodes without a community that a chunk newer than `created_since` mentions."""
    # A chunk's id begins with its creation time in milliseconds, some time before it is read.
    created_since_ms = int((created_since - READING_TIME).timestamp() * 1000)
    lowest_chunk_id = UUID(int=created_since_ms << 80)
    rows = space.run(
        "derived.communities.list_new_nodes_without_community",
        {"since": lowest_chunk_id, "limit": limit},
        should_prepare=False,
    )
    return convert_uuids_to_ids([row[0] for row in rows])


def select_nodes_with_claims(space: SpaceSession, node_ids: Ids) -> Ids:
    """Return the nodes of these that have claims."""
    parameters = {"nodes": format_ids_as_postgres_array(node_ids), "addresses": list(ADDRESSES)}
    rows = space.run("derived.communities.select_nodes_with_claims", parameters, should_prepare=False)
    return convert_uuids_to_ids([row[0] for row in rows])


def read_community_memberships(space: SpaceSession, node_ids: Ids) -> Memberships:
    """Return the memberships of the nodes of these that are in a community."""
    ((member_bytes,),) = stream_rows_in_binary(
        space,
        "derived.communities.read_community_memberships",
        {"nodes": format_ids_as_postgres_array(node_ids)},
    )
    rows = np.frombuffer(member_bytes or b"", MEMBER_DTYPE)
    return Memberships(
        rows["node"].astype(np.uint64),
        rows["community"].astype(np.uint64),
        rows["weight"].astype(np.float64),
    )


def read_communities_and_ancestors(space: SpaceSession, community_ids: Ids) -> np.ndarray[Any, Any]:
    """Return these communities and all their ancestors, as rows of COMMUNITY."""
    ((row_bytes,),) = stream_rows_in_binary(
        space, "derived.communities.read_ancestor_rows", {"ids": format_ids_as_postgres_array(community_ids)}
    )
    return np.frombuffer(row_bytes or b"", COMMUNITY_DTYPE)


def list_members_of_communities(space: SpaceSession, community_ids: Ids) -> Ids:
    """Return all nodes of these communities, including those of their parts."""
    ((node_bytes,),) = stream_rows_in_binary(
        space,
        "derived.communities.list_members_of_communities",
        {"ids": format_ids_as_postgres_array(community_ids)},
    )
    return decode_consecutive_ids(node_bytes or b"")


def select_existing_community_ids(space: SpaceSession, community_ids: Ids) -> Ids:
    """Return the ids of these that a community has."""
    return convert_uuids_to_ids(
        [
            row[0]
            for row in space.run(
                "derived.communities.get_communities", {"ids": format_ids_as_postgres_array(community_ids)}
            )
        ]
    )


def read_modularity_of_top_level(space: SpaceSession, graph_weight: float) -> float:
    """Return the modularity of the stored level 0, in a graph of this total weight, both ends counted."""
    inner_weight, sum_of_squares = space.run("derived.communities.sum_weights_of_top_level")[0]
    return float(inner_weight / graph_weight - sum_of_squares / graph_weight**2) if graph_weight else 0.0


def _run_edges_statement(space: SpaceSession, name: str, parameters: Mapping[str, Any]) -> Edges:
    (row,) = stream_rows_in_binary(space, name, parameters)
    return build_edges_from_columns(*(column or b"" for column in row))
