"""Sessions that only read on a real cluster read content at its worker: equal answers, the same walls."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import psycopg
import pytest
from sqlalchemy import URL

from app.db.database import Database
from app.db.engine import convert_to_conninfo
from app.db.session import ShardSession, SpaceSession
from app.errors import ConfigurationError
from app.graph import service as graph
from app.graph.shapes import GraphFilters
from app.settings import Settings
from app.tenancy.tenants import quotas
from app.wiring import open_database
from tests.conftest import Home
from tests.support.citus import nodes_of, only_on_a_cluster
from tests.support.ingest import corpus, ingest_now
from tests.support.pooler import as_app

pytestmark = [pytest.mark.shared_database, pytest.mark.usefixtures("cluster_alone")]
QUESTIONS = ("How does Michael Stonebraker relate to PostgreSQL?", "What is Ingres?")


@pytest.fixture
def cluster_alone(pytestconfig: pytest.Config) -> None:
    only_on_a_cluster(pytestconfig)


@pytest.fixture
def filled(database: Database, settings: Settings, home: Home, twin: Home) -> None:
    """Both spaces hold the same documents."""
    for owner in (home, twin):
        ingest_now(database, settings, owner, corpus()[:4])


@pytest.fixture
def coordinator(privileged_url: URL) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    with psycopg.connect(convert_to_conninfo(privileged_url), autocommit=True) as connection:
        yield connection


def explained(database: Database, home: Home, *, may_use_replica: bool) -> tuple[str, bool]:
    """The answers, and whether the worker gave them."""
    with database.open_space(home.tenant_id, home.space_id, may_use_replica=may_use_replica) as space:
        answers = [
            graph.explain_and_record_recall(space, question=question, filters=GraphFilters())
            for question in QUESTIONS
        ]
        return repr(answers), may_use_replica and space._shard_session is not None


def shards_of(space: SpaceSession) -> ShardSession:
    shards = space._shard_session
    assert shards is not None
    return shards


@pytest.mark.usefixtures("filled")
def test_the_worker_answers_as_the_coordinator_does(database: Database, home: Home) -> None:
    by_coordinator, _ = explained(database, home, may_use_replica=False)
    assert explained(database, home, may_use_replica=True) == (by_coordinator, True)


@pytest.mark.usefixtures("filled")
def test_a_workers_session_sees_its_own_space_alone_and_writes_nothing(
    database: Database, home: Home, twin: Home
) -> None:
    """Whatever is asked for: by unscoped statements, and in the shards of another's space."""
    tables = {}
    for owner in (home, twin):
        with database.open_space(owner.tenant_id, owner.space_id, may_use_replica=True) as space:
            tables[owner.space_id] = dict(shards_of(space)._shard_tables.names)["graph_node"]
            shards = shards_of(space).connection
            for table in tables.values():
                try:
                    with shards.transaction():
                        rows = shards.execute(
                            f"SELECT DISTINCT knowledge_space_id FROM {table}".encode()
                        ).fetchall()
                except psycopg.errors.UndefinedTable:
                    continue  # It stands on the other worker.
                assert rows == ([(owner.space_id,)] if table == tables[owner.space_id] else [])
            with pytest.raises(psycopg.errors.ReadOnlySqlTransaction), shards.transaction():
                shards.execute(f"DELETE FROM {tables[owner.space_id]}".encode())
            assert shards.execute("SELECT current_user").fetchone() == ("citegraph_app",)
            with shards.transaction(force_rollback=True):
                shards.execute("SET LOCAL app.space_id = ''")
                count = shards.execute(f"SELECT count(*) FROM {tables[owner.space_id]}".encode())
                assert count.fetchone() == (0,)


@pytest.mark.soak
@pytest.mark.usefixtures("filled")
def test_a_space_that_moves_is_read_where_it_is(
    database: Database, home: Home, coordinator: psycopg.Connection[tuple[object, ...]]
) -> None:
    answers = explained(database, home, may_use_replica=True)
    assert answers[1]
    with database.open_space(home.tenant_id, home.space_id, may_use_replica=True) as space:
        before = shards_of(space)._shard_tables
    coordinator.execute(
        "SELECT citus_move_shard_placement(%s, source.nodename, source.nodeport, target.nodename,"
        " target.nodeport, 'block_writes') FROM pg_dist_node AS source, pg_dist_node AS target"
        " WHERE source.groupid = %s AND target.groupid NOT IN (0, source.groupid) LIMIT 1",
        [before.shard_id, before.node.group],
    )
    assert explained(database, home, may_use_replica=True) == answers
    with database.open_space(home.tenant_id, home.space_id, may_use_replica=True) as space:
        assert shards_of(space)._shard_tables.node.group != before.node.group


