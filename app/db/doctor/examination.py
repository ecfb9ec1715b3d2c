"""The examination behind `citegraph doctor`: login, catalogue and canary, as one list of verdicts."""

import contextlib
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import NamedTuple

import psycopg
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError

from app.db.database import Database
from app.db.doctor.canary import probe_isolation_walls
from app.db.doctor.catalogue import (
    compute_catalogue_fingerprint_and_end_transaction,
    read_relations,
    roll_back_and_begin_with_one_snapshot,
)
from app.db.doctor.catalogue_comparison import (
    Catalogue,
    HostCircumstances,
    MissingPart,
    compare_catalogue,
    list_parts_that_database_lacks,
    load_cluster_catalogue,
    load_expected_catalogue,
)
from app.db.doctor.cluster import examine_cluster
from app.db.doctor.inventory import CatalogueFact, read_inventory
from app.db.doctor.replicas import examine_replicas
from app.db.doctor.table_verdicts import TableVerdict, examine_foreign_keys_for_orphans, examine_relation
from app.db.engine import CLUSTERED_KEY, convert_to_psycopg_url
from app.db.errors import DATABASE_ERRORS, get_sqlstate, is_busy, is_unreachable
from app.db.health import find_newest_migration_number
from app.db.roles import (
    ROLES,
    SEARCH_ROLE,
    WORD_SEARCH_FUNCTION,
    begin_and_get_raw_connection,
    check_whether_login_bypasses_row_security,
    find_word_search_owner,
)
from app.db.vectors.maintenance import plan_vector_steps

_MAINTENANCE_NOTE = (
    "`citegraph up` does it by itself; elsewhere run `citegraph maintain --every 600` in the background."
)
_ATTEMPTS = 5
"""Attempts before a failure that concurrent changes may cause is reported as a fault."""
UNDEFINED_TABLE, NO_PRIVILEGE, INTERNAL_ERROR = "42P01", "42501", "XX000"
OK, WARNING, PROBLEM = "ok", "warning", "problem"


@dataclass(frozen=True)
class Verdict:
    """The findings about one table, view, function or role; each sentence says how to repair it."""

    subject: str
    wall: str
    state: str
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class DoctorReport:
    """One verdict for each subject."""

    verdicts: tuple[Verdict, ...]

    @property
    def is_healthy(self) -> bool:
        """True if no verdict is a problem; warnings name protections that the host does not allow."""
        return all(verdict.state != PROBLEM for verdict in self.verdicts)


def examine_database(
    database: Database,
    *,
    vector_index_chunks: int = 10_000,
    trusted_objects: Collection[str] = (),
    migration_url: str | None = None,
) -> DoctorReport:
    """Examine every wall of the database, by reading and by trying, as the application's own role.

    Includes each replica, each node and shard of a Citus cluster, and whether words and vectors are searched
    by index. `vector_index_chunks` and `trusted_objects` have the meaning of the settings; the login of
    `migration_url` may act as the migrator. Writes temporary tenants and rolls them back. If the database has
    another schema version than this code, nothing else is examined. Raises sqlalchemy's DBAPIError if the
    database cannot be reached.
    """
    with database.engine.connect() as connection:
        login = check_whether_login_bypasses_row_security(connection)
        role_verdict = TableVerdict(login.role, "role", login.problems, login.warnings)
        if (version_problem := _describe_wrong_schema_version(connection)) is not None:
            schema_verdict = TableVerdict("schema version", "schema", (version_problem,))
            return DoctorReport(tuple(_merge_verdicts([schema_verdict, role_verdict])))
        catalogue_arguments = (login.role, trusted_objects, migration_url)
        catalogue_verdicts = _read_verdicts_of_unchanged_catalogue(
            connection, lambda: _examine_catalogue(connection, *catalogue_arguments)
        )
        cluster_verdicts = (
            examine_cluster(begin_and_get_raw_connection(connection))
            if connection.info.get(CLUSTERED_KEY)
            else []
        )
        connection.rollback()
    wall_verdicts = _probe_walls_with_retries(database)
    search_verdicts = _examine_vector_search(database, vector_index_chunks)
    replica_verdicts = examine_replicas(database.replicas) if database.replicas else []
    return DoctorReport(
        tuple(
            _merge_verdicts(
                [
                    role_verdict,
                    *catalogue_verdicts,
                    *cluster_verdicts,
                    *wall_verdicts,
                    *search_verdicts,
                    *replica_verdicts,
                ]
            )
        )
    )


