"""An eviction in a real pool process that is really killed in the middle of a batch (requirement 12.2, fault
2).
"""

from pathlib import Path

import pytest

from app.db.database import Database
from app.jobs import queue
from app.settings import Settings
from tests.conftest import Home
from tests.support.evictions import request, set_policy, take_in, titles
from tests.support.ingest import picture
from tests.workers.conftest import Workers, wait_until


@pytest.mark.soak
@pytest.mark.slow
def test_a_killed_process_leaves_the_batch_whole_and_another_one_ends_the_job(
    database: Database, settings: Settings, home: Home, workers: Workers, tmp_path: Path
) -> None:
    take_in(
        database, settings, home, **{f"note{n}": f"[Thing{n}|Product] and [Ada|Person]." for n in range(20)}
    )
    before = picture(database, home)
    set_policy(database, home, eviction="capacity", eviction_max_chunks=5)
    job_id = request(database, home)
    armed = tmp_path / "armed"
    armed.touch()
    workers.start(fail_at="evicting", fail_file=armed)
    wait_until(lambda: not armed.exists(), what="the worker to be killed inside its batch")
    assert picture(database, home) == before

    def done() -> bool:
        with database.open_space(home.tenant_id, home.space_id) as space:
            return queue.get_job(space, job_id).state == "done"

    wait_until(done, what="the eviction to be taken over")
    with database.open_space(home.tenant_id, home.space_id) as space:
        job = queue.get_job(space, job_id)
        counted = space.connection.execute(
            "SELECT mention_count FROM graph_node WHERE knowledge_space_id = %s AND canonical_name = 'Ada'",
            [home.space_id],
        ).fetchall()
    assert (job.counts["evicted"], job.counts["documents"]) == (15, 15)
    assert len(titles(database, home)) == 5
    assert counted == [(5,)]
