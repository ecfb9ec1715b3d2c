"""One tenant's flood is its own (fault matrix 16)."""

import pytest

from app.db.database import Database
from app.settings import Settings
from tests.conftest import Home, make_home
from tests.faults.conftest import STEPPING, Asker, Steps
from tests.faults.corpora import small_documents
from tests.support.ingest import submit
from tests.workers.conftest import Workers, wait_until

FLOOD = 20_000
CAP = 2
# Jobs with their documents, all in one statement: what 20,000 calls would have left.
INSERT = """
WITH made AS (
    INSERT INTO job (knowledge_space_id, id, tenant_id, kind)
    SELECT %(space)s, gen_random_uuid(), %(tenant)s, 'ingest.documents' FROM generate_series(1, %(flood)s)
    RETURNING id
), numbered AS (
    SELECT id AS job_id, gen_random_uuid() AS id, row_number() OVER () AS number FROM made
), described AS (
    INSERT INTO document (knowledge_space_id, id, title, source_kind, format, content_hash, byte_size, version, job_id)
    SELECT %(space)s, id, 'Flood', 'file', 'text', encode(sha256(number::text::bytea), 'hex'), 40, 1, job_id
    FROM numbered
)
INSERT INTO document_body (knowledge_space_id, document_id, raw)
SELECT %(space)s, id, convert_to('Db2 uses Kafka. Note ' || number || '.', 'UTF8') FROM numbered
"""  # noqa: E501


@pytest.mark.soak
def test_twenty_thousand_jobs_of_one_tenant_delay_nobody_else(
    database: Database, settings: Settings, home: Home, workers: Workers, steps: Steps, ask: Asker
) -> None:
    """By the clock of the database: from the commit of another's first job to its start less than a second;
    three processes, and the flood never has more than its cap running.
    """
    others = [make_home(database, f"other-{number}") for number in range(5)]
    ask.rows(f"UPDATE tenant SET max_running_jobs = {CAP}")
    with database.open_space(home.tenant_id, home.space_id) as space:
        space.connection.execute(INSERT, {"space": home.space_id, "tenant": home.tenant_id, "flood": FLOOD})
        space.wake_workers()
    assert ask.value("SELECT count(*) FROM job WHERE state = 'queued'") == FLOOD
    three = Workers(settings.model_copy(update={"worker_concurrency": 3}), workers.folder)
    three.start(module=STEPPING, extra=steps.environment)
    most = 0

    def count_running() -> None:
        nonlocal most
        query = "SELECT count(*) FROM job WHERE state = 'running' AND tenant_id = %s"
        most = max(most, ask.value(query, home.tenant_id))

    def flooded() -> bool:
        count_running()
        return len(steps.reached("finished")) >= 20

    waits = []
    try:
        wait_until(flooded, what="the flood to be under way")
        for number, other in enumerate(others):
            # The commit comes after this moment: what is measured is a little longer than what counts.
            committed = ask.value("SELECT clock_timestamp()")
            _, job_id = submit(database, other, *small_documents(1, seed=number))

            def started(job_id: object = job_id) -> bool:
                count_running()
                return bool(ask.value("SELECT started_at IS NOT NULL FROM job WHERE id = %s", job_id))

            wait_until(started, what="the other tenant's job to start")
            waits.append(
                ask.value(
                    "SELECT extract(epoch FROM started_at - %s)::float FROM job WHERE id = %s",
                    committed,
                    job_id,
                )
            )
        waiting = ask.value("SELECT count(*) FROM job WHERE state = 'queued'")
    finally:
        three.close()
    print(f"flood: started after {', '.join(f'{wait * 1000:.0f}' for wait in waits)} ms")
    assert waiting > FLOOD / 2
    # Behind the flood it would wait for minutes. On a busy machine one of five may meet a pause.
    assert sorted(waits)[len(waits) // 2] < 1.0
    assert max(waits) < 5.0
    assert 1 <= most <= CAP
