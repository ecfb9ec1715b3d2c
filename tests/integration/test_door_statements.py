"""How statements go through the door: several at once, bounded, with plans that are kept, over connections
that live.
"""

import psycopg
import pytest
from sqlalchemy import URL, text

from app.db import engine as engines
from app.db.database import Database
from app.db.engine import convert_to_conninfo
from app.db.errors import DATABASE_ERRORS
from app.db.session import SpaceSession
from tests.conftest import Home
from tests.support.pooler import UNPREPARED

NOT_KEPT = "a cluster's coordinator keeps no plan, since it needs the space's value"
VECTORS = "retrieval.get_node_vectors"
SPREAD = "retrieval.count_name_spread"


def prepared(space: SpaceSession) -> list[str]:
    rows = space.connection.execute("SELECT statement FROM pg_prepared_statements", prepare=False).fetchall()
    return [row[0].partition(":")[0].removeprefix("-- ") for row in rows]


def backend_of(space: SpaceSession) -> int:
    """The server's process; the connection itself knows that of a pooler, if one stands between."""
    row = space.connection.execute("SELECT pg_backend_pid()", prepare=False).fetchone()
    assert row is not None
    return int(row[0])


def backend(database: Database, home: Home) -> int:
    with database.open_space(home.tenant_id, home.space_id) as space:
        return backend_of(space)


class TestTogether:
    def test_answers_come_to_whoever_asked_in_any_order(self, database: Database, home: Home) -> None:
        with database.open_space(home.tenant_id, home.space_id) as space, space.pipelined():
            first = space.send(SPREAD, {"names": ["postgis"], "bound": 10})
            second = space.send(VECTORS, {"nodes": []})
            assert second.result() == []
            assert first.result() == [(-1, 0), (0, 0)]

    def test_an_error_shows_where_an_answer_is_asked_for(self, database: Database, home: Home) -> None:
        with database.open_space(home.tenant_id, home.space_id) as space:
            with pytest.raises(psycopg.errors.InvalidTextRepresentation), space.pipelined():
                space.send(VECTORS, {"nodes": "no list"}).result()
            space.orm.rollback()


class TestBounded:
    def test_what_takes_too_long_leaves_the_transaction_usable(self, database: Database, home: Home) -> None:
        with database.open_space(home.tenant_id, home.space_id) as space:
            with pytest.raises(psycopg.errors.QueryCanceled), space.limit_statement_time_in_block(0.05):
                space.connection.execute("SELECT pg_sleep(60)")
            assert space.run(VECTORS, {"nodes": []}) == []
            (limit,) = space.connection.execute("SHOW statement_timeout").fetchone() or ()
            assert limit != "50ms"

    def test_what_fails_among_several_that_were_sent_is_told_and_undone(
        self, database: Database, home: Home
    ) -> None:
        with database.open_space(home.tenant_id, home.space_id) as space:
            with (
                pytest.raises(psycopg.errors.QueryCanceled),
                space.limit_statement_time_in_block(0.05),
                space.pipelined(),
            ):
                space.connection.execute("SELECT pg_sleep(60)")
                space.send(VECTORS, {"nodes": []}).result()
            assert space.run(VECTORS, {"nodes": []}) == []

    def test_a_connection_that_is_gone_says_so(
        self, database: Database, home: Home, privileged_url: URL
    ) -> None:
        with (
            pytest.raises(DATABASE_ERRORS),
            database.open_space(home.tenant_id, home.space_id) as space,
            pytest.raises(psycopg.errors.AdminShutdown),
            space.limit_statement_time_in_block(5),
        ):
            end(privileged_url, backend_of(space))
            space.run(VECTORS, {"nodes": []})


class TestPlans:
    def test_none_is_kept_while_the_tables_are_all_but_empty(self, database: Database, home: Home) -> None:
        with database.open_space(home.tenant_id, home.space_id) as space:
            assert not space.may_use_generic_plans
            space.use_generic_plans()
            space.run(VECTORS, {"nodes": []})
            assert "get_node_vectors" not in prepared(space)

    @pytest.mark.unpooled(UNPREPARED)
    @pytest.mark.one_machine(NOT_KEPT)
    def test_they_are_kept_for_later_transactions_once_the_tables_are_filled(
        self, database: Database, home: Home, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The catalogue's word is taken for it; with real rows test_retrieval_plans holds the plans
        themselves.
        """
        monkeypatch.setattr(
            "app.db.engine.TABLES_ARE_FILLED_QUERY", "SELECT current_setting('test.empty', true) IS NULL"
        )
        with database.open_space(home.tenant_id, home.space_id) as space:
            space.use_generic_plans()
            space.run(VECTORS, {"nodes": []})
            pid = space.connection.info.backend_pid
        with database.open_space(home.tenant_id, home.space_id) as space:
            assert space.connection.info.backend_pid == pid
            # The catalogue is not asked again.
            space.connection.execute("SET LOCAL test.empty = 'yes'")
            assert space.may_use_generic_plans
            assert "get_node_vectors" in prepared(space)
            # Where nobody says so nothing is kept.
            space.run(SPREAD, {"names": [], "bound": 1})
            assert "count_name_spread" not in prepared(space)

    @pytest.mark.unpooled(UNPREPARED)
    @pytest.mark.one_machine(NOT_KEPT)
    def test_what_is_absent_stands_in_a_kept_statement(self, database: Database, home: Home) -> None:
        with database.open_space(home.tenant_id, home.space_id) as space, space.use_generic_plans_in_block():
            assert space.run(VECTORS, {"nodes": None}) == []
            rows = space.connection.execute("SELECT statement FROM pg_prepared_statements", prepare=False)
            assert any("ANY(NULL::uuid[])" in row[0] for row in rows)


def end(url: URL, pid: int) -> None:
    """Have the server end that connection, and wait until it is gone."""
    with psycopg.connect(convert_to_conninfo(url), autocommit=True) as connection:
        assert connection.execute("SELECT pg_terminate_backend(%s::integer, 10000)", [pid]).fetchone() == (
            True,
        )


class TestPooledConnections:
    def test_one_that_the_server_ended_is_replaced(
        self, database: Database, home: Home, privileged_url: URL
    ) -> None:
        """Without a question: it shows at the socket."""
        pid = backend(database, home)
        end(privileged_url, pid)
        assert backend(database, home) != pid

    def test_one_in_use_lately_is_not_asked(
        self, database: Database, home: Home, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        pid = backend(database, home)
        monkeypatch.setattr(engines, "_has_unread_data", lambda _connection: False)
        asked: list[object] = []
        execute = psycopg.Connection.execute

        def recorded(
            self: psycopg.Connection[object], query: object, *rest: object, **options: object
        ) -> object:
            asked.append(query)
            return execute(self, query, *rest, **options)  # type: ignore[call-overload]

        monkeypatch.setattr(psycopg.Connection, "execute", recorded)
        assert backend(database, home) == pid
        assert "" not in asked
        monkeypatch.setattr(engines, "MAX_UNCHECKED_IDLE_SECONDS", 0.0)
        assert backend(database, home) == pid
        assert "" in asked

    def test_one_that_was_asked_works_as_before(
        self, database: Database, home: Home, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(engines, "MAX_UNCHECKED_IDLE_SECONDS", 0.0)
        for _ in range(2):
            with database.open_space(home.tenant_id, home.space_id) as space:
                assert space.orm.execute(text("SELECT 1")).scalar_one() == 1
