"""Requirement 18.1 with real workers: what a text makes go wrong stays with its chunk (review A1, A2, A7)."""

import os
import signal
import time
from pathlib import Path

import pytest

from app.db.database import Database
from app.documents import service as documents
from app.documents.shapes import Submission
from app.ids import JobId
from app.jobs import queue
from app.settings import Settings
from tests.conftest import Home
from tests.support.ingest import submit, text
from tests.support.start import FORK_SERVER
from tests.workers.conftest import Workers, wait_until

CULPRITS = "tests.workers.culprit_worker"
CODES = {
    "LOOPS": "chunk_timeout",
    "RAISES": "unreadable_chunk",
    "RECURS": "unreadable_chunk",
    "EATS": "chunk_out_of_memory",
    "CRASHES": "chunk_crashed",
}


def start(settings: Settings, folder: Path, *, slots: int = 1, **changes: object) -> Workers:
    """One worker with so many slots, in which a chunk has a second of processor."""
    changes = {"worker_concurrency": slots, "chunk_seconds": 1, **changes}
    workers = Workers(settings.model_copy(update=changes), folder)
    # With a template of its own, as it is shipped: here its end is looked for, too.
    workers.start(module=CULPRITS, extra={FORK_SERVER: ""})
    return workers


def state_of(database: Database, home: Home, job_id: JobId | None) -> str:
    assert job_id is not None
    with database.open_space(home.tenant_id, home.space_id) as space:
        return queue.get_job(space, job_id).state


def named_chunks(database: Database, home: Home, job_id: JobId) -> dict[str, str]:
    """Text of each chunk on the job's list of errors → its code."""
    with database.open_space(home.tenant_id, home.space_id) as space:
        return {
            documents.get_chunk(space, error.chunk_id).text: error.code  # type: ignore[arg-type]
            for error in queue.list_job_errors(space, job_id)
        }


def children(pid: int) -> list[int]:
    """All processes below this one."""
    parents: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] != "Z":
            parents.setdefault(int(fields[1]), []).append(int(path.parent.name))
    below = parents.get(pid, [])
    return below + [deeper for child in below for deeper in children(child)]


@pytest.mark.soak
def test_of_twenty_documents_the_chunks_that_go_wrong_are_set_aside_and_all_else_is_read(
    database: Database, settings: Settings, home: Home, tmp_path: Path
) -> None:
    """A2: of 20 documents with one culprit none was read. Here every way to go wrong, each in the midst of a
    longer document.
    """
    submissions = [text(f"Ada Byron created Engine{at}.", title=f"{at}") for at in range(15)]
    for word in CODES:
        parts = [f"# Part {at}\n\nGrace Hopper created {word.title()}{at}.\n" for at in range(5)]
        parts[2] = f"# Part 2\n\nThis {word}.\n"
        body = "\n".join(parts).encode()
        submissions.insert(3, Submission(body, "markdown", f"culprit {word}"))
    _, job_id = submit(database, home, *submissions)
    assert job_id is not None
    workers = start(settings, tmp_path)
    try:
        wait_until(lambda: state_of(database, home, job_id) == "done", seconds=180, what="the job")
    finally:
        workers.close()
    codes = named_chunks(database, home, job_id)
    assert {word: code for word in CODES for chunk, code in codes.items() if word in chunk} == CODES
    assert len(codes) == len(CODES)
    with database.open_space(home.tenant_id, home.space_id) as space:
        counts = queue.get_job(space, job_id).counts
        assert {document.state for document in documents.list_documents(space)} == {"ready"}
    assert (counts["documents"], counts["failed_chunks"], counts["failed_documents"]) == (20, len(CODES), 0)
    # Of each document with a culprit the four other chunks are read.
    assert counts["edges"] == 15 + 4 * len(CODES)
    # The trace of a fault stands in the log.
    assert "IndexError" in workers.logs()


@pytest.mark.soak
def test_two_loops_do_not_take_both_slots(
    database: Database, settings: Settings, home: Home, twin: Home, tmp_path: Path
) -> None:
    """A1: two such documents took both slots for ever; another tenant's document was never read."""
    loops = [text(f"{'This LOOPS. ' if at < 40 else ''}Ada created Ingres{at}.") for at in range(41)]
    first = [submit(database, home, *loops[at::2])[1] for at in range(2)]
    workers = start(settings, tmp_path, slots=2)
    try:
        wait_until(
            lambda: [state_of(database, home, job) for job in first] == ["running"] * 2, what="both to run"
        )
        time.sleep(2)
        begun = time.monotonic()
        _, other = submit(database, twin, text("Grace Hopper created Cobol."))
        wait_until(lambda: state_of(database, twin, other) == "done", what="the neighbour's sentence")
        waited = time.monotonic() - begun
        print(f"beside two loops the neighbour waited {waited:.1f} s")
        assert waited < 10
        assert "running" in [state_of(database, home, job) for job in first]
    finally:
        workers.close()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.soak
def test_a_worker_that_ends_in_the_midst_of_a_loop_leaves_no_process(
    database: Database, settings: Settings, home: Home, tmp_path: Path, number: signal.Signals
) -> None:
    """And another worker reads on: the loop is set aside there."""
    _, job_id = submit(database, home, text("This LOOPS."), text("Ada Byron created Engine."))
    workers = start(settings, tmp_path, chunk_seconds=600)
    try:
        wait_until(lambda: state_of(database, home, job_id) == "running", what="the job to run")
        process = workers.alive[0]
        # The template, the pool's process and the child that reads.
        wait_until(lambda: len(children(process.pid)) >= 3, what="the child")
        below = children(process.pid)
        # A signal of an orchestrator goes to the worker alone.
        os.kill(process.pid, number)
        process.wait(60)
        wait_until(
            lambda: not any(Path(f"/proc/{pid}").exists() for pid in below), seconds=20, what="all to end"
        )
    finally:
        workers.close()
    again = start(settings, tmp_path)
    try:
        wait_until(lambda: state_of(database, home, job_id) == "done", what="the job")
    finally:
        again.close()
    assert job_id is not None
    assert named_chunks(database, home, job_id) == {"This LOOPS.": "chunk_timeout"}
