"""Behind a PgBouncer in transaction mode: every transaction acts as the application's role, sees one space,
and works.

A pooler hands each transaction to any connection of the server's. What was set once on a connection then
holds for some transactions and not for others: a privileged login with SET ROLE ran 31 of 180 as the
superuser.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import URL, select, text

from app.db.connection_checks import is_pooled
from app.db.database import Database
from app.db.doctor.examination import examine_database
from app.db.engine import convert_to_conninfo, create_app_engine
from app.db.migrate import migrate
from app.db.models import GraphNode
from app.db.roles import APP
from app.db.vectors.maintenance import maintain_vectors
from app.errors import ConfigurationError
from app.settings import Settings
from tests.isolation.conftest import CANARY_A, CANARY_B, World
from tests.support.citus import ABSENT
from tests.support.pooler import bouncing

TRANSACTIONS = 180
WHO = "SELECT current_user::text, current_setting('statement_timeout'), current_setting('lock_timeout')"


def unpooled(world: World) -> URL:
    """The application's address at the server itself, also under `--pooled`."""
    return world.url.set(username=APP)


@pytest.fixture
def pooled_url(world: World, tmp_path: Path) -> Iterator[URL]:
    """The world's database through a pooler, with the application's own login."""
    with bouncing(unpooled(world), tmp_path / "bouncer") as address:
        yield address


@pytest.fixture
def pooled(pooled_url: URL) -> Iterator[Database]:
    """The door behind the pooler."""
    settings = Settings(pool_size=8, statement_timeout=21, lock_timeout=3)
    opened = Database(create_app_engine(pooled_url.render_as_string(hide_password=False), settings), settings)
    yield opened
    opened.dispose()


@pytest.fixture
def privileged(world: World, tmp_path: Path) -> Iterator[str]:
    """The superuser's address through a pooler."""
    with bouncing(world.url, tmp_path / "privileged", login=str(world.url.username)) as address:
        yield address.render_as_string(hide_password=False)


@pytest.fixture
def narrow(world: World, tmp_path: Path) -> Iterator[Database]:
    """The door behind a pooler of one connection."""
    settings = Settings(pool_size=8)
    with bouncing(unpooled(world), tmp_path / "narrow", connections=1) as address:
        opened = Database(
            create_app_engine(address.render_as_string(hide_password=False), settings), settings
        )
        yield opened
        opened.dispose()


def visit(database: Database, world: World, number: int) -> tuple[list[str], str, str, str]:
    """One transaction in one of the two spaces: the names seen without any WHERE, the role and the
    time-outs.
    """
    twin = world.a if number % 2 else world.b
    with database.open_space(twin.tenant_id, twin.space_id) as space:
        names = [
            name for (name,) in space.connection.execute("SELECT canonical_name FROM graph_node").fetchall()
        ]
        role, statement, lock = space.connection.execute(WHO).fetchone() or ("", "", "")
    return names, role, statement, lock


def visit_beside_others(database: Database, world: World) -> list[tuple[list[str], str, str, str]]:
    """Many transactions from eight threads, while some of everybody else's pass through the pooler too."""
    with ThreadPoolExecutor(8) as threads:
        return list(threads.map(lambda number: visit(database, world, number), range(TRANSACTIONS)))


def test_every_transaction_has_its_role_its_time_outs_and_its_space(world: World, pooled: Database) -> None:
    for number, (names, *who) in enumerate(visit_beside_others(pooled, world)):
        assert names == [CANARY_A if number % 2 else CANARY_B]
        assert who == [APP, "21s", "3s"]


def test_a_transaction_needs_no_second_connection(world: World, narrow: Database) -> None:
    """On a cluster the first one asks the nodes whether row security holds there."""
    for number in range(2):
        names, *_ = visit(narrow, world, number)
        assert names == [CANARY_A if number % 2 else CANARY_B]


@pytest.mark.one_machine("a cluster refuses such a login: see the next test")
def test_a_privileged_login_never_acts_as_itself(world: World, privileged: str) -> None:
    settings = Settings(pool_size=8, statement_timeout=21, lock_timeout=3, allow_privileged_login=True)
    database = Database(create_app_engine(privileged, settings), settings)
    try:
        for number, (names, *who) in enumerate(visit_beside_others(database, world)):
            assert names == [CANARY_A if number % 2 else CANARY_B]
            assert who == [APP, "21s", "3s"]
        # What doctor and readiness use: no door, and the role all the same.
        with database.engine.connect() as raw:
            assert raw.execute(text(WHO)).one() == (APP, "21s", "3s")
            raw.rollback()
            assert raw.execute(text("SELECT current_user::text")).scalar_one() == APP
    finally:
        database.dispose()


def test_a_login_whose_space_no_worker_hears_of_is_refused(world: World, privileged: str) -> None:
    """Row security would show it no row, and no error. A session of its own tells the workers."""
    if not world.is_clustered:
        pytest.skip(ABSENT)
    settings = Settings(pool_size=1, allow_privileged_login=True)
    database = Database(create_app_engine(privileged, settings), settings)
    with pytest.raises(ConfigurationError, match="would not hear"), database.open_platform():
        pass
    database.dispose()
    database = Database(
        create_app_engine(world.url.render_as_string(hide_password=False), settings), settings
    )
    for _ in range(2):
        with database.open_platform() as platform:
            told = platform.connection.execute("SHOW citus.propagate_set_commands").fetchone()
            assert told == ("local",)
    database.dispose()


