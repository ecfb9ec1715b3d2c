"""One database for a whole file: two tenants with the same rows, a canary string in each of theirs.

Tests on `world` leave no trace: they roll back. Those that commit copy a database of their own.
"""

import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from uuid import UUID

import pytest
from sqlalchemy import URL, Connection, Engine, create_engine, text
from sqlalchemy.pool import NullPool

from app.db.database import Database
from app.db.doctor.canary_twins import Twin, insert_twin_and_list_failures
from app.db.engine import create_app_engine
from app.db.policies import get_wall
from app.db.roles import is_clustered
from app.settings import Settings
from tests.support.citus import NO_PARTITIONS
from tests.support.database_copies import copy_database, drop_database
from tests.support.pooler import as_app
from tests.support.schema.catalogue import Catalogue, read_catalogue

DEDICATED = frozenset(f"dedicated_{kind}_vector" for kind in ("chunk", "fact", "node"))
CANARY_A, CANARY_B = "CANARY_OF_A_7f3e", "CANARY_OF_B_91cd"


@dataclass
class World:
    """A populated database, seen by the application and by a superuser."""

    database: Database
    privileged: Engine
    url: URL
    app_url: URL
    catalogue: Catalogue
    is_clustered: bool
    walls: Mapping[str, str]
    a: Twin
    b: Twin


def scope(
    connection: Connection, *, tenant: UUID | None = None, space: UUID | None = None, platform: bool = False
) -> None:
    """Set what the door would set, by hand."""
    for name, value in (("tenant_id", tenant), ("space_id", space), ("platform", "on" if platform else None)):
        if value is not None:
            connection.execute(text(f"SET LOCAL app.{name} = '{value}'"))


def build_world(url: URL) -> World:
    """Populate the migrated database at this privileged URL with two tenants."""
    address = as_app(url).render_as_string(hide_password=False)
    database = Database(create_app_engine(address, Settings(pool_size=2)), Settings(pool_size=2))
    privileged = create_engine(url, poolclass=NullPool)
    with privileged.connect() as connection:
        catalogue = read_catalogue(connection)
        clustered = is_clustered(connection)
    walls = {
        relation.name: get_wall(relation)
        for relation in catalogue.tables
        if not (clustered and relation.name in DEDICATED)
    }
    a, b = Twin(), Twin()
    assert insert_twin_and_list_failures(database, a, CANARY_A, walls) == {}
    assert insert_twin_and_list_failures(database, b, CANARY_B, walls) == {}
    return World(database, privileged, url, as_app(url), catalogue, clustered, walls, a, b)


def _copy(admin_url: URL, template: str) -> Iterator[World]:
    name = f"citegraph_world_{secrets.token_hex(5)}"
    copy_database(admin_url, name, template=template)
    world = build_world(admin_url.set(database=name))
    yield world
    world.database.dispose()
    drop_database(admin_url, name)


@pytest.fixture(autouse=True)
def only_tables_with_rows(request: pytest.FixtureRequest) -> None:
    """On a cluster skip the tests of a single table where it is one that stays empty there."""
    callspec = getattr(request.node, "callspec", None)
    table = callspec and callspec.params.get("table")
    if table in DEDICATED and request.config.getoption("--citus"):
        pytest.skip(NO_PARTITIONS)


@pytest.fixture(scope="module")
def world(admin_url: URL, template: str) -> Iterator[World]:
    """Shared by the file's tests, which must roll back."""
    yield from _copy(admin_url, template)


@pytest.fixture
def own_world(admin_url: URL, template: str) -> Iterator[World]:
    """For one test that commits."""
    yield from _copy(admin_url, template)


@pytest.fixture
def app_connection(world: World) -> Iterator[Connection]:
    """A raw connection of the application's role with nothing set; rolled back."""
    with world.database.engine.connect() as connection:
        yield connection
        connection.rollback()


@pytest.fixture
def superuser(world: World) -> Iterator[Connection]:
    """A superuser's connection; rolled back."""
    with world.privileged.connect() as connection:
        yield connection
        connection.rollback()
