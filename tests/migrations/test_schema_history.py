"""Up, down and up again: the migrations make one schema, whoever starts them and however often."""

import io
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import redirect_stdout

import psycopg
import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import URL, create_engine, text
from sqlalchemy.pool import NullPool

from alembic import command
from app.db.engine import convert_to_conninfo
from app.db.health import find_newest_migration_number
from app.db.migrate import MIGRATION_LOCK, migrate
from app.shipped_files import PROJECT
from tests.support.citus import AS_DISTRIBUTED
from tests.support.sampling import sampled
from tests.support.schema.catalogue import Catalogue, Relation, read_catalogue
from tests.support.schema.lint import PLATFORM_TABLES, lint


@pytest.fixture
def empty_url(admin_url: URL) -> Iterator[URL]:
    """A database in which nothing was ever migrated."""
    name = f"citegraph_empty_{secrets.token_hex(5)}"
    with psycopg.connect(convert_to_conninfo(admin_url), autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}".encode())
        yield admin_url.set(database=name)
        admin.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def address(url: URL) -> str:
    return url.render_as_string(hide_password=False)


def catalogue(url: URL) -> Catalogue:
    with create_engine(url, poolclass=NullPool).connect() as connection:
        return read_catalogue(connection)


# What the catalogue of the lint leaves out: defaults, storage options, statistics, settings of the database.
DETAILS = """
SELECT c.relname || '.' || a.attname,
       concat_ws(' ', pg_get_expr(d.adbin, d.adrelid), a.attgenerated, a.attstattarget, c.reloptions::text)
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
WHERE c.relnamespace = 'public'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped
UNION ALL
SELECT p.oid::regprocedure::text, pg_get_functiondef(p.oid) FROM pg_proc p
WHERE p.pronamespace = 'public'::regnamespace AND p.prokind IN ('f', 'p')
  AND NOT EXISTS (SELECT 1 FROM pg_depend e WHERE e.objid = p.oid AND e.deptype = 'e')
UNION ALL
SELECT 'setting', unnest(setconfig) FROM pg_db_role_setting
JOIN pg_database ON pg_database.oid = setdatabase WHERE datname = current_database()
UNION ALL
SELECT 'version', version_num FROM alembic_version
ORDER BY 1, 2
"""


def described(url: URL) -> dict[str, tuple[object, ...]]:
    """Every relation with all that hangs on it; object ids differ between two schemas, nothing else may."""

    def rest(relation: Relation) -> tuple[object, ...]:
        return tuple(value for name, value in vars(relation).items() if name != "oid")

    with create_engine(url, poolclass=NullPool).connect() as connection:
        details = tuple(tuple(row) for row in connection.execute(text(DETAILS)))
    return {name: rest(relation) for name, relation in catalogue(url).relations.items()} | {"": details}


def run_alembic(url: URL, verb: str, *arguments: str) -> None:
    config = Config(PROJECT / "alembic.ini")
    with create_engine(url, poolclass=NullPool).connect() as connection, redirect_stdout(io.StringIO()):
        config.attributes["connection"] = connection
        getattr(command, verb)(config, *arguments)


@pytest.mark.soak
def test_down_to_nothing_and_up_again_gives_the_same_schema(empty_url: URL) -> None:
    assert migrate(address(empty_url)).missing_protections == ()
    first = described(empty_url)
    assert len(first) > 20
    run_alembic(empty_url, "downgrade", "base")
    assert set(catalogue(empty_url).relations) == set(PLATFORM_TABLES)
    assert migrate(address(empty_url)).missing_protections == ()
    assert described(empty_url) == first


@pytest.mark.soak
@pytest.mark.parametrize("steps", sampled([3, 2, 1], every=3))
def test_some_steps_down_can_be_taken_up_again(empty_url: URL, steps: int) -> None:
    """A deployment that is taken back stops half way."""
    migrate(address(empty_url))
    first = described(empty_url)
    run_alembic(empty_url, "downgrade", f"-{steps}")
    assert described(empty_url) != first
    migrate(address(empty_url))
    assert described(empty_url) == first


@pytest.mark.one_machine(AS_DISTRIBUTED)
def test_the_models_and_the_migrations_agree(privileged_url: URL) -> None:
    """`alembic check`: raises where a model was changed and no migration written."""
    before = described(privileged_url)
    run_alembic(privileged_url, "check")
    assert described(privileged_url) == before


def test_the_newest_migration_is_known_by_its_file_alone() -> None:
    heads = ScriptDirectory.from_config(Config(PROJECT / "alembic.ini")).get_heads()
    assert [find_newest_migration_number()] == heads


def test_migrating_twice_changes_nothing(privileged_url: URL) -> None:
    before = described(privileged_url)
    assert migrate(address(privileged_url)).missing_protections == ()
    assert described(privileged_url) == before


@pytest.mark.soak
def test_two_migrations_at_once_wait_for_one_another(empty_url: URL) -> None:
    """Two instances of a deployment start together: both end well, the schema is made once.

    Processes, because Alembic's context is global. The lock is held until both wait for it.
    """
    script = f"from app.db.migrate import migrate; print(migrate({address(empty_url)!r}).missing_protections)"
    waiting = text("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
    with create_engine(empty_url, poolclass=NullPool).connect() as connection:
        connection.execute(text("SELECT pg_advisory_lock(:key)"), {"key": MIGRATION_LOCK})
        both = [
            subprocess.Popen(
                [sys.executable, "-c", script],
                cwd=PROJECT,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            for _ in range(2)
        ]
        deadline = time.monotonic() + 60
        while connection.execute(waiting).scalar_one() < 2 and time.monotonic() < deadline:
            assert all(process.poll() is None for process in both)
        assert set(catalogue(empty_url).relations) == set()
        connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": MIGRATION_LOCK})
        connection.commit()
    said = [process.communicate(timeout=60)[0].strip() for process in both]
    assert said == ["()", "()"]
    with create_engine(empty_url, poolclass=NullPool).connect() as connection:
        assert [finding for finding in lint(connection) if finding.problems] == []


def test_a_migration_leaves_no_lock_and_no_role_behind(privileged_url: URL) -> None:
    """The session that migrated goes on as it came."""
    config = Config(PROJECT / "alembic.ini")
    with create_engine(privileged_url, poolclass=NullPool).connect() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
        assert connection.execute(text("SELECT current_user = session_user")).scalar_one()
        locks = text("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()")
        assert connection.execute(locks).scalar_one() == 0


def test_objects_belong_to_the_owner_role_alone(privileged_url: URL) -> None:
    """Rule I1: neither the application nor the migrator owns anything."""
    owners = {relation.owner for relation in catalogue(privileged_url).relations.values()}
    assert owners == {"citegraph_owner"}


def test_the_applications_password_is_set_without_being_sent(
    privileged_url: URL, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server gets a SCRAM verifier: its log of statements never holds the password."""
    monkeypatch.setenv("CITEGRAPH_APP_PASSWORD", "a:long%word'")
    read = text("SELECT rolpassword FROM pg_authid WHERE rolname = 'citegraph_app'")
    with create_engine(privileged_url, poolclass=NullPool).connect() as connection:
        before = connection.execute(read).scalar_one()
        connection.rollback()
        assert migrate(address(privileged_url)).missing_protections == ()
        after = connection.execute(read).scalar_one()
        connection.execute(text("ALTER ROLE citegraph_app PASSWORD NULL"))
        connection.commit()
    assert after != before
    assert after.startswith("SCRAM-SHA-256$")
