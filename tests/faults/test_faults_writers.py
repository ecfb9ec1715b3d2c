"""Many at once (fault matrix 12, 20): the same document from all sides, and the same nodes from all
documents.
"""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from app.db.database import Database
from app.settings import Settings
from tests.conftest import Home
from tests.faults.conftest import Api, Asker
from tests.faults.corpora import small_documents
from tests.support.ingest import make_runner, picture, submit
from tests.support.sampling import sampled
from tests.workers.conftest import Workers, wait_until

CALLERS = 20


@pytest.mark.soak
@pytest.mark.slow
@pytest.mark.parametrize("address", sampled(["https://example.org/note", None], every=2))
def test_one_document_from_twenty_callers_at_once_is_one_document_and_one_job(
    address: str | None, start_api: Callable[..., Api], home: Home, ask: Asker
) -> None:
    """Row 12: known by its content, or by its address: the first makes it, the others are told that it
    stands.
    """
    # All at once: nobody waits until others are through, which on a busy machine is refused in the end.
    limits = ("max_uploads", "tenant_uploads", "max_queries", "tenant_queries")
    api = start_api(**dict.fromkeys(limits, CALLERS), pool_size=2 * CALLERS)
    more = {} if address is None else {"source_uri": address}
    with ThreadPoolExecutor(CALLERS) as pool:
        replies = list(
            pool.map(lambda _: api.post(home, "Ada Lovelace created Db2.", **more), range(CALLERS))
        )
    assert Counter(reply.status for reply in replies) == {202: 1, 200: 19}
    outcomes = Counter(reply.body["documents"][0]["outcome"] for reply in replies)
    assert outcomes == {"created": 1, "unchanged": 19}
    assert len({reply.body["documents"][0]["id"] for reply in replies}) == 1
    assert ask.rows("SELECT (SELECT count(*) FROM document), (SELECT count(*) FROM job)") == [(1, 1)]
    assert ask.rows("SELECT sum(documents) FROM usage_daily") == [(1,)]


@pytest.mark.soak
def test_eight_writers_of_the_same_nodes_meet_in_no_deadlock_and_make_one_graph(
    database: Database, settings: Settings, home: Home, twin: Home, workers: Workers, ask: Asker
) -> None:
    """Row 20: 40 documents about the same 24 things, eight processes; nobody even has to try again."""
    documents = small_documents(40, sentences=6)
    for document in documents:
        submit(database, twin, document)
    make_runner(database, settings).drain()
    ask.rows("UPDATE tenant SET max_running_jobs = 20")
    for document in documents:
        submit(database, home, document)
    before = ask.value("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
    # Leases as long as usual: eight busy processes on few cores may be late with a sign of life.
    changes = {"worker_concurrency": 8, "pool_size": 2, "job_lease": 60.0}
    eight = Workers(settings.model_copy(update=changes), workers.folder)
    eight.start()
    running = 0

    def all_done() -> bool:
        nonlocal running
        running = max(running, ask.value("SELECT count(*) FROM job WHERE state = 'running'"))
        return bool(ask.value("SELECT count(*) = 80 FROM job WHERE state = 'done'"))

    try:
        wait_until(all_done, what="all jobs")
    finally:
        eight.close()
    assert running >= 4
    assert before == 0
    assert ask.value("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()") == 0
    assert ask.rows("SELECT DISTINCT attempt, failures FROM job") == [(1, 0)]
    assert picture(database, home) == picture(database, twin)
