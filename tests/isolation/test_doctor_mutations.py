"""Mutations of catalogue, functions and roles: each of them is noticed by `citegraph doctor`, and harmless
ones are not.

Roles belong to a whole server, so these tests have one of their own.
"""

import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import URL

from app.db.database import Database
from app.db.doctor.examination import DoctorReport, examine_database
from app.db.engine import convert_to_conninfo, create_app_engine
from app.settings import Settings
from tests.support.database_copies import copy_database
from tests.support.own_server import TEMPLATE, migrated_server
from tests.support.sampling import sampled

MATCHES = "chunk_matches(tsquery,text[],integer)"
TOKEN = "|| pg_catalog.array_to_tsvector(ARRAY['space:' || space_id::text])"


@dataclass(frozen=True)
class Server:
    """A server of its own, with a migrated database to copy."""

    admin: URL
    template: str

    def execute(self, *statements: str, database: str = "postgres") -> None:
        url = self.admin.set(database=database)
        with psycopg.connect(convert_to_conninfo(url), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())

    @contextmanager
    def copy(self) -> Iterator[str]:
        """The name of a copy, dropped at the end."""
        name = f"mutated_{secrets.token_hex(5)}"
        copy_database(self.admin, name, template=self.template)
        try:
            yield name
        finally:
            self.execute(f"DROP DATABASE {name} WITH (FORCE)")

    def examine(self, database: str, *, trusted: tuple[str, ...] = ()) -> DoctorReport:
        address = self.admin.set(database=database, username="citegraph_app")
        settings = Settings(pool_size=2)
        door = Database(create_app_engine(address.render_as_string(hide_password=False), settings), settings)
        try:
            return examine_database(door, trusted_objects=trusted)
        finally:
            door.dispose()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Embedded Postgres that no other test uses."""
    folder = tmp_path_factory.mktemp("mutations")
    with migrated_server(folder) as admin:
        yield Server(admin, TEMPLATE)


def problems(report: DoctorReport) -> dict[str, str]:
    return {
        verdict.subject: " ".join(verdict.sentences)
        for verdict in report.verdicts
        if verdict.state == "problem"
    }


def warnings(report: DoctorReport) -> dict[str, str]:
    return {
        verdict.subject: " ".join(verdict.sentences)
        for verdict in report.verdicts
        if verdict.state == "warning"
    }


ROUNDS = 6
# Name of the mutation, what is done, about which subject, which words of the sentence.
IN_THE_DATABASE = [
    (
        "search without its space",
        f"""DO $do$ BEGIN EXECUTE replace(pg_get_functiondef('{MATCHES}'::regprocedure),
            'c.knowledge_space_id IS NOT DISTINCT FROM nullif(current_setting(''app.space_id'', true), '''')::uuid', 'true');
            END $do$""",  # noqa: E501
        MATCHES,
        "expected",
    ),
    (
        "lexemes without the space's token",
        """CREATE OR REPLACE FUNCTION chunk_lexemes(space_id uuid, title text, headings text[], body text)
           RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE
           AS $$ SELECT to_tsvector('pg_catalog.english', body) $$""",
        "chunk_lexemes(uuid,text,text[],text)",
        "definition",
    ),
    ("search of the superuser", f"ALTER FUNCTION {MATCHES} OWNER TO postgres", MATCHES, "owner"),
    ("search with the caller's path", f"ALTER FUNCTION {MATCHES} RESET search_path", MATCHES, "definition"),
    (
        "search for everybody",
        f"GRANT EXECUTE ON FUNCTION {MATCHES} TO PUBLIC",
        MATCHES,
        "lost taken from PUBLIC",
    ),
    (
        "a trigger's function that runs as its owner",
        "ALTER FUNCTION note_added_edges() SECURITY DEFINER",
        "note_added_edges()",
        "runs as",
    ),
    (
        "a leakproof operator",
        "ALTER FUNCTION pg_catalog.ts_match_vq(tsvector, tsquery) LEAKPROOF",
        "ts_match_vq(tsvector,tsquery)",
        "LEAKPROOF",
    ),
    (
        "a leakproof distance",
        "ALTER FUNCTION cosine_distance(halfvec, halfvec) LEAKPROOF",
        "cosine_distance(halfvec,halfvec)",
        "LEAKPROOF",
    ),
    (
        "a view in another schema",
        "CREATE SCHEMA IF NOT EXISTS other; CREATE VIEW other.v AS SELECT id, canonical_name FROM graph_node",
        "other.v",
        "uses our tables",
    ),
    (
        "a copy in another schema",
        (
            "CREATE SCHEMA IF NOT EXISTS other; CREATE TABLE other.copied AS SELECT id, text FROM"
            " knowledge_chunk"
        ),
        "other.copied",
        "unknown",
    ),
    (
        "a copy of what names its space",
        "CREATE SCHEMA IF NOT EXISTS other; CREATE TABLE other.edges AS SELECT * FROM graph_edge",
        "other.edges",
        "without any wall",
    ),
    (
        "a materialised view elsewhere",
        (
            "CREATE SCHEMA IF NOT EXISTS other; CREATE MATERIALIZED VIEW other.m AS SELECT text FROM"
            " knowledge_chunk"
        ),
        "other.m",
        "materialised view",
    ),
    (
        "a trigger that copies out",
        """CREATE SCHEMA IF NOT EXISTS other; CREATE FUNCTION other.f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
           CREATE TRIGGER copied AFTER INSERT ON knowledge_chunk FOR EACH ROW EXECUTE FUNCTION other.f()""",  # noqa: E501
        "knowledge_chunk",
        "unknown trigger copied",
    ),
    (
        "a rule",
        "CREATE RULE doubled AS ON INSERT TO audit_event DO ALSO NOTHING",
        "audit_event",
        "rule doubled",
    ),
    (
        "a function elsewhere",
        (
            "CREATE SCHEMA IF NOT EXISTS other; CREATE FUNCTION other.f() RETURNS SETOF text LANGUAGE sql"
            " SECURITY DEFINER AS 'SELECT text FROM public.knowledge_chunk'"
        ),
        "other.f()",
        "unknown",
    ),
    (
        "an operator before the system's",
        "CREATE OPERATOR public.= (LEFTARG = uuid, RIGHTARG = uuid, FUNCTION = pg_catalog.uuid_ne)",
        "operator public.=(uuid,uuid)",
        "unknown",
    ),
    (
        "an event trigger",
        (
            "CREATE FUNCTION public.e() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN END'; CREATE EVENT"
            " TRIGGER watcher ON ddl_command_end EXECUTE FUNCTION public.e()"
        ),
        "event trigger watcher",
        "unknown",
    ),
    ("a publication", "CREATE PUBLICATION leak FOR TABLE knowledge_chunk", "publication leak", "unknown"),
    (
        "a foreign server",
        "CREATE FOREIGN DATA WRAPPER w; CREATE SERVER away FOREIGN DATA WRAPPER w",
        "server away",
        "unknown",
    ),
    (
        "a child table",
        "CREATE SCHEMA IF NOT EXISTS other; CREATE TABLE other.child () INHERITS (graph_node)",
        "graph_node",
        "child other.child",
    ),
    ("a large object", "SELECT lo_from_bytea(0, 'x')", "large objects", "unknown"),
    (
        "rights from now on",
        "ALTER DEFAULT PRIVILEGES FOR ROLE citegraph_migrator GRANT SELECT ON TABLES TO PUBLIC",
        "default acl for role citegraph_migrator on tables",
        "unknown",
    ),
    (
        "a right on a column",
        "GRANT SELECT (id) ON api_key TO citegraph_inspect",
        "api_key",
        "citegraph_inspect may SELECT",
    ),
    (
        "a right of the system",
        "GRANT EXECUTE ON FUNCTION pg_catalog.pg_read_file(text) TO citegraph_app",
        "pg_read_file(text)",
        "citegraph_app may EXECUTE",
    ),
    (
        "a table that readers of pg_catalog read",
        "GRANT SELECT ON pg_catalog.pg_authid TO PUBLIC",
        "pg_authid",
        "PUBLIC may SELECT",
    ),
    (
        "the view's condition",
        """DO $do$ BEGIN EXECUTE 'CREATE OR REPLACE VIEW inspect_token_cost WITH (security_invoker = true) AS '
            || rtrim(pg_get_viewdef('inspect_token_cost'::regclass), ';') || ' LIMIT 1'; END $do$""",  # noqa: E501
        "inspect_token_cost",
        "definition",
    ),
    (
        "a default that says another space",
        "ALTER TABLE graph_edge ALTER relation_type SET DEFAULT 'x'",
        "graph_edge",
        "column relation_type",
    ),
    (
        "a check that is gone",
        "ALTER TABLE graph_edge DROP CONSTRAINT ck_graph_edge_status",
        "graph_edge",
        "ck_graph_edge_status",
    ),
    (
        "row security off for the session",
        "ALTER DATABASE {database} SET row_security = off",
        "database",
        "setting row_security",
    ),
    (
        "a space for every session",
        "ALTER DATABASE {database} SET app.platform = 'on'",
        "database",
        "setting app.platform",
    ),
    ("an unlogged table", "ALTER TABLE model_answer SET UNLOGGED", "model_answer", "unlogged"),
    ("a cast", "CREATE CAST (text AS uuid) WITH INOUT AS IMPLICIT", "cast (text as uuid)", "unknown"),
    (
        "the application owns the database",
        "ALTER DATABASE {database} OWNER TO citegraph_app",
        "database",
        "owner (citegraph_app)",
    ),
    (
        "words that are no longer found",
        "ALTER TEXT SEARCH CONFIGURATION pg_catalog.english DROP MAPPING FOR asciiword",
        "text search configuration english",
        "mapping",
    ),
    (
        "a copy that poses as part of an extension",
        """CREATE TABLE public.hidden AS SELECT text FROM knowledge_chunk;
           ALTER EXTENSION vector ADD TABLE public.hidden""",
        "hidden",
        "added to extension vector",
    ),
    (
        "triggers that are passed over",
        "UPDATE pg_class SET relhastriggers = false WHERE oid = 'community'::regclass",
        "community",
        "passed over",
    ),
    (
        "a built-in function written anew",
        """CREATE OR REPLACE FUNCTION pg_catalog.array_to_tsvector(text[]) RETURNS tsvector
           LANGUAGE sql IMMUTABLE STRICT AS 'SELECT to_tsvector($1[1])'""",
        "array_to_tsvector(text[])",
        "no longer",
    ),
]
IN_THE_ROLES = [
    (
        "the owner may log in",
        "ALTER ROLE citegraph_owner LOGIN",
        "ALTER ROLE citegraph_owner NOLOGIN",
        "role citegraph_owner",
        "LOGIN",
    ),
    (
        "the search role may log in",
        "ALTER ROLE citegraph_search LOGIN",
        "ALTER ROLE citegraph_search NOLOGIN",
        "role citegraph_search",
        "LOGIN",
    ),
    (
        "inspection bypasses",
        "ALTER ROLE citegraph_inspect BYPASSRLS",
        "ALTER ROLE citegraph_inspect NOBYPASSRLS",
        "role citegraph_inspect",
        "BYPASSRLS",
    ),
    (
        "the application makes roles",
        "ALTER ROLE citegraph_app CREATEROLE",
        "ALTER ROLE citegraph_app NOCREATEROLE",
        "role citegraph_app",
        "CREATEROLE",
    ),
    (
        "the application runs programs",
        "GRANT pg_execute_server_program TO citegraph_app",
        "REVOKE pg_execute_server_program FROM citegraph_app",
        "role citegraph_app",
        "pg_execute_server_program",
    ),
    (
        "inspection becomes the backup",
        "GRANT citegraph_backup TO citegraph_inspect",
        "REVOKE citegraph_backup FROM citegraph_inspect",
        "role citegraph_inspect",
        "citegraph_backup",
    ),
    (
        "the migrator may hand its role on",
        "GRANT citegraph_owner TO citegraph_migrator WITH ADMIN OPTION",
        "REVOKE ADMIN OPTION FOR citegraph_owner FROM citegraph_migrator",
        "role citegraph_migrator",
        "may grant it",
    ),
    (
        "a stranger becomes the migrator",
        "CREATE ROLE deputy LOGIN; GRANT citegraph_migrator TO deputy",
        "DROP ROLE deputy",
        "role deputy",
        "member of citegraph_migrator",
    ),
    (
        "a stranger by two steps",
        "CREATE ROLE team; CREATE ROLE mallory LOGIN; GRANT citegraph_app TO team; GRANT team TO mallory",
        "DROP ROLE mallory; DROP ROLE team",
        "role mallory",
        "member of team",
    ),
    (
        "a stranger bypasses",
        "CREATE ROLE passer LOGIN BYPASSRLS",
        "DROP ROLE passer",
        "role passer",
        "BYPASSRLS",
    ),
    (
        "a stranger reads all data",
        "CREATE ROLE reader LOGIN; GRANT pg_read_all_data TO reader",
        "DROP ROLE reader",
        "role reader",
        "pg_read_all_data",
    ),
    (
        "a role that sets its space",
        "ALTER ROLE citegraph_inspect SET app.space_id = 'x'",
        "ALTER ROLE citegraph_inspect RESET app.space_id",
        "role citegraph_inspect",
        "app.space_id",
    ),
    (
        "a parameter for the application",
        "GRANT SET ON PARAMETER session_replication_role TO citegraph_app",
        "REVOKE SET ON PARAMETER session_replication_role FROM citegraph_app",
        "parameter session_replication_role",
        "citegraph_app may SET",
    ),
]


@pytest.fixture(scope="module")
def mutated(server: Server) -> list[dict[str, str]]:
    """The problems of each round: mutations of different subjects share one, for an examination takes its
    time.
    """
    found = []
    for start in range(ROUNDS):
        with server.copy() as database:
            for _, mutation, _, _ in IN_THE_DATABASE[start::ROUNDS]:
                server.execute(mutation.replace("{database}", database), database=database)
            found.append(problems(server.examine(database)))
    return found


@pytest.fixture(scope="module")
def mutated_roles(server: Server) -> dict[str, str]:
    """The problems while all roles are changed at once."""
    try:
        for _, mutation, _, _, _ in IN_THE_ROLES:
            server.execute(mutation)
        return problems(server.examine(server.template))
    finally:
        for _, _, undo, _, _ in reversed(IN_THE_ROLES):
            server.execute(undo)


@pytest.mark.parametrize(
    "place",
    sampled([pytest.param(place, id=mutation[0]) for place, mutation in enumerate(IN_THE_DATABASE)], every=2),
)
def test_a_mutation_of_the_database_is_noticed(mutated: list[dict[str, str]], place: int) -> None:
    _, _, subject, words = IN_THE_DATABASE[place]
    found = mutated[place % ROUNDS]
    assert words in found.get(subject, f"nothing about it, but {found}")


@pytest.mark.parametrize(
    ("subject", "words"), sampled([pytest.param(*role[3:], id=role[0]) for role in IN_THE_ROLES], every=2)
)
def test_a_mutation_of_the_roles_is_noticed(mutated_roles: dict[str, str], subject: str, words: str) -> None:
    assert words in mutated_roles.get(subject, f"nothing about it, but {mutated_roles}")


def test_a_migrated_database_is_healthy_without_a_warning(server: Server) -> None:
    report = server.examine(server.template)
    assert problems(report) == warnings(report) == {}


@pytest.mark.soak
def test_the_vector_index_of_a_large_space_is_expected(server: Server) -> None:
    """Each is named for its space, so none can be listed; one that only looks like it is not expected."""
    space = "0198aaaa-0000-7000-8000-000000000001"
    index = f"""CREATE INDEX ix_chunk_vector_{space.replace("-", "")}_0 ON chunk_vector
        USING hnsw ((embedding::halfvec(64)) halfvec_cosine_ops) WITH (m = 24, ef_construction = 200)
        WHERE knowledge_space_id = '{space}' AND vector_set = 0"""
    with server.copy() as database:
        server.execute(index, database=database)
        assert problems(server.examine(database)) == {}
        server.execute(
            "CREATE INDEX ix_chunk_vector_of_mine ON chunk_vector (knowledge_space_id, chunk_id)",
            database=database,
        )
        assert "index ix_chunk_vector_of_mine" in problems(server.examine(database))["chunk_vector"]


@pytest.mark.soak
class TestOtherApplications:
    """Their objects are warned about as long as their owner cannot reach our rows, and silent once
    trusted.
    """

    @pytest.fixture
    def shared(self, server: Server) -> Iterator[str]:
        with server.copy() as database:
            server.execute("CREATE ROLE billing LOGIN")
            server.execute(
                "CREATE SCHEMA billing AUTHORIZATION billing",
                "SET ROLE billing; CREATE TABLE billing.invoice (id uuid PRIMARY KEY, body text)",
                database=database,
            )
            yield database
        server.execute("DROP ROLE billing")

    @pytest.mark.soak
    def test_another_application_in_the_database_is_a_warning(self, server: Server, shared: str) -> None:
        report = server.examine(shared)
        assert problems(report) == {}
        assert set(warnings(report)) == {"schema billing", "billing.invoice"}
        assert "name `schema billing` in CITEGRAPH_TRUSTED_OBJECTS" in warnings(report)["billing.invoice"]

    @pytest.mark.soak
    def test_a_trusted_application_gives_no_warning(self, server: Server, shared: str) -> None:
        report = server.examine(shared, trusted=("schema billing",))
        assert problems(report) == warnings(report) == {}

    def test_a_trusted_neighbour_may_not_use_our_tables(self, server: Server, shared: str) -> None:
        server.execute("CREATE VIEW billing.peek AS SELECT text FROM public.knowledge_chunk", database=shared)
        found = problems(server.examine(shared, trusted=("schema billing",)))
        assert "uses our tables" in found["billing.peek"]

    def test_what_the_application_may_use_there_is_a_fault(self, server: Server, shared: str) -> None:
        server.execute("GRANT SELECT ON billing.invoice TO citegraph_app", database=shared)
        found = problems(server.examine(shared, trusted=("schema billing",)))
        assert "citegraph_app may SELECT" in found["billing.invoice"]


class TestOtherVersions:
    """A database that is not at this version's schema is told as one sentence."""

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            (
                "UPDATE alembic_version SET version_num = '0003'; DROP TABLE chunk_vector",
                "run `citegraph migrate`",
            ),
            ("UPDATE alembic_version SET version_num = '9999'", "upgrade Citegraph"),
            ("DELETE FROM alembic_version", "at migration no migration"),
            ("DROP TABLE alembic_version", "no tables yet"),
            ("REVOKE SELECT ON alembic_version FROM citegraph_app", "did not finish"),
        ],
    )
    def test_is_reported_in_one_sentence(self, server: Server, change: str, words: str) -> None:
        with server.copy() as database:
            server.execute(change, database=database)
            found = problems(server.examine(database))
        assert list(found) == ["schema version"]
        assert words in found["schema version"]


def test_a_role_that_the_host_added_is_a_warning(server: Server) -> None:
    server.execute("CREATE ROLE rds_replication REPLICATION")
    try:
        report = server.examine(server.template)
    finally:
        server.execute("DROP ROLE rds_replication")
    assert problems(report) == {}
    assert "REPLICATION" in warnings(report)["role rds_replication"]


@pytest.mark.soak
def test_a_trusted_role_gives_no_warning(server: Server) -> None:
    server.execute("CREATE ROLE monitor LOGIN; GRANT pg_read_all_data TO monitor")
    try:
        assert problems(server.examine(server.template, trusted=("role monitor",))) == {}
        assert "role monitor" in problems(server.examine(server.template))
    finally:
        server.execute("DROP ROLE monitor")


def test_commits_that_are_answered_early_are_a_warning(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A crash loses the last half second of them; no wall is down, so nothing is a fault."""
    monkeypatch.setenv("PGOPTIONS", "-c synchronous_commit=off")
    report = server.examine(server.template)
    assert problems(report) == {}
    assert "synchronous_commit = off" in warnings(report)["server"]


@pytest.fixture(scope="module")
def extended(server: Server) -> Iterator[None]:
    """Extensions that the server knows beside its own, for it has no contrib."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "extension")
        folder.mkdir()
        # The server runs as a user of its own.
        for path in (Path(place), folder):
            path.chmod(0o755)
        for name in ("pg_stat_statements", "dblink"):
            script = f"CREATE VIEW {name}_rows AS SELECT 1 AS one;\nGRANT SELECT ON {name}_rows TO PUBLIC;\n"
            (folder / f"{name}--1.0.sql").write_text(script)
            (folder / f"{name}.control").write_text("default_version = '1.0'\n")
        server.execute(
            f"ALTER SYSTEM SET extension_control_path = '$system:{place}'", "SELECT pg_reload_conf()"
        )
        yield


@pytest.mark.soak
class TestExtensions:
    """An extension that gives nobody a way out is expected; of any other the doctor asks whether it is
    wanted.
    """

    @pytest.mark.soak
    def test_one_that_is_known_to_be_harmless_is_silent(self, server: Server, extended: None) -> None:
        with server.copy() as database:
            server.execute("CREATE EXTENSION pg_stat_statements", database=database)
            report = server.examine(database)
        assert problems(report) == warnings(report) == {}

    def test_another_is_a_fault_until_it_is_trusted(self, server: Server, extended: None) -> None:
        with server.copy() as database:
            server.execute("CREATE EXTENSION dblink", database=database)
            assert list(problems(server.examine(database))) == ["extension dblink"]
            assert problems(server.examine(database, trusted=("extension dblink",))) == {}
