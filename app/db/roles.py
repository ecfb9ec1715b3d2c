"""The database roles behind the third wall.

| role | may |
| --- | --- |
| citegraph_owner | own every table; cannot log in |
| citegraph_migrator | bypass row-level security and change the schema, only during `citegraph migrate` |
| citegraph_app | read and write rows under row-level security: the API and the workers |
| citegraph_inspect | read one space, chosen by the login that is a member (`inspection`); cannot log in |
| citegraph_backup | read all rows, for pg_dump, which row-level security would otherwise leave empty |
| citegraph_search | read chunks, only in the function that searches words; cannot log in |
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import psycopg
from psycopg import sql
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from app.errors import ConfigurationError
from app.settings import Settings

OWNER, MIGRATOR, APP = "citegraph_owner", "citegraph_migrator", "citegraph_app"
INSPECT_ROLE, BACKUP_ROLE, SEARCH_ROLE = "citegraph_inspect", "citegraph_backup", "citegraph_search"
SECRET_TABLES = frozenset(
    {
        "account",
        "api_key",
        "asked_question",
        "dashboard_session",
        "idempotent_request",
        "sign_in_link",
        "webhook",
    }
)
"""Tables with hashes of secrets, sealed answers and people's own questions, which psql logins cannot read."""
# The function that finds chunks by words. An index can serve it only if its owner bypasses row-level
# security.
WORD_SEARCH_FUNCTION = "chunk_matches(tsquery,text[],integer)"

ROLES = {
    OWNER: "NOLOGIN",
    MIGRATOR: "NOLOGIN BYPASSRLS",
    APP: "LOGIN",
    INSPECT_ROLE: "NOLOGIN",
    BACKUP_ROLE: "LOGIN BYPASSRLS",
    SEARCH_ROLE: "NOLOGIN BYPASSRLS",
}

NODE_LOGINS = (OWNER, MIGRATOR)
"""Roles that log in only on a Citus cluster, from node to node."""
HAS_CITUS_CONDITION = "to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL"
"""An SQL condition that is true in a database of a Citus cluster."""

LOSS_WITHOUT_BYPASS = {
    MIGRATOR: "a foreign key added later is not checked on old rows",
    BACKUP_ROLE: "backups need the host's own tool",
    SEARCH_ROLE: "words are searched without an index, which takes a third of a second in 100,000 chunks",
}


def prepare_roles_and_act_as_migrator(connection: Connection, settings: Settings) -> list[str]:
    """Create missing roles and the vector extension, then act as the migrator.

    Return a sentence for each protection that the host does not allow. If the login may not act as the
    migrator, the login itself creates and owns the tables; forced row-level security still applies to it.
    Raises ConfigurationError if pgvector is not available.
    """
    missing_protections = []
    for role, attributes in ROLES.items():
        if not does_role_exist(connection, role) and not run_if_allowed(
            connection, f"CREATE ROLE {role} {attributes}"
        ):
            run_if_allowed(connection, f"CREATE ROLE {role} {attributes.replace('BYPASSRLS', '')}")
        if not does_role_exist(connection, role):
            missing_protections.append(
                f"{role} could not be created: ask the host's administrator: CREATE ROLE {role} {attributes}."
            )
        elif "BYPASSRLS" in attributes and not _bypasses_row_security(connection, role):
            missing_protections.append(
                f"{role} cannot bypass row security: {LOSS_WITHOUT_BYPASS[role]}. "
                f"To get it: ALTER ROLE {role} BYPASSRLS as superuser."
            )
    if is_clustered(connection):
        allow_cluster_node_logins(connection)
    # Only its members may log in: as itself it would belong to no space, and see nothing.
    login_query = text("SELECT rolcanlogin FROM pg_roles WHERE rolname = :role")
    if connection.execute(login_query, {"role": INSPECT_ROLE}).scalar():
        run_if_allowed(connection, f"ALTER ROLE {INSPECT_ROLE} NOLOGIN")
    if settings.app_password is not None and does_role_exist(connection, APP):
        # Sent as SCRAM verifier: the password itself would appear in the server's log.
        verifier = begin_and_get_raw_connection(connection).pgconn.encrypt_password(
            settings.app_password.get_secret_value().encode(), APP.encode(), b"scram-sha-256"
        )
        if not run_if_allowed(connection, f"ALTER ROLE {APP} PASSWORD '{verifier.decode()}'"):
            missing_protections.append(
                f"The host refused: ALTER ROLE {APP} PASSWORD …; set the password there."
            )
    # If it exists, do not create it: on a cluster Citus would require its owner even for IF NOT EXISTS.
    has_vector = connection.execute(text("SELECT FROM pg_extension WHERE extname = 'vector'")).first()
    if has_vector is None and not run_if_allowed(connection, "CREATE EXTENSION vector"):
        raise ConfigurationError(
            "This Postgres has no pgvector extension, or forbids CREATE EXTENSION vector."
        )
    if all(does_role_exist(connection, role) for role in (OWNER, MIGRATOR, APP, SEARCH_ROLE)):
        missing_protections += _grant_roles_and_list_refusals(connection)
        if not run_if_allowed(connection, f"SET ROLE {MIGRATOR}"):
            missing_protections.append(
                f"This login may not act as {MIGRATOR}, so it owns the tables itself; forced row security "
                f"holds, but the owner could switch it off. To change that: GRANT {MIGRATOR} to the login "
                "before the first `citegraph migrate`."
            )
    return missing_protections


