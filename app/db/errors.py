"""Database errors as both layers raise them: SQLAlchemy's, and psycopg's own from named SQL, which are not
wrapped.
"""

import psycopg
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

# For `except`: everything that the database or its connection pool may raise.
DATABASE_ERRORS = (psycopg.Error, DBAPIError, PoolTimeout)

# Conflicts: deadlock, serialisation failure, time-out of statement, lock or transaction.
_RETRYABLE_STATES = frozenset({"40P01", "40001", "57014", "55P03", "25P03", "25P04"})
# Out of connections, disk, memory or temporary files; connection lost, server shutting down, disk failed.
_BUSY_STATE_PREFIXES, _LOST_CONNECTION_PREFIXES = ("53",), ("08", "57P", "58")
# States by which a cluster's coordinator reports an unreachable node.
_UNREACHABLE_STATES = frozenset({"08000", "08001", "08003", "08006"})

# Room for the failures of both addresses of a host name.
_MAX_CAUSE_LENGTH = 500


def get_sqlstate(error: Exception) -> str | None:
    """Return the error's SQLSTATE; None if the server never answered."""
    return getattr(_get_cause(error), "sqlstate", None)


def is_busy(error: Exception) -> bool:
    """Return whether the server or the pool lacked resources or time: a retry may soon succeed."""
    state = get_sqlstate(error)
    return isinstance(error, PoolTimeout) or (
        state is not None and (state in _RETRYABLE_STATES or state.startswith(_BUSY_STATE_PREFIXES))
    )


def is_unreachable(error: Exception) -> bool:
    """Return whether the server could not be reached, or the connection was lost."""
    state = get_sqlstate(error)
    if state is None:
        return isinstance(_get_cause(error), psycopg.OperationalError | psycopg.InterfaceError)
    return state.startswith(_LOST_CONNECTION_PREFIXES)


def is_cluster_node_unreachable(error: Exception) -> bool:
    """Return whether the server reported that a node of its cluster cannot be reached.

    An unreachable server itself sends no SQLSTATE.
    """
    return get_sqlstate(error) in _UNREACHABLE_STATES


def is_replay_conflict(error: Exception) -> bool:
    """Return whether a replica cancelled a statement that blocked its replay: a retry may succeed."""
    return get_sqlstate(error) in ("40001", "40P01")


def is_statement_timeout(error: Exception) -> bool:
    """Return whether the statement exceeded its time limit."""
    return get_sqlstate(error) == "57014"


def is_foreign_key_violation(error: Exception) -> bool:
    """Return whether the row that a foreign key refers to was deleted meanwhile."""
    return get_sqlstate(error) == "23503"


def describe_error(error: Exception) -> dict[str, str | None]:
    """Return the error's SQLSTATE and cause for the log, without values of a statement."""
    state, cause = get_sqlstate(error), _get_cause(error)
    if isinstance(error, PoolTimeout):
        return {"sqlstate": None, "cause": "no connection of the pool was free"}
    if state is None and isinstance(cause, psycopg.OperationalError):
        # A connection error, whose text contains no content.
        # Indented lines are questions of the library, such as whether the server is running.
        lines = [line for line in str(cause).splitlines() if not line.startswith("\t")]
        return {"sqlstate": None, "cause": " ".join(" ".join(lines).split())[:_MAX_CAUSE_LENGTH]}
    return {"sqlstate": state, "cause": type(cause or error).__name__}


def _get_cause(error: Exception) -> BaseException | None:
    return error.orig if isinstance(error, DBAPIError) else error
