"""The size of the database and its slow statements, from Postgres' statistics; no table is read."""

from dataclasses import dataclass
from datetime import datetime

import psycopg

from app.db.scaling.nodes import ClusterNode, read_nodes
from app.db.session import PlatformSession

MAX_STATEMENT_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class DatabaseSize:
    """The size of the database in bytes, and its connections."""

    bytes: int
    connections: int
    max_connections: int
    version: str


@dataclass(frozen=True, slots=True)
class TableSize:
    """One table on disk; `rows` as of the last ANALYZE, `bytes` with its indexes and long values."""

    name: str
    rows: int
    bytes: int
    index_bytes: int
    dead_rows: int
    analysed_at: datetime | None
    vacuumed_at: datetime | None


@dataclass(frozen=True, slots=True)
class SlowStatement:
    """A statement without its values, and its times in milliseconds."""

    text: str
    calls: int
    total_ms: float
    mean_ms: float
    max_ms: float
    rows: int


def read_database_size(platform: PlatformSession) -> DatabaseSize:
    """Return the database's current size and connections."""
    return DatabaseSize(*platform.run("db.read_database_size", should_prepare=False)[0])


def list_cluster_nodes(platform: PlatformSession) -> list[ClusterNode]:
    """Return the nodes of a Citus cluster without the number of spaces on each; [] on a single machine."""
    return read_nodes(platform.connection) if platform.is_clustered else []


def list_table_sizes(platform: PlatformSession, *, limit: int = 60) -> list[TableSize]:
    """Return the largest tables, in descending order of size."""
    return [
        TableSize(*row) for row in platform.run("db.list_table_sizes", {"limit": limit}, should_prepare=False)
    ]


def list_slowest_statements(platform: PlatformSession, *, limit: int = 15) -> list[SlowStatement] | None:
    """Return the statements with the greatest total time; None if they are not recorded or not readable."""
    try:
        with platform.limit_statement_time_in_block(MAX_STATEMENT_SECONDS):
            rows = platform.run("db.list_slowest_statements", {"limit": limit}, should_prepare=False)
    except (
        psycopg.errors.UndefinedTable,
        psycopg.errors.UndefinedColumn,
        psycopg.errors.ObjectNotInPrerequisiteState,
        psycopg.errors.InsufficientPrivilege,
    ):
        return None
    return [SlowStatement(*row) for row in rows]
