"""The key that triggers keep does what a foreign key does: refuse, lock, cascade (wall 4)."""

from uuid import UUID, uuid4

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from app.db.doctor.canary_twins import get_sqlstate
from tests.isolation.conftest import World, scope

KEY = "fk_community_member_knowledge_space_id_community_id"


def members(connection: Connection, space: UUID) -> int:
    found = connection.execute(
        text("SELECT count(*) FROM community_member WHERE knowledge_space_id = :space"), {"space": space}
    )
    return int(found.scalar_one())


def test_members_go_with_their_community_and_no_others(world: World, app_connection: Connection) -> None:
    scope(app_connection, tenant=world.a.tenant_id, space=world.a.space_id)
    assert members(app_connection, world.a.space_id) == 1
    app_connection.execute(
        text("DELETE FROM community WHERE knowledge_space_id = :space"), {"space": world.a.space_id}
    )
    assert members(app_connection, world.a.space_id) == 0
    opened = app_connection.execute(text("SELECT current_setting('app.space_id')")).scalar_one()
    assert opened == str(world.a.space_id)
    scope(app_connection, tenant=world.b.tenant_id, space=world.b.space_id)
    assert members(app_connection, world.b.space_id) == 1


def test_members_go_with_their_space_though_none_is_open(
    world: World, app_connection: Connection, superuser: Connection
) -> None:
    """A space is deleted in its tenant's session, where row security hides what it holds."""
    scope(app_connection, tenant=world.a.tenant_id)
    app_connection.execute(text("DELETE FROM knowledge_space WHERE id = :space"), {"space": world.a.space_id})
    opened = app_connection.execute(text("SELECT current_setting('app.space_id', true)")).scalar_one()
    assert not opened
    scope(app_connection, space=world.a.space_id)
    assert members(app_connection, world.a.space_id) == 0
    # Nothing was committed.
    assert members(superuser, world.a.space_id) == 1


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE community_member SET community_id = :other WHERE knowledge_space_id = :space",
        "UPDATE community SET id = :other WHERE knowledge_space_id = :space",
        (
            "INSERT INTO community_member (knowledge_space_id, node_id, community_id, weight) VALUES (:space,"
            " :other, :other, 1)"
        ),
    ],
)
def test_what_would_leave_a_member_without_its_community_is_refused(
    world: World, superuser: Connection, statement: str
) -> None:
    with pytest.raises(DBAPIError) as caught:
        superuser.execute(text(statement), {"space": world.a.space_id, "other": uuid4()})
    assert get_sqlstate(caught.value) == "23503"
    assert KEY in str(caught.value)


@pytest.mark.one_machine("a cluster has a foreign key, which does not look at a key that stays the same")
def test_a_community_that_gets_a_member_cannot_be_taken_away_meanwhile(
    world: World, app_connection: Connection, superuser: Connection
) -> None:
    """As a key does, the check locks what it found until the transaction ends."""
    scope(app_connection, tenant=world.a.tenant_id, space=world.a.space_id)
    app_connection.execute(
        text("UPDATE community_member SET community_id = community_id WHERE knowledge_space_id = :space"),
        {"space": world.a.space_id},
    )
    held = text("SELECT 1 FROM community WHERE knowledge_space_id = :space FOR UPDATE NOWAIT")
    with pytest.raises(DBAPIError) as caught:
        superuser.execute(held, {"space": world.a.space_id})
    assert get_sqlstate(caught.value) == "55P03"
    superuser.rollback()
    app_connection.rollback()
    assert superuser.execute(held, {"space": world.a.space_id}).scalar_one() == 1
