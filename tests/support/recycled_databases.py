"""Copies of the template that serve one test after another, while nothing but rows changes in them.

A copy costs 0.12 s of processor, and a new connection as much again until it has read of the catalogue what
the application's statements need. Where rows are all that a test changed, deleting them makes the copy what
it was. What else a database is, is compared with what it was at first: one that differs is thrown away.
"""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import psycopg
from sqlalchemy import URL, Engine
from sqlalchemy.pool import PoolProxiedConnection, QueuePool

from app.db.engine import CLUSTERED_KEY, convert_to_conninfo, create_app_engine
from app.settings import Settings
from tests.support.citus import nodes_of
from tests.support.database_copies import copy_database, drop_database

_CATALOGUES = """
    pg_class pg_attribute pg_attrdef pg_constraint pg_index pg_inherits pg_trigger pg_policy pg_proc pg_type
    pg_rewrite pg_extension pg_default_acl pg_event_trigger pg_statistic pg_statistic_ext pg_publication
    pg_publication_rel pg_largeobject_metadata pg_enum pg_description
""".split()  # noqa: SIM905
_PARTS = [
    *_CATALOGUES,
    # Where a session made its first temporary table, the schema for it stays.
    "pg_namespace WHERE nspname !~ '^pg_(toast_)?temp_'",
    "pg_database WHERE datname = current_database()",
    "pg_db_role_setting WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())",
]
# Every change of a catalogue is a new version of a row, but for the sizes that VACUUM and ANALYZE write into
# the one that is there. A plan, too, may not depend on the test before.
_SCHEMA = (
    "SELECT 0, sum(relpages), sum(reltuples)::bigint FROM pg_class WHERE relkind IN ('r', 'i')"
    + "".join(
        f" UNION ALL SELECT {number}, count(*), coalesce(max(xmin::text::bigint), 0) FROM {part}"
        for number, part in enumerate(_PARTS, 1)
    )
)
# What a cluster keeps of its tables' places; a move changes it.
_PLACES = ["pg_dist_node", "pg_dist_partition", "pg_dist_shard", "pg_dist_placement", "pg_dist_colocation"]
_WRITTEN = """
    SELECT oid::regclass::text, pg_relation_size(oid) FROM pg_class
    WHERE relkind = 'r' AND relpersistence <> 't' AND pg_relation_size(oid) > 0
        AND relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
"""
_MOST_BYTES = 4 << 20
"""Of all tables: deleted rows stay, and are passed by, until a vacuum."""
# A cluster's nodes talk to one another over connections of theirs; a transaction there ends with that of the
# coordinator.
_END_CLIENTS = """
    SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
    WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> ALL (%s)
        AND application_name NOT LIKE 'citus%%'
"""
_PREPARED = "SELECT count(*) FROM pg_prepared_xacts WHERE database = current_database()"


@dataclass
class NodeCopy:
    """One copy on one server, with a superuser's connection that stays."""

    admin: psycopg.Connection[Any]
    is_clustered: bool = False
    schema: list[Any] = field(default_factory=list)
    seed: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.is_clustered:
            # Shards are tables as any other.
            self.admin.execute("SET citus.override_table_visibility = off")
            self.admin.execute("SET citus.enable_manual_changes_to_shards = on")
        self.schema = self._schema()
        self.seed = {table: self._rows(table) for table, _ in self._written()}

    def end_others(self, kept: Sequence[int]) -> None:
        """End all connections of clients but its own and those of these server processes."""
        self.admin.execute(_END_CLIENTS, [[self.admin.info.backend_pid, *kept]])

    def clear(self) -> bool:
        """Remove all rows; return whether all is as at first."""
        written = self._written()
        if sum(size for _, size in written) > _MOST_BYTES:
            return False
        if self.admin.execute(_PREPARED).fetchone() != (0,):
            # What a cluster has still to commit would come later.
            return False
        # TRUNCATE would take what refers to these tables along: as many files anew as a copy has.
        deletions = "; ".join(f"DELETE FROM {table}" for table, _ in written if table not in self.seed)
        # As a replica: no trigger, and no order of the tables.
        begin = "BEGIN; SET LOCAL session_replication_role = replica"
        self.admin.execute(f"{begin}; {deletions}; COMMIT".encode())
        unchanged = all(self._rows(table) == rows for table, rows in self.seed.items())
        return unchanged and self._schema() == self.schema

    def _schema(self) -> list[Any]:
        query = _SCHEMA
        if self.is_clustered:
            places = (
                f" UNION ALL SELECT -1, count(*), max(xmin::text::bigint) FROM {part}" for part in _PLACES
            )
            query += "".join(places)
        return self.admin.execute(query.encode()).fetchall()

    def _written(self) -> list[Any]:
        return self.admin.execute(_WRITTEN).fetchall()

    def _rows(self, table: str) -> Any:
        return self.admin.execute(
            f"SELECT count(*), max(xmin::text::bigint) FROM {table}".encode()
        ).fetchone()


