"""Connection pools to the nodes of a Citus cluster, for sessions that only read: see `shard_tables`."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID
from weakref import WeakSet

import psycopg
import structlog
from sqlalchemy import Engine, event

from app.db.engine import convert_to_psycopg_url, create_app_engine
from app.db.errors import describe_error
from app.db.node_watch import shut_down_socket
from app.db.shard_tables import Node, ShardTables
from app.errors import ConfigurationError
from app.settings import Settings

log = structlog.get_logger(__name__)

SUSPENDED_SECONDS = 30.0
"""Seconds for which reads of a Citus node that failed go through the coordinator."""
_MAX_SPACES = 10_000


@dataclass(eq=False, slots=True)
class _Pool:
    engine: Engine
    connections: "WeakSet[psycopg.Connection[Any]]" = field(default_factory=WeakSet)

    def add_connection(self, connection: "psycopg.Connection[Any]", _entry: object) -> None:
        self.connections.add(connection)


class NodePools:
    """Connection pools of this process to the Citus nodes, created on first use, with the coordinator's
    login.

    A node that refuses the connection is suspended for a while; reads then go through the coordinator.
    """

    def __init__(self, coordinator_url: str, settings: Settings) -> None:
        url = convert_to_psycopg_url(coordinator_url)
        self._url = url.difference_update_query(["host", "hostaddr", "port"])
        self._settings = settings
        self._lock = threading.Lock()
        self._pools: dict[Node, _Pool] = {}
        self._suspended_until: dict[int, float] = {}
        self._tables: OrderedDict[UUID, ShardTables] = OrderedDict()

    def get_cached_or_located_shard_tables(
        self, space_id: UUID, locate_tables: Callable[[], ShardTables | None]
    ) -> ShardTables | None:
        """Return the cached location of the space's content, or ask `locate_tables`; None if unknown."""
        with self._lock:
            tables = self._tables.get(space_id)
        if tables is None and (tables := locate_tables()) is not None:
            with self._lock:
                self._tables[space_id] = tables
                while len(self._tables) > _MAX_SPACES:
                    self._tables.popitem(last=False)
        return tables

    def forget_shard_tables(self, space_id: UUID) -> None:
        """Drop the cached location of a space that has moved."""
        with self._lock:
            self._tables.pop(space_id, None)

    def get_engine(self, node: Node) -> Engine | None:
        """Return the pool of the node; None while it is suspended, or if `read_at_workers` is off."""
        with self._lock:
            if (
                not self._settings.read_at_workers
                or self._suspended_until.get(node.group, 0) > time.monotonic()
            ):
                return None
            if node not in self._pools:
                self._pools[node] = _Pool(self._create_engine(node))
                event.listen(self._pools[node].engine, "connect", self._pools[node].add_connection)
            return self._pools[node].engine

    def _create_engine(self, node: Node) -> Engine:
        url = self._url.set(host=node.host, port=node.port).render_as_string(hide_password=False)
        return create_app_engine(url, self._settings, is_node=True)

    def suspend_node(self, node: Node, error: Exception) -> None:
        """Suspend the node for a while, after this error."""
        self._suspend_and_remove_pools({node.group})
        cause = {"cause": error.code} if isinstance(error, ConfigurationError) else describe_error(error)
        log.warning("worker_not_read", worker=f"{node.host}:{node.port}", **cause)

    def suspend_silent_nodes(self, groups: Collection[int]) -> None:
        """Suspend these silent nodes for a while, and end connections that wait for one."""
        for pool in self._suspend_and_remove_pools(groups):
            for connection in list(pool.connections):
                shut_down_socket(connection)

    def _suspend_and_remove_pools(self, groups: Collection[int]) -> list[_Pool]:
        """Remove their pools, close the idle connections, and return the pools."""
        with self._lock:
            suspended_until = time.monotonic() + SUSPENDED_SECONDS
            self._suspended_until |= dict.fromkeys(groups, suspended_until)
            nodes = [node for node in self._pools if node.group in groups]
            pools = [self._pools.pop(node) for node in nodes]
        for pool in pools:
            pool.engine.dispose()
        return pools

    def dispose(self) -> None:
        """Close the idle connections."""
        with self._lock:
            pools = list(self._pools.values())
        for pool in pools:
            pool.engine.dispose()
