"""Database errors as problems for a caller (rule A6 of docs/reliability.md). Their text never leaves the
process.
"""

import psycopg
import structlog
from sqlalchemy.exc import SQLAlchemyError

from app.db.errors import get_sqlstate, is_busy, is_cluster_node_unreachable, is_unreachable
from app.errors import CitegraphError, Conflict, InvalidInput, Unavailable

log = structlog.get_logger(__name__)

_BAD_VALUE_SQLSTATES = {"22P02", "22021", "22P05", "22003", "22008", "54000", "54001"}


def translate_database_error(error: SQLAlchemyError | psycopg.Error) -> CitegraphError | None:
    """Return the error to answer with, or None for a server error, which is answered with 500."""
    sqlstate = get_sqlstate(error)
    if sqlstate in _BAD_VALUE_SQLSTATES:
        return InvalidInput("A value cannot be stored.", code="invalid_value")
    if sqlstate == "23505":
        return Conflict("Something of that name or id exists already.")
    if sqlstate == "23503":
        return Conflict("Something that this refers to was deleted.")
    if sqlstate == "42501":
        # Row-level security refused one of our own statements: an operator must look at it (rule A6).
        log.critical("isolation_alert", sqlstate=sqlstate)
        return None
    if sqlstate == "57014":
        return Unavailable("The database took too long to answer this; ask for less.", code="too_slow")
    if is_busy(error):
        return Unavailable("The database is busy; try again.", code="database_busy")
    if is_cluster_node_unreachable(error):
        return Unavailable(
            "The part of the database that holds this cannot be reached.", code="database_unavailable"
        )
    if is_unreachable(error):
        return Unavailable("The database cannot be reached.", code="database_unavailable")
    return None
