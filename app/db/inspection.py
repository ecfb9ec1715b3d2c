"""Logins for psql: one for each inspected space, which reads only that space and changes nothing.

Settings cannot enforce this, because a person can change `app.space_id`. So every table has a second,
restrictive policy that compares rows with the login's name, which only a superuser can change in a session.
"""

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

import psycopg
from psycopg import sql
from sqlalchemy import Connection, text

from app.db.engine import convert_to_conninfo, convert_to_psycopg_url
from app.db.roles import APP, HAS_CITUS_CONDITION, INSPECT_ROLE, MIGRATOR, does_role_exist, run_if_allowed
from app.errors import ConfigurationError
from app.ids import SpaceId

LOGIN_PREFIX = "citegraph_psql_"
"""The prefix of the name of a space's login, which is followed by the space's id in hexadecimal."""
POLICY_NAME = "one_space"
_SPACE_OF_LOGIN = f"(substring(session_user::text from '^{LOGIN_PREFIX}([0-9a-f]{{32}})$'))::uuid"
_LOGIN_PATTERN = rf"^{LOGIN_PREFIX}[0-9a-f]{{32}}$"

_UNPROTECTED_TABLES = """
SELECT c.relname::text, EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid
                                AND a.attname = 'knowledge_space_id' AND NOT a.attisdropped)
FROM pg_class c
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND c.relrowsecurity
  AND NOT EXISTS (SELECT 1 FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = :policy)
ORDER BY c.relname
"""
# PUBLIC may call these by default. Large objects are rows without a wall; advisory locks could block
# migrations and jobs; messages to listeners or into the write-ahead log are writes.
_PUBLIC_FUNCTIONS = r"""
SELECT p.oid::regprocedure::text, p.proname::text LIKE '%advisory%' FROM pg_proc p
WHERE p.pronamespace = 'pg_catalog'::regnamespace
  AND p.proname ~ '^(lo_|loread$|lowrite$|pg_(try_)?advisory_|pg_notify$|pg_logical_emit_message$)'
  AND has_function_privilege('public', p.oid, 'EXECUTE')
ORDER BY 1
"""


_DROP_LEFTOVER_LOGINS = """
DO $$ DECLARE login text; BEGIN
    PERFORM set_config('citus.enable_ddl_propagation', 'off', true);
    FOR login IN SELECT rolname FROM pg_roles WHERE rolname ~ %(pattern)s AND rolvaliduntil < now()
        AND rolname <> ALL (%(present)s::text[])
    LOOP EXECUTE format('DROP ROLE %%I', login); END LOOP;
END $$
"""


@dataclass(frozen=True)
class PsqlLogin:
    """A login that reads one space until it expires."""

    name: str
    password: str
    options: str


def create_missing_policies_for_psql_logins(connection: Connection) -> Iterator[str]:
    """Create the policy that restricts psql logins to one space on each table that lacks it; repeatable.

    Yields each table after its policy is created, so that the caller can commit: creating a policy locks its
    table, and holding many locks at once would block running traffic.
    """
    if not does_role_exist(connection, INSPECT_ROLE):
        return
    for table, has_space in connection.execute(text(_UNPROTECTED_TABLES), {"policy": POLICY_NAME}).all():
        # Tables without a space column show nothing, because the login's name contains no tenant.
        condition = f"knowledge_space_id = {_SPACE_OF_LOGIN}" if has_space else "false"
        if table == "knowledge_space":
            condition = f"id = {_SPACE_OF_LOGIN}"
        statement = (
            f'CREATE POLICY {POLICY_NAME} ON "{table}" AS RESTRICTIVE FOR SELECT TO {INSPECT_ROLE}'
            f" USING ({condition})"
        )
        connection.execute(text(statement.replace(":", r"\:")))
        yield table


def revoke_public_write_functions(connection: Connection) -> None:
    """Revoke functions that write outside of tables from PUBLIC; only a superuser can."""
    for signature, is_advisory_lock in connection.execute(text(_PUBLIC_FUNCTIONS)).all():
        run_if_allowed(connection, f"REVOKE EXECUTE ON FUNCTION pg_catalog.{signature} FROM PUBLIC")
        if is_advisory_lock and does_role_exist(connection, APP) and does_role_exist(connection, MIGRATOR):
            run_if_allowed(
                connection, f"GRANT EXECUTE ON FUNCTION pg_catalog.{signature} TO {APP}, {MIGRATOR}"
            )


