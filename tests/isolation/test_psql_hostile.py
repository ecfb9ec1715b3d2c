"""A hostile person with the login of `citegraph psql`: one space is read, and nothing is written, whatever is
set.
"""

from collections.abc import Iterator

import psycopg
import pytest
from sqlalchemy import URL

from app.db.doctor.examination import examine_database
from app.db.engine import convert_to_conninfo
from app.db.inspection import LOGIN_PREFIX, POLICY_NAME, PsqlLogin, create_psql_login_and_drop_expired
from app.db.roles import SECRET_TABLES
from app.errors import ConfigurationError
from app.ids import SpaceId
from tests.isolation.conftest import CANARY_A, CANARY_B, World

# On a cluster a policy is permissive, but the only one for those who look in by hand.
UNGUARDED = """
SELECT c.relname FROM pg_class c
WHERE c.relnamespace = 'public'::regnamespace AND c.relrowsecurity AND NOT EXISTS (
    SELECT 1 FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = %(policy)s AND (
        NOT p.polpermissive OR p.polroles = ARRAY['citegraph_inspect'::regrole]::oid[] AND NOT EXISTS (
            SELECT 1 FROM pg_policy q WHERE q.polrelid = c.oid AND q.polname <> p.polname
            AND q.polroles && ARRAY[0, 'citegraph_inspect'::regrole]::oid[]
        )
    )
)
"""
Person = psycopg.Connection[tuple[object, ...]]


@pytest.fixture(scope="module")
def login(world: World) -> Iterator[PsqlLogin]:
    """The login for A's space."""
    made = create_psql_login_and_drop_expired(
        world.url.render_as_string(hide_password=False), SpaceId(world.a.space_id), hours=1
    )
    yield made
    with psycopg.connect(convert_to_conninfo(world.url), autocommit=True) as connection:
        connection.execute(f"DROP ROLE {made.name}".encode())


def address(url: URL, login: PsqlLogin) -> str:
    return convert_to_conninfo(url.set(username=login.name, password=login.password))


@pytest.fixture
def person(world: World, login: PsqlLogin) -> Iterator[Person]:
    """Their session, with every setting as they like it."""
    with psycopg.connect(address(world.url, login), autocommit=True, options=login.options) as connection:
        connection.execute("SET default_transaction_read_only = off; SET statement_timeout = 0")
        yield connection


def refused(person: Person, statement: str) -> str:
    with pytest.raises(psycopg.Error) as caught:
        person.execute(statement.encode())
    return str(caught.value.sqlstate)


def test_reads_its_space_at_once(person: Person) -> None:
    assert person.execute("SELECT canonical_name FROM graph_node").fetchall() == [(CANARY_A,)]


@pytest.mark.parametrize(
    "role",
    [
        None,
        pytest.param(
            "citegraph_inspect",
            marks=pytest.mark.one_machine("nobody may log in to the nodes as citegraph_inspect"),
        ),
    ],
)
def test_no_setting_shows_a_row_of_another_space(world: World, person: Person, role: str | None) -> None:
    if role is not None:
        person.execute(f"SET ROLE {role}".encode())
    person.execute(
        f"SET app.space_id = '{world.b.space_id}'; SET app.tenant_id = '{world.b.tenant_id}'; SET"
        " app.platform = 'on'".encode()
    )
    # The setting takes rows away, and gives none.
    readable = [
        relation
        for relation in world.catalogue.relations.values()
        if relation.name not in SECRET_TABLES | {"alembic_version"}
    ]
    assert len(readable) > 30
    for relation in readable:
        if relation.kind == "S":
            continue
        for (row,) in person.execute(f"SELECT t::text FROM {relation.quoted_name} AS t".encode()).fetchall():
            assert str(world.b.space_id) not in str(row), relation.name
            assert str(world.b.tenant_id) not in str(row), relation.name
            assert CANARY_B not in str(row), relation.name


def test_the_search_for_words_is_not_theirs(world: World, person: Person) -> None:
    """It reads whichever space is set."""
    person.execute(f"SET app.space_id = '{world.b.space_id}'".encode())
    assert refused(person, "SELECT * FROM chunk_matches('canary'::tsquery, ARRAY['canary'], 10)") == "42501"


