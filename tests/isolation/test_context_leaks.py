"""One pooled connection, many tenants: nothing of one transaction reaches the next (plan item 6)."""

import os
import random
from collections.abc import Iterator

import pytest
from sqlalchemy import event, select, text
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DBAPIError

from app.db.database import Database
from app.db.engine import create_app_engine
from app.db.models import GraphNode
from app.errors import ConfigurationError
from app.ids import create_id
from app.settings import Settings
from tests.isolation.conftest import CANARY_A, CANARY_B, World

SETTINGS = ("app.space_id", "app.tenant_id", "app.platform")


@pytest.fixture
def single(world: World) -> Iterator[Database]:
    """A door with one connection, which every transaction must share."""
    address = world.app_url.render_as_string(hide_password=False)
    opened = Database(
        create_app_engine(address, Settings(pool_size=1, pool_overflow=0)),
        Settings(pool_size=1, pool_overflow=0),
    )
    yield opened
    opened.dispose()


def visit(database: Database, world: World, who: str, chance: random.Random, number: int) -> None:
    """One transaction as A, B or nobody, with a look at what is visible and now and then an accident."""
    if who == "nobody":
        with database.engine.connect() as raw:
            rows = raw.execute(text("SELECT knowledge_space_id, canonical_name FROM graph_node")).all()
            # Which space's, and after how many transactions: seen once on a loaded cluster, and never again.
            assert rows == [], (number, world.a.space_id, world.b.space_id)
        return
    twin, own = (world.a, CANARY_A) if who == "a" else (world.b, CANARY_B)
    with database.open_space(twin.tenant_id, twin.space_id) as space:
        names = space.orm.scalars(select(GraphNode.canonical_name)).all()
        assert names == [own]
        accident = chance.randrange(8)
        if accident == 0:
            raise ZeroDivisionError
        if accident == 1:
            space.orm.execute(text("SELECT 1 / 0"))
        if accident == 2:
            with space.orm.begin_nested():
                assert space.orm.execute(text("SELECT count(*) FROM graph_edge")).scalar_one() == 1
        if accident == 3:
            space.orm.execute(text("SET LOCAL statement_timeout = 1"))
            space.orm.execute(text("SELECT pg_sleep(1)"))


@pytest.mark.parametrize("transactions", [300, pytest.param(2_000, marks=pytest.mark.soak)])
def test_transactions_on_one_connection_carry_nothing_over(
    world: World, single: Database, transactions: int
) -> None:
    """Facts 1, 3 and 4."""
    seen: list[str] = []

    def at_checkout(connection: DBAPIConnection, *_: object) -> None:
        cursor = connection.cursor()
        cursor.execute(f"SELECT {', '.join(f'current_setting({name!r}, true)' for name in SETTINGS)}")
        seen.extend(value for value in cursor.fetchone() or () if value)
        cursor.close()
        connection.rollback()

    event.listen(single.engine, "checkout", at_checkout)
    chance = random.Random(7)
    accidents = 0
    for number in range(transactions):
        try:
            visit(single, world, ("a", "b", "nobody")[number % 3], chance, number)
        except (ZeroDivisionError, DBAPIError):
            accidents += 1
    assert seen == []
    assert accidents > transactions / 10


def test_an_abandoned_block_gives_its_connection_back(world: World, single: Database) -> None:
    """Fact 25: a pool of one would be stuck after the first."""

    class Cancelled(BaseException):
        """What a cancelled client raises in its server's thread."""

    for _ in range(3):
        with (
            pytest.raises(Cancelled),
            single.open_space(world.a.tenant_id, world.a.space_id) as space,
        ):
            space.orm.add(GraphNode(id=create_id(), canonical_name="x", node_type="Concept"))
            space.orm.flush()
            raise Cancelled
    with single.open_space(world.a.tenant_id, world.a.space_id) as space:
        assert space.orm.scalars(select(GraphNode.canonical_name)).all() == [CANARY_A]


def test_a_connection_that_is_returned_to_a_disposed_pool_is_closed(world: World, single: Database) -> None:
    """As where a silent node of a cluster was found while others were at work."""
    with single.open_space(world.a.tenant_id, world.a.space_id) as space:
        raw = space.connection
        single.engine.dispose()
        assert not raw.closed
    assert raw.closed
    with single.open_space(world.b.tenant_id, world.b.space_id) as space:
        assert space.connection is not raw


class TestFork:
    def in_child(self, attempt: object) -> int:
        """The exit code of a forked child that runs the attempt."""
        child = os.fork()
        if child == 0:
            code = 1
            try:
                assert callable(attempt)
                code = attempt()
            finally:
                os._exit(code)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

    @pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
    def test_a_child_may_not_use_its_parents_pool(self, world: World, single: Database) -> None:
        """Fact 24: it would read answers that belong to somebody else."""
        with single.open_space(world.a.tenant_id, world.a.space_id) as space:
            backend = space.orm.execute(text("SELECT pg_backend_pid()")).scalar_one()

        def attempt() -> int:
            try:
                with single.open_space(world.a.tenant_id, world.a.space_id):
                    return 2
            except ConfigurationError:
                return 7

        assert self.in_child(attempt) == 7
        # The refusal sent nothing: the parent's connection is the same one, and answers.
        with single.open_space(world.a.tenant_id, world.a.space_id) as space:
            assert space.orm.execute(text("SELECT pg_backend_pid()")).scalar_one() == backend

    @pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
    def test_a_child_that_starts_anew_is_served(self, world: World, single: Database) -> None:
        def attempt() -> int:
            single.engine.dispose(close=False)
            with single.open_space(world.b.tenant_id, world.b.space_id) as space:
                return 7 if space.orm.scalars(select(GraphNode.canonical_name)).all() == [CANARY_B] else 2

        with single.engine.connect():
            pass
        assert self.in_child(attempt) == 7
