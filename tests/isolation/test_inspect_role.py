"""A person with psql (requirement 13.2, plan item 13): one space, set once, and nothing to write."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, create_engine, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from app.db.doctor.canary_twins import get_sqlstate
from app.db.engine import convert_to_conninfo
from app.db.inspection import create_psql_login_and_drop_expired
from app.errors import ConfigurationError
from app.runtime.postgres import EmbeddedPostgres
from tests.isolation.conftest import World

BY_NAME = "a cluster shows a login the space of its name, whatever is set"
# Requirement 13.2, word for word; the id stands in place of its dots.
CANONICAL = """SELECT relation_type, count(*) AS edges, avg(weight) AS avg_weight FROM graph_edge
   WHERE knowledge_space_id = '{space}' AND deleted_at IS NULL GROUP BY 1 ORDER BY 2 DESC;"""


@pytest.fixture
def inspector(world: World) -> Iterator[Connection]:
    """A session of the login that `citegraph psql` makes for A's space."""
    made = create_psql_login_and_drop_expired(
        world.url.render_as_string(hide_password=False), world.a.space_id, hours=1
    )
    engine = create_engine(world.url.set(username=made.name, password=made.password), poolclass=NullPool)
    with engine.connect() as connection:
        connection.execute(text("SET default_transaction_read_only = off"))
        connection.commit()
        yield connection
        connection.rollback()
    with world.privileged.begin() as connection:
        connection.execute(text(f"DROP ROLE {made.name}"))


@pytest.mark.one_machine(BY_NAME)
def test_sees_nothing_before_a_space_is_set(world: World, inspector: Connection) -> None:
    query = CANONICAL.format(space=world.a.space_id)
    assert inspector.execute(text(query)).all() == []


def test_the_canonical_query_works_once_the_space_is_set(world: World, inspector: Connection) -> None:
    inspector.execute(text(f"SET app.space_id = '{world.a.space_id}'"))
    assert inspector.execute(text(CANONICAL.format(space=world.a.space_id))).all() == [("watches", 1, 0.5)]
    assert inspector.execute(text(CANONICAL.format(space=world.b.space_id))).all() == []


@pytest.mark.one_machine("nobody may log in to the nodes as citegraph_inspect, as whom they would talk")
def test_psql_connects_as_the_role(world: World, tmp_path: Path) -> None:
    try:
        psql = EmbeddedPostgres(tmp_path).find_program("psql")
    except ConfigurationError:
        pytest.skip("no psql without the embedded server's package")
    made = create_psql_login_and_drop_expired(
        world.url.render_as_string(hide_password=False), world.a.space_id, hours=1
    )
    address = convert_to_conninfo(world.url.set(username=made.name, password=made.password))
    script = f"SET ROLE citegraph_inspect; SET app.space_id = '{world.a.space_id}';\n"
    done = subprocess.run(
        [psql, "--no-psqlrc", "--tuples-only", "--no-align", "--quiet", address],
        input=script + CANONICAL.format(space=world.a.space_id),
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PGCONNECT_TIMEOUT": "5"},
    )
    assert done.stdout.strip() == "watches|1|0.5"


def test_every_view_answers_for_the_space_alone(world: World, inspector: Connection) -> None:
    """Requirement 13.1: security_invoker makes the views see what their reader sees."""
    views = [relation for relation in world.catalogue.relations.values() if relation.kind == "v"]
    assert len(views) >= 7
    if not world.is_clustered:
        for view in views:
            assert inspector.execute(text(f"SELECT count(*) FROM {view.quoted_name}")).scalar_one() == 0, (
                view.name
            )
    inspector.execute(text(f"SET app.space_id = '{world.a.space_id}'"))
    shown = 0
    for view in views:
        owners = inspector.execute(text(f"SELECT knowledge_space_id FROM {view.quoted_name}")).scalars().all()
        assert set(owners) <= {world.a.space_id}, view.name
        shown += len(owners)
    assert shown >= 5


def test_the_role_cannot_write(world: World, inspector: Connection) -> None:
    inspector.execute(text(f"SET app.space_id = '{world.a.space_id}'"))
    for relation in world.catalogue.tables:
        for statement in (
            f"DELETE FROM {relation.quoted_name}",
            f"INSERT INTO {relation.quoted_name} DEFAULT VALUES",
            f"TRUNCATE {relation.quoted_name} CASCADE",
        ):
            savepoint = inspector.begin_nested()
            with pytest.raises(DBAPIError) as caught:
                inspector.execute(text(statement))
            savepoint.rollback()
            assert get_sqlstate(caught.value) == "42501", statement


def test_cannot_read_the_hashes_of_keys(inspector: Connection) -> None:
    with pytest.raises(DBAPIError) as caught:
        inspector.execute(text("SELECT secret_hash FROM api_key"))
    assert get_sqlstate(caught.value) == "42501"