def is_clustered(connection: Connection) -> bool:
    """Return whether the database is part of a Citus cluster."""
    return bool(connection.execute(text(f"SELECT {HAS_CITUS_CONDITION}")).scalar_one())


def allow_cluster_node_logins(connection: Connection) -> None:
    """On a Citus cluster, let roles log in under which the coordinator works on other nodes.

    Otherwise migrations, as the migrator, and moves of shards, as their owner, could not reach other nodes.
    The roles have no password: only connections trusted by the nodes' pg_hba.conf can use them.
    """
    for role in NODE_LOGINS:
        login_query = text("SELECT rolcanlogin FROM pg_roles WHERE rolname = :role")
        if connection.execute(login_query, {"role": role}).scalar() is False:
            run_if_allowed(connection, f"ALTER ROLE {role} LOGIN")


def _grant_roles_and_list_refusals(connection: Connection) -> list[str]:
    """Grant the roles what they need of each other and of this database; return a sentence for each refusal.

    Grants that exist are not repeated: roles are shared by the whole server, and concurrent migrations of two
    databases would conflict.
    """
    database = connection.execute(text("SELECT current_database()")).scalar_one()
    quoted_database = sql.Identifier(str(database)).as_string(None)
    has_set_option = connection.execute(
        text("SELECT current_setting('server_version_num')::int >= 160000")
    ).scalar_one()
    membership_privilege = "SET" if has_set_option else "MEMBER"
    missing_grants = []
    # A GRANT without permission is only a warning, so the result is checked afterwards.
    for command, condition in (
        (f"GRANT {OWNER} TO {MIGRATOR}", f"pg_has_role('{MIGRATOR}', '{OWNER}', 'MEMBER')"),
        (f"GRANT {SEARCH_ROLE} TO {MIGRATOR}", f"pg_has_role('{MIGRATOR}', '{SEARCH_ROLE}', 'MEMBER')"),
        (f"GRANT {MIGRATOR} TO CURRENT_USER", f"pg_has_role('{MIGRATOR}', '{membership_privilege}')"),
        (f"GRANT {APP} TO CURRENT_USER", f"pg_has_role('{APP}', '{membership_privilege}')"),
        (
            f"GRANT USAGE, CREATE ON SCHEMA public TO {OWNER}, {MIGRATOR}",
            (
                f"has_schema_privilege('{OWNER}', 'public', 'CREATE')"
                f" AND has_schema_privilege('{MIGRATOR}', 'public', 'CREATE')"
            ),
        ),
        (
            "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
            "NOT has_schema_privilege('public', 'public', 'CREATE')",
        ),
        # Temporary objects take precedence over others of the same name for as long as the connection lives,
        # so no role within the walls may create any.
        (
            f"REVOKE TEMPORARY ON DATABASE {quoted_database} FROM PUBLIC, {APP}, {MIGRATOR}",
            (
                "NOT has_database_privilege('public', current_database(), 'TEMPORARY')"
                f" AND NOT has_database_privilege('{APP}', current_database(), 'TEMPORARY')"
            ),
        ),
    ):
        check_query = text(f"SELECT {condition}")
        if connection.execute(check_query).scalar_one():
            continue
        run_if_allowed(connection, command)
        if not connection.execute(check_query).scalar_one():
            missing_grants.append(f"The host refused: {command}.")
    return missing_grants


