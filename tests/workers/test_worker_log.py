"""The worker tells: one line a job, one a failure with its trace, one a park, on stderr in either format."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from app.db.database import Database
from app.jobs import queue
from app.settings import Settings
from tests.conftest import Home
from tests.support.ingest import submit, text
from tests.workers.conftest import Workers, wait_until

OUTCOMES = {
    "Alma Canary created Ingres in 1974.": "job_done",
    "BROKEN extractor": "job_error",
    "REFUSED text": "job_failed",
    "PARKED model": "job_parked",
}
CONTROL = re.compile(r"\x1b\[[0-9;]*m")


def told(workers: Workers, event: str) -> list[str]:
    """The lines of that event."""
    return [line for line in CONTROL.sub("", workers.logs()).splitlines() if event in line]


@pytest.fixture
def lines(
    request: pytest.FixtureRequest, settings: Settings, database: Database, home: Home, tmp_path: Path
) -> tuple[dict[str, list[str]], str, dict[str, str]]:
    """The lines of a worker process by their event, all that it wrote, and the job of each outcome."""
    workers = Workers(settings.model_copy(update={"log_json": request.param}), tmp_path)
    jobs = {}
    for body, event in OUTCOMES.items():
        _, job = submit(database, home, text(body, title=event))
        jobs[event] = str(job)
    workers.start(module="tests.workers.failing_worker")
    try:
        wait_until(lambda: all(told(workers, event) for event in OUTCOMES.values()), what="four ends")
    finally:
        workers.close()
    # Whoever redirects stderr alone has all of it.
    (stdout,) = (path.read_text() for path in tmp_path.glob("worker-*.out"))
    assert "job" not in stdout
    return {event: told(workers, event) for event in OUTCOMES.values()}, workers.logs(), jobs


@pytest.mark.soak
@pytest.mark.parametrize("lines", [True], indirect=True)
def test_each_end_of_a_job_is_one_line_of_json(
    lines: tuple[dict[str, list[str]], str, dict[str, str]], home: Home
) -> None:
    by_event, everything, jobs = lines
    found: dict[str, dict[str, Any]] = {}
    for event, said in by_event.items():
        (line,) = said
        found[event] = json.loads(line)
        assert found[event]["event"] == event
        assert found[event]["job"] == jobs[event]
        assert found[event]["kind"] == "ingest.documents"
        assert found[event]["tenant"] == str(home.tenant_id)
        assert found[event]["space"] == str(home.space_id)
        assert 0 < found[event]["seconds"] < 60
        assert 20 < found[event]["peak_mb"] < 2_000
    assert found["job_done"]["counts"]["documents"] == 1
    assert found["job_done"]["level"] == "info"
    assert "ZeroDivisionError" in found["job_error"]["exception"]
    assert "failing_worker.py" in found["job_error"]["exception"]
    assert (found["job_error"]["level"], found["job_error"]["final"]) == ("error", True)
    assert (found["job_failed"]["code"], found["job_failed"]["final"]) == ("conflict", True)
    assert "Conflict" in found["job_failed"]["exception"]
    assert (found["job_parked"]["code"], found["job_parked"]["delay"]) == ("model_parked", 600.0)
    assert "exception" not in found["job_parked"]
    assert "verysecretkey" not in everything


@pytest.mark.parametrize("lines", [False], indirect=True)
@pytest.mark.soak
def test_each_end_of_a_job_is_one_line_for_people(
    lines: tuple[dict[str, list[str]], str, dict[str, str]],
) -> None:
    by_event, everything, jobs = lines
    for event, said in by_event.items():
        (line,) = said
        assert jobs[event] in line
        assert "kind=ingest.documents" in line
        assert re.search(r"seconds=\d+\.\d+", line)
        assert re.search(r"peak_mb=\d+", line)
    assert everything.count("Traceback (most recent call last)") == 2
    assert "ZeroDivisionError: a bug with sk-*** in its message" in everything
    assert "worker_ready" in everything
    # Celery's own chatter about each wake-up would drown these.
    assert "succeeded in" not in everything


@pytest.mark.soak
def test_the_command_tells_what_the_module_does(
    settings: Settings, database: Database, home: Home, tmp_path: Path
) -> None:
    """`citegraph worker` sets up its log before Celery does, which must leave it in place."""
    _, job_id = submit(database, home, text("Alma Canary created Ingres in 1974."))
    workers = Workers(settings, tmp_path)
    workers.start(module="app.cli.main", arguments=("worker",))
    try:
        wait_until(lambda: told(workers, "job_done"), what="the line of the job")
        with database.open_space(home.tenant_id, home.space_id) as space:
            assert job_id is not None
            assert queue.get_job(space, job_id).state == "done"
        assert str(job_id) in told(workers, "job_done")[0]
    finally:
        workers.close()
