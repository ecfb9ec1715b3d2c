"""Database errors as both layers raise them: SQLAlchemy's, and psycopg's own from named SQL, which are not
wrapped.
"""

import psycopg
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

# For `except`: everything that the database or the pool before it may answer with.
DATABASE_ERRORS = (psycopg.Error, DBAPIError, PoolTimeout)

# Lost against somebody else: a deadlock, a serialisation, a time-out of statement, lock or transaction.
_LOST = frozenset({"40P01", "40001", "57014", "55P03", "25P03", "25P04"})
# No room: connections, disk, memory, temporary files; no way: the connection; shutting down; the disk failed.
_BUSY, _GONE = ("53",), ("08", "57P", "58")
# As a cluster's coordinator says of a node.
_UNREACHED = frozenset({"08000", "08001", "08003", "08006"})


def get_sqlstate(error: Exception) -> str | None:
    """The five characters that say what is wrong; None where the server never answered."""
    return getattr(_get_cause(error), "sqlstate", None)


def is_busy(error: Exception) -> bool:
    """Return whether the server or the pool is there but had no room or time: the same may work shortly."""
    state = get_sqlstate(error)
    return isinstance(error, PoolTimeout) or (
        state is not None and (state in _LOST or state.startswith(_BUSY))
    )


def is_gone(error: Exception) -> bool:
    """Return whether the server could not be reached, or went away in the middle."""
    state = get_sqlstate(error)
    if state is None:
        return isinstance(_get_cause(error), psycopg.OperationalError | psycopg.InterfaceError)
    return state.startswith(_GONE)


def is_part_gone(error: Exception) -> bool:
    """Return whether the server answered that another behind it cannot be reached: a node of a cluster, with
    the spaces on it.

    That the server itself was not reached has no state: it could not say so.
    """
    return get_sqlstate(error) in _UNREACHED


def is_conflict(error: Exception) -> bool:
    """Return whether a replica broke off what stood in the way of what it replays: the next may pass."""
    return get_sqlstate(error) in ("40001", "40P01")


def is_too_slow(error: Exception) -> bool:
    """Return whether the statement took longer than it may."""
    return get_sqlstate(error) == "57014"


def is_overtaken(error: Exception) -> bool:
    """Return whether a row that was to be referred to was deleted in between."""
    return get_sqlstate(error) == "23503"


def describe_error(error: Exception) -> dict[str, str | None]:
    """The state and the cause of the error, for a line of the log: no value of a statement is in them."""
    state, cause = get_sqlstate(error), _get_cause(error)
    if isinstance(error, PoolTimeout):
        return {"sqlstate": None, "cause": "no connection of the pool was free"}
    if state is None and isinstance(cause, psycopg.OperationalError):
        # What a connection met: it has said nothing of any content.
        return {"sqlstate": None, "cause": " ".join(str(cause).split())[:200]}
    return {"sqlstate": state, "cause": type(cause or error).__name__}


def _get_cause(error: Exception) -> BaseException | None:
    return error.orig if isinstance(error, DBAPIError) else error