def make_owner_own_tables_and_grant_rights(connection: Connection) -> None:
    """Make the owner role own every table, and grant each role what it needs; repeatable.

    A login that may not act as the owner changes nothing of the owner's, for example if there is nothing to
    migrate.
    """
    if not does_role_exist(connection, OWNER):
        return
    # Without permission to grant, Postgres only warns, but the nodes of a cluster fail.
    may_act_as_owner = connection.execute(text(f"SELECT pg_has_role('{OWNER}', 'USAGE')")).scalar_one()
    relations = connection.execute(
        text(
            "SELECT c.relname, c.relkind::text, pg_get_userbyid(c.relowner) FROM pg_class c"
            " WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v')"
            " AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')"
            " ORDER BY c.relname"
        )
    ).all()
    # Other objects may share the schema: only those created by the migrations are changed.
    for name, kind, owner in relations:
        if owner == MIGRATOR:
            object_type = "VIEW" if kind == "v" else "TABLE"
            connection.execute(text(f'ALTER {object_type} "{name}" OWNER TO {OWNER}'))
        elif owner != OWNER or not may_act_as_owner:
            continue
        if does_role_exist(connection, BACKUP_ROLE):
            connection.execute(text(f'GRANT SELECT ON "{name}" TO {BACKUP_ROLE}'))
        if name not in SECRET_TABLES and does_role_exist(connection, INSPECT_ROLE):
            connection.execute(text(f'GRANT SELECT ON "{name}" TO {INSPECT_ROLE}'))
        rights = "SELECT, INSERT, UPDATE, DELETE"
        if name == "audit_event":
            rights = "SELECT, INSERT"
        elif kind == "v" or name == "alembic_version":
            rights = "SELECT"
        connection.execute(text(f'GRANT {rights} ON "{name}" TO {APP}'))
    may_grant_query = "SELECT pg_has_role(proowner, 'USAGE') FROM pg_proc WHERE oid = to_regprocedure(:name)"
    if connection.execute(text(may_grant_query), {"name": WORD_SEARCH_FUNCTION}).scalar():
        # The function reads any space that is set, so only the application may call it: its sessions set the
        # space.
        other_roles = f"PUBLIC, {INSPECT_ROLE}" if does_role_exist(connection, INSPECT_ROLE) else "PUBLIC"
        connection.execute(text(f"REVOKE EXECUTE ON FUNCTION {WORD_SEARCH_FUNCTION} FROM {other_roles}"))
        connection.execute(text(f"GRANT EXECUTE ON FUNCTION {WORD_SEARCH_FUNCTION} TO {APP}"))


def let_word_search_run_as_own_role(connection: Connection) -> list[str]:
    """Let word search run as citegraph_search; return a sentence if the host does not allow it.

    Under row-level security no index serves that search (fact 22). The function itself reads the space from
    the session, and its role may read only chunks. Without the role it runs as its caller: same rows, slower.
    """
    if connection.execute(text(f"SELECT to_regprocedure('{WORD_SEARCH_FUNCTION}')")).scalar_one() is None:
        return []
    owner_query = (
        f"SELECT pg_get_userbyid(proowner) FROM pg_proc WHERE oid = '{WORD_SEARCH_FUNCTION}'::regprocedure"  # noqa: S608
    )
    if connection.execute(text(owner_query)).scalar_one() != SEARCH_ROLE and _bypasses_row_security(
        connection, SEARCH_ROLE
    ):
        for command in (
            f"GRANT USAGE ON SCHEMA public TO {SEARCH_ROLE}",
            f"GRANT SELECT ON knowledge_chunk TO {SEARCH_ROLE}",
            # A new owner must be allowed to create in the function's schema; this is revoked below.
            f"GRANT CREATE ON SCHEMA public TO {SEARCH_ROLE}",
            f"ALTER FUNCTION {WORD_SEARCH_FUNCTION} OWNER TO {SEARCH_ROLE}",
            f"REVOKE CREATE ON SCHEMA public FROM {SEARCH_ROLE}",
        ):
            run_if_allowed(connection, command)
    if connection.execute(text(owner_query)).scalar_one() == SEARCH_ROLE:
        run_if_allowed(connection, f"ALTER FUNCTION {WORD_SEARCH_FUNCTION} SECURITY DEFINER")
        return []
    return [
        f"{WORD_SEARCH_FUNCTION} does not run as {SEARCH_ROLE}: words are searched without an index, which"
        " takes a third of a second in 100,000 chunks. To get it: run `citegraph migrate` as a superuser."
    ]


