"""Who reads a replica, and when: never after a write of the same tenant that it has not replayed."""

import psycopg
import pytest
import redis
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from app.db.replicas.read_route import route_reads_to_fresh_replica
from app.db.replicas.servers import IN_SYNC, LAGGING, UNREACHABLE, Replicas
from app.errors import NotFound
from tests.conftest import Home
from tests.replicas.conftest import Pair, Process, server_of, title, titled
from tests.support.replica import wait_until


def write(process: Process, home: Home, text_of_it: str) -> None:
    with process.database.open_space(home.tenant_id, home.space_id) as space:
        title(text_of_it)(space)


def read_from(process: Process, home: Home, server: str) -> object:
    """The title of the space, once a request reads that server."""
    read: list[tuple[str, object]] = []

    def reads_there() -> bool:
        read.append(process.read(home, titled))
        return read[-1][0] == server

    wait_until(reads_there, f"a read of the {server}", found=lambda: (read[-1:], process.replicas.replicas))
    return read[-1][1]


class TestOwnWrites:
    def test_a_request_that_only_reads_goes_to_the_replica(self, reader: Process, home: Home) -> None:
        read_from(reader, home, "replica")
        assert reader.counted()[("1", "fresh")] >= 1

    def test_a_replica_that_lags_is_never_read_after_a_write_of_the_same_caller(
        self, pair: Pair, writer: Process, reader: Process, home: Home
    ) -> None:
        """The write is another process's; however often is asked, nobody sees the title of before."""
        write(writer, home, "before")
        pair.replica.catch_up()
        assert read_from(reader, home, "replica") == "before"
        pair.replica.pause()
        write(writer, home, "after")
        for process in (writer, reader):
            for _ in range(20):
                assert process.read(home, titled) == ("primary", "after")
        assert reader.counted()[("primary", "behind")] > 0
        pair.replica.resume()
        assert read_from(reader, home, "replica") == "after"

    def test_many_writes_each_read_at_once(self, writer: Process, reader: Process, home: Home) -> None:
        """Whichever server answers: the replica replays while it is asked."""
        for number in range(100):
            write(writer, home, str(number))
            assert reader.read(home, titled)[1] == str(number)

    def test_a_tenant_that_wrote_nothing_reads_a_replica_that_others_are_ahead_of(
        self, pair: Pair, writer: Process, reader: Process, home: Home, twin: Home
    ) -> None:
        write(writer, twin, "known")
        pair.replica.catch_up()
        pair.replica.pause()
        write(writer, home, "after")
        assert read_from(reader, twin, "replica") == "known"
        assert reader.read(home, titled) == ("primary", "after")

    def test_a_transaction_that_wrote_nothing_is_no_write(
        self, pair: Pair, writer: Process, reader: Process, home: Home, twin: Home
    ) -> None:
        pair.replica.pause()
        write(writer, twin, "elsewhere")
        with writer.database.open_space(home.tenant_id, home.space_id) as space:
            seen = titled(space)
        assert read_from(reader, home, "replica") == seen

    def test_one_that_is_rolled_back_is_no_write(
        self, pair: Pair, writer: Process, reader: Process, home: Home, twin: Home
    ) -> None:
        write(writer, home, "before")
        pair.replica.catch_up()
        pair.replica.pause()
        with (
            pytest.raises(ZeroDivisionError),
            writer.database.open_space(home.tenant_id, home.space_id) as space,
        ):
            title("never")(space)
            write(writer, twin, "meanwhile")
            raise ZeroDivisionError
        assert read_from(reader, home, "replica") == "before"

    def test_what_a_door_writes_for_the_platform_is_seen_by_all(
        self, pair: Pair, writer: Process, reader: Process, home: Home
    ) -> None:
        pair.replica.pause()
        with route_reads_to_fresh_replica(), writer.database.open_platform() as platform:
            platform.orm.execute(text("UPDATE tenant SET name = name"))
        assert reader.read(home)[0] == "primary"


class TestOneRequest:
    def test_reads_the_primary_alone_once_it_has(
        self, pair: Pair, reader: Process, writer: Process, home: Home, twin: Home
    ) -> None:
        """Else the second read could miss what the first saw."""
        pair.replica.pause()
        write(writer, home, "after")
        with route_reads_to_fresh_replica():
            servers = []
            for owner in (twin, home, twin):
                with reader.database.open_space(
                    owner.tenant_id, owner.space_id, may_use_replica=True
                ) as space:
                    servers.append(server_of(space))
        assert servers[1:] == ["primary", "primary"]

    def test_reads_the_primary_after_a_write_of_its_own(self, writer: Process, home: Home) -> None:
        writer.look()
        with route_reads_to_fresh_replica():
            write(writer, home, "now")
            with writer.database.open_space(home.tenant_id, home.space_id, may_use_replica=True) as space:
                assert server_of(space) == "primary"

    def test_what_no_door_has_begun_reads_the_primary(self, reader: Process, home: Home) -> None:
        """Workers and commands."""
        with reader.database.open_space(home.tenant_id, home.space_id, may_use_replica=True) as space:
            assert server_of(space) == "primary"

    def test_a_form_reads_the_primary(self, reader: Process, home: Home) -> None:
        with (
            route_reads_to_fresh_replica(reads_primary=True),
            reader.database.open_space(home.tenant_id, home.space_id, may_use_replica=True) as space,
        ):
            assert server_of(space) == "primary"