@pytest.mark.parametrize(
    "statement",
    [
        "SET ROLE citegraph_app",
        "SET ROLE citegraph_owner",
        "SET SESSION AUTHORIZATION citegraph_app",
        "SET session_replication_role = replica",
        "ALTER POLICY wall ON graph_node USING (true)",
        f"DROP POLICY {POLICY_NAME} ON graph_node",
        "ALTER TABLE graph_node DISABLE ROW LEVEL SECURITY",
        "SELECT lo_create(0)",
        "SELECT lo_creat(-1)",
        "SELECT lo_from_bytea(0, 'x')",
        "SELECT lo_import('/etc/passwd')",
        "SELECT lo_unlink(1)",
        "SELECT pg_advisory_lock(7205519001)",
        "SELECT pg_try_advisory_lock(7205519002)",
        "SELECT pg_advisory_xact_lock_shared(1)",
        "SELECT pg_notify('x', 'y')",
        "SELECT pg_logical_emit_message(false, 'x', 'y')",
        "CREATE TEMPORARY TABLE t (id int)",
        "CREATE TABLE t (id int)",
        "CREATE SCHEMA s",
        "CREATE ROLE r",
        "COPY graph_node TO PROGRAM 'cat'",
        "SELECT pg_read_file('PG_VERSION')",
        "SELECT count(*) FROM pg_authid",
        "SELECT secret_hash FROM api_key",
        "BEGIN; LOCK TABLE graph_node IN EXCLUSIVE MODE",
    ],
)
def test_what_is_not_reading_is_refused(
    world: World, person: Person, login: PsqlLogin, statement: str
) -> None:
    with psycopg.connect(convert_to_conninfo(world.url), autocommit=True) as superuser:
        # A copy of a database has not its rights.
        superuser.execute(
            "DO $$ BEGIN EXECUTE 'REVOKE TEMPORARY ON DATABASE ' || current_database() || ' FROM PUBLIC';"
            " END $$"
        )
    assert refused(person, statement) in ("42501", "22023")


def test_no_table_can_be_written(world: World, person: Person) -> None:
    person.execute(
        f"SET app.space_id = '{world.a.space_id}'; SET app.tenant_id = '{world.a.tenant_id}'".encode()
    )
    for relation in world.catalogue.tables:
        for statement in (
            f"DELETE FROM {relation.quoted_name}",
            f"INSERT INTO {relation.quoted_name} DEFAULT VALUES",
            f"TRUNCATE {relation.quoted_name} CASCADE",
            f"SELECT * FROM {relation.quoted_name} FOR UPDATE",
        ):
            assert refused(person, statement) == "42501", statement


def test_row_security_cannot_be_left_aside(person: Person) -> None:
    person.execute("SET row_security = off")
    assert refused(person, "SELECT * FROM graph_node") == "42501"


def test_statistics_show_no_values(person: Person) -> None:
    assert person.execute(
        "SELECT count(*) FROM pg_stats WHERE schemaname = 'public' AND tablename = 'graph_node'"
    ).fetchone() == (0,)


def test_every_table_has_the_policy_that_takes_rows_away(world: World) -> None:
    with psycopg.connect(convert_to_conninfo(world.url)) as connection:
        bare = connection.execute(UNGUARDED, {"policy": POLICY_NAME}).fetchall()
    assert bare == []


def test_a_login_ends_and_is_dropped_by_the_next(world: World) -> None:
    url = world.url.render_as_string(hide_password=False)
    ended = create_psql_login_and_drop_expired(url, SpaceId(world.b.space_id), hours=-1)
    again = create_psql_login_and_drop_expired(url, SpaceId(world.a.space_id), hours=1)
    with psycopg.connect(convert_to_conninfo(world.url)) as connection:
        names = {name for (name,) in connection.execute("SELECT rolname::text FROM pg_roles").fetchall()}
        until = connection.execute(
            "SELECT rolvaliduntil > now() FROM pg_roles WHERE rolname = %s", [again.name]
        ).fetchone()
    assert ended.name not in names
    assert until == (True,)
    assert again.name == f"{LOGIN_PREFIX}{world.a.space_id.hex}"


def test_a_host_where_no_role_can_be_made_says_so(world: World) -> None:
    with pytest.raises(ConfigurationError, match="restricted to one space") as caught:
        create_psql_login_and_drop_expired(
            world.app_url.render_as_string(hide_password=False), SpaceId(world.b.space_id), hours=1
        )
    assert caught.value.code == "no_psql_login"


@pytest.mark.soak
@pytest.mark.changes_server
def test_the_doctor_knows_the_login_and_notices_what_it_must_not_have(own_world: World) -> None:
    url = own_world.url.render_as_string(hide_password=False)
    made = create_psql_login_and_drop_expired(url, SpaceId(own_world.a.space_id), hours=1)

    def complaints() -> list[str]:
        return [
            verdict.subject
            for verdict in examine_database(own_world.database).verdicts
            if verdict.subject == f"role {made.name}"
        ]

    with psycopg.connect(convert_to_conninfo(own_world.url), autocommit=True) as superuser:
        try:
            assert complaints() == []
            superuser.execute(f"ALTER ROLE {made.name} BYPASSRLS".encode())
            assert complaints() != []
        finally:
            superuser.execute(f"DROP ROLE {made.name}".encode())
