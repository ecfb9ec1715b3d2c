"""Looking with psql: a login for each space that is looked at, which reads that space and changes nothing.

What a person may set does not count: `app.space_id` is theirs to change. So a second policy on every table,
which can only take rows away, compares with the name of the login, and that nobody but a superuser can change
in a session.
"""

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

import psycopg
from psycopg import sql
from sqlalchemy import Connection, text

from app.db.engine import convert_to_conninfo, convert_to_psycopg_url
from app.db.roles import APP, HAS_CITUS, INSPECT, MIGRATOR, role_exists, run_if_allowed
from app.errors import ConfigurationError
from app.ids import SpaceId

PREFIX = "citegraph_psql_"
"""The prefix of the name of a space's login, which is followed by the space's id in hexadecimal."""
POLICY = "one_space"
_SPACE = f"(substring(session_user::text from '^{PREFIX}([0-9a-f]{{32}})$'))::uuid"
_LOGINS = rf"^{PREFIX}[0-9a-f]{{32}}$"

_UNPOLICED = """
SELECT c.relname::text, EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid
                                AND a.attname = 'knowledge_space_id' AND NOT a.attisdropped)
FROM pg_class c
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND c.relrowsecurity
  AND NOT EXISTS (SELECT 1 FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = :policy)
ORDER BY c.relname
"""
# Everybody may call them by default. Large objects are rows without a wall; a lock of a number that we use
# stops migrations and jobs; a message into the write-ahead log or to listeners is written too.
_OPEN_TO_ALL = r"""
SELECT p.oid::regprocedure::text, p.proname::text LIKE '%advisory%' FROM pg_proc p
WHERE p.pronamespace = 'pg_catalog'::regnamespace
  AND p.proname ~ '^(lo_|loread$|lowrite$|pg_(try_)?advisory_|pg_notify$|pg_logical_emit_message$)'
  AND has_function_privilege('public', p.oid, 'EXECUTE')
ORDER BY 1
"""