class TestWhereNobodyKnows:
    def test_a_valkey_that_is_silent_sends_reads_to_the_primary(self, pair: Pair, home: Home) -> None:
        with pair.process(redis_url="redis://127.0.0.1:1/0") as process:
            process.look()
            for _ in range(5):
                assert process.read(home)[0] == "primary"
            assert process.counted() == {("primary", "unknown"): 5}

    def test_a_valkey_that_lost_its_notes_does_too(
        self, pair: Pair, writer: Process, reader: Process, home: Home
    ) -> None:
        read_from(reader, home, "replica")
        pair.replica.pause()
        write(writer, home, "after")
        with redis.Redis.from_url(pair.valkey.url()) as client:
            client.flushall()
        for _ in range(5):
            assert reader.read(home, titled) == ("primary", "after")

    def test_one_that_began_anew_with_notes_of_long_ago_does_too(
        self, pair: Pair, writer: Process, reader: Process, home: Home
    ) -> None:
        """As after a restart from a file, or a failover to a copy: another process, with other notes."""
        read_from(reader, home, "replica")
        with redis.Redis.from_url(pair.valkey.url()) as client:
            process = client.info("server")["run_id"]
            client.rename(f"citegraph:written_since:{process}", "citegraph:written_since:another")
        assert reader.read(home)[0] == "primary"

    def test_a_note_that_valkey_did_not_take_is_kept_by_the_process(
        self, pair: Pair, writer: Process, home: Home
    ) -> None:
        clock = [0.0]
        writer.replicas.positions._clock = lambda: clock[0]  # type: ignore[attr-defined]
        writer.look()
        pair.replica.pause()
        with pytest.MonkeyPatch.context() as patch:

            def silent(**_: object) -> None:
                raise redis.ConnectionError

            patch.setattr(writer.replicas.positions, "_note_script", silent)
            write(writer, home, "after")
        assert writer.read(home, titled) == ("primary", "after")
        clock[0] += 60.0
        assert writer.read(home, titled) == ("primary", "after")
        assert ("primary", "behind") in writer.counted()


class TestLag:
    def test_a_replica_that_is_far_behind_is_left_alone_and_told_of(
        self, pair: Pair, writer: Process, home: Home, twin: Home
    ) -> None:
        clock = [1000.0]
        settings = pair.settings.model_copy(update={"replica_max_lag": 10.0})
        assert settings.database_url is not None
        with pair.process() as helper:
            replicas = Replicas(
                settings.database_url, settings, helper.replicas.positions, clock=lambda: clock[0]
            )
            (replica,) = replicas.replicas
            replicas.check_replica(replica)
            assert replicas.get_sync_state_of_replica(replica) == IN_SYNC
            pair.replica.pause()
            write(writer, home, "after")
            for _ in range(3):
                clock[0] += 4.0
                replicas.check_replica(replica)
            assert replicas.get_sync_state_of_replica(replica) == LAGGING
            # Since the look before the write: the first after it found the replica behind.
            assert replicas.get_known_lags() == {"1": 12.0}
            pair.replica.resume()

            def near() -> bool:
                replicas.check_replica(replica)
                return replicas.get_sync_state_of_replica(replica) == IN_SYNC

            wait_until(near, "the replica to be near again", found=lambda: replica)
            clock[0] += 60.0
            assert replicas.get_sync_state_of_replica(replica) == UNREACHABLE, (
                "nobody has looked for a minute"
            )
            for engine in (replica.engine, replica.probe_engine, replicas._primary_engine):
                engine.dispose()

    def test_a_replica_that_takes_writes_is_none_any_more(
        self, pair: Pair, tmp_path_factory: pytest.TempPathFactory, home: Home
    ) -> None:
        """After a failover that this process was not told of, two servers would take different ways."""
        with pair.process(replica_urls=pair.settings.database_url) as process:
            for _ in range(3):
                assert process.read(home)[0] == "primary"
            (replica,) = process.replicas.replicas
            wait_until(lambda: replica.unreadable_reason != "not looked at yet", "a look")
            assert replica.unreadable_reason == "it is no replica any more, it takes writes"
            assert process.replicas.start_checking_and_count_states() == {
                IN_SYNC: 0,
                LAGGING: 0,
                UNREACHABLE: 1,
            }


class TestWalls:
    def test_all_stand_on_the_replica(self, reader: Process, home: Home, twin: Home) -> None:
        read_from(reader, home, "replica")
        with route_reads_to_fresh_replica() as route:
            with reader.database.open_space(home.tenant_id, home.space_id, may_use_replica=True) as space:
                assert server_of(space) == "replica"
                rows = space.connection.execute("SELECT current_user, session_user").fetchone()
                assert rows == ("citegraph_app", "citegraph_app")
                seen = space.connection.execute("SELECT id FROM knowledge_space").fetchall()
                assert seen == [(home.space_id,)]
            with (
                pytest.raises(NotFound),
                reader.database.open_space(home.tenant_id, twin.space_id, may_use_replica=True),
            ):
                pass
            with (
                pytest.raises((psycopg.errors.ReadOnlySqlTransaction, DBAPIError)),
                reader.database.open_space(home.tenant_id, home.space_id, may_use_replica=True) as space,
            ):
                title("no")(space)
            assert route.has_failed

    def test_nothing_is_seen_without_a_space(self, reader: Process, home: Home) -> None:
        with reader.replicas.replicas[0].engine.connect() as connection:
            assert connection.execute(text("SELECT count(*) FROM knowledge_space")).scalar_one() == 0
            assert connection.execute(text("SELECT pg_is_in_recovery()")).scalar_one() is True
