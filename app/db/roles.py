"""The roles behind the third wall: who owns, who migrates, who serves, who looks, who backs up.

| role | may |
| --- | --- |
| citegraph_owner | own every table; cannot log in |
| citegraph_migrator | bypass row security and change the schema, during `citegraph migrate` only |
| citegraph_app | read and write rows under row security: the API and the workers |
| citegraph_inspect | read one space, by the name of the login that is its member (`inspection`); cannot log
in |
| citegraph_backup | read all rows, for pg_dump, which row security would otherwise leave empty |
| citegraph_search | read chunks, in the one function that searches their words; cannot log in |
"""

from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import sql
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from app.errors import ConfigurationError
from app.settings import Settings

OWNER, MIGRATOR, APP = "citegraph_owner", "citegraph_migrator", "citegraph_app"
INSPECT, BACKUP, SEARCH = "citegraph_inspect", "citegraph_backup", "citegraph_search"
SECRETS = frozenset(
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
# The function that finds chunks by their words; what it may read decides whether an index serves it.
WORD_SEARCH = "chunk_matches(tsquery,text[],integer)"

ROLES = {
    OWNER: "NOLOGIN",
    MIGRATOR: "NOLOGIN BYPASSRLS",
    APP: "LOGIN",
    INSPECT: "NOLOGIN",
    BACKUP: "LOGIN BYPASSRLS",
    SEARCH: "NOLOGIN BYPASSRLS",
}

NODE_LOGINS = (OWNER, MIGRATOR)
"""Roles that log in on a Citus cluster, from node to node and nowhere else."""
HAS_CITUS = "to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL"
"""The SQL condition that is true in a database of a Citus cluster."""

WITHOUT_BYPASS = {
    MIGRATOR: "a foreign key added later is not checked on old rows",
    BACKUP: "backups need the host's own tool",
    SEARCH: "words are searched without an index, which takes a third of a second in 100,000 chunks",
}


def prepare_roles(connection: Connection, settings: Settings) -> list[str]:
    """Make the roles that are missing and the extension, then act as the migrator.

    Returns one sentence for each wall that this host does not allow; none on a server of one's own.
    Where the login may not act as the migrator the schema is made and owned by the login itself:
    forced row security still holds for it. Raises ConfigurationError where pgvector is missing.
    """
    missing = []
    for role, attributes in ROLES.items():
        if not role_exists(connection, role) and not run_if_allowed(
            connection, f"CREATE ROLE {role} {attributes}"
        ):
            run_if_allowed(connection, f"CREATE ROLE {role} {attributes.replace('BYPASSRLS', '')}")
        if not role_exists(connection, role):
            missing.append(
                f"{role} could not be made: ask the host's administrator for CREATE ROLE {role} {attributes}."
            )
        elif "BYPASSRLS" in attributes and not _bypasses_row_security(connection, role):
            missing.append(
                f"{role} cannot bypass row security: {WITHOUT_BYPASS[role]}. "
                f"To get it: ALTER ROLE {role} BYPASSRLS as superuser."
            )
    if is_clustered(connection):
        let_nodes_log_in(connection)
    # Members log in: in its own name it would be held to no space, and so sees none.
    inspects = text("SELECT rolcanlogin FROM pg_roles WHERE rolname = :role")
    if connection.execute(inspects, {"role": INSPECT}).scalar():
        run_if_allowed(connection, f"ALTER ROLE {INSPECT} NOLOGIN")
    if settings.app_password is not None and role_exists(connection, APP):
        # Sent as its SCRAM verifier: the password itself would stand in the server's log.
        verifier = get_raw_connection(connection).pgconn.encrypt_password(
            settings.app_password.get_secret_value().encode(), APP.encode(), b"scram-sha-256"
        )
        if not run_if_allowed(connection, f"ALTER ROLE {APP} PASSWORD '{verifier.decode()}'"):
            missing.append(f"The host refused: ALTER ROLE {APP} PASSWORD …; set the password there.")
    # Where it is there nothing is said: of a cluster Citus would want its owner even so.
    has_vector = connection.execute(text("SELECT FROM pg_extension WHERE extname = 'vector'")).first()
    if has_vector is None and not run_if_allowed(connection, "CREATE EXTENSION vector"):
        raise ConfigurationError(
            "This Postgres has no pgvector extension, or forbids CREATE EXTENSION vector."
        )
    if all(role_exists(connection, role) for role in (OWNER, MIGRATOR, APP, SEARCH)):
        missing += _grant_roles(connection)
        if not run_if_allowed(connection, f"SET ROLE {MIGRATOR}"):
            missing.append(
                f"This login may not act as {MIGRATOR}, so it owns the tables itself; forced row security "
                f"holds, but the owner could switch it off. To change that: GRANT {MIGRATOR} to the login "
                "before the first `citegraph migrate`."
            )
    return missing


def is_clustered(connection: Connection) -> bool:
    """Return whether the database is part of a Citus cluster."""
    return bool(connection.execute(text(f"SELECT {HAS_CITUS}")).scalar_one())


def let_nodes_log_in(connection: Connection) -> None:
    """On a Citus cluster let the roles log in whose work the coordinator takes to other nodes, in their name.

    What a migration does as the migrator, and a move of a shard as its owner, would end there otherwise. They
    have no password: only what the nodes' pg_hba.conf trusts gets in as them.
    """
    for role in NODE_LOGINS:
        may = text("SELECT rolcanlogin FROM pg_roles WHERE rolname = :role")
        if connection.execute(may, {"role": role}).scalar() is False:
            run_if_allowed(connection, f"ALTER ROLE {role} LOGIN")


def _grant_roles(connection: Connection) -> list[str]:
    """Give the roles what they need of each other and of this database; a sentence for each refusal.

    What holds already is not granted again: roles are shared by the whole cluster, and two
    migrations of two databases would disturb each other.
    """
    database = connection.execute(text("SELECT current_database()")).scalar_one()
    name = sql.Identifier(str(database)).as_string(None)
    new = connection.execute(text("SELECT current_setting('server_version_num')::int >= 160000")).scalar_one()
    become = "SET" if new else "MEMBER"
    missing = []
    # A GRANT that its giver may not give is only a warning: what counts is what holds afterwards.
    for command, holds in (
        (f"GRANT {OWNER} TO {MIGRATOR}", f"pg_has_role('{MIGRATOR}', '{OWNER}', 'MEMBER')"),
        (f"GRANT {SEARCH} TO {MIGRATOR}", f"pg_has_role('{MIGRATOR}', '{SEARCH}', 'MEMBER')"),
        (f"GRANT {MIGRATOR} TO CURRENT_USER", f"pg_has_role('{MIGRATOR}', '{become}')"),
        (f"GRANT {APP} TO CURRENT_USER", f"pg_has_role('{APP}', '{become}')"),
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
        # A temporary table, type or function stands before those of its name to who made it, for as long as
        # the connection lives: nobody who works within the walls may make one.
        (
            f"REVOKE TEMPORARY ON DATABASE {name} FROM PUBLIC, {APP}, {MIGRATOR}",
            (
                "NOT has_database_privilege('public', current_database(), 'TEMPORARY')"
                f" AND NOT has_database_privilege('{APP}', current_database(), 'TEMPORARY')"
            ),
        ),
    ):
        check = text(f"SELECT {holds}")
        if connection.execute(check).scalar_one():
            continue
        run_if_allowed(connection, command)
        if not connection.execute(check).scalar_one():
            missing.append(f"The host refused: {command}.")
    return missing


def secure_tables(connection: Connection) -> None:
    """Hand every table to the owner role and grant each role just what it needs; repeatable.

    A login that may not act as the owner, as where nothing is to be migrated, changes nothing of the owner's.
    """
    if not role_exists(connection, OWNER):
        return
    # Postgres would only warn of what it may not grant; the workers of a cluster refuse it.
    is_owner = connection.execute(text(f"SELECT pg_has_role('{OWNER}', 'USAGE')")).scalar_one()
    relations = connection.execute(
        text(
            "SELECT c.relname, c.relkind::text, pg_get_userbyid(c.relowner) FROM pg_class c"
            " WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v')"
            " AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')"
            " ORDER BY c.relname"
        )
    ).all()
    # Citegraph may share a schema with nothing else: it owns what its migrations made.
    for name, kind, owner in relations:
        if owner == MIGRATOR:
            word = "VIEW" if kind == "v" else "TABLE"
            connection.execute(text(f'ALTER {word} "{name}" OWNER TO {OWNER}'))
        elif owner != OWNER or not is_owner:
            continue
        if role_exists(connection, BACKUP):
            connection.execute(text(f'GRANT SELECT ON "{name}" TO {BACKUP}'))
        if name not in SECRETS and role_exists(connection, INSPECT):
            connection.execute(text(f'GRANT SELECT ON "{name}" TO {INSPECT}'))
        rights = "SELECT, INSERT, UPDATE, DELETE"
        if name == "audit_event":
            rights = "SELECT, INSERT"
        elif kind == "v" or name == "alembic_version":
            rights = "SELECT"
        connection.execute(text(f'GRANT {rights} ON "{name}" TO {APP}'))
    may_grant = "SELECT pg_has_role(proowner, 'USAGE') FROM pg_proc WHERE oid = to_regprocedure(:name)"
    if connection.execute(text(may_grant), {"name": WORD_SEARCH}).scalar():
        # It reads whichever space is set: for the application alone, whose door sets it.
        other_roles = f"PUBLIC, {INSPECT}" if role_exists(connection, INSPECT) else "PUBLIC"
        connection.execute(text(f"REVOKE EXECUTE ON FUNCTION {WORD_SEARCH} FROM {other_roles}"))
        connection.execute(text(f"GRANT EXECUTE ON FUNCTION {WORD_SEARCH} TO {APP}"))


def secure_word_search(connection: Connection) -> list[str]:
    """Have the search for words run as citegraph_search; a sentence where the host does not allow it.

    Under row security no index serves that search (fact 22). The function reads the space from the
    session itself, and its role may read chunks and nothing else. Without the role it runs as who
    calls it: the same rows, found slowly.
    """
    if connection.execute(text(f"SELECT to_regprocedure('{WORD_SEARCH}')")).scalar_one() is None:
        return []
    owner = f"SELECT pg_get_userbyid(proowner) FROM pg_proc WHERE oid = '{WORD_SEARCH}'::regprocedure"  # noqa: S608
    if connection.execute(text(owner)).scalar_one() != SEARCH and _bypasses_row_security(connection, SEARCH):
        for command in (
            f"GRANT USAGE ON SCHEMA public TO {SEARCH}",
            f"GRANT SELECT ON knowledge_chunk TO {SEARCH}",
            # A new owner must be able to create where the function stands; it cannot afterwards.
            f"GRANT CREATE ON SCHEMA public TO {SEARCH}",
            f"ALTER FUNCTION {WORD_SEARCH} OWNER TO {SEARCH}",
            f"REVOKE CREATE ON SCHEMA public FROM {SEARCH}",
        ):
            run_if_allowed(connection, command)
    if connection.execute(text(owner)).scalar_one() == SEARCH:
        run_if_allowed(connection, f"ALTER FUNCTION {WORD_SEARCH} SECURITY DEFINER")
        return []
    return [
        f"{WORD_SEARCH} does not run as {SEARCH}: words are searched without an index, which takes a third of"
        " a second in 100,000 chunks. To get it: run `citegraph migrate` as a superuser."
    ]


def find_word_search_owner(connection: Connection) -> tuple[str | None, bool]:
    """Who owns the search for words, and whether it runs with the owner's rights; (None, False) without
    it.
    """
    row = connection.execute(
        text(
            "SELECT pg_get_userbyid(proowner)::text, prosecdef FROM pg_proc WHERE oid ="
            " to_regprocedure(:name)"
        ),
        {"name": WORD_SEARCH},
    ).first()
    return (row[0], row[1]) if row else (None, False)


@dataclass(frozen=True)
class LoginCheck:
    """The powers of the application's connection; `problems` are fatal, `warnings` name a missing wall."""

    role: str
    problems: tuple[str, ...]
    warnings: tuple[str, ...]


def check_login(connection: Connection) -> LoginCheck:
    """Check whether the role that the application acts as can go round row security (rule I1)."""
    role, login, can_bypass, login_bypasses, owns, may_become = connection.execute(
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
    elif may_become is not None:
        problems.append(
            f"{role} is a member of {may_become}, which bypasses row security: REVOKE {may_become} FROM"
            f" {role}."
        )
    if owns:
        warnings.append(
            f"{role} owns its tables: forced row security holds, but this role could switch it off. "
            "Where the host allows roles, run `citegraph migrate` as one that may create them."
        )
    if login_bypasses and not can_bypass:
        warnings.append(
            f"The login {login} may bypass row security and only takes on {role} for its sessions. "
            f"Give the application a login of its own: {APP} with CITEGRAPH_APP_PASSWORD."
        )
    return LoginCheck(str(role), tuple(problems), tuple(warnings))


def role_exists(connection: Connection, role: str) -> bool:
    """Return whether the cluster has a role of this name."""
    result = connection.execute(text("SELECT 1 FROM pg_roles WHERE rolname = :role"), {"role": role})
    return result.first() is not None


def _bypasses_row_security(connection: Connection, role: str) -> bool:
    result = connection.execute(
        text("SELECT rolbypassrls FROM pg_roles WHERE rolname = :role"), {"role": role}
    )
    return bool(result.scalar_one())


def run_if_allowed(connection: Connection, command: str) -> bool:
    """Run the command; return whether the host allowed it. The transaction stays usable after a refusal."""
    try:
        with connection.begin_nested():
            connection.execute(text(command.replace(":", r"\:")))
    except DBAPIError:
        return False
    return True


def get_raw_connection(connection: Connection) -> psycopg.Connection[Any]:
    """The same connection as psycopg knows it, in a transaction: outside of one neither role nor time-outs
    hold.
    """
    if not connection.in_transaction():
        connection.begin()
    raw = connection.connection.driver_connection
    assert isinstance(raw, psycopg.Connection)
    return raw