def create_psql_login_and_drop_expired(url: str, space_id: SpaceId, *, hours: float) -> PsqlLogin:
    """Create a psql login that can read only this space for `hours`, with a new password each time.

    `url` is the login of `citegraph migrate`. Expired logins are dropped first. Raises ConfigurationError if
    it may not create roles, since no other login can restrict a person to one space.
    """
    login_name, password = f"{LOGIN_PREFIX}{UUID(str(space_id)).hex}", secrets.token_urlsafe(24)
    conninfo = convert_to_conninfo(convert_to_psycopg_url(url))
    try:
        with psycopg.connect(conninfo, connect_timeout=5) as connection:
            _drop_expired_logins(connection)
        # In its own transaction: on Citus nodes it holds locks to its end, and the next commands use other
        # connections.
        with psycopg.connect(conninfo, connect_timeout=5) as connection:
            _drop_expired_logins_on_nodes(connection)
            _create_login(connection, login_name, password, hours)
            _require_policies_for_psql_logins(connection)
    except psycopg.errors.InsufficientPrivilege as error:
        raise ConfigurationError(
            f"The migrating login may not make {login_name} a member of {INSPECT_ROLE}, so no login can be"
            " restricted to"
            " one space. Give CITEGRAPH_MIGRATION_DATABASE_URL a login with CREATEROLE that created or"
            f" administers {INSPECT_ROLE} (GRANT {INSPECT_ROLE} TO … WITH ADMIN OPTION).",
            code="no_psql_login",
        ) from error
    except psycopg.errors.UndefinedObject as error:
        raise ConfigurationError(
            f"There is no role {INSPECT_ROLE}: run `citegraph migrate` with a login that may create roles.",
            code="no_psql_login",
        ) from error
    return PsqlLogin(login_name, password, f"-c app.space_id={space_id}")


def _create_login(
    connection: psycopg.Connection[tuple[object, ...]], login_name: str, password: str, hours: float
) -> None:
    role = sql.Identifier(login_name)
    # Two processes may create the login of the same space at once.
    connection.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [login_name])
    if connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [login_name]).fetchone() is None:
        connection.execute(sql.SQL("CREATE ROLE {} IN ROLE {}").format(role, sql.Identifier(INSPECT_ROLE)))
    # Sent as SCRAM verifier: the password itself would appear in the server's log.
    verifier = connection.pgconn.encrypt_password(
        password.encode(), login_name.encode(), b"scram-sha-256"
    ).decode()
    valid_until_row = connection.execute(
        "SELECT (now() + make_interval(secs => %s))::text", [hours * 3600]
    ).fetchone()
    assert valid_until_row is not None
    connection.execute(
        sql.SQL("ALTER ROLE {} LOGIN CONNECTION LIMIT 5 PASSWORD {} VALID UNTIL {}").format(
            role, sql.Literal(verifier), sql.Literal(valid_until_row[0])
        )
    )
    # Defaults against mistakes; the user can change them. What must hold is enforced by privileges.
    for setting, value in (
        ("default_transaction_read_only", "on"),
        ("statement_timeout", "60s"),
        ("idle_in_transaction_session_timeout", "60s"),
    ):
        connection.execute(
            sql.SQL("ALTER ROLE {} SET {} = {}").format(role, sql.SQL(setting), sql.Literal(value))
        )


def _drop_expired_logins(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    expired_logins = connection.execute(
        "SELECT rolname::text FROM pg_roles WHERE rolname ~ %s AND rolvaliduntil < now()", [_LOGIN_PATTERN]
    ).fetchall()
    for (name,) in expired_logins:
        connection.execute(sql.SQL("DROP ROLE IF EXISTS {}").format(sql.Identifier(str(name))))


def _drop_expired_logins_on_nodes(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    """Drop expired logins that exist only on nodes of a cluster.

    Citus drops a role on its nodes only from the database that created it, and only on reachable nodes.
    `citegraph doctor` reports such logins that are still valid.
    """
    if connection.execute(f"SELECT {HAS_CITUS_CONDITION}".encode()).fetchone() != (True,):
        return
    login_rows = connection.execute(
        "SELECT rolname::text FROM pg_roles WHERE rolname ~ %s", [_LOGIN_PATTERN]
    ).fetchall()
    cursor = psycopg.ClientCursor(connection)
    drop_block = cursor.mogrify(
        _DROP_LEFTOVER_LOGINS, {"pattern": _LOGIN_PATTERN, "present": [name for (name,) in login_rows]}
    )
    connection.execute("SELECT success FROM run_command_on_workers(%s)", [drop_block]).fetchall()


def _require_policies_for_psql_logins(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    """Raise ConfigurationError if a table lacks the policy that restricts logins to one space."""
    unpoliced_row = connection.execute(
        "SELECT min(c.relname)::text FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND"
        " c.relrowsecurity AND NOT EXISTS (SELECT 1 FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname"
        " = %s)",
        [POLICY_NAME],
    ).fetchone()
    if unpoliced_row is not None and unpoliced_row[0] is not None:
        raise ConfigurationError(
            f"The table {unpoliced_row[0]} does not restrict {INSPECT_ROLE} to one space yet:"
            " run `citegraph migrate`.",
            code="no_psql_login",
        )
