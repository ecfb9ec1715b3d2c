"""What is deleted while a worker has it in hand stays deleted (fault matrix 18, 19), at every step."""

from functools import partial

import pytest

from app.db.database import Database
from app.ids import DocumentId
from app.ingest import service as ingest
from app.settings import Settings
from app.tenancy.spaces import service as spaces
from tests.conftest import Home, make_home
from tests.faults.conftest import STEPPING, Asker, Steps
from tests.faults.corpora import small_documents
from tests.support.ingest import ingest_now, picture, submit
from tests.support.sampling import sampled
from tests.workers.conftest import Workers, wait_until

STEPS = ["entered", "chunked", "nodes", "edges", "finished"]


@pytest.mark.soak
@pytest.mark.slow
def test_a_space_deleted_under_a_worker_leaves_no_row(
    database: Database, workers: Workers, steps: Steps, ask: Asker, home: Home
) -> None:
    """Row 18: the worker stands at the step while the space goes; then it goes on, and finds nothing to write
    to.
    """
    worker = workers.start(module=STEPPING, extra=steps.environment)
    for step in STEPS:
        doomed = make_home(database, f"tenant-{step}")
        steps.shut(step)
        _, job_id = submit(database, doomed, *small_documents(4))
        steps.await_held(step)
        spaces.delete_space(database, doomed.tenant_id, doomed.space_id, actor="test")
        steps.open()
        # Served after it by the same process: so it has let go of the doomed one.
        submit(database, home, *small_documents(1, seed=STEPS.index(step)))
        wait_until(
            lambda: ask.value(
                "SELECT bool_and(state = 'done') FROM job WHERE tenant_id = %s", home.tenant_id
            ),
            what="the job after it",
        )
        # The audit log alone remembers that there was such a space, and who made and removed it.
        traces = ask.traces(doomed.space_id, job_id)
        assert set(traces) == {"audit_event"}, step
    assert ask.value("SELECT count(*) FROM job WHERE state <> 'done'") == 0
    assert workers.logs().count("lease_lost") >= len(STEPS) - 1
    assert "job_error" not in workers.logs()
    assert worker.poll() is None


@pytest.mark.slow
@pytest.mark.parametrize("prune", sampled([True, False], every=2))
@pytest.mark.soak
def test_a_document_deleted_under_a_worker_leaves_edges_without_evidence_at_most(
    prune: bool,
    database: Database,
    settings: Settings,
    workers: Workers,
    steps: Steps,
    ask: Asker,
) -> None:
    """Row 19: one of two documents goes; the other is taken in as if it had been alone."""
    kept, gone = small_documents(2, seed=11, sentences=6)
    alone = make_home(database, "alone")
    ingest_now(database, settings, alone, [kept])
    expected = picture(database, alone)
    workers.start(module=STEPPING, extra=steps.environment)
    for step in STEPS:
        home = make_home(database, f"tenant-{step}")
        steps.shut(step)
        submitted, job_id = submit(database, home, kept, gone)
        steps.await_held(step)
        document_id = DocumentId(submitted[1].document.id)
        chunks = [
            row[0] for row in ask.rows("SELECT id FROM knowledge_chunk WHERE document_id = %s", document_id)
        ]
        with database.open_space(home.tenant_id, home.space_id) as space:
            ingest.delete_document_with_all_its_words(space, document_id, prune=prune)
        steps.open()
        wait_until(partial(_ended, ask, job_id), what="the job")
        # A step that meets the gap is run again without it.
        assert ask.rows("SELECT state, error_code, attempt <= 2 FROM job WHERE id = %s", job_id) == [
            ("done", None, True)
        ], (step, workers.logs()[-2000:])
        # First-seen is history: a node may name a chunk that is no more; the audit knows ids, and no word.
        traces = ask.traces(document_id, *chunks)
        assert set(traces) <= {"graph_node", "audit_event"}, (step, traces)
        shown = picture(database, home)
        for part in ("chunks", "mentions"):
            assert shown[part] == expected[part], (step, part)
        with_evidence = [row for row in shown["edges"] if row[0] is not None]
        assert with_evidence == expected["edges"], step
        if prune or step == "entered":
            assert len(shown["edges"]) == len(expected["edges"]), step
        assert ask.rows("SELECT title FROM document WHERE job_id = %s", job_id) == [(kept.title,)]


def _ended(ask: Asker, job_id: object) -> bool:
    return bool(ask.value("SELECT state IN ('done', 'failed', 'cancelled') FROM job WHERE id = %s", job_id))
