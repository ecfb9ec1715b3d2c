"""On a Citus cluster, whether row security holds for the application's role on each node.

A connection's check (`connection_checks`) looks at the node to which it leads. What goes through the
coordinator reaches shards as the same role, which may have other rights on their node.
"""

import threading
import time
from collections.abc import Callable, Collection
from math import inf

import structlog
from sqlalchemy import Engine

from app.db.connection_checks import PRIVILEGED_LOGIN
from app.db.errors import DATABASE_ERRORS, describe_error
from app.db.node_watch import connect_apart, query_numbers
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
    """The nodes where the application's role may bypass row security; asked by this process."""

    def __init__(self, ask: Callable[[], frozenset[int]]) -> None:
        """`ask` returns the groups of these nodes, or raises a database error."""
        self._ask = ask
        self._renewal_lock = threading.Lock()
        self._asked_at = -inf
        self._groups: frozenset[int] = frozenset()

    def require_row_security(self, list_groups: Callable[[], Collection[int]]) -> None:
        """Do nothing if the role is bound by row security on the coordinator and on the nodes of a space.

        `list_groups` returns the groups of these nodes; it is called if there is any node where the role is
        not bound. A node that cannot be reached is not asked: it answers no statement either. Raises
        ConfigurationError, or a database error if there has been no answer for too long.
        """
        groups = self.list_refused_groups()
        if groups and not groups.isdisjoint(list_groups()):
            raise _refusal()

    def list_refused_groups(self) -> frozenset[int]:
        """Return the groups of the nodes whose spaces may not be opened.

        Raises ConfigurationError if the role is not bound on the coordinator, and a database error if there
        has been no answer for too long.
        """
        groups = self._get_groups()
        if _COORDINATOR in groups:
            raise _refusal()
        return groups

    def _get_groups(self) -> frozenset[int]:
        age = time.monotonic() - self._asked_at
        oldest_seconds = REFUSING_SECONDS if self._groups else OLDEST_SECONDS
        if age >= oldest_seconds:
            with self._renewal_lock:
                if time.monotonic() - self._asked_at >= oldest_seconds:
                    self._renew()
        elif age >= ASKED_AGAIN_SECONDS and self._renewal_lock.acquire(blocking=False):
            # No request waits for it: a silent node takes a second.
            threading.Thread(target=self._renew_in_background, daemon=True, name="node_logins").start()
        return self._groups

    def _renew(self) -> None:
        self._groups, self._asked_at = self._ask(), time.monotonic()

    def _renew_in_background(self) -> None:
        try:
            self._renew()
        except DATABASE_ERRORS as error:
            log.warning("node_logins_not_asked", **describe_error(error))
        finally:
            self._renewal_lock.release()


def _refusal() -> ConfigurationError:
    return ConfigurationError(
        "On a node of the cluster the application's login may bypass row security: `citegraph doctor`"
        " names the node and the right to take from it.",
        code=PRIVILEGED_LOGIN,
    )


def list_bypassing_groups(engine: Engine) -> frozenset[int]:
    """Return the groups of nodes where the application's role may bypass row security.

    `engine` leads to the coordinator, which is asked in a connection apart: an error would end the
    transaction of the caller. Raises a database error, also if the answer takes too long.
    """
    with connect_apart(engine) as connection:
        return frozenset(group for (group,) in query_numbers(connection, "db.bypassing_nodes", {}))
