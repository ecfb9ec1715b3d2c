"""Examine the walls on replicas: the login, and that no row is visible without an open space.

Tables, keys and policies are byte for byte those of the primary and are not compared again.
"""

from psycopg import sql
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from app.db.doctor.table_verdicts import TableVerdict
from app.db.replicas.servers import Replica, Replicas, explain_why_not_readable_replica
from app.db.roles import begin_and_get_raw_connection, check_whether_login_bypasses_row_security
from app.errors import ConfigurationError

_PROTECTED_TABLES_QUERY = text(
    "SELECT relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace"
    " AND relkind IN ('r', 'p') AND relrowsecurity AND NOT relispartition ORDER BY 1"
)


def examine_replicas(replicas: Replicas) -> list[TableVerdict]:
    """Return a verdict on each replica; one that does not answer is a warning, because it is not used."""
    return [_examine_replica(replicas, server) for server in replicas.replicas]


def _examine_replica(replicas: Replicas, replica: Replica) -> TableVerdict:
    subject = f"replica {replica.address}"
    try:
        identity, _ = replicas.read_primary_identity_and_position()
        with replica.probe_engine.connect() as connection:
            login = check_whether_login_bypasses_row_security(connection)
            problems, warnings = list(login.problems), list(login.warnings)
            if (reason := explain_why_not_readable_replica(connection, identity)) is not None:
                problems.append(f"{reason}: correct CITEGRAPH_REPLICA_URLS")
            problems += [
                f"{table} shows rows although no space is open: its rows are not the primary's, recreate it"
                for table in _list_tables_open_without_scope(connection)
            ]
    except ConfigurationError as error:
        return TableVerdict(subject, "replica", (error.message,))
    except DBAPIError:
        return TableVerdict(subject, "replica", (), ("does not answer, and is not used meanwhile",))
    return TableVerdict(subject, "replica", tuple(problems), tuple(warnings))


def _list_tables_open_without_scope(connection: Connection) -> list[str]:
    """Return the tables with row-level security that show any row without a scope."""
    tables = connection.execute(_PROTECTED_TABLES_QUERY).scalars().all()
    queries = [
        sql.SQL("SELECT {} WHERE EXISTS (SELECT 1 FROM {})").format(
            sql.Literal(table), sql.Identifier("public", table)
        )
        for table in tables
    ]
    rows = (
        begin_and_get_raw_connection(connection).execute(sql.SQL(" UNION ALL ").join(queries))
        if queries
        else ()
    )
    return [str(row[0]) for row in rows]
