"""Checks of a new connection: its login, and whether it goes through a pooler."""

from collections.abc import Sequence
from typing import Any

import psycopg

from app.db.roles import APP, HAS_CITUS_CONDITION
from app.errors import ConfigurationError
from app.settings import Settings

PRIVILEGED_LOGIN = "privileged_login"
"""The code of the error if the login may bypass row security."""
_LOGIN = (
    "SELECT session_user::text, (SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = session_user),"  # noqa: S608
    f" pg_backend_pid(), {HAS_CITUS_CONDITION}"
)
_SETTINGS_ARE_PROPAGATED = """
SELECT current_setting('citus.propagate_set_commands', true) <> 'local'
    AND EXISTS (SELECT FROM pg_dist_partition)
"""
"""Whether a transaction's settings of this login would not reach the nodes of a cluster."""


def check_login_and_detect_cluster(
    driver_connection: psycopg.Connection[Any], begin_statements: Sequence[str], settings: Settings
) -> bool:
    """Try the commands that begin each transaction, check the login, and return whether the database is part
    of a Citus cluster.

    Prepared statements are switched off behind a pooler, which may send the next transaction to a server
    connection that does not have them; and on a cluster, whose plans need the space. Raises
    ConfigurationError.
    """
    role = settings.database_role
    try:
        driver_connection.execute("; ".join(begin_statements).encode())
        row = driver_connection.execute(_LOGIN).fetchone()
        is_cut_off = (
            row is not None
            and row[3]
            and driver_connection.execute(_SETTINGS_ARE_PROPAGATED).fetchone() == (True,)
        )
        driver_connection.execute("ROLLBACK")
    except (psycopg.errors.InvalidParameterValue, psycopg.errors.InsufficientPrivilege) as error:
        raise ConfigurationError(
            f"The database has no role {role!r} that this login may act as: run `citegraph migrate` first, "
            "or, where the host forbids roles, set CITEGRAPH_DATABASE_ROLE to nothing and read "
            "docs/isolation.md."
        ) from error
    assert row is not None
    login, is_privileged, pid, is_clustered = row
    if is_privileged and not settings.allow_privileged_login:
        raise ConfigurationError(
            f"The database login {login} may bypass row security. Log in as {APP} (CITEGRAPH_APP_PASSWORD"
            " gives it a password), or set CITEGRAPH_ALLOW_PRIVILEGED_LOGIN=true where the host has no other"
            " login.",
            code=PRIVILEGED_LOGIN,
        )
    uses_pooler = settings.pooler == "transaction" or (
        settings.pooler == "auto" and pid != driver_connection.info.backend_pid
    )
    if is_cut_off and is_privileged and not uses_pooler:
        # The login that migrates, for upkeep. A session of its own keeps the setting.
        driver_connection.execute("SET citus.propagate_set_commands = 'local'; COMMIT")
    elif is_cut_off:
        # Row security would show it no row there, and no error.
        raise ConfigurationError(
            f"The workers of the cluster would not hear from the database login {login} which space is open."
            f" Log in as {APP}, for whom `citegraph distribute` sets citus.propagate_set_commands."
        )
    if uses_pooler or is_clustered:
        driver_connection.prepare_threshold = None
    return bool(is_clustered)


def is_pooled(driver_connection: psycopg.Connection[Any]) -> bool:
    """Return whether the connection goes through a pooler.

    A pooler reports an invented process id for the connection.
    """
    row = driver_connection.execute("SELECT pg_backend_pid()").fetchone()
    return row is not None and row[0] != driver_connection.info.backend_pid


def refuse_pooled_connection(driver_connection: psycopg.Connection[Any], pooler: str) -> None:
    """Refuse a pooler for work that holds a lock and a role across transactions.

    Raises ConfigurationError, unless the setting `pooler` says that each client has a connection of its own.
    """
    if pooler != "session" and is_pooled(driver_connection):
        raise ConfigurationError(
            "This address leads through a connection pooler; migrations and maintenance need a connection to "
            "themselves. Give CITEGRAPH_MIGRATION_DATABASE_URL the server's own address, or set "
            "CITEGRAPH_POOLER=session if the pooler is in session mode.",
            code="pooled_migration",
        )
