"""Forty-seven ways to lose isolation, chosen by somebody who has not read the doctor: each must be a problem
to it.

They come from what Postgres allows, not from what the doctor looks for. Each is made in a copy of the
migrated database by a superuser. Roles belong to the whole server: these tests have one of their own, and
what is done to a role is undone.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
from sqlalchemy import URL

from app.db.database import Database
from app.db.doctor.examination import examine_database
from app.db.engine import convert_to_conninfo, create_app_engine
from app.settings import Settings
from tests.support.own_server import TEMPLATE, migrated_server
from tests.support.sampling import sampled

pytestmark = [pytest.mark.slow, pytest.mark.new_database("of a server of its own")]

ALL_POLICIES = """
DO $$ DECLARE each record; BEGIN
    FOR each IN SELECT tablename, policyname FROM pg_policies WHERE schemaname = 'public' AND tablename = '{table}'
        AND permissive = 'PERMISSIVE'
    LOOP EXECUTE format('ALTER POLICY %I ON %I {change}', each.policyname, each.tablename); END LOOP;
END $$"""  # noqa: E501
REWRITTEN = """
DO $$ BEGIN
    EXECUTE replace(pg_get_functiondef('public.{name}'::regproc), '{old}', '{new}');
END $$"""

IN_THE_DATABASE = {
    # Policies
    "a policy that every row of any space meets": [
        ALL_POLICIES.format(
            table="graph_edge",
            change="USING (knowledge_space_id IS NOT NULL) WITH CHECK (knowledge_space_id IS NOT NULL)",
        )
    ],
    "a policy that lets every row be written": [
        ALL_POLICIES.format(table="document", change="WITH CHECK (true)")
    ],
    "a second policy, for one role": [
        "CREATE POLICY support ON document_body FOR SELECT TO citegraph_inspect USING (true)"
    ],
    "row security that its owner does not meet": ["ALTER TABLE fact_vector NO FORCE ROW LEVEL SECURITY"],
    # Functions
    "a trigger's function that runs as its owner": ["ALTER FUNCTION note_added_edges() SECURITY DEFINER"],
    "a trigger's function with one more statement": [
        REWRITTEN.format(
            name="note_changed_edge", old="BEGIN", new="BEGIN PERFORM pg_notify(''edges'', NEW.id::text);"
        )
    ],
    "a definer that looks for names in public first": [
        "ALTER FUNCTION chunk_matches(tsquery, text[], integer) SET search_path = public, pg_catalog"
    ],
    "a definer that anybody may call": [
        "GRANT EXECUTE ON FUNCTION chunk_matches(tsquery, text[], integer) TO PUBLIC"
    ],
    "a definer that belongs to a superuser": [
        "ALTER FUNCTION chunk_matches(tsquery, text[], integer) OWNER TO CURRENT_USER"
    ],
    "a definer of another schema that reads all chunks": [
        "CREATE SCHEMA helpers",
        "GRANT USAGE ON SCHEMA helpers TO citegraph_app",
        (
            "CREATE FUNCTION helpers.every_chunk() RETURNS SETOF public.knowledge_chunk LANGUAGE sql STABLE"
            " SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS 'SELECT * FROM"
            " public.knowledge_chunk'"
        ),
    ],
    "a cheap leakproof function that sees rows before the policy does": [
        "CREATE FUNCTION public.peek(seen text) RETURNS boolean LANGUAGE plpgsql COST 0.0000001 LEAKPROOF"
        " AS $$ BEGIN RAISE NOTICE '%', seen; RETURN true; END $$"
    ],
    "a function of Postgres declared leakproof": ["ALTER FUNCTION pg_catalog.textlike(text, text) LEAKPROOF"],
    "a function of Postgres that reads files": [
        "GRANT EXECUTE ON FUNCTION pg_catalog.pg_read_file(text) TO citegraph_app"
    ],
    "an operator of our own schema that finds any two ids equal": [
        "CREATE FUNCTION public.alike(uuid, text) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT true'",
        "CREATE OPERATOR public.= (LEFTARG = uuid, RIGHTARG = text, FUNCTION = public.alike)",
    ],
    # Triggers, rules and constraints
    "keys that are no longer checked": ["ALTER TABLE graph_edge DISABLE TRIGGER ALL"],
    "a trigger that fires for replicas alone": ["ALTER TABLE graph_edge ENABLE REPLICA TRIGGER note_added"],
    "a trigger that writes what it sees elsewhere": [
        "CREATE SCHEMA archive",
        "CREATE TABLE archive.seen (text text)",
        (
            "CREATE FUNCTION archive.keep() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS"
            " $$ BEGIN INSERT INTO archive.seen VALUES (NEW.text); RETURN NEW; END $$"
        ),
        "CREATE TRIGGER keep AFTER INSERT ON knowledge_chunk FOR EACH ROW EXECUTE FUNCTION archive.keep()",
    ],
    "a rule that writes every document twice": [
        "CREATE SCHEMA archive",
        "CREATE TABLE archive.titles (title text)",
        "CREATE RULE twice AS ON INSERT TO document DO ALSO INSERT INTO archive.titles VALUES (NEW.title)",
    ],
    "an event trigger": [
        (
            "CREATE FUNCTION public.on_change() RETURNS event_trigger LANGUAGE plpgsql SECURITY DEFINER AS"
            " $$ BEGIN GRANT SELECT ON ALL TABLES IN SCHEMA public TO PUBLIC; END $$"
        ),
        "CREATE EVENT TRIGGER changes ON ddl_command_end EXECUTE FUNCTION public.on_change()",
    ],
    "a unique index over all spaces, which tells what others have": [
        "CREATE UNIQUE INDEX one_name ON graph_node (canonical_name, node_type)"
    ],
    "a key that no longer holds edges to the space of their chunk": [
        "DO $$ DECLARE each text; BEGIN SELECT conname INTO each FROM pg_constraint"
        " WHERE conrelid = 'graph_edge'::regclass AND confrelid = 'knowledge_chunk'::regclass;"
        " EXECUTE format('ALTER TABLE graph_edge DROP CONSTRAINT %I', each); END $$"
    ],
    "a default for the space of a row": [
        "ALTER TABLE document ALTER COLUMN knowledge_space_id SET DEFAULT"
        " '00000000-0000-0000-0000-000000000001'"
    ],
    # Relations
    "a view that reads as its owner": ["ALTER VIEW inspect_ended_claims RESET (security_invoker)"],
    "a superuser's view in another schema": [
        "CREATE SCHEMA reporting",
        "CREATE VIEW reporting.chunks AS SELECT * FROM public.knowledge_chunk",
        "GRANT USAGE ON SCHEMA reporting TO citegraph_app",
        "GRANT SELECT ON reporting.chunks TO citegraph_app",
    ],
    "a materialised view": [
        "CREATE SCHEMA cache",
        "CREATE MATERIALIZED VIEW cache.edges AS SELECT * FROM public.graph_edge",
        "GRANT USAGE ON SCHEMA cache TO PUBLIC",
        "GRANT SELECT ON cache.edges TO PUBLIC",
    ],
    "a table that inherits from ours": [
        "CREATE TABLE public.graph_edge_old () INHERITS (public.graph_edge)",
        "GRANT SELECT ON public.graph_edge_old TO citegraph_app",
    ],
    "a copy of a table in another schema": [
        "CREATE SCHEMA backup",
        "CREATE TABLE backup.api_key AS SELECT * FROM public.api_key",
        "GRANT USAGE ON SCHEMA backup TO citegraph_inspect",
        "GRANT SELECT ON ALL TABLES IN SCHEMA backup TO citegraph_inspect",
    ],
    "a publication of all tables": ["CREATE PUBLICATION everything FOR ALL TABLES"],
    "a table that lies on another server": [
        "CREATE FOREIGN DATA WRAPPER elsewhere",
        "CREATE SERVER outside FOREIGN DATA WRAPPER elsewhere",
        "CREATE FOREIGN TABLE public.outside (knowledge_space_id uuid, text text) SERVER outside",
        "GRANT SELECT, INSERT ON public.outside TO citegraph_app",
    ],
    # Grants and owners
    "one column of chunks for everybody": ["GRANT SELECT (text) ON knowledge_chunk TO PUBLIC"],
    "triggers that the application may make": ["GRANT TRIGGER ON document TO citegraph_app"],
    "tables to come that everybody may read": [
        "ALTER DEFAULT PRIVILEGES FOR ROLE citegraph_owner IN SCHEMA public GRANT SELECT ON TABLES TO PUBLIC"
    ],
    "a schema in which everybody may make things": ["GRANT CREATE ON SCHEMA public TO PUBLIC"],
    "a table that the application owns": ["ALTER TABLE graph_node OWNER TO citegraph_app"],
    "a large object for the application": [
        "SELECT lo_create(4711)",
        "GRANT SELECT, UPDATE ON LARGE OBJECT 4711 TO citegraph_app",
    ],
    # Settings of this database
    "a database whose every session is the platform": ["ALTER DATABASE {database} SET app.platform = 'on'"],
    "a database that belongs to the application": ["ALTER DATABASE {database} OWNER TO citegraph_app"],
}

# Changed, and how it is undone.
OF_THE_SERVER = {
    "the application as one that may become the owner": (
        ["GRANT citegraph_owner TO citegraph_app WITH INHERIT FALSE, SET TRUE"],
        ["REVOKE citegraph_owner FROM citegraph_app"],
    ),
    "a way round three corners to one that bypasses": (
        ["CREATE ROLE mutant_middle NOLOGIN", "GRANT citegraph_search TO mutant_middle", "GRANT mutant_middle TO citegraph_app"],  # noqa: E501
        ["DROP ROLE mutant_middle"],
    ),
    "a stranger's login that may read as the backup does": (
        ["CREATE ROLE mutant_stranger LOGIN", "GRANT citegraph_backup TO mutant_stranger"],
        ["DROP ROLE mutant_stranger"],
    ),
    "the inspecting role past row security": (
        ["ALTER ROLE citegraph_inspect BYPASSRLS"],
        ["ALTER ROLE citegraph_inspect NOBYPASSRLS"],
    ),
    "the searching role with a login": (["ALTER ROLE citegraph_search LOGIN"], ["ALTER ROLE citegraph_search NOLOGIN"]),  # noqa: E501
    "the application as one that replicates": (
        ["ALTER ROLE citegraph_app REPLICATION"],
        ["ALTER ROLE citegraph_app NOREPLICATION"],
    ),
    "the application as one that reads the server's files": (
        ["GRANT pg_read_server_files TO citegraph_app"],
        ["REVOKE pg_read_server_files FROM citegraph_app"],
    ),
    "a space that every session of the application has open": (
        ["ALTER ROLE citegraph_app SET app.space_id = '00000000-0000-0000-0000-000000000001'"],
        ["ALTER ROLE citegraph_app RESET app.space_id"],
    ),
    "sessions of the application that check no keys": (
        ["ALTER ROLE citegraph_app SET session_replication_role = replica"],
        ["ALTER ROLE citegraph_app RESET session_replication_role"],
    ),
    "another schema before ours": (
        ["ALTER ROLE citegraph_app SET search_path = mutant, public"],
        ["ALTER ROLE citegraph_app RESET search_path"],
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def admin_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[URL]:
    """A server that no other test uses: another's roles are not changed, and the doctor finds only ours."""
    with migrated_server(tmp_path_factory.mktemp("by_another")) as url:
        yield url