@dataclass
class RecycledDatabase:
    """One copy, of a cluster on every node, and the application's connections that stay."""

    url: URL
    nodes: Sequence[NodeCopy]
    engines: dict[str, Engine] = field(default_factory=dict)

    def engine(self, url: str, settings: Settings) -> Engine:
        """The pool of connections under that address and these settings; `rest` it after use."""
        key = url + settings.model_dump_json(exclude={"home"})
        if key not in self.engines:
            self.engines[key] = create_app_engine(url, settings)
        return self.engines[key]

    def rest(self, engine: Engine) -> None:
        """Have the pool's connections forget all but what they read of the catalogue."""
        pool = engine.pool
        assert isinstance(pool, QueuePool)
        if pool.checkedout():
            # Somebody forgot them; they are ended with the test's other connections.
            engine.dispose()
            return
        with _all_idle(engine) as connections:
            for connection in connections:
                # psycopg does not notice each time that what it prepared is gone.
                _raw(connection)._prepared.clear()
                _raw(connection).execute("DISCARD ALL")
                for note in connection.info.keys() - {CLUSTERED_KEY}:
                    del connection.info[note]

    def clear(self) -> bool:
        """End all connections but those that stay, and remove all rows; return whether all is as at first.

        Not so where the server ended the connections that stay.
        """
        try:
            # The coordinator first: nothing is sent to workers any more.
            for node in self.nodes:
                node.end_others(self._pids() if node is self.nodes[0] else [])
            return all(node.clear() for node in self.nodes)
        except psycopg.Error:
            return False

    def close(self) -> None:
        """Give the connections up."""
        for engine in self.engines.values():
            engine.dispose()
        for node in self.nodes:
            node.admin.close()

    def _pids(self) -> list[int]:
        """The server's processes of the application's connections that stay."""
        pids: list[int] = []
        for engine in self.engines.values():
            with _all_idle(engine) as connections:
                pids += [_raw(connection).info.backend_pid for connection in connections]
        return pids


@contextmanager
def _all_idle(engine: Engine) -> Iterator[list[PoolProxiedConnection]]:
    """The connections of the pool that nobody uses."""
    assert isinstance(engine.pool, QueuePool)
    connections = [engine.raw_connection() for _ in range(engine.pool.checkedin())]
    yield connections
    for connection in connections:
        connection.close()


def _raw(connection: PoolProxiedConnection) -> psycopg.Connection[Any]:
    raw = connection.driver_connection
    assert isinstance(raw, psycopg.Connection)
    return raw


class RecycledDatabases:
    """The copies of one test process."""

    def __init__(self, admin_url: URL, template: str) -> None:
        self._admin_url = admin_url
        self._template = template
        self._idle: list[RecycledDatabase] = []
        self._lent: dict[str, RecycledDatabase] = {}

    @contextmanager
    def lent(self) -> Iterator[URL]:
        """A superuser's address of a copy in which nobody was, or none whose traces are left."""
        copy = self._idle.pop() if self._idle else self._new()
        name = str(copy.url.database)
        self._lent[name] = copy
        yield copy.url
        del self._lent[name]
        if copy.clear():
            self._idle.append(copy)
        else:
            self._discard(copy)

    def lent_as(self, name: str | None) -> RecycledDatabase | None:
        """The copy of that name, while it is lent; None for a database that is no such copy."""
        return self._lent.get(name or "")

    def close(self) -> None:
        """Remove the copies."""
        for copy in self._idle:
            self._discard(copy)

    def _new(self) -> RecycledDatabase:
        name = f"citegraph_test_{secrets.token_hex(6)}"
        copy_database(self._admin_url, name, template=self._template)
        url = self._admin_url.set(database=name)
        nodes = [convert_to_conninfo(node) for node in nodes_of(url)]
        return RecycledDatabase(
            url,
            [NodeCopy(psycopg.connect(node, autocommit=True), is_clustered=len(nodes) > 1) for node in nodes],
        )

    def _discard(self, copy: RecycledDatabase) -> None:
        copy.close()
        drop_database(self._admin_url, str(copy.url.database))