@pytest.mark.soak
@pytest.mark.usefixtures("filled")
def test_a_worker_that_lets_nobody_in_is_asked_by_the_coordinator(
    database: Database, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers, _ = explained(database, home, may_use_replica=False)
    pools = database.node_pools
    assert pools is not None
    get_tables = pools.get_cached_or_located_shard_tables

    def get_elsewhere(*arguments: object) -> object:
        tables = get_tables(*arguments)  # type: ignore[arg-type]
        assert tables is not None
        return tables._replace(node=tables.node._replace(port=9))

    monkeypatch.setattr(pools, "get_cached_or_located_shard_tables", get_elsewhere)
    for _ in range(2):
        assert explained(database, home, may_use_replica=True) == (answers, False)


@pytest.fixture
def bypassing(privileged_url: URL) -> Iterator[Callable[[], None]]:
    """What gives the application's login BYPASSRLS on every worker, until the test's end."""
    with ExitStack() as stack:

        def give() -> None:
            for node in nodes_of(privileged_url)[1:]:
                worker = stack.enter_context(psycopg.connect(convert_to_conninfo(node), autocommit=True))
                worker.execute("SET citus.enable_ddl_propagation = off")
                stack.callback(worker.execute, "ALTER ROLE citegraph_app NOBYPASSRLS")
                worker.execute("ALTER ROLE citegraph_app BYPASSRLS")

        yield give


@pytest.mark.changes_server
@pytest.mark.parametrize("read_at_workers", [True, False])
def test_no_space_is_opened_where_our_login_may_bypass_row_security(
    privileged_url: URL,
    settings: Settings,
    home: Home,
    bypassing: Callable[[], None],
    read_at_workers: bool,
) -> None:
    """Neither for reading, at the worker or through the coordinator, nor for writing or an export."""
    bypassing()
    url = as_app(privileged_url).render_as_string(hide_password=False)
    database = open_database(url, settings.model_copy(update={"read_at_workers": read_at_workers}))
    with ExitStack() as stack:
        stack.callback(database.dispose)
        for use in ({"may_use_replica": True}, dict[str, bool](), {"by_index": True}, {"snapshot": True}):
            with pytest.raises(ConfigurationError, match=r"application's login may bypass") as caught:
                stack.enter_context(database.open_space(home.tenant_id, home.space_id, **use))
            assert caught.value.code == "privileged_login"


@pytest.mark.changes_server
def test_a_worker_that_lets_our_login_bypass_row_security_from_now_on_is_not_read(
    privileged_url: URL, settings: Settings, home: Home, bypassing: Callable[[], None]
) -> None:
    """A new connection there notices what the nodes have not been asked since."""
    url = as_app(privileged_url).render_as_string(hide_password=False)
    database = open_database(url, settings)
    with ExitStack() as stack:
        stack.callback(database.dispose)
        with database.open_space(home.tenant_id, home.space_id):
            bypassing()
        for _ in range(2):
            with pytest.raises(ConfigurationError, match=r"On the worker .* may bypass") as caught:
                explained(database, home, may_use_replica=True)
            assert caught.value.code == "privileged_login"


@pytest.mark.changes_server
@pytest.mark.usefixtures("filled")
def test_a_sum_over_spaces_leaves_out_those_that_may_not_be_opened(
    privileged_url: URL, settings: Settings, home: Home, bypassing: Callable[[], None]
) -> None:
    """As it leaves out those of a node that does not answer."""
    url = as_app(privileged_url).render_as_string(hide_password=False)

    def sum_chunks() -> tuple[int, int]:
        """The chunks of the tenant, and of the space in the list of its spaces."""
        database = open_database(url, settings)
        try:
            with database.open_tenant(home.tenant_id) as tenant:
                totals = quotas.read_totals_of_nonempty_spaces(tenant, [home.space_id])
                listed = totals[home.space_id].chunks if totals else 0
                return quotas.get_quota_usage(tenant).used["chunks"], listed
        finally:
            database.dispose()

    chunks, listed = sum_chunks()
    assert chunks == listed > 0
    bypassing()
    assert sum_chunks() == (0, 0)


def test_a_space_is_opened_where_row_security_holds(database: Database, home: Home) -> None:
    """The nodes were asked: without an answer the space would not be opened."""
    with database.open_space(home.tenant_id, home.space_id):
        pass
    assert database._node_logins.has_answer()


@pytest.mark.soak
@pytest.mark.usefixtures("filled")
def test_nothing_is_read_there_where_the_setting_forbids_it(
    privileged_url: URL, settings: Settings, home: Home
) -> None:
    url = as_app(privileged_url).render_as_string(hide_password=False)
    database = open_database(url, settings.model_copy(update={"read_at_workers": False}))
    try:
        assert not explained(database, home, may_use_replica=True)[1]
    finally:
        database.dispose()