class WordSearchOwner(NamedTuple):
    """The owner of word search, and whether it runs with the owner's rights."""

    role: str | None
    runs_as_owner: bool


def find_word_search_owner(connection: Connection) -> WordSearchOwner:
    """Return the owner of word search and whether it runs with the owner's rights, or (None, False)."""
    row = connection.execute(
        text(
            "SELECT pg_get_userbyid(proowner)::text, prosecdef FROM pg_proc WHERE oid ="
            " to_regprocedure(:name)"
        ),
        {"name": WORD_SEARCH_FUNCTION},
    ).first()
    return WordSearchOwner(row[0], row[1]) if row else WordSearchOwner(None, False)


@dataclass(frozen=True)
class LoginCheck:
    """The rights of the application's connection; `problems` are fatal, `warnings` name a missing wall."""

    role: str
    problems: tuple[str, ...]
    warnings: tuple[str, ...]


def check_whether_login_bypasses_row_security(connection: Connection) -> LoginCheck:
    """Check whether the role of the application can bypass row-level security (rule I1 of
    docs/reliability.md).
    """
    role, login_name, can_bypass, login_bypasses, owns_tables, bypassing_role = connection.execute(
        text(
            "SELECT current_user::text, session_user::text,"
            " (SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user),"
            " (SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = session_user),"
            " EXISTS (SELECT 1 FROM pg_class WHERE relnamespace = 'public'::regnamespace"
            "         AND relkind IN ('r', 'p') AND relowner = current_user::regrole),"
            " (SELECT min(rolname) FROM pg_roles WHERE (rolsuper OR rolbypassrls)"
            "  AND rolname <> current_user AND pg_has_role(oid, 'MEMBER'))"
        )
    ).one()
    problems, warnings = [], []
    if can_bypass:
        problems.append(
            f"{role} bypasses row security. Connect as {APP}, or leave CITEGRAPH_DATABASE_ROLE set."
        )
    elif bypassing_role is not None:
        problems.append(
            f"{role} is a member of {bypassing_role}, which bypasses row security:"
            f" REVOKE {bypassing_role} FROM {role}."
        )
    if owns_tables:
        warnings.append(
            f"{role} owns its tables: forced row security holds, but this role could switch it off. "
            "Where the host allows roles, run `citegraph migrate` as one that may create them."
        )
    if login_bypasses and not can_bypass:
        warnings.append(
            f"The login {login_name} may bypass row security and only takes on {role} for its sessions. "
            f"Give the application a login of its own: {APP} with CITEGRAPH_APP_PASSWORD."
        )
    return LoginCheck(str(role), tuple(problems), tuple(warnings))


def does_role_exist(connection: Connection, role: str) -> bool:
    """Return whether the cluster has a role of this name."""
    result = connection.execute(text("SELECT 1 FROM pg_roles WHERE rolname = :role"), {"role": role})
    return result.first() is not None


def _bypasses_row_security(connection: Connection, role: str) -> bool:
    result = connection.execute(
        text("SELECT rolbypassrls FROM pg_roles WHERE rolname = :role"), {"role": role}
    )
    return bool(result.scalar_one())


def run_if_allowed(connection: Connection, command: str) -> bool:
    """Run the command in a savepoint; return whether the host allowed it."""
    try:
        with connection.begin_nested():
            connection.execute(text(command.replace(":", r"\:")))
    except DBAPIError:
        return False
    return True


def begin_and_get_raw_connection(connection: Connection) -> psycopg.Connection[Any]:
    """Return the psycopg connection, in a transaction: outside of one, role and timeouts do not apply."""
    if not connection.in_transaction():
        connection.begin()
    driver_connection = connection.connection.driver_connection
    assert isinstance(driver_connection, psycopg.Connection)
    return driver_connection
