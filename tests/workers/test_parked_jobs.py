"""Parked jobs go on within seconds of their cause's end, with the worker as it is shipped (review C3)."""

import time
from collections.abc import Iterator

import pytest

from app.db.database import Database
from app.db.models import Job
from app.errors import Conflict
from app.ids import JobId
from app.ingest import service as ingest
from app.ingest.model_double_answers import RulesAnswerer
from app.jobs import queue
from app.llm.testing import ModelDouble
from app.llm.testing.faults import Fault, Mode
from app.tenancy.spaces import service as spaces
from app.tenancy.tenants import budgets, quotas
from tests.conftest import Home
from tests.support.ingest import corpus, submit
from tests.support.sampling import sampled
from tests.workers.conftest import Workers, wait_until

pytestmark = pytest.mark.slow

# The work takes 10 s at most on an idle machine. Without the question to the server a job sleeps for 30 s,
# then for 60, 120 and so on; without being woken one that waits for a budget sleeps for 60.
RESUMED_WITHIN = 20.0


@pytest.fixture
def double() -> Iterator[ModelDouble]:
    """A model that answers with what rules find, until a fault is set."""
    with ModelDouble(RulesAnswerer()) as running:
        yield running


@pytest.fixture
def worker(workers: Workers, double: ModelDouble) -> Workers:
    """One worker that reads through the double."""
    workers.start(
        module="workers.main",
        extra={
            "OPENAI_BASE_URL": double.base_url,
            "CITEGRAPH_LLM_MODEL": "double",
            "CITEGRAPH_LLM_PRICES": '{"double": [1, 1]}',
        },
    )
    return workers


def read(database: Database, home: Home, job_id: JobId) -> Job:
    with database.open_space(home.tenant_id, home.space_id) as space:
        return queue.get_job(space, job_id)


def await_parked(database: Database, home: Home, job_id: JobId, code: str) -> None:
    wait_until(lambda: read(database, home, job_id).stage == "parked", what="the job to be parked")
    job = read(database, home, job_id)
    assert (job.state, job.error_code, job.attempt, job.failures) == ("queued", code, 0, 0)


def await_done(database: Database, home: Home, job_id: JobId) -> float:
    """Seconds until the job was done; no attempt was counted for the times that it was parked."""
    began = time.monotonic()
    wait_until(lambda: read(database, home, job_id).state == "done", seconds=60, what="the job to be done")
    job = read(database, home, job_id)
    assert (job.attempt, job.failures) == (1, 0)
    return time.monotonic() - began


def hand_in(database: Database, home: Home, *numbers: int) -> JobId:
    _, job_id = submit(database, home, *(corpus()[number] for number in numbers))
    assert job_id is not None
    return job_id


@pytest.mark.soak
@pytest.mark.parametrize("mode", sampled([Mode.SERVER_ERROR, Mode.QUOTA], every=2))
def test_a_model_that_answers_again_is_asked_again_at_once(
    database: Database, home: Home, double: ModelDouble, worker: Workers, mode: Mode
) -> None:
    """A server that fails, and one whose quota is used up: for that a job slept for 600 s."""
    del worker
    fault = Fault(mode)
    double.faults.add(fault)
    first, second = hand_in(database, home, 0), hand_in(database, home, 1)
    await_parked(database, home, first, "model_parked")
    await_parked(database, home, second, "model_parked")
    calls = len(double.calls)
    time.sleep(7)
    assert len(double.calls) - calls <= 4, "one small question every three seconds, however many jobs wait"
    double.faults.clear()
    assert await_done(database, home, first) < RESUMED_WITHIN
    assert await_done(database, home, second) < RESUMED_WITHIN


@pytest.mark.soak
def test_jobs_of_a_worker_that_died_are_tried_by_the_next(
    database: Database, home: Home, double: ModelDouble, worker: Workers
) -> None:
    """Nobody is left who knows that the server failed."""
    double.faults.add(Fault(Mode.QUOTA))
    job_id = hand_in(database, home, 0)
    await_parked(database, home, job_id, "model_parked")
    (process,) = worker.alive
    worker.kill(process)
    double.faults.clear()
    worker.start(module="workers.main", extra={"OPENAI_BASE_URL": double.base_url})
    assert await_done(database, home, job_id) < RESUMED_WITHIN


@pytest.mark.soak
def test_a_provider_that_names_a_time_is_not_asked_before_it(
    database: Database, home: Home, double: ModelDouble, worker: Workers
) -> None:
    del worker
    double.faults.add(Fault(Mode.RATE_LIMITED, retry_after="3000"))
    job_id = hand_in(database, home, 0)
    await_parked(database, home, job_id, "model_rate_limited")
    calls = len(double.calls)
    time.sleep(7)
    assert len(double.calls) == calls


@pytest.mark.soak
@pytest.mark.parametrize("limit", sampled(["tenant budget", "space budget", "tokens"], every=3))
def test_a_raised_limit_wakes_the_jobs_that_wait_for_it(
    database: Database, home: Home, worker: Workers, limit: str
) -> None:
    del worker

    def set_limit(value: float | None) -> None:
        if limit == "space budget":
            spaces.update_space(
                database, home.tenant_id, home.space_id, actor="test", setting_changes={"budget_usd": value}
            )
            return
        with database.open_platform() as platform:
            if limit == "tokens":
                tokens = None if value is None else int(value)
                quotas.change_quotas_and_unpark_jobs(
                    platform, home.tenant_id, {"tokens": tokens}, actor="test"
                )
            else:
                budgets.set_budget_and_unpark_jobs(platform, home.tenant_id, value, actor="test")

    set_limit(0.0)
    job_id = hand_in(database, home, 0)
    await_parked(database, home, job_id, "quota_exceeded" if limit == "tokens" else "budget_exhausted")
    set_limit(1_000_000.0)
    assert await_done(database, home, job_id) < RESUMED_WITHIN


def test_a_retry_of_a_parked_job_runs_it_now_and_of_one_that_waits_for_a_worker_is_refused(
    database: Database, home: Home
) -> None:
    job_id = hand_in(database, home, 0)
    with database.open_space(home.tenant_id, home.space_id) as space, pytest.raises(Conflict):
        ingest.retry_job(space, job_id)
    with database.open_space(home.tenant_id, home.space_id) as space:
        space.connection.execute(
            "UPDATE job SET stage = 'parked', error_code = 'model_parked', error_message = 'It is away.',"
            " run_after = now() + interval '10 minutes', failures = 1"
        )
    with database.open_space(home.tenant_id, home.space_id) as space:
        job = ingest.retry_job(space, job_id)
        assert (job.state, job.stage, job.failures) == ("queued", "parked", 1)
        assert space.connection.execute("SELECT run_after <= now() FROM job").fetchone() == (True,)
