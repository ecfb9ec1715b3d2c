"""On a Citus cluster, whether row security holds for the application's role on each node.

A connection's check (`connection_checks`) looks at the node to which it leads. What goes through the
coordinator reaches shards as the same role, which may have other rights on their node.
"""

import threading
import time
from collections.abc import Callable, Collection
from math import inf
from typing import Any

import psycopg
import structlog
from sqlalchemy import Engine

from app.db.connection_checks import PRIVILEGED_LOGIN
from app.db.errors import DATABASE_ERRORS, describe_error
from app.db.node_watch import open_own_connection, read_integer_rows_or_close_connection
from app.errors import ConfigurationError

log = structlog.get_logger(__name__)

ASKED_AGAIN_SECONDS = 30.0
"""Seconds after which the nodes are asked again, in the background."""
OLDEST_SECONDS = 60.0
"""Seconds after which no space is opened without a new answer."""
REFUSING_SECONDS = 1.0
"""The same if the answer refuses a node: a right that was taken back is noticed at once."""
_COORDINATOR = 0


class NodeLogins:
    """The nodes where the application's role may bypass row security; asked by this process.

    A transaction that needs a new answer asks in its own connection. In a second one it would wait for a
    pooler whose connections are all held by transactions that wait for the same answer.
    """

    def __init__(self, fetch_unbound_groups_apart: Callable[[], frozenset[int]]) -> None:
        """`fetch_unbound_groups_apart` is a caller's `fetch_unbound_groups` outside of a transaction."""
        self._fetch_unbound_groups_apart = fetch_unbound_groups_apart
        self._lock = threading.Lock()
        self._background_lock = threading.Lock()
        self._answer: tuple[float, frozenset[int]] = (-inf, frozenset())

    def require_row_security(
        self, fetch_unbound_groups: Callable[[], frozenset[int]], list_groups: Callable[[], Collection[int]]
    ) -> None:
        """Do nothing if the role is bound by row security on the coordinator and on the nodes of a space.

        `fetch_unbound_groups` returns the groups of the nodes where it is not bound, or raises a database
        error; it must not wait for another transaction. `list_groups` returns the groups of the space's
        nodes; it is called if there is any node where the role is not bound. A node that cannot be reached
        is not asked: it answers no statement either. Raises ConfigurationError, or the error of
        `fetch_unbound_groups`.
        """
        groups = self.list_groups_without_row_security(fetch_unbound_groups)
        if groups and not groups.isdisjoint(list_groups()):
            raise _build_refusal()

    def list_groups_without_row_security(
        self, fetch_unbound_groups: Callable[[], frozenset[int]]
    ) -> frozenset[int]:
        """Return the groups of the nodes whose spaces may not be opened.

        Raises ConfigurationError if the role is not bound on the coordinator, or the error of
        `fetch_unbound_groups`.
        """
        groups = self._get_groups_and_renew_outdated_logins(fetch_unbound_groups)
        if _COORDINATOR in groups:
            raise _build_refusal()
        return groups

    def has_answer(self) -> bool:
        """Return whether the nodes have ever been asked."""
        return self._answer[0] > -inf

    def _get_groups_and_renew_outdated_logins(
        self, fetch_unbound_groups: Callable[[], frozenset[int]]
    ) -> frozenset[int]:
        if self._is_outdated():
            with self._lock:
                if self._is_outdated():
                    self._renew_logins(fetch_unbound_groups)
        elif self._compute_age() >= ASKED_AGAIN_SECONDS and self._background_lock.acquire(blocking=False):
            # No request waits for it: a silent node takes a second.
            threading.Thread(target=self._renew_logins_in_background, daemon=True, name="node_logins").start()
        return self._answer[1]

    def _is_outdated(self) -> bool:
        return self._compute_age() >= (REFUSING_SECONDS if self._answer[1] else OLDEST_SECONDS)

    def _compute_age(self) -> float:
        return time.monotonic() - self._answer[0]

    def _renew_logins(self, fetch_unbound_groups: Callable[[], frozenset[int]]) -> None:
        asked_at = time.monotonic()
        self._answer = (asked_at, fetch_unbound_groups())

    def _renew_logins_in_background(self) -> None:
        try:
            self._renew_logins(self._fetch_unbound_groups_apart)
        except DATABASE_ERRORS as error:
            log.warning("node_logins_not_asked", **describe_error(error))
        finally:
            self._background_lock.release()


def _build_refusal() -> ConfigurationError:
    return ConfigurationError(
        "On a node of the cluster the application's login may bypass row security: `citegraph doctor`"
        " names the node and the right to take from it.",
        code=PRIVILEGED_LOGIN,
    )


def list_groups_bypassing_row_security(connection: psycopg.Connection[Any]) -> frozenset[int]:
    """Return the groups of nodes where the application's role may bypass row security.

    `connection` leads to the coordinator and is in no pipeline. Raises a database error, which ends its
    transaction.
    """
    return frozenset(
        group
        for (group,) in read_integer_rows_or_close_connection(
            connection, "db.list_groups_bypassing_row_security", {}
        )
    )


def list_groups_bypassing_row_security_in_own_connection(engine: Engine) -> frozenset[int]:
    """Return the same, asked in a connection of its own to the coordinator, to which `engine` leads."""
    with open_own_connection(engine) as connection:
        return list_groups_bypassing_row_security(connection)