@pytest.fixture(scope="module")
def template() -> str:
    return TEMPLATE


def execute(url: URL, commands: list[str]) -> None:
    with psycopg.connect(convert_to_conninfo(url), autocommit=True) as connection:
        for command in commands:
            connection.execute(command.replace("{database}", str(url.database)).encode())


def problems(app_url: URL) -> list[str]:
    """What the doctor finds wrong, as subject and sentences."""
    settings = Settings(pool_size=2)
    address = app_url.render_as_string(hide_password=False)
    database = Database(create_app_engine(address, settings), settings)
    try:
        report = examine_database(database)
    finally:
        database.dispose()
    assert report.is_healthy == all(verdict.state != "problem" for verdict in report.verdicts)
    return [
        f"{verdict.subject}: {verdict.sentences}" for verdict in report.verdicts if verdict.state == "problem"
    ]


@contextmanager
def undone(url: URL, changes: list[str], back: list[str]) -> Iterator[None]:
    try:
        execute(url, changes)
        yield
    finally:
        for statement in back:
            execute(url, [statement])


@pytest.mark.soak
def test_what_the_migrations_make_is_healthy(app_url: URL) -> None:
    assert problems(app_url) == []


@pytest.mark.soak
@pytest.mark.parametrize("mutation", sampled(IN_THE_DATABASE, every=9))
def test_the_doctor_reports_the_mutation(privileged_url: URL, app_url: URL, mutation: str) -> None:
    execute(privileged_url, IN_THE_DATABASE[mutation])
    assert problems(app_url)


@pytest.mark.soak
@pytest.mark.parametrize("mutation", sampled(OF_THE_SERVER, every=5))
def test_the_doctor_reports_roles_with(privileged_url: URL, app_url: URL, mutation: str) -> None:
    changes, back = OF_THE_SERVER[mutation]
    with undone(privileged_url, changes, back):
        assert problems(app_url)
    assert problems(app_url) == []