_DROP_LEFT_OVER = """
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


def add_inspection_policies(connection: Connection) -> Iterator[str]:
    """Give each table with row security the policy that holds a person with psql to one space; repeatable.

    Yields each table when it has it, for the caller to commit: a policy locks its table, and many locks at
    once would meet running traffic.
    """
    if not role_exists(connection, INSPECT):
        return
    for table, has_space in connection.execute(text(_UNPOLICED), {"policy": POLICY}).all():
        # Whose space it is stands in no name: of a tenant's own tables nothing is shown.
        condition = f"knowledge_space_id = {_SPACE}" if has_space else "false"
        if table == "knowledge_space":
            condition = f"id = {_SPACE}"
        statement = (
            f'CREATE POLICY {POLICY} ON "{table}" AS RESTRICTIVE FOR SELECT TO {INSPECT} USING ({condition})'
        )
        connection.execute(text(statement.replace(":", r"\:")))
        yield table


def close_open_functions(connection: Connection) -> None:
    """Revoke functions that write outside of tables from PUBLIC; without a superuser nothing changes."""
    for signature, is_lock in connection.execute(text(_OPEN_TO_ALL)).all():
        run_if_allowed(connection, f"REVOKE EXECUTE ON FUNCTION pg_catalog.{signature} FROM PUBLIC")
        if is_lock and role_exists(connection, APP) and role_exists(connection, MIGRATOR):
            run_if_allowed(
                connection, f"GRANT EXECUTE ON FUNCTION pg_catalog.{signature} TO {APP}, {MIGRATOR}"
            )


def make_login(url: str, space_id: SpaceId, *, hours: float) -> PsqlLogin:
    """A login for psql that can read this space alone for so many hours; the password is new each time.

    `url` is the login of `citegraph migrate`. Logins whose time is over are dropped first. Raises
    ConfigurationError where it may make no roles: no other login holds a person to one space.
    """
    name, password = f"{PREFIX}{UUID(str(space_id)).hex}", secrets.token_urlsafe(24)
    address = convert_to_conninfo(convert_to_psycopg_url(url))
    try:
        with psycopg.connect(address, connect_timeout=5) as connection:
            _drop_expired(connection)
        # By itself: on workers it holds locks until its end, and what follows comes there by others.
        with psycopg.connect(address, connect_timeout=5) as connection:
            _drop_left_over(connection)
            _create_login(connection, name, password, hours)
            _require_policies(connection)
    except psycopg.errors.InsufficientPrivilege as error:
        raise ConfigurationError(
            f"The migrating login may not make {name} a member of {INSPECT}, so nobody can be held to one"
            " space here. Give CITEGRAPH_MIGRATION_DATABASE_URL a login with CREATEROLE that made or"
            f" administers {INSPECT} (GRANT {INSPECT} TO … WITH ADMIN OPTION).",
            code="no_psql_login",
        ) from error
    except psycopg.errors.UndefinedObject as error:
        raise ConfigurationError(
            f"There is no role {INSPECT}: run `citegraph migrate` as a login that may make roles.",
            code="no_psql_login",
        ) from error
    return PsqlLogin(name, password, f"-c app.space_id={space_id}")


def _create_login(
    connection: psycopg.Connection[tuple[object, ...]], name: str, password: str, hours: float
) -> None:
    role = sql.Identifier(name)
    # Two processes may create the login of the same space at once.
    connection.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [name])
    if connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [name]).fetchone() is None:
        connection.execute(sql.SQL("CREATE ROLE {} IN ROLE {}").format(role, sql.Identifier(INSPECT)))
    # Sent as SCRAM verifier: the password itself would appear in the server's log.
    verifier = connection.pgconn.encrypt_password(password.encode(), name.encode(), b"scram-sha-256").decode()
    until = connection.execute("SELECT (now() + make_interval(secs => %s))::text", [hours * 3600]).fetchone()
    assert until is not None
    connection.execute(
        sql.SQL("ALTER ROLE {} LOGIN CONNECTION LIMIT 5 PASSWORD {} VALID UNTIL {}").format(
            role, sql.Literal(verifier), sql.Literal(until[0])
        )
    )
    # For careful people: who has the login may change these. Rights, not settings, hold the others.
    for setting, value in (
        ("default_transaction_read_only", "on"),
        ("statement_timeout", "60s"),
        ("idle_in_transaction_session_timeout", "60s"),
    ):
        connection.execute(
            sql.SQL("ALTER ROLE {} SET {} = {}").format(role, sql.SQL(setting), sql.Literal(value))
        )


def _drop_expired(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    expired = connection.execute(
        "SELECT rolname::text FROM pg_roles WHERE rolname ~ %s AND rolvaliduntil < now()", [_LOGINS]
    ).fetchall()
    for (name,) in expired:
        connection.execute(sql.SQL("DROP ROLE IF EXISTS {}").format(sql.Identifier(str(name))))


def _drop_left_over(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    """On a cluster drop the logins on workers that have expired there and are not on the coordinator.

    Citus takes a role away there only where the same database made it, and from nodes that are at hand. One
    that stays valid is named by `citegraph doctor`.
    """
    if connection.execute(f"SELECT {HAS_CITUS}".encode()).fetchone() != (True,):
        return
    logins = connection.execute("SELECT rolname::text FROM pg_roles WHERE rolname ~ %s", [_LOGINS]).fetchall()
    client = psycopg.ClientCursor(connection)
    block = client.mogrify(_DROP_LEFT_OVER, {"pattern": _LOGINS, "present": [name for (name,) in logins]})
    connection.execute("SELECT success FROM run_command_on_workers(%s)", [block]).fetchall()


def _require_policies(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    """Raise ConfigurationError where a table would show rows of any space that the person sets."""
    bare = connection.execute(
        "SELECT min(c.relname)::text FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND"
        " c.relrowsecurity AND NOT EXISTS (SELECT 1 FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname"
        " = %s)",
        [POLICY],
    ).fetchone()
    if bare is not None and bare[0] is not None:
        raise ConfigurationError(
            f"The table {bare[0]} does not hold {INSPECT} to one space yet: run `citegraph migrate`.",
            code="no_psql_login",
        )
