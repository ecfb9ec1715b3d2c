"""Plan the steps that give large spaces indexed partitions of their own for their vectors. Pure."""

import enum
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from app.db.vectors.indexes import VectorIndex, build_index_name
from app.db.vectors.tables import KEYS, SEARCHED_TABLES, build_partition_name
from app.ids import SpaceId, TenantId

Partitions = Mapping[UUID, frozenset[str]]
"""By space, the shared tables for which it has a partition."""


@dataclass(frozen=True, slots=True)
class SpaceVectors:
    """One space's vectors: `count_by_table` of its current set, by shared table, counted up to one past the
    threshold.

    `is_dedicated` says that they are in its own partitions, `is_partly_shared` that some are still in the
    shared tables, `is_closed` that the space was deleted and is being emptied.
    """

    tenant_id: TenantId
    space_id: SpaceId
    vector_set: int
    dimensions: int
    is_dedicated: bool
    count_by_table: Mapping[str, int]
    is_partly_shared: bool = False
    is_closed: bool = False


class Act(enum.StrEnum):
    """The kinds of steps, as shown to people."""

    MAKE_INDEX = "make"
    DROP_INDEX = "drop"
    MOVE = "move to own partitions the vectors of space"
    MOVE_BACK = "move back to the shared tables the vectors of space"
    CLEAR = "remove from the shared tables the vectors of space"
    DROP_PARTITIONS = "drop the partitions of space"


@dataclass(frozen=True, slots=True)
class Step:
    """One step on the index or the space of that name; `reason` is a clause for people."""

    act: Act
    name: str
    reason: str
    space: SpaceVectors | None = None
    table: str = ""

    def __str__(self) -> str:
        return f"{self.act} {self.name}: {self.reason}"


def plan_steps(
    spaces: Sequence[SpaceVectors],
    partitions: Partitions,
    indexes: Sequence[VectorIndex],
    *,
    threshold: int,
) -> list[Step]:
    """Return the steps that give spaces with over `threshold` vectors of a kind partitions with indexes, move
    small spaces back, and drop leftovers.

    A space moves back when it has fewer than half of the threshold of each kind: no space moves to and fro.
    """
    steps = [
        step
        for space in spaces
        for step in _plan_moves(space, partitions.get(UUID(str(space.space_id)), frozenset()), threshold)
    ]
    known_space_ids = {UUID(str(space.space_id)) for space in spaces}
    for space_id in sorted(set(partitions) - known_space_ids):
        steps.append(Step(Act.DROP_PARTITIONS, str(space_id), "it is gone"))
    return steps + list(_plan_indexes(spaces, partitions, indexes, threshold))


def needs_own_partitions(space: SpaceVectors, threshold: int) -> bool:
    """Return whether the space should have partitions of its own."""
    return any(count > threshold for count in space.count_by_table.values())


def _is_small(space: SpaceVectors, threshold: int) -> bool:
    return all(count * 2 < threshold for count in space.count_by_table.values())


def _plan_moves(space: SpaceVectors, tables_with_partition: frozenset[str], threshold: int) -> Iterator[Step]:
    name = str(space.space_id)
    if space.is_closed:
        if tables_with_partition:
            yield Step(Act.DROP_PARTITIONS, name, "it was deleted", space)
    elif not space.is_dedicated:
        if needs_own_partitions(space, threshold):
            yield Step(Act.MOVE, name, f"it has more than {threshold:,} of a kind", space)
        elif tables_with_partition:
            yield Step(Act.DROP_PARTITIONS, name, "a move was broken off, and it is small", space)
    elif len(tables_with_partition) < len(KEYS):
        missing_names = ", ".join(
            build_partition_name(table, space.space_id)
            for table in KEYS
            if table not in tables_with_partition
        )
        yield Step(
            Act.MOVE, name, f"{missing_names} is missing; what was in it has to be embedded again", space
        )
    elif _is_small(space, threshold):
        yield Step(Act.MOVE_BACK, name, "it has become small", space)
    elif space.is_partly_shared:
        yield Step(Act.CLEAR, name, "a move left them there", space)


def _plan_indexes(
    spaces: Sequence[SpaceVectors], partitions: Partitions, indexes: Sequence[VectorIndex], threshold: int
) -> Iterator[Step]:
    table_by_index_name: dict[str, tuple[SpaceVectors, str]] = {}
    partitioned_space_ids = set()
    for space in spaces:
        if space.is_dedicated and not space.is_closed:
            partitioned_space_ids.add(UUID(str(space.space_id)))
        for table in SEARCHED_TABLES:
            name = build_index_name(table, space.space_id, space.vector_set, is_dedicated=space.is_dedicated)
            table_by_index_name[name] = (space, table)
    usable_index_names = set()
    for index in indexes:
        partition_match = re.search(r"_([0-9a-f]{32})_hnsw_", index.name)
        if partition_match and UUID(partition_match[1]) not in partitioned_space_ids:
            # The index of a partition that is being filled or dropped belongs to that step.
            continue
        owner_space, owner_table = table_by_index_name.get(index.name, (None, ""))
        if owner_space is None or owner_space.count_by_table[owner_table] * 2 < threshold:
            reason = "its space is gone, has moved, has become small or has changed its embedding model"
            yield Step(Act.DROP_INDEX, index.name, reason)
        elif not index.is_usable:
            yield Step(Act.DROP_INDEX, index.name, "its build was broken off")
        elif index.dimensions != owner_space.dimensions:
            yield Step(Act.DROP_INDEX, index.name, "its space has vectors of another length")
        elif not index.can_search_dimensions(owner_space.dimensions):
            reason = "it was built with other care than searches count on"
            yield Step(Act.DROP_INDEX, index.name, reason)
        else:
            usable_index_names.add(index.name)
    for name, (space, table) in table_by_index_name.items():
        is_large_enough = (
            space.is_dedicated and not space.is_closed and space.count_by_table[table] > threshold
        )
        if (
            is_large_enough
            and name not in usable_index_names
            and table in partitions.get(UUID(str(space.space_id)), ())
        ):
            reason = f"its space has more than {threshold:,} rows there"
            yield Step(Act.MAKE_INDEX, name, reason, space, table)
