"""Copies that serve one test after another are as new, or are not used again."""

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import URL

from app.db.database import Database
from app.db.engine import convert_to_conninfo
from app.db.models import GraphNode
from app.ids import create_id
from app.settings import Settings
from app.wiring import open_database
from tests.conftest import make_home
from tests.support.citus import nodes_of, only_on_a_cluster
from tests.support.pooler import as_app
from tests.support.recycled_databases import RecycledDatabases

pytestmark = pytest.mark.unpooled("copies are not recycled there")


@pytest.fixture
def copies(admin_url: URL, template: str) -> Iterator[RecycledDatabases]:
    made = RecycledDatabases(admin_url, template)
    yield made
    made.close()


def execute(url: URL, command: str) -> list[tuple[object, ...]]:
    with psycopg.connect(convert_to_conninfo(url), autocommit=True) as connection:
        cursor = connection.execute(command.encode())
        return cursor.fetchall() if cursor.description else []


def test_nothing_is_left_of_rows_sessions_and_what_connections_remember(
    copies: RecycledDatabases, tmp_path: Path
) -> None:
    with copies.lent() as url:
        forgotten = psycopg.connect(convert_to_conninfo(url))
        address = as_app(url).render_as_string(hide_password=False)
        settings = Settings(database_url=address, home=tmp_path, pool_size=2)
        copy = copies.lent_as(url.database)
        assert copy is not None
        engine = copy.engine(address, settings)
        for _ in range(3):
            with engine.connect() as connection:
                raw = connection.connection.driver_connection
                assert isinstance(raw, psycopg.Connection)
                raw.execute("SET application_name = 'left'; LISTEN left_behind")
                raw.execute("SELECT 1", prepare=True)
                connection.info["left"] = True
            copy.rest(engine)
        with copies.lent() as other:
            assert other != url, "two at once are two"
    with copies.lent() as again:
        assert again == url
    with pytest.raises(psycopg.OperationalError):
        forgotten.execute("SELECT 1")
    with engine.connect() as connection:
        kept = connection.connection.driver_connection
        assert kept is raw, "the connection stayed"
        assert isinstance(kept, psycopg.Connection)
        assert "left" not in connection.info
        assert kept.execute("SELECT current_setting('application_name')").fetchone() == ("",)
        assert kept.execute("SELECT pg_listening_channels()").fetchall() == []
        assert kept.execute("SELECT 1", prepare=True).fetchone() == (1,)


def test_rows_are_gone(copies: RecycledDatabases, settings: Settings) -> None:
    with copies.lent() as url:
        address = as_app(url).render_as_string(hide_password=False)
        own = settings.model_copy(update={"database_url": address})
        copy = copies.lent_as(url.database)
        assert copy is not None
        engine = copy.engine(address, own)
        make_home(Database(engine, own), "tenant-a")
        copy.rest(engine)
    with copies.lent() as again:
        assert again == url
        assert execute(again, "SELECT count(*) FROM tenant") == [(0,)]
        assert execute(again, "SELECT count(*) FROM knowledge_space") == [(0,)]
        assert execute(again, "SELECT count(*) FROM alembic_version") == [(1,)]


@pytest.mark.parametrize(
    "change",
    [
        "CREATE TABLE another (id int)",
        pytest.param("ALTER TABLE tenant ADD COLUMN another int", marks=pytest.mark.soak),
        pytest.param("GRANT SELECT ON tenant TO PUBLIC", marks=pytest.mark.soak),
        pytest.param("ALTER TABLE tenant DISABLE ROW LEVEL SECURITY", marks=pytest.mark.soak),
        "ANALYZE",
        "UPDATE alembic_version SET version_num = version_num",
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET work_mem = 1024', current_database()); END $$",
        "DO $$ BEGIN EXECUTE format('REVOKE TEMP ON DATABASE %I FROM PUBLIC', current_database()); END $$",
    ],
)
def test_a_copy_in_which_anything_else_changed_is_thrown_away(copies: RecycledDatabases, change: str) -> None:
    with copies.lent() as url:
        execute(url, change)
    with copies.lent() as again:
        assert again != url


def test_rows_are_gone_from_workers(
    copies: RecycledDatabases, settings: Settings, pytestconfig: pytest.Config
) -> None:
    only_on_a_cluster(pytestconfig)
    with copies.lent() as url:
        address = as_app(url).render_as_string(hide_password=False)
        database = open_database(address, settings.model_copy(update={"database_url": address}))
        for tenant in ("tenant-a", "tenant-b", "tenant-c"):
            home = make_home(database, tenant)
            with database.open_space(home.tenant_id, home.space_id) as space:
                space.orm.add(GraphNode(id=create_id(), canonical_name=tenant, node_type="Concept"))
        database.dispose()
        assert execute(url, "SELECT count(*) FROM graph_node") == [(3,)]
    with copies.lent() as again:
        assert again == url
        for table in ("graph_node", "space_anchor", "knowledge_space"):
            assert execute(again, f"SELECT count(*) FROM {table}") == [(0,)]


@pytest.mark.parametrize(
    "change", ["CREATE TABLE another (id int)", "UPDATE pg_dist_node SET nodeport = nodeport"]
)
def test_a_copy_in_which_a_worker_changed_is_thrown_away(
    copies: RecycledDatabases, pytestconfig: pytest.Config, change: str
) -> None:
    only_on_a_cluster(pytestconfig)
    with copies.lent() as url:
        execute(nodes_of(url)[-1], change)
    with copies.lent() as again:
        assert again != url
