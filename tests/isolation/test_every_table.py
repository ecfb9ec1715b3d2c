"""Each table by hand, past the door: row security alone must hide and refuse (plan items 3 and 8)."""

import psycopg
import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from app.db.base import Base
from app.db.doctor.canary_twins import get_sqlstate
from app.db.policies import get_wall
from app.db.roles import begin_and_get_raw_connection
from app.db.table_distribution import ANCHOR, DISTRIBUTED, SPACE_ID
from tests.isolation.conftest import World, scope
from tests.support.citus import NO_PARTITIONS
from tests.support.schema.lint import PLATFORM_TABLES

TABLES = sorted(Base.metadata.tables)
PARTITIONS = [f"dedicated_{kind}_vector_default" for kind in ("chunk", "fact", "node")]
REFUSED = "42501"
NOT_SUPPORTED = "0A000"
# The application may not change these at all, which is refused before row security is asked.
APPEND_ONLY = {"audit_event"}


def owner_column(world: World, table: str) -> str:
    if get_wall(world.catalogue.relations[table]).startswith("space"):
        return "knowledge_space_id"
    return "id" if table == "tenant" else "tenant_id"


def owner_of(world: World, table: str, *, b: bool = False) -> str:
    twin = world.b if b else world.a
    return str(twin.space_id if owner_column(world, table) == "knowledge_space_id" else twin.tenant_id)


def refusal(connection: Connection, statement: str) -> str | None:
    savepoint = connection.begin_nested()
    try:
        connection.execute(text(statement))
    except DBAPIError as error:
        return get_sqlstate(error)
    finally:
        savepoint.rollback()
    return None


def test_the_tables_tried_here_are_all_there_are(world: World) -> None:
    """Plan item 3: from the catalogue, so that a table without a model cannot hide.

    A partition is part of its table: by itself it is tried below, in `TestAPartition`.
    """
    whole = {table.name for table in world.catalogue.tables if not table.is_partition}
    assert whole - set(PLATFORM_TABLES) - ({ANCHOR} if world.is_clustered else set()) == set(TABLES)
    parts = {table.name for table in world.catalogue.tables if table.is_partition}
    assert parts == set(PARTITIONS)


@pytest.mark.parametrize("table", TABLES)
class TestWithoutAScope:
    def test_no_row_is_seen(self, app_connection: Connection, superuser: Connection, table: str) -> None:
        count = text(f'SELECT count(*) FROM "{table}"')
        assert app_connection.execute(count).scalar_one() == 0
        assert superuser.execute(count).scalar_one() >= 2

    def test_an_insert_is_refused(self, world: World, app_connection: Connection, table: str) -> None:
        with pytest.raises(DBAPIError) as caught:
            app_connection.execute(Base.metadata.tables[table].insert().values(world.a.rows[table]))
        assert get_sqlstate(caught.value) == REFUSED

    def test_update_and_delete_touch_nothing(
        self, world: World, app_connection: Connection, table: str
    ) -> None:
        column = owner_column(world, table)
        for statement in (f'UPDATE "{table}" SET {column} = {column}', f'DELETE FROM "{table}"'):
            if table in APPEND_ONLY:
                assert refusal(app_connection, statement) == REFUSED
            else:
                assert app_connection.execute(text(statement)).rowcount == 0

    def test_truncate_is_refused(self, app_connection: Connection, table: str) -> None:
        """Fact 18: TRUNCATE would ignore row security."""
        assert refusal(app_connection, f'TRUNCATE "{table}" CASCADE') == REFUSED

    def test_copy_in_is_refused(self, app_connection: Connection, superuser: Connection, table: str) -> None:
        """Fact 18. A cluster refuses it when the first row comes to its shard."""
        columns = ", ".join(
            f'"{column.name}"' for column in Base.metadata.tables[table].columns if column.computed is None
        )
        with (
            begin_and_get_raw_connection(superuser)
            .cursor()
            .copy(f'COPY (SELECT {columns} FROM "{table}" LIMIT 1) TO STDOUT'.encode()) as rows
        ):
            row = b"".join(rows)
        assert row
        with (
            pytest.raises(psycopg.Error) as caught,
            begin_and_get_raw_connection(app_connection)
            .cursor()
            .copy(f'COPY "{table}" ({columns}) FROM STDIN'.encode()) as copy,
        ):
            copy.write(row)
        assert caught.value.sqlstate in (NOT_SUPPORTED, REFUSED)


