"""Workers that die lose and double nothing (requirement 5.4; fault matrix 1, 2, 5, 6, 17)."""

import os
import signal
from pathlib import Path

import pytest
import redis
from sqlalchemy import URL

from app.db.database import Database
from app.documents.shapes import Submission
from app.ids import JobId
from app.jobs import queue
from app.jobs.states import FINAL_STATES
from app.runtime.valkey import EmbeddedValkey
from app.settings import Settings
from app.wiring import open_database
from tests.conftest import Home, make_home
from tests.support.ingest import corpus, ingest_now, picture, submit
from tests.support.pooler import as_app
from tests.support.sampling import sampled
from tests.workers.conftest import Workers, wait_until

# Every third of the example corpus: their names meet in several documents, as in the whole.
DOCUMENTS = corpus()[::3]
STAGES = ["entered", "chunked", "nodes", "edges"]


def ended(database: Database, home: Home, job_id: JobId | None) -> bool:
    assert job_id is not None
    with database.open_space(home.tenant_id, home.space_id) as space:
        return queue.get_job(space, job_id).state in FINAL_STATES


@pytest.fixture(scope="module")
def expected(
    module_url: URL, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, list[tuple[object, ...]]]:
    """The graph of the same corpus as one process makes it, without a worker or a fault."""
    address = as_app(module_url).render_as_string(hide_password=False)
    settings = Settings(database_url=address, home=tmp_path_factory.mktemp("home"), pool_size=2)
    database = open_database(address, settings)
    home = make_home(database, "undisturbed")
    ingest_now(database, settings, home, DOCUMENTS)
    graph = picture(database, home)
    database.dispose()
    return graph


@pytest.mark.slow
class TestKill9:
    @pytest.mark.parametrize("stage", sampled(STAGES, every=4))
    def test_a_pool_process_killed_at_a_stage_is_survived(
        self,
        stage: str,
        database: Database,
        home: Home,
        workers: Workers,
        expected: dict[str, list[tuple[object, ...]]],
        tmp_path: Path,
    ) -> None:
        """The process that does the work kills itself with SIGKILL; its worker's next one takes over."""
        armed = tmp_path / "armed"
        armed.touch()
        workers.start(fail_at=stage, fail_file=armed)
        _, job_id = submit(database, home, *DOCUMENTS)
        # On a busy machine the worker takes half a minute to start.
        wait_until(lambda: not armed.exists(), what="the worker to die")
        wait_until(lambda: ended(database, home, job_id), what="the job to end")
        with database.open_space(home.tenant_id, home.space_id) as space:
            job = queue.get_job(space, JobId(job_id)) if job_id else None
            assert job is not None
            assert (job.state, job.attempt) == ("done", 2), workers.logs()[-2000:]
        assert picture(database, home) == expected

    @pytest.mark.soak
    def test_a_whole_worker_killed_is_replaced_by_another(
        self,
        database: Database,
        home: Home,
        workers: Workers,
        expected: dict[str, list[tuple[object, ...]]],
    ) -> None:
        jobs = [submit(database, home, document)[1] for document in DOCUMENTS]
        first = workers.start()
        wait_until(lambda: any(ended(database, home, job) for job in jobs), what="the first job")
        workers.kill(first)
        workers.start()
        wait_until(lambda: all(ended(database, home, job) for job in jobs), what="all jobs")
        assert picture(database, home) == expected

    @pytest.mark.soak
    def test_a_document_that_keeps_killing_workers_is_set_aside_and_the_others_go_on(
        self, database: Database, home: Home, workers: Workers
    ) -> None:
        """Fault 15, rule J8."""
        documents = corpus()[:3]
        poison = Submission(b"POISON. " + documents[1].raw, documents[1].format, "poison")
        poisoned = [documents[0], poison, documents[2]]
        workers.start()
        _, job_id = submit(database, home, *poisoned)
        wait_until(lambda: ended(database, home, job_id), seconds=90, what="the job to end")
        with database.open_space(home.tenant_id, home.space_id) as space:
            states = dict(
                space.connection.execute(
                    "SELECT title, coalesce(failure_code, state) FROM document WHERE knowledge_space_id = %s",
                    [home.space_id],
                ).fetchall()
            )
        assert states == {documents[0].title: "ready", "poison": "poison", documents[2].title: "ready"}
        (line,) = [line for line in workers.logs().splitlines() if "document_quarantined" in line]
        assert "code=poison" in line
        assert f"job={job_id}" in line


@pytest.mark.slow
class TestTheBroker:
    @pytest.mark.soak
    def test_losing_every_message_loses_no_job(
        self, database: Database, home: Home, workers: Workers, valkey: EmbeddedValkey
    ) -> None:
        """Fault 5: the rows are the queue; a sweep finds what no message tells of."""
        jobs = [submit(database, home, document)[1] for document in corpus()[:6]]
        client = redis.Redis.from_url(valkey.url())
        client.flushall()
        client.close()
        workers.start()
        wait_until(lambda: all(ended(database, home, job) for job in jobs), what="all jobs")
        assert all(ended(database, home, job) for job in jobs)

    @pytest.mark.soak
    def test_a_broker_killed_and_restarted_empty_stops_nothing(
        self, database: Database, home: Home, workers: Workers, valkey: EmbeddedValkey
    ) -> None:
        """Fault 6."""
        workers.start()
        first = submit(database, home, corpus()[0])[1]
        wait_until(lambda: ended(database, home, first), what="the first job")
        pid = valkey.pid()
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        second = submit(database, home, corpus()[1])[1]
        valkey.start()
        wait_until(lambda: ended(database, home, second), what="the second job")
        assert ended(database, home, second)


@pytest.mark.soak
@pytest.mark.slow
def test_a_worker_told_to_stop_gives_its_job_back_uncounted(
    database: Database, home: Home, workers: Workers, settings: Settings
) -> None:
    """Fault 17, rule J9: SIGTERM in the middle of much work; the next worker finishes it."""
    many = [
        document.__class__(
            document.raw + f"\n\nCopy {number}.".encode(), document.format, f"{document.title} {number}"
        )
        for number in range(6)
        for document in corpus()
    ]
    _, job_id = submit(database, home, *many)
    first = workers.start()

    def begun() -> bool:
        with database.open_space(home.tenant_id, home.space_id) as space:
            return queue.get_job(space, JobId(job_id)).progress > 0 if job_id else False

    wait_until(begun, what="some progress")
    os.kill(first.pid, signal.SIGTERM)
    first.wait(30)
    with database.open_space(home.tenant_id, home.space_id) as space:
        assert job_id is not None
        job = queue.get_job(space, job_id)
        assert (job.state, job.attempt, job.crash_count) == ("queued", 0, 0), workers.logs()[-2000:]
    workers.start()
    wait_until(lambda: ended(database, home, job_id), what="the job to end")
    with database.open_space(home.tenant_id, home.space_id) as space:
        assert queue.get_job(space, job_id).counts["documents"] == len(many)
