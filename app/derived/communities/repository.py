"""Reads and writes of communities: the whole graph and all members as bytes, everything else as rows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
import psycopg

from app.db.arrays import Column, decode_consecutive_ids
from app.db.models import CommunityRun
from app.db.session import SpaceSession
from app.db.sql import load_numbered_statement
from app.derived.communities.cooccurrence_ties import build_empty_ties, read_cooccurrence_ties
from app.derived.communities.graph_arrays import (
    MEMBER_DTYPE,
    GraphArrays,
    Ids,
    Numbering,
    build_graph_arrays,
    format_ids_as_postgres_array,
    sort_ids,
)
from app.derived.communities.leiden import NodePairs
from app.derived.communities.plan import CommunityRows, EventRows, MemberRows, StoredRun
from app.domain.relation_types import ADDRESSES
from app.ids import create_id

SLICE_ROWS = 50_000
"""Rows of one statement, which must end within the statement timeout; members use a larger slice."""
MEMBER_SLICE_ROWS = 200_000
NODE_SLICE_ROWS = 16_384
"""Nodes whose edges come in one block; a single value is limited to 1 GB."""
COMMUNITY_DTYPE = np.dtype([("id", ">u8", 2), ("level", ">i2"), ("parent", ">u8", 2)])
"""A community as sent by `read_communities`; a parent of zeros is none."""


@dataclass(frozen=True, slots=True)
class ReadGraph:
    """A space's graph at one moment, by the database's clock."""

    graph: GraphArrays
    revision: int
    read_at: datetime
    change_note_ids: Ids
    """Ids of the change notes that are part of the graph read."""
    ties: NodePairs = field(default_factory=lambda: build_empty_ties(0))
    """The ties of nodes without claims."""


def read_graph(space: SpaceSession) -> ReadGraph:
    """Return the whole graph, in a session of one snapshot: the nodes, then the edges in parts by target,
    then the ties.
    """
    revision, read_at = read_graph_revision_and_time(space)
    ((change_note_bytes,),) = stream_rows_in_binary(space, "derived.communities.read_noted")
    ((node_bytes,),) = stream_rows_in_binary(space, "derived.communities.read_nodes")
    ids = sort_ids(decode_consecutive_ids(node_bytes or b""))
    slice_starts = range(0, len(ids), NODE_SLICE_ROWS)
    slice_parameters = {
        "first": format_ids_as_postgres_array(ids[list(slice_starts)]),
        "last": format_ids_as_postgres_array(
            ids[[min(slice_start + NODE_SLICE_ROWS, len(ids)) - 1 for slice_start in slice_starts]]
        ),
        "addresses": list(ADDRESSES),
    }
    edges = stream_rows_in_binary(space, "derived.communities.read_all_edges", slice_parameters)
    graph = build_graph_arrays(
        ids,
        (
            (source_bytes or b"", target_bytes or b"", weight_bytes or b"", relation_bytes or b"")
            for source_bytes, target_bytes, weight_bytes, relation_bytes in edges
        ),
    )
    is_unclaimed = np.ones(len(ids), bool)
    is_unclaimed[graph.source] = is_unclaimed[graph.target] = False
    ties = read_cooccurrence_ties(space, ids, is_unclaimed)
    return ReadGraph(graph, revision, read_at, decode_consecutive_ids(change_note_bytes or b""), ties)


class GraphSnapshot(NamedTuple):
    """The graph's revision in a snapshot, and the snapshot's time by the database's clock."""

    revision: int
    read_at: datetime


def read_graph_revision_and_time(space: SpaceSession) -> GraphSnapshot:
    """Return the graph's revision in this snapshot, and the snapshot's time by the database's clock."""
    revision, read_at = space.run("derived.communities.read_graph_revision_and_time")[0]
    return GraphSnapshot(int(revision), read_at)


def read_stored_run(space: SpaceSession) -> StoredRun:
    """Return the current communities and all their members."""
    ((community_bytes,),) = stream_rows_in_binary(space, "derived.communities.read_communities")
    rows = np.frombuffer(community_bytes or b"", COMMUNITY_DTYPE)
    community_ids, parents = rows["id"].astype(np.uint64), rows["parent"].astype(np.uint64)
    numbering = Numbering(community_ids)
    parent_indices = np.where(parents.any(axis=1), numbering.find_positions(parents), -1)
    blocks = [
        np.frombuffer(body, MEMBER_DTYPE)
        for (body,) in stream_rows_in_binary(space, "derived.communities.read_members")
    ]
    members = np.concatenate((np.zeros(0, MEMBER_DTYPE), *blocks))
    return StoredRun(
        community_ids,
        rows["level"].astype(np.int64),
        parent_indices.astype(np.int64),
        members["node"].astype(np.uint64),
        numbering.find_positions(members["community"].astype(np.uint64)),
        members["weight"].astype(np.float32),
    )


def lock_communities(space: SpaceSession) -> None:
    """Lock the writing of this space's communities until the transaction ends."""
    space.run("derived.communities.lock_communities")


