"""No answer of the database tells one tenant what another has (plan item 9, facts 7, 16 and 17)."""

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from app.db.base import Base
from app.db.doctor.canary_rows import copy_row_with_new_keys
from app.db.doctor.canary_twins import Twin, erase_twins, get_sqlstate, insert_twin_and_list_failures
from app.db.policies import get_wall
from app.errors import NotFound
from app.ids import SpaceId, create_id
from tests.isolation.conftest import World, scope

SPACE_TABLES = sorted(name for name, table in Base.metadata.tables.items() if "id" in table.columns)


def test_the_same_names_are_free_in_every_tenant(world: World) -> None:
    """Identical names, hashes and addresses in two tenants: nobody is told that a name is taken."""
    first, second = Twin(), Twin()
    try:
        assert insert_twin_and_list_failures(world.database, first, "the same", world.walls) == {}
        assert insert_twin_and_list_failures(world.database, second, "the same", world.walls) == {}
        assert set(first.rows) == set(second.rows)
    finally:
        erase_twins(world.database, (first, second))


@pytest.mark.parametrize("table", SPACE_TABLES)
def test_an_id_of_b_is_free_in_a(world: World, app_connection: Connection, table: str) -> None:
    """Fact 17: an insert with a foreign id does not collide, so it does not tell that the id exists."""
    if not get_wall(world.catalogue.relations[table]).startswith("space"):
        # Walled by tenant: where the space is part of the key it comes first, and a space is one tenant's.
        key = [column.name for column in Base.metadata.tables[table].primary_key.columns]
        assert "knowledge_space_id" not in key[1:]
        return
    scope(app_connection, tenant=world.a.tenant_id, space=world.a.space_id)
    model = Base.metadata.tables[table]
    row = copy_row_with_new_keys(model, world.a.rows[table]) | {"id": world.b.rows[table]["id"]}
    app_connection.execute(model.insert().values(row))
    found = app_connection.execute(text(f'SELECT count(*) FROM "{table}" WHERE id = :id'), {"id": row["id"]})
    assert found.scalar_one() == 1


def test_a_foreign_space_and_one_that_never_was_are_the_same(world: World) -> None:
    """Requirement 1.3."""
    answers = []
    for space_id in (world.b.space_id, SpaceId(create_id())):
        with pytest.raises(NotFound) as caught, world.database.open_space(world.a.tenant_id, space_id):
            pass
        answers.append((caught.value.message, caught.value.code, caught.value.status))
    assert answers[0] == answers[1]


def test_a_foreign_node_and_one_that_never_was_are_refused_alike(
    world: World, app_connection: Connection
) -> None:
    scope(app_connection, tenant=world.a.tenant_id, space=world.a.space_id)
    model = Base.metadata.tables["graph_edge"]
    answers = []
    for node_id in (world.b.rows["graph_node"]["id"], create_id()):
        savepoint = app_connection.begin_nested()
        row = copy_row_with_new_keys(model, world.a.rows["graph_edge"]) | {"to_node_id": node_id}
        with pytest.raises(DBAPIError) as caught:
            app_connection.execute(model.insert().values(row))
        diagnosis = caught.value.orig.diag  # type: ignore[union-attr]
        answers.append((get_sqlstate(caught.value), diagnosis.message_primary, diagnosis.message_detail))
        savepoint.rollback()
    assert answers[0] == answers[1]


def test_statistics_of_walled_tables_are_hidden(world: World, app_connection: Connection) -> None:
    """Fact 20: the most common values of a column would be somebody's content."""
    with world.privileged.connect() as connection:
        connection.execute(text("ANALYZE graph_node"))
        connection.commit()
    seen = text("SELECT count(*) FROM pg_stats WHERE tablename = 'graph_node'")
    assert app_connection.execute(seen).scalar_one() == 0
