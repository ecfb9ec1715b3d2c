"""The walls as a replica keeps them: its login, and that it shows no row to whom no space is open.

Tables, keys and policies are the primary's own, byte for byte, and are not compared again.
"""

from psycopg import sql
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from app.db.doctor.table_walls import TableVerdict
from app.db.replicas.servers import Replica, Replicas, explain_unreadable
from app.db.roles import check_login, get_raw_connection
from app.errors import ConfigurationError

_WALLED = text(
    "SELECT relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace"
    " AND relkind IN ('r', 'p') AND relrowsecurity AND NOT relispartition ORDER BY 1"
)


def examine_replicas(replicas: Replicas) -> list[TableVerdict]:
    """A verdict on each; one that does not answer is a warning, for it is not read."""
    return [_examine_replica(replicas, server) for server in replicas.servers]


def _examine_replica(replicas: Replicas, replica: Replica) -> TableVerdict:
    subject = f"replica {replica.address}"
    try:
        identity, _ = replicas.read_primary_position()
        with replica.looks.connect() as connection:
            login = check_login(connection)
            problems, warnings = list(login.problems), list(login.warnings)
            if (why := explain_unreadable(connection, identity)) is not None:
                problems.append(f"{why}: correct CITEGRAPH_REPLICA_URLS")
            problems += [
                f"{table} shows rows though no space is open: its rows are not the primary's, make it anew"
                for table in _open_tables(connection)
            ]
    except ConfigurationError as error:
        return TableVerdict(subject, "replica", (error.message,))
    except DBAPIError:
        return TableVerdict(subject, "replica", (), ("does not answer, and is not read meanwhile",))
    return TableVerdict(subject, "replica", tuple(problems), tuple(warnings))


def _open_tables(connection: Connection) -> list[str]:
    """The tables with row security that show a row now."""
    tables = connection.execute(_WALLED).scalars().all()
    looks = [
        sql.SQL("SELECT {} WHERE EXISTS (SELECT 1 FROM {})").format(
            sql.Literal(table), sql.Identifier("public", table)
        )
        for table in tables
    ]
    rows = get_raw_connection(connection).execute(sql.SQL(" UNION ALL ").join(looks)) if looks else ()
    return [str(row[0]) for row in rows]
