"""The database goes away, is full, is locked (fault matrix 8, 9, 10, 26): 503 now, all well afterwards."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

import psycopg
import pytest
from sqlalchemy import URL

from app.db.database import Database
from app.db.engine import convert_to_conninfo, create_app_engine
from app.errors import Unavailable
from app.http.database_errors import translate_database_error
from app.runtime.postgres import EmbeddedPostgres
from app.settings import Settings
from tests.conftest import Home
from tests.faults.conftest import Api, Asker, Reply, kill_immediately
from tests.faults.corpora import small_documents
from tests.support.citus import nodes_of
from tests.support.ingest import ingest_now, make_runner, picture, submit
from tests.support.sampling import sampled
from tests.workers.conftest import Workers, wait_until
from workers.sweeper import sweep_and_wake_if_jobs_wait


class Load:
    """Threads that read and now and then hand in a document, over and over, until told to stop."""

    def __init__(self, api: Api, home: Home, *, threads: int, quota: int = 0) -> None:
        # No more documents than this are handed in: the test is not about how fast they are taken in.
        self.quota = quota
        self.replies: list[Reply] = []
        self.unanswered = 0
        self._api, self._home = api, home
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=[number]) for number in range(threads)]

    def _run(self, thread: int) -> None:
        round_ = 0
        while not self._stop.wait(0.01):
            round_ += 1
            try:
                if self.count(202) < self.quota:
                    note = f"Db2 uses Kafka. Note {thread} of round {round_}."
                    self.replies.append(self._api.post(self._home, note))
                self.replies.append(self._api.get_space(self._home))
            except OSError:
                self.unanswered += 1

    @contextmanager
    def running(self) -> Iterator[None]:
        for thread in self._threads:
            thread.start()
        try:
            yield
        finally:
            self._stop.set()
            for thread in self._threads:
                thread.join(60)

    def count(self, status: int) -> int:
        return sum(reply.status == status for reply in self.replies)


@pytest.mark.slow
class TestRestart:
    """Row 8."""

    @pytest.mark.soak
    def test_an_immediate_restart_under_load_is_503_for_a_while_and_nothing_else(
        self,
        postgres: EmbeddedPostgres,
        start_api: Callable[..., Api],
        home: Home,
        workers: Workers,
        ask: Asker,
    ) -> None:
        """Neither the API nor the worker is restarted; what was accepted is there, and is taken in."""
        api = start_api()
        worker = workers.start()
        load = Load(api, home, threads=3, quota=10)
        with load.running():
            wait_until(lambda: load.count(202) >= 10, what="documents handed in")
            wait_until(lambda: ask.value("SELECT count(*) FROM job WHERE state = 'done'") > 0, what="a job")
            # Documents come in while it dies, too.
            load.quota = 1_000_000
            kill_immediately(postgres)
            wait_until(lambda: load.count(503) >= 4, what="answers without a database")
            postgres.start()
            load.quota = load.count(202) + 10
            wait_until(lambda: load.count(202) >= load.quota, what="documents handed in again", seconds=20)
        assert {reply.status for reply in load.replies} <= {200, 202, 503}
        assert load.unanswered == 0
        assert all("retry-after" in reply.headers for reply in load.replies if reply.status == 503)
        wait_until(
            lambda: (
                ask.value("SELECT count(*) FROM job WHERE state IN ('queued', 'running')") == 0
                and ask.value("SELECT count(*) FROM document WHERE state NOT IN ('ready', 'failed')") == 0
            ),
            what="all jobs",
        )
        assert ask.rows("SELECT DISTINCT state, error_code FROM job") == [("done", None)], workers.logs()[
            -3000:
        ]
        # A 503 may hide a commit that went through; a 202 is never without its document.
        assert ask.value("SELECT count(*) FROM document WHERE state = 'ready'") >= load.count(202)
        assert worker.poll() is None
        assert "Traceback" not in workers.logs()

    @pytest.mark.soak
    @pytest.mark.parametrize(
        "table", sampled(["knowledge_chunk", "node_mention", "graph_edge", "job"], every=4)
    )
    def test_a_statement_cut_off_in_the_middle_is_run_again(
        self,
        table: str,
        postgres: EmbeddedPostgres,
        privileged_url: URL,
        ask: Asker,
        database: Database,
        settings: Settings,
        home: Home,
        twin: Home,
    ) -> None:
        """The server dies while a statement of the step waits for a lock; the runner lives and tries
        again.
        """
        documents = small_documents(12)
        ingest_now(database, settings, twin, documents)
        submit(database, home, *documents)
        threads: list[threading.Thread] = []

        def cut(locker: psycopg.Connection) -> None:
            with pytest.raises(psycopg.OperationalError), locker:
                wait_until(lambda: ask.value("SELECT count(*) FROM pg_locks WHERE NOT granted") > 0)
                kill_immediately(postgres)
                wait_until(lambda: locker.execute("SELECT 1") is None)
            postgres.start()

        def checkpoint(step: str) -> None:
            if step == "entered" and not threads:
                locker = psycopg.connect(convert_to_conninfo(privileged_url))
                locker.execute(f"LOCK TABLE {table} IN EXCLUSIVE MODE".encode())
                threads.append(threading.Thread(target=cut, args=[locker]))
                threads[0].start()

        runner = make_runner(database, settings, checkpoint=checkpoint)
        assert runner.run_next_job()
        threads[0].join(30)
        assert not threads[0].is_alive()

        def tried_again() -> bool:
            sweep_and_wake_if_jobs_wait(database)
            return runner.run_next_job()

        wait_until(tried_again, what="another attempt", seconds=20)
        (job,) = ask.rows(
            "SELECT state, attempt FROM job WHERE knowledge_space_id = %s AND kind = 'ingest.documents'",
            home.space_id,
        )
        assert job == ("done", 2)
        assert picture(database, home) == picture(database, twin)


@pytest.mark.parametrize("fault", sampled(["terminated", "lock timeout", "cancelled"], every=3))
def test_a_statement_that_the_database_ends_is_run_again(
    fault: str,
    app_url: URL,
    privileged_url: URL,
    ask: Asker,
    database: Database,
    settings: Settings,
    home: Home,
    twin: Home,
) -> None:
    """Rows 8 and 10 for workers: the server lives on, so that the failure can be noted; it is no final
    one.
    """
    documents = small_documents(6)
    ingest_now(database, settings, twin, documents)
    submit(database, home, *documents)
    impatient = settings.model_copy(update={"lock_timeout": 0.5} if fault == "lock timeout" else {})
    own = Database(create_app_engine(app_url.render_as_string(hide_password=False), impatient), impatient)
    threads: list[threading.Thread] = []
    end = {"terminated": "pg_terminate_backend", "cancelled": "pg_cancel_backend"}.get(fault)

    def cut(locker: psycopg.Connection) -> None:
        with locker:
            wait_until(lambda: ask.value("SELECT count(*) FROM pg_locks WHERE NOT granted") > 0)
            if end is not None:
                ask.rows(
                    f"SELECT {end}(pid) FROM pg_stat_activity"
                    " WHERE datname = current_database() AND wait_event_type = 'Lock'"
                )
            wait_until(lambda: ask.value("SELECT count(*) FROM pg_locks WHERE NOT granted") == 0)

    def checkpoint(step: str) -> None:
        if step == "chunked" and not threads:
            locker = psycopg.connect(convert_to_conninfo(privileged_url))
            locker.execute("LOCK TABLE node_mention IN EXCLUSIVE MODE")
            threads.append(threading.Thread(target=cut, args=[locker]))
            threads[0].start()

    runner = make_runner(own, settings, checkpoint=checkpoint)
    assert runner.run_next_job()
    threads[0].join(30)
    (job,) = ask.rows(
        "SELECT state, failures, error_code FROM job WHERE knowledge_space_id = %s AND kind ="
        " 'ingest.documents'",
        home.space_id,
    )
    assert job == ("queued", 1, "database_unavailable")
    wait_until(runner.run_next_job, what="another attempt", seconds=20)
    assert (
        ask.value(
            "SELECT state FROM job WHERE knowledge_space_id = %s AND kind = 'ingest.documents'", home.space_id
        )
        == "done"
    )
    assert picture(database, home) == picture(database, twin)
    own.dispose()


@contextmanager
def all_connections_taken(url: URL) -> Iterator[int]:
    """Hold connections until the server refuses; yields how many."""
    with ExitStack() as stack:
        held = 0
        while True:
            try:
                stack.enter_context(psycopg.connect(convert_to_conninfo(url)))
            except psycopg.OperationalError:
                break
            held += 1
        yield held


@pytest.mark.soak
def test_no_connection_left_is_503_and_the_pool_does_not_lock_up(
    start_api: Callable[..., Api], admin_url: URL, home: Home, database: Database
) -> None:
    """Row 9: twelve callers at once at a pool of two, and the server has no connection for any of them."""
    api = start_api(pool_size=2, pool_overflow=0, pool_timeout=1.0)
    database.dispose()
    with all_connections_taken(admin_url) as held:
        assert held > 20
        load = Load(api, home, threads=12)
        with load.running():
            wait_until(lambda: len(load.replies) >= 48, what="answers")
    assert {reply.status for reply in load.replies} == {503}
    assert all(int(reply.headers["retry-after"]) > 0 for reply in load.replies)
    assert max(reply.seconds for reply in load.replies) < 5
    # The same process, the same pool: served at once.
    assert [api.get_space(home).status for _ in range(4)] == [200] * 4


@pytest.mark.soak
def test_a_table_that_somebody_has_locked_is_503_not_a_hang(
    start_api: Callable[..., Api], privileged_url: URL, home: Home
) -> None:
    """Row 10."""
    api = start_api(lock_timeout=1.0)
    with psycopg.connect(convert_to_conninfo(privileged_url)) as connection:
        connection.execute("LOCK TABLE document IN ACCESS EXCLUSIVE MODE")
        replies = [
            api.post(home, "Db2 uses Kafka."),
            api.call("GET", f"/v1/spaces/{home.space_id}/documents"),
        ]
        connection.rollback()
    assert [reply.status for reply in replies] == [503, 503]
    assert all(int(reply.headers["retry-after"]) > 0 for reply in replies)
    assert all(0.9 < reply.seconds < 8 for reply in replies)
    assert api.post(home, "Db2 uses Kafka.").status == 202


class TestNoRoom:
    """Row 26."""

    @pytest.mark.parametrize("sqlstate", ["53000", "53100", "53200", "53300", "53400"])
    def test_every_kind_of_no_room_is_503(self, sqlstate: str) -> None:
        error = psycopg.errors.lookup(sqlstate)("no room")
        assert isinstance(translate_database_error(error), Unavailable)

    @pytest.mark.changes_server
    @pytest.mark.soak
    def test_no_room_for_temporary_files_is_503_and_a_job_tried_again(
        self,
        start_api: Callable[..., Api],
        ask: Asker,
        database: Database,
        settings: Settings,
        home: Home,
        twin: Home,
    ) -> None:
        """As on a full disk: the server ends statements in the middle of a step and of a request."""
        documents = small_documents(150, sentences=12)
        ingest_now(database, settings, twin, documents)
        expected = picture(database, twin)
        ingest_now(database, settings, home, documents[:75])
        _, job_id = submit(database, home, *documents[75:])
        assert job_id is not None
        # Sorts and lists beyond 64 kB go to files, and then no file may be written, by any session of the
        # server; of a cluster on every node.
        servers = [Asker(node) for node in nodes_of(ask.url)]
        for server in servers:
            server.rows(f"ALTER DATABASE {server.url.database} SET work_mem = '64kB'")
        database.dispose()
        api = start_api()
        edges = f"/v1/spaces/{home.space_id}/graph/edges?limit=200"
        assert api.call("GET", edges).status == 200
        runner = make_runner(database, settings)
        with no_temporary_files(servers):
            full = [api.call("GET", edges) for _ in range(3)]
            assert runner.run_next_job()
            job = ask.rows("SELECT state, failures, error_code FROM job WHERE id = %s", job_id)
        assert [(response.status, response.body["code"]) for response in full] == [(503, "database_busy")] * 3
        assert all(int(response.headers["retry-after"]) > 0 for response in full)
        assert job == [("queued", 1, "database_unavailable")]
        assert api.call("GET", edges).status == 200
        wait_until(runner.run_next_job, what="another attempt", seconds=20)
        assert ask.value("SELECT state FROM job WHERE id = %s", job_id) == "done"
        assert picture(database, home) == expected


@contextmanager
def no_temporary_files(servers: Sequence[Asker]) -> Iterator[None]:
    """The servers refuse to write any temporary file inside the block."""

    def set_limit(value: str) -> None:
        for server in servers:
            server.rows(f"ALTER SYSTEM {value}")
            server.rows("SELECT pg_reload_conf()")

    def limits() -> set[str]:
        return {str(server.value("SHOW temp_file_limit")) for server in servers}

    set_limit("SET temp_file_limit = 0")
    try:
        wait_until(lambda: limits() == {"0"}, what="the limit")
        yield
    finally:
        set_limit("RESET temp_file_limit")
        wait_until(lambda: limits() == {"-1"}, what="the limit to go")
