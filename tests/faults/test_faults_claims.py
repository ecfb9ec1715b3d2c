"""Who may work on a job (fault matrix 4, 11, 22): zombies, many wake-ups for one job, a clock that is
wrong.
"""

import ast
import re
from pathlib import Path

import pytest

from app.db.database import Database
from app.db.errors import DATABASE_ERRORS
from app.jobs import queue
from app.settings import Settings
from tests.architecture.tree import program
from tests.conftest import Home
from tests.faults.conftest import STEPPING, Asker, Steps, frozen
from tests.faults.corpora import small_documents
from tests.support.ingest import ingest_now, make_runner, picture, submit
from tests.workers.conftest import Workers, wait_until
from workers.broker import Broker

ENDED = "SELECT count(*) FROM job WHERE state IN ('done', 'failed', 'cancelled') AND knowledge_space_id = %s"
# What a worker says of a job: none of it may ever change once the job has ended.
VERDICT = "SELECT id, state, attempt, fence, finalized_at FROM job WHERE knowledge_space_id = %s ORDER BY id"


@pytest.mark.slow
@pytest.mark.soak
def test_workers_that_sleep_past_their_leases_are_shut_out_when_they_wake(
    database: Database,
    settings: Settings,
    home: Home,
    twin: Home,
    workers: Workers,
    steps: Steps,
    ask: Asker,
) -> None:
    """Row 4: two of four workers stand still in the middle of a job; the others finish their jobs for
    them.
    """
    documents = small_documents(10)
    ingest_now(database, settings, twin, documents)
    steps.shut("nodes")
    steps.shut("nodes")
    for document in documents:
        submit(database, home, document)
    for _ in range(4):
        workers.start(module=STEPPING, extra=steps.environment)
    zombies = steps.await_held("nodes", 2)
    with frozen(*zombies):
        # The gates are open, and the sleepers cannot know.
        steps.open()
        wait_until(
            lambda: ask.value(ENDED, home.space_id) == len(documents), what="the others to end all jobs"
        )
        verdict = ask.rows(VERDICT, home.space_id)
        shown = picture(database, home)
    wait_until(lambda: workers.logs().count("lease_lost") == 2, what="the zombies to find their claims gone")
    assert {row[1] for row in verdict} == {"done"}
    assert sorted(row[2] for row in verdict) == [1] * (len(documents) - 2) + [2, 2]
    assert ask.rows(VERDICT, home.space_id) == verdict
    assert picture(database, home) == shown == picture(database, twin)


@pytest.mark.slow
@pytest.mark.soak
def test_who_stands_still_while_it_claims_keeps_the_job_from_others_for_seconds(
    database: Database, settings: Settings, home: Home, ask: Asker
) -> None:
    """Row 4: stopped between two statements of the queue's own, a process loses what it locked."""
    submit(database, home, *small_documents(1))
    kinds = ["ingest.documents"]
    runner = make_runner(database, settings)
    with pytest.raises(DATABASE_ERRORS, match="connection"), database.open_platform() as stopped:
        assert (
            queue.claim_next_job(stopped, kinds=kinds, worker="stopped", lease_seconds=settings.job_lease)
            is not None
        )
        runner.drain()
        assert ask.value(ENDED, home.space_id) == 0
        wait_until(lambda: runner.drain() or ask.value(ENDED, home.space_id), what="the job to be done")
    assert ask.rows("SELECT state, attempt, crash_count FROM job") == [("done", 1, 0)]


@pytest.mark.soak
def test_ten_wake_ups_for_one_job_run_it_once(
    database: Database, settings: Settings, home: Home, workers: Workers, steps: Steps, ask: Asker
) -> None:
    """Row 11: a message says only that there may be work."""
    assert settings.redis_url is not None
    broker = Broker(settings.redis_url)
    for _ in range(2):
        workers.start(module=STEPPING, extra=steps.environment)
    steps.shut("entered")
    submit(database, home, *small_documents(2))
    for _ in range(10):
        broker.wake()
    steps.await_held("entered")
    # The other worker is idle: it takes the messages, and a second job behind them shows that it has.
    submit(database, home, *small_documents(1, seed=8))
    wait_until(lambda: ask.value(ENDED, home.space_id) == 1, what="the second job")
    assert len(steps.reached("entered")) == 2
    steps.open()
    wait_until(lambda: ask.value(ENDED, home.space_id) == 2, what="the first job")
    broker.close()
    assert ask.rows("SELECT DISTINCT state, attempt, crash_count FROM job") == [("done", 1, 0)]
    assert len(steps.reached("entered")) == len(steps.reached("finished")) == 2


