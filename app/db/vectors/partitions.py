"""Create the partitions of large spaces after their pattern, and drop them, with the login that migrates.

Only the doctor, psql and dumps use the partitioned tables themselves: locking those for a moment blocks no
question.
"""

import re
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple
from uuid import UUID

import psycopg
from psycopg import sql
from sqlalchemy import Engine, text

from app.db.sql import load_statement
from app.db.vectors.tables import KEYS, build_partition_name

LOCK_SECONDS, MAX_LOCK_ATTEMPTS = 2, 8
"""Seconds that creating or dropping a partition waits for a lock, and the number of attempts."""
_PARTITION_NAME_PATTERN = re.compile(r"(chunk_vector|node_vector|fact_vector)_([0-9a-f]{32})")
_PARTITION_QUERY = (
    "SELECT relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relispartition"
)

Owner = psycopg.Connection[Any]


def get_partitioned_table_name(table: str) -> str:
    """Return the name of the partitioned table that belongs to a shared one."""
    return f"dedicated_{table}"


def get_template_partition_name(table: str) -> str:
    """Return the name of the partition that is the pattern of all others."""
    return f"dedicated_{table}_default"


class SpacePartition(NamedTuple):
    """A partition's shared table and its space."""

    shared_table: str
    space_id: UUID


def parse_partition(name: str) -> SpacePartition | None:
    """Return the shared table and the space of the partition of this name; None for any other name."""
    match = _PARTITION_NAME_PATTERN.fullmatch(name)
    return SpacePartition(match[1], UUID(match[2])) if match else None


def is_partition(name: str) -> bool:
    """Return whether the name is that of a partition of a space or of the pattern."""
    return parse_partition(name) is not None or name in map(get_template_partition_name, KEYS)


def read_partitions(engine: Engine) -> Mapping[UUID, frozenset[str]]:
    """Return the shared tables for which each space has a partition."""
    with engine.connect() as connection:
        partition_names = connection.execute(text(_PARTITION_QUERY)).scalars().all()
    tables_by_space: dict[UUID, frozenset[str]] = {}
    for table_and_space in map(parse_partition, partition_names):
        if table_and_space is not None:
            table, space_id = table_and_space
            tables_by_space[space_id] = tables_by_space.get(space_id, frozenset()) | {table}
    return tables_by_space


def create_missing_partitions(connection: Owner, space_id: UUID) -> None:
    """Create the missing partitions of the space, each with the walls of its pattern."""
    _retry_change_until_lock_is_acquired(connection, lambda: _create_partitions(connection, space_id))


def drop_partitions(connection: Owner, space_id: UUID) -> None:
    """Drop the space's partitions with their rows."""

    def drop_all() -> None:
        for table in KEYS:
            partition = sql.Identifier(build_partition_name(table, space_id))
            connection.execute(sql.SQL("DROP TABLE IF EXISTS public.{}").format(partition))

    _retry_change_until_lock_is_acquired(connection, drop_all)


def analyse_partitions(connection: Owner, space_id: UUID) -> None:
    """Analyze the partitions, since the planner would not know their row counts for a minute."""
    for table in KEYS:
        partition = sql.Identifier(build_partition_name(table, space_id))
        connection.execute(sql.SQL("ANALYZE public.{}").format(partition))


def _retry_change_until_lock_is_acquired(connection: Owner, change_partitions: Callable[[], None]) -> None:
    """Take the step in a transaction that waits only briefly for a lock; retry if it got none."""
    for attempt in range(1, MAX_LOCK_ATTEMPTS + 1):
        try:
            with connection.transaction():
                connection.execute(f"SET LOCAL lock_timeout = '{LOCK_SECONDS}s'")
                change_partitions()
            return
        except (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected):
            if attempt == MAX_LOCK_ATTEMPTS:
                raise
        time.sleep(0.2 * attempt)


def _create_partitions(connection: Owner, space_id: UUID) -> None:
    for table in KEYS:
        partition_name, pattern_name = (
            build_partition_name(table, space_id),
            get_template_partition_name(table),
        )
        if connection.execute("SELECT to_regclass(%s)", [f"public.{partition_name}"]).fetchone() != (None,):
            continue
        partition = sql.Identifier("public", partition_name)
        pattern_table = sql.Identifier("public", pattern_name)
        connection.execute(
            sql.SQL("CREATE TABLE {} (LIKE {} INCLUDING ALL)").format(partition, pattern_table)
        )
        for command in _build_statements_copying_walls_of_pattern(connection, pattern_name, partition_name):
            connection.execute(command)
        connection.execute(
            sql.SQL("ALTER TABLE {} ATTACH PARTITION {} FOR VALUES IN ({})").format(
                sql.Identifier("public", get_partitioned_table_name(table)),
                partition,
                sql.Literal(str(space_id)),
            )
        )


def _build_statements_copying_walls_of_pattern(
    connection: Owner, pattern_name: str, partition_name: str
) -> Iterator[sql.Composed]:
    """Return statements that give a table its pattern's owner, rights, policies, triggers and options."""
    parameters = {"pattern": f"public.{pattern_name}"}
    for property_kind, grantee, printed_definition in connection.execute(
        load_statement("db.list_partition_statements").encode(), parameters
    ).fetchall():
        partition = sql.Identifier("public", partition_name)
        # The definition printed by the catalogue, with the pattern's name replaced.
        definition = sql.SQL(printed_definition.replace(pattern_name, partition_name))
        match property_kind:
            case "grant":
                yield sql.SQL("GRANT {} ON {} TO {}").format(definition, partition, sql.Identifier(grantee))
            case "policy" | "trigger" | "comment":
                yield sql.Composed([definition])
            case _:
                yield sql.SQL("ALTER TABLE {} {}").format(partition, definition)