def list_missing_schema_parts(engine: Engine) -> list[MissingPart]:
    """Return what the migrations create and this database lacks, whatever its version says.

    A dump that was restored in part looks like this: its version comes before its constraints, policies and
    grants. `engine` has the login that migrates.
    """
    with engine.connect() as connection:
        app_role = check_whether_login_bypasses_row_security(connection).role
        roll_back_and_begin_with_one_snapshot(connection)
        return list_parts_that_database_lacks(*_read_catalogues(connection, app_role, (), None))


def _read_verdicts_of_unchanged_catalogue(
    connection: Connection, read_verdicts: Callable[[], list[TableVerdict]]
) -> list[TableVerdict]:
    """Return verdicts read while nobody changed the catalogue; after _ATTEMPTS attempts, the last ones."""
    verdicts: list[TableVerdict] = []
    for _ in range(_ATTEMPTS):
        mark_before = compute_catalogue_fingerprint_and_end_transaction(connection)
        try:
            verdicts = read_verdicts()
        except DATABASE_ERRORS:
            # A relation that was just dropped has no definition to print.
            if compute_catalogue_fingerprint_and_end_transaction(connection) == mark_before:
                raise
            continue
        if (
            not any(verdict.problems for verdict in verdicts)
            or compute_catalogue_fingerprint_and_end_transaction(connection) == mark_before
        ):
            return verdicts
    return verdicts or [TableVerdict("catalogue", "schema", ("changed while it was read: try again later",))]


def _examine_catalogue(
    connection: Connection, app_role: str, trusted_objects: Collection[str], migration_url: str | None
) -> list[TableVerdict]:
    roll_back_and_begin_with_one_snapshot(connection)
    verdicts = [examine_relation(relation) for relation in read_relations(connection)]
    verdicts += [
        TableVerdict(WORD_SEARCH_FUNCTION, "function", ()),
        TableVerdict("schema public", "schema", ()),
    ]
    # Usually, and preferably, the application's role cannot see all rows.
    with contextlib.suppress(PermissionError):
        verdicts += examine_foreign_keys_for_orphans(connection)
    verdicts.append(_warn_if_word_search_runs_as_caller(connection))
    catalogues = _read_catalogues(connection, app_role, trusted_objects, migration_url)
    return verdicts + compare_catalogue(*catalogues)


def _probe_walls_with_retries(database: Database) -> list[TableVerdict]:
    """Run the canary; repeat it if a lock was held or a partition was dropped meanwhile.

    If a server is gone, nothing is tried: on a cluster the verdict on the node says which.
    """
    problem = ""
    for _ in range(_ATTEMPTS):
        try:
            return probe_isolation_walls(database)
        except DATABASE_ERRORS as error:
            sqlstate = get_sqlstate(error)
            if is_unreachable(error):
                problem = f"could not be tried ({sqlstate}): try again when every server can be reached"
                break
            if not is_busy(error) and sqlstate not in (UNDEFINED_TABLE, INTERNAL_ERROR):
                problem = f"could not be written ({sqlstate}): run `citegraph migrate`"
                break
            problem = (
                f"could not be tried ({sqlstate}): try again when no maintenance or migration is running"
            )
    return [TableVerdict("canary", "door", (problem,))]


