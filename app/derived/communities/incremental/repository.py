"""Reads for a partial run: the changes, and the graph and communities around them. All in the caller's one
snapshot.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import numpy as np

from app.db.session import SpaceSession
from app.derived.communities.graph_arrays import MEMBER, Ids, as_list, from_uuids, read_ids
from app.derived.communities.incremental.edge_changes import Edges, Note, edges_of
from app.derived.communities.incremental.neighborhood import COMMUNITY
from app.derived.communities.repository import stream
from app.domain.relation_types import ADDRESSES

READING_TIME = timedelta(hours=1)
"""From when a chunk is cut until its names stand in the graph, at most: what takes longer waits for a whole
run.
"""


def count_changes(space: SpaceSession) -> int:
    """How many edges were noted as changed since the run before."""
    return int(space.run("derived.communities.count_changes")[0][0])


def read_changes(space: SpaceSession) -> list[Note]:
    """The notes, oldest first."""
    return [
        Note(*row) for row in space.run("derived.communities.read_changes", {"addresses": list(ADDRESSES)})
    ]


def read_edges(space: SpaceSession, ids: Sequence[UUID]) -> Edges:
    """Edges as they are now; those that are gone or ended are left out."""
    return _edges(space, "derived.communities.read_edges", {"ids": list(ids), "addresses": list(ADDRESSES)})


def edges_around(space: SpaceSession, nodes: Ids, *, but: Ids) -> Edges:
    """All edges that touch these nodes, each once, but those that touch the others, too."""
    parameters = {"nodes": as_list(nodes), "but": as_list(but), "addresses": list(ADDRESSES)}
    return _edges(space, "derived.communities.edges_around", parameters)


def edges_between(space: SpaceSession, first: Ids, second: Ids) -> Edges:
    """All edges of these pairs of nodes, whichever way they lead."""
    pairs = {"first": as_list(first), "second": as_list(second), "addresses": list(ADDRESSES)}
    return _edges(space, "derived.communities.edges_between", pairs)


def sizes_of_nodes(space: SpaceSession, nodes: Ids) -> dict[UUID, int]:
    """How many edges each of these nodes has; those that are gone are left out."""
    return dict(space.run("derived.communities.sizes_of_nodes", {"nodes": as_list(nodes)}))


def newcomers(space: SpaceSession, *, since: datetime, limit: int) -> Ids:
    """Nodes that no community holds and that a chunk names which is younger than so."""
    # The id of a chunk begins with the milliseconds at which it was made, some time before it is read.
    moment = int((since - READING_TIME).timestamp() * 1000)
    first = UUID(int=moment << 80)
    rows = space.run("derived.communities.newcomers", {"since": first, "limit": limit}, prepare=False)
    return from_uuids([row[0] for row in rows])


def claimed_among(space: SpaceSession, nodes: Ids) -> Ids:
    """Those of these nodes of which something is claimed."""
    parameters = {"nodes": as_list(nodes), "addresses": list(ADDRESSES)}
    rows = space.run("derived.communities.claimed_among", parameters, prepare=False)
    return from_uuids([row[0] for row in rows])


def members_among(space: SpaceSession, nodes: Ids) -> tuple[Ids, Ids, np.ndarray[Any, Any]]:
    """(nodes, their finest communities, their weights) of those of these nodes that are in one."""
    ((raw,),) = stream(space, "derived.communities.members_among", {"nodes": as_list(nodes)})
    rows = np.frombuffer(raw or b"", MEMBER)
    return (
        rows["node"].astype(np.uint64),
        rows["community"].astype(np.uint64),
        rows["weight"].astype(np.float64),
    )


def communities_above(space: SpaceSession, ids: Ids) -> np.ndarray[Any, Any]:
    """These communities and all that hold them, as rows of COMMUNITY."""
    ((raw,),) = stream(space, "derived.communities.communities_above", {"ids": as_list(ids)})
    return np.frombuffer(raw or b"", COMMUNITY)


def all_members(space: SpaceSession, ids: Ids) -> Ids:
    """All nodes of these communities, those of their parts included."""
    ((raw,),) = stream(space, "derived.communities.all_members", {"ids": as_list(ids)})
    return read_ids(raw or b"")


def standing_ids(space: SpaceSession, ids: Ids) -> Ids:
    """Which of these ids a community has."""
    return from_uuids(
        [row[0] for row in space.run("derived.communities.get_communities", {"ids": as_list(ids)})]
    )


def top_modularity(space: SpaceSession, weight: float) -> float:
    """The modularity of level 0 as it is written, in a graph whose pairs weigh so much, each end counted."""
    inner, squares = space.run("derived.communities.weigh_top")[0]
    return float(inner / weight - squares / weight**2) if weight else 0.0


def _edges(space: SpaceSession, name: str, parameters: Mapping[str, Any]) -> Edges:
    (row,) = stream(space, name, parameters)
    return edges_of(*(column or b"" for column in row))
