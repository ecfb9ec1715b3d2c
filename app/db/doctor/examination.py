"""The examination behind `citegraph doctor`: login, catalogue and canary, as one list of sentences."""

import contextlib
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

import psycopg
from sqlalchemy import Connection, make_url, text
from sqlalchemy.exc import DBAPIError

from app.db.doctor.canary import try_walls
from app.db.doctor.catalogue import begin_snapshot, compute_catalogue_mark, read_relations
from app.db.doctor.cluster import examine_cluster
from app.db.doctor.inventory import read_inventory
from app.db.doctor.replicas import examine_replicas
from app.db.doctor.snapshot import Setting, compare_catalogue, load_cluster_catalogue, load_expected_catalogue
from app.db.doctor.table_walls import TableVerdict, examine_relation, find_orphans
from app.db.engine import CLUSTERED
from app.db.errors import DATABASE_ERRORS, get_sqlstate, is_busy
from app.db.health import find_newest_revision
from app.db.roles import ROLES, SEARCH, WORD_SEARCH, check_login, find_word_search_owner, get_raw_connection
from app.db.session import Database
from app.db.vectors.maintenance import plan_vector_steps

_WHO = "`citegraph up` does it by itself; elsewhere let `citegraph maintain --every 600` run beside the rest."
_LOOKS = 5
"""Times that is looked before something that others change meanwhile is taken for a fault."""
UNDEFINED_TABLE, NO_PRIVILEGE, INTERNAL_ERROR = "42P01", "42501", "XX000"
OK, WARNING, PROBLEM = "ok", "warning", "problem"