def test_a_privileged_login_is_refused_at_start(world: World, privileged: str) -> None:
    direct = world.url.render_as_string(hide_password=False)
    for address in (privileged, direct):
        database = Database(create_app_engine(address, Settings(pool_size=1)), Settings())
        with (
            pytest.raises(ConfigurationError, match="may bypass row security") as caught,
            database.open_platform(),
        ):
            pass
        assert caught.value.code == "privileged_login"
        database.dispose()


@pytest.mark.one_machine("a cluster refuses such a login")
def test_nothing_is_left_on_the_servers_connection(world: World, tmp_path: Path, privileged: str) -> None:
    """Whoever else comes through the same pooler gets a connection as it was."""
    settings = Settings(pool_size=4, allow_privileged_login=True)
    database = Database(create_app_engine(privileged, settings), settings)
    visit_beside_others(database, world)
    database.dispose()
    with psycopg.connect(convert_to_conninfo(world.url.set(**_place(privileged))), autocommit=True) as other:
        for _ in range(20):
            assert other.execute("SELECT current_user, current_setting('app.space_id', true)").fetchone() in (
                (world.url.username, ""),
                (world.url.username, None),
            )


def _place(address: str) -> dict[str, Any]:
    url = psycopg.conninfo.conninfo_to_dict(address.replace("postgresql+psycopg", "postgresql"))
    return {"host": url["host"], "port": int(str(url["port"])), "query": {"sslmode": "disable"}}


def test_statements_that_ask_to_be_prepared_are_not(world: World, pooled: Database) -> None:
    """explain failed here on the statement `_pg3_0`, which another connection of the server's had."""

    def ask(number: int) -> list[object]:
        twin = world.a if number % 2 else world.b
        parameters = {"ids": [], "limit": 3}
        with pooled.open_space(twin.tenant_id, twin.space_id) as space:
            found = space.run("derived.communities.list_central_members", parameters, should_prepare=True)
            with space.pipelined():
                answers = [
                    space.send("derived.communities.list_central_members", parameters, should_prepare=True)
                    for _ in "ab"
                ]
                return [*found, *(row for answer in answers for row in answer.result())]

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(ask, range(TRANSACTIONS))) == [[]] * TRANSACTIONS
    with pooled.engine.connect() as raw:
        assert raw.execute(text("SELECT count(*) FROM pg_prepared_statements")).scalar_one() == 0


@pytest.mark.unpooled("it is about a server that no pooler stands before")
@pytest.mark.one_machine("nothing is prepared on a cluster, whose plans need the space")
def test_statements_are_prepared_where_nothing_stands_between(world: World) -> None:
    twin = world.a
    with world.database.open_space(twin.tenant_id, twin.space_id) as space:
        space.run("derived.communities.list_central_members", {"ids": [], "limit": 3}, should_prepare=True)
        kept = space.connection.execute("SELECT count(*) FROM pg_prepared_statements").fetchone()
    assert kept is not None
    assert kept[0] >= 1


def test_savepoints_time_limits_and_snapshots_hold(world: World, pooled: Database) -> None:
    twin = world.a
    with pooled.open_space(twin.tenant_id, twin.space_id, snapshot=True) as space:
        level = space.connection.execute("SHOW transaction_isolation").fetchone()
        assert level == ("repeatable read",)
        with pytest.raises(psycopg.errors.QueryCanceled), space.limit_statement_time_in_block(0.05):
            space.connection.execute("SELECT pg_sleep(2)")
        assert space.orm.scalars(select(GraphNode.canonical_name)).all() == [CANARY_A]
    with pooled.open_space(twin.tenant_id, twin.space_id) as space:
        assert space.connection.execute("SHOW transaction_isolation").fetchone() == ("read committed",)


@pytest.mark.soak
@pytest.mark.usefixtures("steady_roles")
def test_the_doctor_calls_it_healthy_and_the_canary_passes(own_world: World, tmp_path: Path) -> None:
    with bouncing(unpooled(own_world), tmp_path / "bouncer") as address:
        settings = Settings(pool_size=4)
        database = Database(
            create_app_engine(address.render_as_string(hide_password=False), settings), settings
        )
        report = examine_database(database)
        database.dispose()
    assert [verdict for verdict in report.verdicts if verdict.state == "problem"] == []


def test_migrations_and_maintenance_want_a_connection_of_their_own(world: World, privileged: str) -> None:
    """Both take a lock and a role for a session, which a pooler in transaction mode would hand to somebody
    else.
    """
    with pytest.raises(ConfigurationError, match="CITEGRAPH_MIGRATION_DATABASE_URL") as caught:
        migrate(privileged)
    assert caught.value.code == "pooled_migration"
    with pytest.raises(ConfigurationError, match="CITEGRAPH_MIGRATION_DATABASE_URL"):
        maintain_vectors(world.database, privileged, threshold=1_000)


def test_a_pooler_is_noticed(world: World, pooled_url: URL) -> None:
    with psycopg.connect(convert_to_conninfo(pooled_url)) as through:
        assert is_pooled(through)
    with psycopg.connect(convert_to_conninfo(unpooled(world))) as direct:
        assert not is_pooled(direct)