def add_run_and_delete_old_runs(space: SpaceSession, run: CommunityRun) -> None:
    """Make a run the current one, and delete all but the last fifty."""
    space.orm.add(run)
    space.orm.flush()
    space.run("derived.communities.drop_old_runs")


def delete_change_notes(space: SpaceSession, note_ids: Ids) -> None:
    """Delete change notes that a run has processed."""
    for position_range in _cut_into_slices(len(note_ids), SLICE_ROWS):
        space.run(
            "derived.communities.delete_change_notes",
            {"ids": format_ids_as_postgres_array(note_ids[position_range])},
            should_prepare=False,
        )


def get_node_names(space: SpaceSession, node_ids: Ids) -> list[str | None]:
    """Return the names of nodes in the order of these ids; None for a deleted one."""
    names: list[str | None] = []
    for position_range in _cut_into_slices(len(node_ids), SLICE_ROWS):
        ((names_of_slice,),) = space.run(
            "derived.communities.get_node_names",
            {"ids": format_ids_as_postgres_array(node_ids[position_range])},
            should_prepare=False,
        )
        names += names_of_slice
    return names


def insert_or_update_communities(space: SpaceSession, rows: CommunityRows, titles: Sequence[str]) -> None:
    """Write communities with the titles of new ones; parents come before their parts."""
    for is_new, statement in (
        (True, "derived.communities.add_communities"),
        (False, "derived.communities.change_communities"),
    ):
        positions = np.flatnonzero(rows.is_new == is_new)
        for position_range in _cut_into_slices(len(positions), SLICE_ROWS):
            indices = positions[position_range]
            columns = {
                "ids": Column.from_uuids(rows.ids[indices]),
                "parents": Column.from_uuids(rows.parents[indices]),
                "members": Column.from_numbers(rows.members[indices], "i4"),
                "weights": Column.from_numbers(rows.weight[indices], "f8"),
                "inner": Column.from_numbers(rows.inner_weights[indices], "f8"),
                "contents": Column.from_uuids(rows.contents[indices]),
            }
            if is_new:
                columns["levels"] = Column.from_numbers(rows.level[indices], "i2")
            title_column = {"titles": [titles[index] for index in indices]} if is_new else {}
            space.run(statement, {**columns, **title_column}, should_prepare=False)


def write_members(space: SpaceSession, rows: MemberRows) -> None:
    """Write memberships, in slices of 200,000."""
    for is_new, statement in (
        (True, "derived.communities.add_members"),
        (False, "derived.communities.move_members"),
    ):
        positions = np.flatnonzero(rows.is_new == is_new)
        for position_range in _cut_into_slices(len(positions), MEMBER_SLICE_ROWS):
            indices = positions[position_range]
            columns = {
                "nodes": Column.from_uuids(rows.node_ids[indices]),
                "communities": Column.from_uuids(rows.community_ids[indices]),
                "weights": Column.from_numbers(rows.weight[indices], "f4"),
            }
            space.run(statement, columns, should_prepare=False)


def delete_memberships_of_nodes(space: SpaceSession, node_ids: Ids) -> None:
    """Delete the memberships of nodes."""
    for position_range in _cut_into_slices(len(node_ids), SLICE_ROWS):
        space.run(
            "derived.communities.delete_memberships_of_nodes",
            {"nodes": format_ids_as_postgres_array(node_ids[position_range])},
            should_prepare=False,
        )


def delete_communities(space: SpaceSession, community_ids: Ids) -> None:
    """Remove communities."""
    for position_range in _cut_into_slices(len(community_ids), SLICE_ROWS):
        space.run(
            "derived.communities.delete_communities",
            {"ids": format_ids_as_postgres_array(community_ids[position_range])},
            should_prepare=False,
        )


def write_events(space: SpaceSession, run_id: UUID, events: EventRows) -> None:
    """Write a run's events, before the communities in them are deleted."""
    for position_range in _cut_into_slices(len(events), SLICE_ROWS):
        space.run(
            "derived.communities.write_events",
            {
                "run": run_id,
                "ids": [create_id() for _ in events.level[position_range]],
                "communities": format_ids_as_postgres_array(events.ids[position_range]),
                "changes": events.change[position_range].tolist(),
                "levels": events.level[position_range].tolist(),
                "others": format_ids_as_postgres_array(events.other_ids[position_range]),
            },
            should_prepare=False,
        )


def _cut_into_slices(row_count: int, slice_size: int) -> Iterator[slice]:
    for begin in range(0, row_count, slice_size):
        yield slice(begin, begin + slice_size)


def stream_rows_in_binary(
    space: SpaceSession, name: str, parameters: Mapping[str, Any] | None = None
) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a named query one by one, in binary form, so that no block is in memory twice."""
    statement, parameter_names = load_numbered_statement(name)
    scope_parameters = {"space_id": space.space_id, "tenant_id": space.tenant_id}
    value_by_parameter = {**(parameters or {}), **scope_parameters}
    cursor = psycopg.RawCursor(space.connection)
    return cursor.stream(
        statement, [value_by_parameter[parameter] for parameter in parameter_names], binary=True
    )