# Read by every Python of the worker before all else: its wall clock is wrong by SHIFT seconds from the start.
SITECUSTOMIZE = """
import datetime, os, time
_shift, _time, _datetime = float(os.environ["SHIFT"]), time.time, datetime.datetime
time.time = lambda: _time() + _shift
class Shifted(_datetime):
    @classmethod
    def now(cls, tz=None):
        return _datetime.now(tz) + datetime.timedelta(seconds=_shift)
    @classmethod
    def utcnow(cls):
        return _datetime.now(datetime.timezone.utc).replace(tzinfo=None) + datetime.timedelta(seconds=_shift)
datetime.datetime = Shifted
open(os.environ["SHIFTED"], "a").write("shifted ")
"""


class TestClockSkew:
    """Row 22."""

    @pytest.mark.slow
    @pytest.mark.parametrize("hours", [-1, 1])
    @pytest.mark.soak
    def test_a_worker_whose_clock_is_an_hour_off_takes_and_keeps_jobs_like_any_other(
        self,
        hours: int,
        database: Database,
        home: Home,
        settings: Settings,
        workers: Workers,
        steps: Steps,
        ask: Asker,
        tmp_path: Path,
    ) -> None:
        """It holds one job over several leases while a worker with the right clock sweeps: nobody takes it
        away.
        """
        (tmp_path / "sitecustomize.py").write_text(SITECUSTOMIZE)
        shifted = tmp_path / "shifted"
        steps.shut("chunked")
        _, job_id = submit(database, home, *small_documents(2))
        workers.start(
            module=STEPPING,
            extra=steps.environment
            | {
                "SHIFT": str(hours * 3600),
                "SHIFTED": str(shifted),
                "PYTHONPATH": str(tmp_path),
            },
        )
        steps.await_held("chunked")
        assert "shifted" in shifted.read_text()
        workers.start(module=STEPPING, extra=steps.environment)
        begun = ask.value("SELECT now()")
        two_leases = 2 * settings.job_lease
        wait_until(
            lambda: ask.value("SELECT now() > %s + make_interval(secs => %s)", begun, two_leases),
            what="two leases to pass",
        )
        lease, claimed = ask.rows(
            "SELECT extract(epoch FROM lease_until - now())::float, extract(epoch FROM now() -"
            " started_at)::float FROM job WHERE id = %s AND state = 'running'",
            job_id,
        )[0]
        assert 0 < lease <= settings.job_lease
        assert two_leases <= claimed < 60
        # Another job is not held up by it, and is claimed by the clock of the database too.
        submit(database, home, *small_documents(1, seed=8))
        wait_until(lambda: ask.value(ENDED, home.space_id) == 1, what="the other worker's job")
        steps.open()
        wait_until(lambda: ask.value(ENDED, home.space_id) == 2, what="the held job")
        assert ask.rows("SELECT DISTINCT state, attempt, crash_count FROM job") == [("done", 1, 0)]
        assert ask.value("SELECT bool_and(finalized_at BETWEEN started_at AND now()) FROM job")

    def test_no_time_of_the_job_table_comes_from_python(self) -> None:
        """Every time that SQL of the queue sets or compares is now() or clock_timestamp() with an
        interval.
        """
        folder = Path(__file__).resolve().parents[2] / "app" / "jobs" / "sql"
        times = r"(lease_until|run_after|started_at|finalized_at|last_claimed_at)"
        seen = 0
        for path in folder.glob("*.sql"):
            for right in re.findall(rf"{times}\s*(?:=|<=|<|>|>=)\s*([^;\n]+)", path.read_text()):
                seen += 1
                assert re.search(r"now\(\)|clock_timestamp\(\)|NULL", right[1]), (path.name, right)
        assert seen >= 10

    def test_queue_and_workers_read_no_wall_clock(self) -> None:
        """Durations are measured by time.monotonic, which no correction of the clock moves."""
        read = []
        for source in program():
            if source.domain in ("jobs", "workers"):
                read += [
                    f"{source.place}:{node.lineno}"
                    for node in ast.walk(source.tree)
                    if isinstance(node, ast.Attribute)
                    and node.attr in ("now", "utcnow", "today", "time", "time_ns", "localtime")
                    and isinstance(node.value, ast.Name)
                    and node.value.id in ("datetime", "date", "time")
                ]
        assert read == []