@pytest.mark.parametrize("table", TABLES)
class TestInSpaceA:
    def test_a_query_without_a_filter_shows_own_rows_alone(
        self, world: World, app_connection: Connection, table: str
    ) -> None:
        """Plan item 8: with every WHERE of the application gone, row security still hides."""
        scope(app_connection, tenant=world.a.tenant_id, space=world.a.space_id)
        owners = app_connection.execute(text(f'SELECT {owner_column(world, table)} FROM "{table}"')).scalars()
        assert {str(owner) for owner in owners} == {owner_of(world, table)}

    def test_a_row_cannot_be_handed_over(self, world: World, app_connection: Connection, table: str) -> None:
        scope(app_connection, tenant=world.a.tenant_id, space=world.a.space_id)
        other = owner_of(world, table, b=True)
        statement = f"UPDATE \"{table}\" SET {owner_column(world, table)} = '{other}'"
        by_space = owner_column(world, table) == SPACE_ID
        moves_between_shards = world.is_clustered and table in DISTRIBUTED and by_space
        assert refusal(app_connection, statement) == (NOT_SUPPORTED if moves_between_shards else REFUSED)

    def test_a_row_of_b_is_neither_changed_nor_deleted(
        self, world: World, app_connection: Connection, table: str
    ) -> None:
        scope(app_connection, tenant=world.a.tenant_id, space=world.a.space_id)
        if table in APPEND_ONLY:
            assert refusal(app_connection, f'DELETE FROM "{table}"') == REFUSED
            return
        named = f"{owner_column(world, table)} = '{owner_of(world, table, b=True)}'"
        assert app_connection.execute(text(f'DELETE FROM "{table}" WHERE {named}')).rowcount == 0


@pytest.mark.one_machine(NO_PARTITIONS)
@pytest.mark.parametrize("partition", PARTITIONS)
class TestAPartition:
    """Row security of the table above it does not hold for who names the partition itself."""

    def test_without_a_scope_no_row_is_seen_and_none_is_taken(
        self, app_connection: Connection, superuser: Connection, partition: str
    ) -> None:
        count = text(f'SELECT count(*) FROM "{partition}"')
        assert superuser.execute(count).scalar_one() >= 2
        assert app_connection.execute(count).scalar_one() == 0
        assert refusal(app_connection, f'INSERT INTO "{partition}" SELECT * FROM "{partition}"') is None
        assert refusal(app_connection, f'TRUNCATE "{partition}"') == REFUSED

    def test_in_a_space_there_are_its_own_rows_alone(
        self, world: World, app_connection: Connection, partition: str
    ) -> None:
        scope(app_connection, tenant=world.a.tenant_id, space=world.a.space_id)
        owners = app_connection.execute(text(f'SELECT knowledge_space_id FROM "{partition}"')).scalars()
        assert set(owners) == {world.a.space_id}
        taking = f"DELETE FROM \"{partition}\" WHERE knowledge_space_id = '{world.b.space_id}'"
        assert app_connection.execute(text(taking)).rowcount == 0
        handing = f"UPDATE \"{partition}\" SET knowledge_space_id = '{world.b.space_id}'"
        assert refusal(app_connection, handing) == REFUSED


def test_the_space_of_another_tenant_shows_no_row_of_its_owner(
    world: World, app_connection: Connection
) -> None:
    """Tenant A with the space of B: the tables by which a space is opened stay A's own (fact 6)."""
    scope(app_connection, tenant=world.a.tenant_id, space=world.b.space_id)
    for table in TABLES:
        if owner_column(world, table) == "knowledge_space_id":
            continue
        owners = app_connection.execute(text(f'SELECT {owner_column(world, table)} FROM "{table}"')).scalars()
        assert {str(owner) for owner in owners} == {owner_of(world, table)}, table


def test_garbage_settings_show_nothing_and_raise(world: World, app_connection: Connection) -> None:
    """Fact 2: a setting that is no uuid is an error, never everything."""
    app_connection.execute(text("SET LOCAL app.space_id = ''' or 1=1 --'"))
    assert refusal(app_connection, "SELECT count(*) FROM graph_edge") == "22P02"


def test_the_platform_sees_no_content(world: World, app_connection: Connection) -> None:
    """Rule I4: what the platform reads across spaces holds ids and numbers only."""
    scope(app_connection, platform=True)
    for relation in world.catalogue.tables:
        rows = app_connection.execute(text(f"SELECT count(*) FROM {relation.quoted_name}")).scalar_one()
        assert (rows == 0) == (get_wall(relation) in ("space", "tenant")), relation.name