@dataclass(frozen=True)
class Verdict:
    """The findings about one table, view, function or role; each sentence says how to mend it."""

    subject: str
    wall: str
    state: str
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class DoctorReport:
    """One verdict for each subject; `healthy` as long as none is a problem."""

    verdicts: tuple[Verdict, ...]

    @property
    def is_healthy(self) -> bool:
        """True where the walls stand; warnings name walls that the host does not allow."""
        return all(verdict.state != PROBLEM for verdict in self.verdicts)

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON shows it."""
        return {
            "healthy": self.is_healthy,
            "verdicts": [
                {
                    "subject": verdict.subject,
                    "wall": verdict.wall,
                    "state": verdict.state,
                    "sentences": list(verdict.sentences),
                }
                for verdict in self.verdicts
            ],
        }


def examine(
    database: Database,
    *,
    vector_index_chunks: int = 10_000,
    trusted: Collection[str] = (),
    migration_url: str | None = None,
) -> DoctorReport:
    """The state of every wall of the database, tried and read as the application's own role.

    Also each replica, each node and shard of a Citus cluster, and whether words and vectors are searched by
    their indexes; `vector_index_chunks` and `trusted` are as in the settings; the login of `migration_url`
    may act as the migrator. Writes throw-away tenants, and rolls them back. A database at another version
    than this code is examined no further. Raises sqlalchemy's DBAPIError where the database cannot be
    reached.
    """
    with database.engine.connect() as connection:
        login = check_login(connection)
        role = TableVerdict(login.role, "role", login.problems, login.warnings)
        if (behind := _check_schema_version(connection)) is not None:
            schema = TableVerdict("schema version", "schema", (behind,))
            return DoctorReport(tuple(_merge_verdicts([schema, role])))
        logins = (login.role, trusted, migration_url)
        catalogue = _examine_undisturbed(connection, lambda: _examine_catalogue(connection, *logins))
        layout = examine_cluster(get_raw_connection(connection)) if connection.info.get(CLUSTERED) else []
        connection.rollback()
    tried = _try_walls(database)
    searched = _examine_vector_search(database, vector_index_chunks)
    copies = examine_replicas(database.replicas) if database.replicas else []
    return DoctorReport(tuple(_merge_verdicts([role, *catalogue, *layout, *tried, *searched, *copies])))


def _examine_undisturbed(
    connection: Connection, look: Callable[[], list[TableVerdict]]
) -> list[TableVerdict]:
    """The verdicts of a look during which nobody changed a table, or of the last of several."""
    verdicts: list[TableVerdict] = []
    for _ in range(_LOOKS):
        before = compute_catalogue_mark(connection)
        try:
            verdicts = look()
        except DATABASE_ERRORS:
            # What was just dropped has no definition any more that could be printed.
            if compute_catalogue_mark(connection) == before:
                raise
            continue
        if not any(verdict.problems for verdict in verdicts) or compute_catalogue_mark(connection) == before:
            return verdicts
    return verdicts or [
        TableVerdict("catalogue", "schema", ("was changed while it was read: try again when that is over",))
    ]


def _examine_catalogue(
    connection: Connection, app_role: str, trusted: Collection[str], migration_url: str | None
) -> list[TableVerdict]:
    begin_snapshot(connection)
    verdicts = [examine_relation(relation) for relation in read_relations(connection)]
    verdicts += [TableVerdict(WORD_SEARCH, "function", ()), TableVerdict("schema public", "schema", ())]
    # The usual case, and a good one, is that the application cannot see all rows.
    with contextlib.suppress(PermissionError):
        verdicts += find_orphans(connection)
    verdicts.append(_examine_word_search(connection))
    return verdicts + _compare_whole(connection, app_role, trusted, migration_url)


def _try_walls(database: Database) -> list[TableVerdict]:
    """The canary, tried again where something else had the locks or a partition went while it was tried."""
    problem = ""
    for _ in range(_LOOKS):
        try:
            return try_walls(database)
        except DBAPIError as error:
            state = get_sqlstate(error)
            if not is_busy(error) and state not in (UNDEFINED_TABLE, INTERNAL_ERROR):
                problem = f"could not be written ({state}): run `citegraph migrate`"
                break
            problem = f"could not be tried ({state}): try again once no maintenance or migration runs"
    return [TableVerdict("canary", "door", (problem,))]


def _check_schema_version(connection: Connection) -> str | None:
    """A sentence where the tables are not those of this code: all else would be said of the wrong tables."""
    newest = find_newest_revision()
    try:
        with connection.begin_nested():
            versions = (
                connection.execute(text("SELECT version_num FROM public.alembic_version")).scalars().all()
            )
    except DBAPIError as error:
        connection.rollback()
        state = getattr(error.orig, "sqlstate", None)
        if state == UNDEFINED_TABLE:
            return "The database has no tables yet: run `citegraph migrate`."
        if state == NO_PRIVILEGE:
            return (
                "The last `citegraph migrate` did not come to its end, or was never run here: run it again."
            )
        raise
    finally:
        connection.rollback()
    if list(versions) == [newest]:
        return None
    current = ", ".join(versions) or "no migration"
    ahead = bool(versions) and max(versions) > newest
    mend = "upgrade Citegraph to the version that made it" if ahead else "run `citegraph migrate`"
    return f"The database is at migration {current}, and this version of Citegraph needs {newest}: {mend}."


def _compare_whole(
    connection: Connection, app_role: str, trusted: Collection[str], migration_url: str | None
) -> list[TableVerdict]:
    """Every difference between the catalogue and the one that the migrations make."""
    session, owner, tables = connection.execute(
        text(
            "SELECT session_user::text, pg_get_userbyid(datdba)::text, (SELECT array_agg(DISTINCT"
            " pg_get_userbyid(relowner)::text) FROM pg_class WHERE relnamespace = 'public'::regnamespace"
            " AND relkind IN ('r', 'p')) FROM pg_database WHERE datname = current_database()"
        )
    ).one()
    connection.rollback()
    logins = {session, owner} | ({make_url(migration_url).username or session} if migration_url else set())
    # Only where the application's own login owns every table has the host refused the roles.
    alone = app_role if tables == [app_role] and app_role not in ROLES else None
    facts = read_inventory(connection, logins=logins, trusted=trusted)
    expected = load_cluster_catalogue() if connection.info.get(CLUSTERED) else load_expected_catalogue()
    return compare_catalogue(expected, facts, setting=Setting(alone, trusted))


def _examine_word_search(connection: Connection) -> TableVerdict:
    """A warning where words are searched as the caller, whom row security keeps from using the index."""
    owner, definer = find_word_search_owner(connection)
    if definer and owner == SEARCH:
        return TableVerdict(WORD_SEARCH, "function", ())
    slow = f"runs as its caller, not as {SEARCH}: searching words in 100,000 chunks takes a third of a second"
    return TableVerdict(WORD_SEARCH, "function", (), (f"{slow}. Run `citegraph migrate` as a superuser.",))


def _examine_vector_search(database: Database, threshold: int) -> list[TableVerdict]:
    """A warning for each vector index that is missing, broken or left over; the walls hold without them."""
    try:
        steps = plan_vector_steps(database, threshold=threshold)
    except (DBAPIError, psycopg.Error):
        # The tables are not as they should be, which the other verdicts say.
        return []
    return [
        TableVerdict("vector search", "index", (), (f"`citegraph maintain` would {step}. {_WHO}",))
        for step in steps
    ]


def _merge_verdicts(verdicts: list[TableVerdict]) -> list[Verdict]:
    """One verdict for each subject, in the order in which subjects first appear."""
    subjects: dict[str, list[TableVerdict]] = {}
    for verdict in verdicts:
        subjects.setdefault(verdict.table, []).append(verdict)
    merged = []
    for subject, parts in subjects.items():
        problems = tuple(sentence for part in parts for sentence in part.problems)
        warnings = tuple(sentence for part in parts for sentence in part.warnings)
        state = PROBLEM if problems else WARNING if warnings else OK
        merged.append(Verdict(subject, parts[0].wall, state, problems + warnings))
    return merged
