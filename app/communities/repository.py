"""Reads and writes of communities: the whole graph and all members as bytes, everything else as rows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

import numpy as np
import psycopg
from numpy.typing import NDArray
from sqlalchemy import select

from app.communities.graph_arrays import (
    MEMBER,
    GraphArrays,
    Ids,
    Numbering,
    as_uuids,
    from_uuids,
    graph_of,
    read_ids,
)
from app.communities.plan import CommunityRow, EventRow, Standing, StandingCommunity
from app.db.models import CommunityRun
from app.db.session import SpaceSession
from app.db.sql import numbered
from app.ids import new_id

SLICE = 20_000
"""Rows of one statement, and far more members: each must end within the statement time-out."""
MEMBER_SLICE = 200_000
Row = TypeVar("Row")
# Binary COPY: signature, flags, no extension; each row says its columns and each value its bytes.
_HEADER, _TRAILER = b"PGCOPY\n\xff\r\n\0" + bytes(8), b"\xff\xff"
_STAGED = np.dtype(
    [("columns", ">i2"), ("a", ">i4"), ("node", ">u8", 2), ("b", ">i4"), ("community", ">u8", 2), ("c", ">i4"),
     ("weight", ">f4")]
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ReadGraph:
    """A space's graph at one moment, by the database's clock."""

    graph: GraphArrays
    revision: int
    read_at: datetime
    changes: Ids
    """Ids of the notes of changes that are part of what was read."""


def read_graph(space: SpaceSession) -> ReadGraph:
    """The whole graph out of one statement, block by block."""
    revision, read_at, nodes, changes = 0, None, b"", b""
    edges: list[tuple[bytes, bytes, bytes, bytes]] = []
    for part, seen_revision, seen_at, ids, targets, weights, relations in stream(
        space, "communities.read_graph"
    ):
        if part == "space":
            revision, read_at = seen_revision, seen_at
        elif part == "changes":
            changes = ids or b""
        elif part == "nodes":
            nodes = ids or b""
        else:
            edges.append((ids, targets, weights, relations))
    assert read_at is not None
    return ReadGraph(graph_of(nodes, edges), revision, read_at, read_ids(changes))


def read_standing(space: SpaceSession) -> Standing:
    """The communities in force and all their members."""
    rows = space.run("communities.read_communities")
    place = {row[0]: number for number, row in enumerate(rows)}
    communities = [
        StandingCommunity(made, level, place.get(parent, -1), content, title)
        for made, level, parent, content, title in rows
    ]
    blocks = [np.frombuffer(body, MEMBER) for (body,) in stream(space, "communities.read_members")]
    if not blocks:
        return Standing(communities)
    members = np.concatenate(blocks)
    own = from_uuids([each.id for each in communities])
    finest = Numbering(own).numbers(members["community"].astype(np.uint64))
    return Standing(
        communities, members["node"].astype(np.uint64), finest, members["weight"].astype(np.float32)
    )


def latest_run(space: SpaceSession) -> CommunityRun | None:
    """The run in force."""
    query = select(CommunityRun).where(CommunityRun.knowledge_space_id == space.space_id)
    return space.orm.scalar(query.order_by(CommunityRun.id.desc()).limit(1))


def lock(space: SpaceSession) -> None:
    """Hold the writing of this space's communities until the transaction ends."""
    space.run("communities.lock")


def add_run(space: SpaceSession, run: CommunityRun) -> None:
    """Put a run in force, and forget all but the last fifty."""
    space.orm.add(run)
    space.orm.flush()
    space.run("communities.drop_old_runs")


def clear_changes(space: SpaceSession, ids: Ids) -> None:
    """Forget notes of changes, those that a run has taken in."""
    for part in _slices(as_uuids(ids), SLICE):
        space.run("communities.clear_changes", {"ids": list(part)}, prepare=False)


def drop_changes(space: SpaceSession) -> None:
    """Forget all notes of changes; no partial run may follow upon the run in force."""
    space.run("communities.drop_changes")


def node_names(space: SpaceSession, ids: Ids) -> dict[UUID, str]:
    """The names of nodes by id; those that are gone are left out."""
    names: dict[UUID, str] = {}
    for part in _slices(as_uuids(ids), SLICE):
        names.update(space.run("communities.node_names", {"ids": list(part)}))
    return names


def write_communities(space: SpaceSession, rows: Sequence[tuple[CommunityRow, str]]) -> None:
    """Write communities with the titles that fresh ones get; parents come before their parts."""
    for part in _slices(rows, SLICE):
        space.run(
            "communities.write_communities",
            {
                "ids": [row.id for row, _ in part],
                "levels": [row.level for row, _ in part],
                "parents": [row.parent_id for row, _ in part],
                "members": [row.member_count for row, _ in part],
                "weights": [row.weight for row, _ in part],
                "inner": [row.inner_weight for row, _ in part],
                "contents": [row.content_hash for row, _ in part],
                "titles": [title for _, title in part],
            },
            prepare=False,
        )


def write_members(space: SpaceSession, nodes: Ids, communities: Ids, weight: NDArray[np.float32]) -> None:
    """Put nodes into communities, in slices of 200,000."""
    if not len(nodes):
        return
    space.run("communities.stage_members")
    for begin in range(0, len(nodes), MEMBER_SLICE):
        part = slice(begin, begin + MEMBER_SLICE)
        rows = np.empty(len(nodes[part]), _STAGED)
        rows["columns"], rows["a"], rows["b"], rows["c"] = 3, 16, 16, 4
        rows["node"], rows["community"], rows["weight"] = nodes[part], communities[part], weight[part]
        with (
            space.connection.cursor() as cursor,
            cursor.copy("COPY staged_member FROM STDIN (FORMAT BINARY)") as copy,
        ):
            copy.write(_HEADER + rows.tobytes() + _TRAILER)
        space.run("communities.write_members", prepare=False)
        space.run("communities.empty_stage")


def drop_members(space: SpaceSession, nodes: Ids) -> None:
    """Take nodes out of their communities."""
    for part in _slices(as_uuids(nodes), SLICE):
        space.run("communities.drop_members", {"nodes": list(part)}, prepare=False)


def drop_communities(space: SpaceSession, ids: Sequence[UUID]) -> None:
    """Remove communities."""
    for part in _slices(ids, SLICE):
        space.run("communities.drop_communities", {"ids": list(part)}, prepare=False)


def write_events(space: SpaceSession, run_id: UUID, events: Sequence[EventRow]) -> None:
    """Write what a run says, while the communities that it speaks of still stand."""
    for part in _slices(events, SLICE):
        space.run(
            "communities.write_events",
            {
                "run": run_id,
                "ids": [new_id() for _ in part],
                "communities": [each.community_id for each in part],
                "changes": [each.change.value for each in part],
                "levels": [each.level for each in part],
                "others": [next(iter(each.other_ids), None) for each in part],
            },
            prepare=False,
        )


def _slices(rows: Sequence[Row], size: int) -> Iterator[Sequence[Row]]:
    for begin in range(0, len(rows), size):
        yield rows[begin : begin + size]


def stream(
    space: SpaceSession, name: str, parameters: Mapping[str, Any] | None = None
) -> Iterator[tuple[Any, ...]]:
    """The rows of a named statement one by one, in binary form: a block is never there twice."""
    text, names = numbered(name)
    scope = {"space_id": space.space_id, "tenant_id": space.tenant_id}
    values = {**(parameters or {}), **scope}
    cursor = psycopg.RawCursor(space.connection)
    return cursor.stream(text, [values[each] for each in names], binary=True)