def _describe_wrong_schema_version(connection: Connection) -> str | None:
    """Return a sentence if the schema is not this code's version, since other verdicts would be wrong."""
    newest_revision = find_newest_migration_number()
    try:
        with connection.begin_nested():
            versions = (
                connection.execute(text("SELECT version_num FROM public.alembic_version")).scalars().all()
            )
    except DBAPIError as error:
        connection.rollback()
        sqlstate = getattr(error.orig, "sqlstate", None)
        if sqlstate == UNDEFINED_TABLE:
            return "The database has no tables yet: run `citegraph migrate`."
        if sqlstate == NO_PRIVILEGE:
            return "The last `citegraph migrate` did not finish, or was never run here: run it again."
        raise
    finally:
        connection.rollback()
    if list(versions) == [newest_revision]:
        return None
    current_version = ", ".join(versions) or "no migration"
    is_newer = bool(versions) and max(versions) > newest_revision
    remedy = "upgrade Citegraph to the version that created it" if is_newer else "run `citegraph migrate`"
    return (
        f"The database is at migration {current_version}, and this version of Citegraph needs "
        f"{newest_revision}: {remedy}."
    )


class _Catalogues(NamedTuple):
    """Expected and actual catalogue, and how to judge the differences."""

    expected_catalogue: Catalogue
    facts: list[CatalogueFact]
    circumstances: HostCircumstances


def _read_catalogues(
    connection: Connection, app_role: str, trusted_objects: Collection[str], migration_url: str | None
) -> _Catalogues:
    session_login, database_owner, table_owners = connection.execute(
        text(
            "SELECT session_user::text, pg_get_userbyid(datdba)::text, (SELECT array_agg(DISTINCT"
            " pg_get_userbyid(relowner)::text) FROM pg_class WHERE relnamespace = 'public'::regnamespace"
            " AND relkind IN ('r', 'p')) FROM pg_database WHERE datname = current_database()"
        )
    ).one()
    connection.rollback()
    logins = {session_login, database_owner} | (
        {convert_to_psycopg_url(migration_url).username or session_login} if migration_url else set()
    )
    # The host refused roles only if the application's own login owns every table.
    owning_login = app_role if table_owners == [app_role] and app_role not in ROLES else None
    facts = read_inventory(connection, logins=logins, trusted_objects=trusted_objects)
    expected_catalogue = (
        load_cluster_catalogue() if connection.info.get(CLUSTERED_KEY) else load_expected_catalogue()
    )
    return _Catalogues(expected_catalogue, facts, HostCircumstances(owning_login, trusted_objects))


def _warn_if_word_search_runs_as_caller(connection: Connection) -> TableVerdict:
    """Return a warning if word search runs as its caller, for whom row-level security prevents index use."""
    owner, is_definer = find_word_search_owner(connection)
    if is_definer and owner == SEARCH_ROLE:
        return TableVerdict(WORD_SEARCH_FUNCTION, "function", ())
    slow_warning = (
        f"runs as its caller, not as {SEARCH_ROLE}:"
        " searching words in 100,000 chunks takes a third of a second"
    )
    return TableVerdict(
        WORD_SEARCH_FUNCTION, "function", (), (f"{slow_warning}. Run `citegraph migrate` as a superuser.",)
    )


def _examine_vector_search(database: Database, threshold: int) -> list[TableVerdict]:
    """Return a warning for each vector index that is missing, invalid or unused; no wall depends on it."""
    try:
        steps = plan_vector_steps(database, threshold=threshold)
    except (DBAPIError, psycopg.Error):
        # The tables are not as expected, which the other verdicts report.
        return []
    return [
        TableVerdict(
            "vector search", "index", (), (f"`citegraph maintain` would {step}. {_MAINTENANCE_NOTE}",)
        )
        for step in steps
    ]


def _merge_verdicts(verdicts: list[TableVerdict]) -> list[Verdict]:
    """Merge verdicts on the same subject, in order of first appearance."""
    verdicts_by_subject: dict[str, list[TableVerdict]] = {}
    for verdict in verdicts:
        verdicts_by_subject.setdefault(verdict.table, []).append(verdict)
    merged_verdicts = []
    for subject, subject_verdicts in verdicts_by_subject.items():
        problems = tuple(
            sentence for subject_verdict in subject_verdicts for sentence in subject_verdict.problems
        )
        warnings = tuple(
            sentence for subject_verdict in subject_verdicts for sentence in subject_verdict.warnings
        )
        state = PROBLEM if problems else WARNING if warnings else OK
        merged_verdicts.append(Verdict(subject, subject_verdicts[0].wall, state, problems + warnings))
    return merged_verdicts
